"""Rows of different lengths on disk: flat ids and offsets, written bit by bit and read memory-mapped."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from pipeline.files import Closing

PORTION = 1 << 16
"""Values that a writer holds before they go to disk."""


@dataclass(frozen=True)
class Ragged:
    """Row i is `ids[offsets[i]:offsets[i + 1]]`; offsets are int64, one more than rows. On disk ids are int32."""

    ids: NDArray[Any]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> NDArray[Any]:
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def lengths_of(self, indices: NDArray[np.integer]) -> NDArray[np.int64]:
        """Those of these rows, without a look at the others."""
        return np.asarray(self.offsets[1:][indices] - self.offsets[:-1][indices])

    def places(self, indices: NDArray[np.integer]) -> NDArray[np.int64]:
        """Where in `ids` the values of these rows stand, one row after the other."""
        starts, lengths = self.offsets[:-1][indices], self.lengths_of(indices)
        ends = np.cumsum(lengths)
        return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths))

    def rows(self, indices: NDArray[np.integer]) -> "Ragged":
        """These rows in this order, in memory."""
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.lengths_of(indices))])
        return Ragged(self.ids[self.places(indices)], offsets)


class ArrayWriter(Closing):
    """A one-dimensional .npy file, the same bytes as `np.save` writes, of which only a portion is held in memory."""

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._file = path.open("wb")
        self._held: list[Any] = []
        self._length = 0
        self._write_header()

    def extend(self, values: Sequence[Any]) -> None:
        self._held += values
        self._length += len(values)
        if len(self._held) >= PORTION:
            self._flush()

    def close(self) -> None:
        """Writes what is held, and the length into the header."""
        self._flush()
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def _flush(self) -> None:
        self._file.write(np.array(self._held, dtype=self._dtype).tobytes())
        self._held = []

    def _write_header(self) -> None:
        # numpy pads the header for lengths of up to 21 digits, so that the second one fits over the first.
        described = {"descr": npy.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (self._length,)}
        npy.write_array_header_1_0(self._file, described)


class RaggedWriter(Closing):
    """Writes rows one after the other, as the two files that `read` reads."""

    def __init__(self, folder: Path, name: str) -> None:
        self._ids = ArrayWriter(_file(folder, name, "ids"), np.int32)
        self._offsets = ArrayWriter(_file(folder, name, "offsets"), np.int64)
        self._offsets.extend([0])
        self._end = 0

    def close(self) -> None:
        self._ids.close()
        self._offsets.close()

    def append(self, row: Sequence[int]) -> None:
        self._end += len(row)
        self._ids.extend(row)
        self._offsets.extend([self._end])


def read(folder: Path, name: str) -> Ragged:
    """The rows of that name, memory-mapped and read-only."""
    return Ragged(read_array(_file(folder, name, "ids")), read_array(_file(folder, name, "offsets")))


def read_array(path: Path) -> NDArray[Any]:
    """An array, memory-mapped and read-only."""
    array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _file(folder: Path, name: str, part: str) -> Path:
    return folder / f"{name}.{part}.npy"
