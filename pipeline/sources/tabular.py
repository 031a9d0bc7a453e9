"""The user's own CSV, TSV or JSON-lines file with a text and a label column."""

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from pipeline.errors import UserError
from pipeline.section import SourceOptions, SplitOptions, inside_local
from pipeline.sources import given
from pipeline.sources.base import SPLITS, Document
from pipeline.sources.json_text import parsed
from pipeline.sources.lines import numbered_lines
from pipeline.sources.source import Source

SUFFIXES = {".csv": ",", ".tsv": "\t", ".jsonl": None}
"""The delimiter of each kind of table, None for JSON lines."""


Columns = Mapping[str, str]
"""Two columns by the keys of params.yaml that name them."""

_HALF_PAIR = re.compile("[\ud800-\udfff]")
"""What JSON can spell (an emoji cut in two) and UTF-8 can't."""


class TabularOptions(SplitOptions):
    """Paths below data/local/<data set>; a split that is null is cut from `train` as `splits` says."""

    reader: Literal["tabular"]
    train: str
    validation: str | None
    test: str | None
    text_column: str = Field(min_length=1)
    label_column: str = Field(min_length=1)

    @field_validator("train", "validation", "test")
    @classmethod
    def _is_table(cls, value: str | None) -> str | None:
        if value is not None:
            if suffix(value) not in SUFFIXES:
                raise ValueError(f"must end in {', '.join(SUFFIXES)}, or one of these and .gz")
            return inside_local(value)
        return value

    @model_validator(mode="after")
    def _are_different(self) -> Self:
        files = [name for split in SPLITS if (name := getattr(self, split)) is not None]
        if len(set(files)) < len(files):
            raise ValueError("train, validation and test must be different files; null has one cut from train")
        return self


class Tabular(Source[TabularOptions]):
    """Documents of a table."""

    Options: ClassVar[type[SourceOptions]] = TabularOptions

    def __init__(self, dataset: str, options: TabularOptions) -> None:
        super().__init__(dataset, options)
        self.columns = {key: getattr(options, key) for key in ("text_column", "label_column")}
        self.files = {split: name for split in SPLITS if (name := getattr(options, split)) is not None}

    def check(self, local: Path) -> None:
        for name in self.files.values():
            path = given.required(local, name, self.dataset)
            # The first row shows an empty file, a wrong column name and a file that isn't what its suffix says.
            if next(rows(path, self.columns), None) is None:
                raise UserError(f"{path}: has no rows; give it a header and rows, or name another file")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        for name in self.files.values():
            for _ in rows(local / name, self.columns):
                pass  # a broken row is named by the file that the user can mend, not by the copy
            given.copied(local, raw, name)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        alone = set(self.files) == {"train"}
        for split, name in self.files.items():
            own_file, usable = given.origin(self.dataset, name), 0
            for number, text, label in rows(raw / name, self.columns):
                if not text.strip():
                    skipped["empty text"] += 1
                elif not label.strip():
                    skipped["empty label"] += 1
                else:
                    usable += 1
                    yield Document(text, label.strip(), f"{own_file}:{number}", split=None if alone else split)
            if not usable:
                raise UserError(f"{own_file}: no row has both a text and a label; fill them in, or name another file")


def suffix(name: str) -> str:
    return Path(name.removesuffix(".gz")).suffix.lower()


def rows(path: Path, columns: Columns) -> Iterator[tuple[int, str, str]]:
    """Line number and the two columns of every row. UserError naming file and line where a row is broken."""
    delimiter = SUFFIXES[suffix(path.name)]
    return _json_rows(path, columns) if delimiter is None else _csv_rows(path, columns, delimiter)


def _csv_rows(path: Path, columns: Columns, delimiter: str) -> Iterator[tuple[int, str, str]]:
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader((line for _, line in numbered_lines(path)), delimiter=delimiter, strict=True)
    number = 1  # the line where a row begins; a quoted field may hold line ends
    try:
        header = next(reader, [])
        if not header:
            raise UserError(f"{path}: empty file; its first line must name the columns")
        require_columns(columns, header, f"{path}:1")
        text, label = (_only_index(header, column, f"{path}:1") for column in columns.values())
        number = reader.line_num + 1
        for row in reader:
            if row and len(row) != len(header):
                raise UserError(
                    f"{path}:{number}: {len(row)} fields where the header has {len(header)}; "
                    'put a field that holds the delimiter or a line end into quotes ("...")'
                )
            if row:
                yield number, row[text], row[label]
            number = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{path}:{number}: broken CSV: {error}; mend the quotes of the row that begins there") from None


def _only_index(header: list[str], column: str, where: str) -> int:
    if header.count(column) > 1:
        raise UserError(f"{where}: {header.count(column)} columns are named {column!r}; rename all but one")
    return header.index(column)


def _json_rows(path: Path, columns: Columns) -> Iterator[tuple[int, str, str]]:
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        record = parsed(line, f"{path}:{number}")
        if not isinstance(record, dict):
            raise UserError(
                f'{path}:{number}: not a JSON object; each line must be {{"{next(iter(columns.values()))}": ..., ...}}'
            )
        require_columns(columns, list(record), f"{path}:{number}")
        text, label = (_as_text(record[column], f"{path}:{number}: {column!r}") for column in columns.values())
        if _HALF_PAIR.search(text + label):
            raise UserError(
                f"{path}:{number}: half of a surrogate pair (\\ud800 to \\udfff), which is no text; remove it"
            )
        yield number, text, label


def require_columns(columns: Columns, present: list[str], where: str) -> None:
    for key, column in columns.items():
        if column not in present and len(present) == 1 and (found := re.search(r"[;|\t]", present[0])):
            raise UserError(
                f"{where}: no column {column!r}, but {found[0]!r} in the header: columns are set apart by commas in "
                ".csv and by tabs in .tsv; save the file so"
            )
        if column not in present:
            raise UserError(f"{where}: no column {column!r}; it has {', '.join(present)}; set {key} to one of these")


def _as_text(value: Any, where: str) -> str:
    """Text as it is, null and NaN as empty, numbers and truth values as JSON writes them. UserError for the rest."""
    if value is None or value != value:
        return ""
    if isinstance(value, list | dict):
        kind = "a list" if isinstance(value, list) else "an object"
        raise UserError(f"{where} holds {kind}, not text; write it as one text (a summary: a sentence a line)")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
