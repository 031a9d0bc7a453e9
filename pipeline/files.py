"""Writing whole files or none, hashing, and the folders that lie outside DVC's outputs."""

import hashlib
import json
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from pipeline.errors import UserError


def root() -> Path:
    """The repository's root. DVC_ROOT is set by DVC; in `dvc exp run --temp` it names the user's own checkout."""
    return Path(os.environ.get("DVC_ROOT") or Path.cwd())


class Closing(ABC):
    """What is closed at the end of a `with`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Ends what was begun."""


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yields a temporary path beside `path` and renames it at the end, so that `path` is whole or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8 with LF line ends, whole or not at all."""
    with writing(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Writes indented JSON, whole or not at all; NaN is refused (ValueError), since JSON has none."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def require(path: Path) -> Path:
    """The path of a stage's input. UserError if it isn't there, since the stage was called before those it needs."""
    if not path.exists():
        raise UserError(f"{path}: not there yet; `dvc repro` runs the stages that make it")
    return path


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def writing_folder(path: Path) -> Iterator[Path]:
    """Yields a temporary folder beside `path`, which takes its place at the end: whole, or as it was before."""
    partial = path.with_name(f".{path.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        if path.exists():
            shutil.rmtree(path)
        partial.replace(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
