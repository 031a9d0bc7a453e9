"""Documents in files of their own, and one Parquet file out of many of them."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.preparation import parts
from pipeline.preparation.parts import RECORDS, Rows, write_part, write_records
from pipeline.sources.base import Document

DOCUMENTS = [
    Document(f"Ein Text, naïve {i} " * (i % 5), str(i % 3), f"a.csv:{i}", best=None if i % 2 else "1")
    for i in range(50)
]


def spooled(folder: Path, sizes: list[int]) -> list[Rows]:
    """The documents in parts of these sizes, every third of them left out."""
    rows: list[Rows] = []
    begin = 0
    for number, size in enumerate(sizes):
        path = folder / f"{number}.arrow"
        write_part(DOCUMENTS[begin : begin + size], path, Counter())
        rows.append((path, np.array([i for i in range(size) if (begin + i) % 3], np.int64)))
        begin += size
    assert begin == len(DOCUMENTS)
    return rows


def kept() -> pa.Table:
    documents = [document for i, document in enumerate(DOCUMENTS) if i % 3]
    return pa.table({name: [getattr(d, name) for d in documents] for name in RECORDS.names}, schema=RECORDS)


@pytest.mark.parametrize("sizes", [[50], [1, 0, 3, 30, 16], [10] * 5])
@pytest.mark.parametrize("group", [1 << 20, 33, 10, 7, 1])
def test_parts_give_the_bytes_of_one_table(
    tmp_path: Path, sizes: list[int], group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "ROW_GROUP", group)
    write_records(tmp_path / "parts.parquet", spooled(tmp_path, sizes))
    pq.write_table(kept(), tmp_path / "whole.parquet", row_group_size=group)
    assert (tmp_path / "parts.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_long_texts_are_written_in_smaller_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "GROUP_BYTES", 100)
    write_records(tmp_path / "parts.parquet", spooled(tmp_path, [20, 30]))
    found = pq.ParquetFile(tmp_path / "parts.parquet")
    assert found.read() == kept()
    for number in range(found.num_row_groups):
        texts = found.read_row_group(number).column("text").to_pylist()
        assert len(texts) == 1 or sum(len(text.encode()) for text in texts) <= 100


def test_no_rows_make_an_empty_file(tmp_path: Path) -> None:
    write_part([], tmp_path / "0.arrow", Counter())
    write_records(tmp_path / "empty.parquet", [(tmp_path / "0.arrow", np.zeros(0, np.int64))])
    pq.write_table(kept().slice(0, 0), tmp_path / "whole.parquet")
    assert (tmp_path / "empty.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_what_was_skipped_and_cleaned_is_counted(tmp_path: Path) -> None:
    documents = [
        Document("a", "1", "a:1", cleaned=("x", "y")),
        Document("b", "1", "a:2"),
        Document("c", "1", "a:3", cleaned=("x",)),
    ]
    part = write_part(documents, tmp_path / "0.arrow", Counter(gone=2))
    assert (len(part), part.skipped, part.cleaned) == (3, {"gone": 2}, {"x": 2, "y": 1})
    assert parts.column(part.path, "origin", np.array([2, 0])).to_pylist() == ["a:3", "a:1"]
