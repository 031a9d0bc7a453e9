"""Files that the user puts into data/local/<data set>, because upstream's can't be fetched from here."""

import shutil
from pathlib import Path

from pipeline import paths
from pipeline.errors import UserError


def required(local: Path, name: str, dataset: str) -> Path:
    """The file's path below the data set's local folder. Raises UserError, with the remedy, where it isn't there."""
    path = local / name
    if not path.is_file():
        raise UserError(f"{path}: no such file; `python -m pipeline link {dataset} FILE` puts it there")
    return path


def copied(local: Path, raw: Path, name: str) -> None:
    """Copies a file with its folders; a link becomes the file that it leads to."""
    target = raw / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(local / name, target)


def origin(dataset: str, name: str) -> str:
    """How a record names its file: as the user knows it, and alike in every working copy."""
    return (paths.LOCAL / dataset / name).as_posix()
