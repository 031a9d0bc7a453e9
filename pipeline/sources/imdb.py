"""IMDB reviews with ten ratings (Diao et al., KDD 2014, "JMARS"; https://github.com/nihalb/JMARS): the paper's IMDB.

A JSON array of {user, movie, rating, review, ...}. The repository's README links one file, data.json, which a public
loader calls 284 MB long; parts named data1.json, data2.json and so on are read as well. Upstream has no splits.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pipeline.errors import UserError
from pipeline.section import SourceOptions, SplitOptions
from pipeline.sources import given
from pipeline.sources.base import Document
from pipeline.sources.json_text import objects_of_array
from pipeline.sources.remote import RemoteFile
from pipeline.sources.reviews import review
from pipeline.sources.source import Source

FILE = re.compile(r"data(\d*)\.json(?:\.gz)?")
STARS = 10

REMOTE = RemoteFile(
    "data.json",
    ("https://www.dropbox.com/s/0oea49j7j30y671/data.json?dl=1",),
    page="https://github.com/nihalb/JMARS",
    terms="terms: none stated",
)


class ImdbOptions(SplitOptions):
    """The reviews of data.json, fetched, or of it or data1.json, data2.json and so on in data/local/<data set>."""

    reader: Literal["imdb"]


class Imdb(Source[ImdbOptions]):
    """The reviews of all the files that are there."""

    Options: ClassVar[type[SourceOptions]] = ImdbOptions

    def published(self) -> Sequence[RemoteFile]:
        return (REMOTE,)

    def check(self, local: Path) -> None:
        if self.remote(local):
            return
        for path in self._files(local):
            if next(objects_of_array(path), None) is None:
                raise UserError(f"{path}: has no review; link the file as published")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        paths = [downloads / REMOTE.name] if self.remote(local) else self._files(local)
        for path in paths:
            for _ in objects_of_array(path):
                pass  # a broken entry is named by the file that the user can mend, not by the copy
            given.copied(path.parent, raw, path.name)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        for path in self._files(raw):
            own_file = given.origin(self.dataset, path.name)
            for number, entry in objects_of_array(path):
                document = review(
                    entry,
                    text_key="review",
                    rating_key="rating",
                    highest=STARS,
                    origin=f"{own_file}:entry {number}",
                    skipped=skipped,
                )
                if document:
                    yield document

    def _files(self, folder: Path) -> list[Path]:
        """The files in the order of their numbers. UserError where there is none, or one of them twice."""
        found: dict[int, Path] = {}
        for path in sorted(folder.glob("data*.json*")):
            if (match := FILE.fullmatch(path.name)) and path.is_file():
                number = int(match[1] or -1)
                if number in found:
                    raise UserError(f"{path}: {found[number].name} is there as well; remove one of the two")
                found[number] = path
        if not found:
            given.required(folder, "data.json", self.dataset)
        if len(found) > 1 and -1 in found:
            others = ", ".join(path.name for number, path in sorted(found.items()) if number >= 0)
            raise UserError(f"{found[-1]}: parts are there as well ({others}); remove the one or the others")
        return [path for _, path in sorted(found.items())]
