"""Links to the user's own files in data/local/<data set>."""

from pathlib import Path

from pipeline import paths
from pipeline.errors import UserError
from pipeline.params import Params, unknown


def link(params: Params, dataset: str, path: str) -> list[Path]:
    """Links a file, or every file of a folder under its path there, into the data set's folder; returns the links.

    DVC reads through a link to a file, but not into a linked folder. Raises UserError for an unknown data set, for a
    path that isn't there or has no file, and where a file other than an older link would be replaced.
    """
    if dataset not in params.data:
        raise UserError(unknown("data set", dataset, list(params.data)))
    try:
        source = Path(path).expanduser().resolve(strict=True)
    except (OSError, RuntimeError):  # the latter for the home folder of an unknown user
        raise UserError(f"{path}: no such file or folder") from None
    files = [source] if source.is_file() else sorted(file for file in source.rglob("*") if file.is_file())
    if not files:
        raise UserError(f"{path}: an empty folder; name a file, or a folder with files")
    links = [paths.local(dataset) / (source.name if file == source else file.relative_to(source)) for file in files]
    for target in links:
        inside = target.parent
        while inside != paths.local(dataset) and not inside.exists():
            inside = inside.parent
        if inside.is_file():
            raise UserError(f"{inside}: a file lies where a folder is needed; move it away first")
        if target.exists() and not target.is_symlink():
            raise UserError(f"{target}: a file of that name lies there; move it away first")
    for file, target in zip(files, links, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.symlink_to(file)
    return links
