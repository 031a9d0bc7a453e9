"""Documents on their way through preparation: in files of some thousands each, which any process can take up."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.sources.base import Document
from pipeline.sources.columns import Hashed, Indices, hashed
from pipeline.sources.lines import BLOCK, Block
from pipeline.sources.source import BlockSource, Source
from pipeline.text.bulk_tokenizer import split_texts

RECORDS = pa.schema([(name, pa.string()) for name in ("origin", "text", "label", "best")])

ROW_GROUP = 1 << 20
"""Rows that a Parquet file holds together, which is Arrow's own choice; so many are in memory when they are written."""

GROUP_BYTES = 1 << 28
"""Bytes of text that are in memory then at the most: rows of long texts are written in smaller groups."""

Rows = tuple[Path, Indices]
"""A part's file, and which of its rows."""


@dataclass
class Part:
    """What is known of the documents of one file, and of the rows that became none."""

    path: Path
    columns: Hashed
    skipped: Counter[str] = field(default_factory=Counter)
    cleaned: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.columns.labels)


def parts_of_stream(source: Source[Any], raw: Path, folder: Path) -> Iterator[Part]:
    """The documents of any source, read here, in parts of about BLOCK characters; at least one part."""
    skipped: Counter[str] = Counter()
    number, size = 0, 0
    held: list[Document] = []
    for document in source.read(raw, skipped):
        held.append(document)
        size += len(document.text)
        if size > BLOCK:
            yield write_part(held, folder / f"{number}.arrow", Counter())
            number, size, held = number + 1, 0, []
    yield write_part(held, folder / f"{number}.arrow", skipped)


def read_block(source: BlockSource[Any], block: Block, path: Path) -> Part:
    """The documents of a block of lines."""
    skipped: Counter[str] = Counter()
    return write_part(list(source.read_block(block, skipped)), path, skipped)


def write_part(documents: Sequence[Document], path: Path, skipped: Counter[str]) -> Part:
    """Writes the documents into a file of their own."""
    texts = [document.text.encode() for document in documents]
    columns = [
        pa.array([document.origin for document in documents], pa.string()),
        _strings(texts),
        pa.array([document.label for document in documents], pa.string()),
        pa.array([document.best for document in documents], pa.string()),
    ]
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, RECORDS) as writer:
        writer.write_batch(pa.record_batch(columns, schema=RECORDS))
    cleaned = Counter(name for document in documents for name in document.cleaned)
    return Part(path, hashed(documents, texts), skipped, cleaned)


def _strings(encoded: Sequence[bytes]) -> pa.StringArray:
    places = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum(list(map(len, encoded)), out=places[1:])
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(places), pa.py_buffer(b"".join(encoded)))


def column(path: Path, name: str, rows: Indices) -> pa.StringArray:
    """A column of rows of a part's file, copied so that nothing of it stays mapped."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).get_batch(0).column(name).take(pa.array(rows))


def split_part(
    path: Path, target: Path, rows: Indices, tokenizer: str, lowercase: bool, max_length: int
) -> tuple[NDArray[np.int64], list[str]]:
    """Cuts texts of a part into words and writes their numbers, those of each text's first `max_length` words.

    Returns the length of every text before that cut, and the words that the numbers stand for.
    """
    words = split_texts(column(path, "text", rows), tokenizer, lowercase=lowercase)
    np.save(target, words.cut(max_length).numbers)
    return words.lengths, words.types


def write_records(target: Path, parts: Iterable[Rows]) -> None:
    """Writes rows of parts as one Parquet file, the same bytes as if all of them had been written at once.

    So that they are, a row group's texts lie in memory without a gap when they are written.
    """
    with pq.ParquetWriter(target, RECORDS) as writer:
        for group in _row_groups(parts):
            writer.write_table(_table(group))  # no name keeps one group alive while the next is gathered


def _table(group: list[Rows]) -> pa.Table:
    columns = {
        name: _texts(group) if name == "text" else pa.concat_arrays([column(path, name, rows) for path, rows in group])
        for name in RECORDS.names
    }
    return pa.table(columns, schema=RECORDS)


def _row_groups(parts: Iterable[Rows]) -> Iterator[list[Rows]]:
    """The rows in portions of ROW_GROUP rows, or of as many as have GROUP_BYTES of text; at least one portion."""
    group: list[Rows] = []
    rows_left, bytes_left = ROW_GROUP, GROUP_BYTES
    for path, rows in parts:
        ends = np.cumsum(_text_sizes(path, rows))
        begin = 0
        while begin < len(rows):
            before = int(ends[begin - 1]) if begin else 0
            end = min(begin + rows_left, int(np.searchsorted(ends, before + bytes_left, "right")))
            if end == begin and not group:
                end += 1
            if end > begin:
                group.append((path, rows[begin:end]))
                rows_left -= end - begin
                bytes_left -= int(ends[end - 1]) - before
                begin = end
            if begin < len(rows):
                yield group or [(path, rows)]
                group, rows_left, bytes_left = [], ROW_GROUP, GROUP_BYTES
    yield group or [(path, rows)]


def _text_sizes(path: Path, rows: Indices) -> NDArray[np.int64]:
    """The bytes of each of these texts."""
    with pa.memory_map(str(path)) as file:
        sizes = pc.binary_length(pa.ipc.open_file(file).get_batch(0).column("text"))
        chosen: NDArray[np.int64] = sizes.to_numpy()[rows].astype(np.int64)
        return chosen


def _texts(group: list[Rows]) -> pa.StringArray:
    """The texts of these rows side by side; beside them there is never more than one part's in memory."""
    sizes = [np.zeros(1, np.int64), *(_text_sizes(path, rows) for path, rows in group)]
    places = np.cumsum(np.concatenate(sizes)).astype(np.int32)
    content = np.empty(places[-1], np.uint8)
    at = 0
    for path, rows in group:
        taken = column(path, "text", rows)
        if size := int(pc.sum(pc.binary_length(taken)).as_py() or 0):
            content[at : at + size] = np.frombuffer(taken.buffers()[2], np.uint8, size)
            at += size
    return pa.StringArray.from_buffers(len(places) - 1, pa.py_buffer(places), pa.py_buffer(content))
