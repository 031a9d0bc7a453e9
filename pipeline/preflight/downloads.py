"""Upstream's files that params.yaml needs: which are here and right, which are to come, and whether there is room."""

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline import paths
from pipeline.errors import UserError
from pipeline.params import Params
from pipeline.sources import word_vectors
from pipeline.sources.chosen import source_of
from pipeline.sources.download import megabytes
from pipeline.sources.remote import RemoteFile, TooSlowError, WrongFileError, shown, verify

SECONDS = 2.0
"""For reading files that are here; one that takes longer is verified by the stage that needs it."""


@dataclass(frozen=True, slots=True)
class Needed:
    """A file, where it belongs, and the output that is made of it."""

    file: RemoteFile
    path: Path
    output: Path

    @property
    def to_come(self) -> int:
        """Bytes that are not here yet, 0 where no one states the size."""
        part = self.path.with_name(f".{self.path.name}.part")
        here = next((path.stat().st_size for path in (self.path, part) if path.exists()), 0)
        return max((self.file.size or 0) - here, 0)

    @property
    def to_write(self) -> int:
        """Bytes that the stage makes of it, 0 where that was done or no one states them."""
        return 0 if self.output.exists() else self.file.unpacked or self.file.size or 0


def needed(params: Params) -> list[Needed]:
    """The files of all chosen data sets and of the word vectors."""
    found = [
        Needed(file, paths.downloads(dataset) / file.name, paths.raw(dataset))
        for dataset in params.datasets
        for file in source_of(params, dataset).remote(paths.local(dataset))
    ]
    if published := word_vectors.PUBLISHED.get(params.vectors.pretrained):
        path = paths.downloads(word_vectors.FOLDER) / published.file.name
        found.append(Needed(published.file, path, paths.VECTORS))
    return found


def wrong(files: list[Needed]) -> tuple[list[str], list[Path]]:
    """What is wrong with the files that are here, and those that there was no time to read."""
    problems, unread, until = [], [], time.monotonic() + SECONDS
    for one in files:
        if not one.path.exists():
            continue
        try:
            verify(one.path, one.file, seconds=max(until - time.monotonic(), 0))
        except WrongFileError as error:
            remedy = f"remove it to have it fetched again, or put the right one there ({one.file.page})"
            problems.append(f"{shown(one.path)}: {error}; {remedy}")
        except UserError as error:
            problems.append(str(error))
        except TooSlowError:
            unread.append(one.path)
    return problems, unread


def without_room(files: list[Needed]) -> Iterator[str]:
    """A sentence for each disk that has too little room for what is to come and what is made of it."""
    wanted: dict[int, tuple[Path, int]] = {}
    for one in files:
        for target, size in ((one.path, one.to_come), (one.output, one.to_write)):
            folder = next(parent for parent in target.absolute().parents if parent.exists())
            disk = folder.stat().st_dev
            first, before = wanted.get(disk, (folder, 0))
            wanted[disk] = (first, before + size)
    for folder, size in wanted.values():
        if (free := shutil.disk_usage(folder).free) < size:
            yield (
                f"{folder}: at least {megabytes(size)} are needed for downloads and what is unpacked of them, "
                f"{megabytes(free)} are free; make room, or choose fewer data sets"
            )


def plan(files: list[Needed], unread: list[Path]) -> Iterator[str]:
    """Lines that say what is here and what will be fetched, from where and on which terms."""
    for one in files:
        if one.path.exists():
            yield f"here: {shown(one.path)}" + (", not read yet" if one.path in unread else "")
    coming = [one for one in files if not one.path.exists()]
    for one in coming:
        size = "of a size that no one states" if one.file.size is None else megabytes(one.file.size)
        yield f"to fetch: {shown(one.path)}, {size}, from {one.file.page}; {one.file.terms}"
    if len(coming) > 1:
        unknown = sum(one.file.size is None for one in coming)
        rest = f" and {unknown} file(s) of unknown size" if unknown else ""
        yield f"to fetch in all: {megabytes(sum(one.to_come for one in coming))}{rest}"
