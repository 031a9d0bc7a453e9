"""AG's news topics (Zhang, Zhao and LeCun, NIPS 2015), version 3: four classes, upstream's own test split.

train.csv and test.csv without a header: class number from 1, title, description, inner quotes doubled. A backslash
stands for a line break, glued to the next word (`a second\\team`), but before a dollar for nothing (`A\\$378m`); to the
CSV it is an ordinary character. Of an entity the `&` has often become a blank (`Japan #39;s`).
"""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pipeline.errors import UserError
from pipeline.section import SourceOptions, SplitOptions
from pipeline.sources import given
from pipeline.sources.base import Document
from pipeline.sources.cleaning import ENTITIES, clean
from pipeline.sources.lines import numbered_lines
from pipeline.sources.remote import RemoteFile
from pipeline.sources.source import Source

FILES = {"train": "train.csv", "test": "test.csv"}
MD5 = {"train.csv": "b1a00f826fdfbd249f79597b59e1dc12", "test.csv": "d52ea96a97a2d943681189a97654912d"}
"""As torchtext 0.18 states them in torchtext/datasets/ag_news.py, with the address."""
REMOTE = tuple(
    RemoteFile(
        name,
        (f"https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/ag_news_csv/{name}",),
        page="https://github.com/mhjabreel/CharCnn_Keras/tree/master/data/ag_news_csv",
        terms='for "research purposes [...] and any other non-commercial activity"',
        checksum=f"md5:{digest}",
    )
    for name, digest in MD5.items()
)
CLASSES = "classes.txt"
NAMES = ("World", "Sports", "Business", "Sci/Tech")
"""The classes in the order of their numbers, where classes.txt isn't there."""

BACKSLASHES = "backslashes"

_BROKEN_ENTITY = re.compile(r" ?(?<![&#\w])(#[0-9]{2,5}|amp|quot|apos|lt|gt|nbsp|hellip|mdash|ndash|[lr][sd]quo);")


class AgNewsOptions(SplitOptions):
    """train.csv and test.csv, fetched or, if you like with classes.txt, in data/local/<data set>.

    Validation is cut from train.
    """

    reader: Literal["ag_news"]


class AgNews(Source[AgNewsOptions]):
    """Titles and descriptions of news."""

    Options: ClassVar[type[SourceOptions]] = AgNewsOptions

    def published(self) -> Sequence[RemoteFile]:
        return REMOTE

    def check(self, local: Path) -> None:
        if self.remote(local):
            return
        names = _names(local)
        for name in FILES.values():
            path = given.required(local, name, self.dataset)
            if next(_rows(path, names), None) is None:
                raise UserError(f"{path}: has no rows; link the file as published")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        folder = self.folder(downloads, local)
        names = _names(folder)
        for name in FILES.values():
            for _ in _rows(folder / name, names):
                pass  # a broken row is named by the file that the user can mend, not by the copy
            given.copied(folder, raw, name)
        if (folder / CLASSES).is_file():
            given.copied(folder, raw, CLASSES)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        names = _names(raw)
        for split, name in FILES.items():
            own_file = given.origin(self.dataset, name)
            for number, label, title, description in _rows(raw / name, names):
                text, changes = mended(f"{title} {description}")
                if text:
                    yield Document(text, label, f"{own_file}:{number}", split=split, cleaned=changes)
                else:
                    skipped["empty text"] += 1


def mended(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with line breaks and entities put right, then cleaned as every text is, and what was mended."""
    changes = []
    if "\\" in text:
        text = text.replace("\\$", "$").replace("\\", " ")
        changes.append(BACKSLASHES)
    whole, broken = _BROKEN_ENTITY.subn(r"&\1;", text)
    text, others = clean(whole)
    if broken and ENTITIES not in others:
        changes.append(ENTITIES)
    return text, (*changes, *others)


def _names(folder: Path) -> list[str]:
    """The names of the classes, in the order of their numbers."""
    path = folder / CLASSES
    if not path.is_file():
        return list(NAMES)
    names = [name for _, line in numbered_lines(path) if (name := line.strip())]
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise UserError(f"{path}: must hold two or more names, each once and on a line of its own; or remove the file")
    return names


def _rows(path: Path, names: list[str]) -> Iterator[tuple[int, str, str, str]]:
    """Line number, class name, title and description of every row. UserError naming file and line of a broken row."""
    csv.field_size_limit(sys.maxsize)
    lines = (line for _, line in numbered_lines(path, "surrogateescape"))
    reader = csv.reader(lines, doublequote=True, escapechar=None, strict=True)
    number = 1  # the line where a row begins
    try:
        for row in reader:
            if row:
                if len(row) != 3:
                    raise UserError(
                        f"{path}:{number}: {len(row)} fields, not class, title and description; "
                        "link the file as published"
                    )
                kind = row[0].strip()
                if kind not in (legal := [str(index) for index in range(1, len(names) + 1)]):
                    raise UserError(f"{path}:{number}: class {kind!r}; legal: {', '.join(legal)} ({', '.join(names)})")
                yield number, names[int(kind) - 1], row[1], row[2]
            number = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{path}:{number}: broken CSV: {error}; copy or download the file again") from None
