"""Ragged rows: what was written is read, the bytes are numpy's own, and rows are gathered in any order."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pipeline.text import ragged
from pipeline.text.ragged import ArrayWriter, RaggedWriter

ROWS = st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=5), max_size=8)


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.int64, np.float64])
@pytest.mark.parametrize("portion", [1, 3, 1 << 16])
@pytest.mark.parametrize("length", [0, 1, 11])
def test_an_array_has_numpys_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtype: Any, portion: int, length: int
) -> None:
    monkeypatch.setattr(ragged, "PORTION", portion)
    values = (np.arange(length) % 7).astype(dtype)
    with ArrayWriter(tmp_path / "a.npy", dtype) as writer:
        for start in range(0, length, 2):
            writer.extend(values[start : start + 2].tolist())
    np.save(tmp_path / "b.npy", values)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
    found = ragged.read_array(tmp_path / "a.npy")
    np.testing.assert_array_equal(found, values)
    assert not found.flags.writeable


@settings(derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, data=st.data())
def test_rows_come_back_and_are_gathered(tmp_path: Path, rows: list[list[int]], data: st.DataObject) -> None:
    with RaggedWriter(tmp_path, "x") as writer:
        for row in rows:
            writer.append(row)
    found = ragged.read(tmp_path, "x")
    assert len(found) == len(rows)
    assert [found[i].tolist() for i in range(len(rows))] == rows
    assert found.lengths.tolist() == [len(row) for row in rows]
    if rows:
        indices = data.draw(arrays.arrays(np.int64, st.integers(0, 6), elements=st.integers(0, len(rows) - 1)))
        gathered = found.rows(indices)
        assert [gathered[i].tolist() for i in range(len(gathered))] == [rows[i] for i in indices]
