"""Files that the user puts into data/local/<data set>: a table of their own, or upstream's as they have them."""

import shutil
from pathlib import Path

from pipeline import paths
from pipeline.errors import UserError


def nothing_in(local: Path, but: str | None = None) -> bool:
    """Whether no file of the user's is there, so that upstream's are fetched; one named `but` doesn't count."""
    names = (path.name for path in local.glob("*"))
    return not any(name not in ("README.md", but) and not name.startswith(".") for name in names)


def required(local: Path, name: str, dataset: str) -> Path:
    """The file's path below the data set's local folder. Raises UserError, with the remedy, where it isn't there."""
    path = local / name
    try:
        there = path.is_file()
    except OSError:  # a name longer than a file system allows
        there = False
    if not there:
        raise UserError(f"{path}: no such file; `python -m pipeline link {dataset} FILE` puts it there")
    if any(parent.is_symlink() for parent in path.parents if local in (parent, *parent.parents)):
        raise UserError(
            f"{path}: lies in a linked folder, into which DVC doesn't look for changes; remove that link, and "
            f"`python -m pipeline link {dataset} FOLDER` links its files"
        )
    return path


def copied(local: Path, raw: Path, name: str) -> None:
    """Copies a file with its folders; a link becomes the file that it leads to."""
    target = raw / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(local / name, target)


def origin(dataset: str, name: str) -> str:
    """How a record names its file: as the user knows it, and alike in every working copy."""
    return (paths.LOCAL / dataset / name).as_posix()
