"""Encoded texts on disk: flat ids and offsets, read memory-mapped."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import ArrayLike, NDArray

from pipeline.files import read_json, require, write_json

Ids = NDArray[np.int32]

INFO = "corpus.json"


@dataclass(frozen=True)
class Corpus:
    """One split: text i is `ids[offsets[i]:offsets[i + 1]]` and has the label number `labels[i]`."""

    ids: Ids
    offsets: NDArray[np.int64]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Ids:
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of every text."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class CorpusInfo:
    """What a model must know of prepared data: its sizes are read, never typed by hand."""

    labels: list[str]
    vocabulary_size: int
    max_length: int
    tokenizer: str
    lowercase: bool


def write(folder: Path, split: str, ids: Iterable[Ids], lengths: ArrayLike, labels: ArrayLike) -> None:
    """Writes one split as three .npy files.

    `ids` are those of all texts, one after the other, in pieces that needn't fit into memory together.
    """
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    with _file(folder, split, "ids").open("wb") as file:
        shape = {"descr": "<i4", "fortran_order": False, "shape": (int(offsets[-1]),)}
        npy.write_array_header_1_0(file, shape)
        for piece in ids:
            file.write(np.ascontiguousarray(piece, dtype="<i4").data)
    np.save(_file(folder, split, "offsets"), offsets)
    np.save(_file(folder, split, "labels"), np.asarray(labels, dtype=np.int64))


def read(folder: Path, split: str) -> Corpus:
    """One split, its ids memory-mapped and read-only."""
    ids, offsets, labels = (
        np.load(_file(folder, split, name), mmap_mode="r", allow_pickle=False) for name in ("ids", "offsets", "labels")
    )
    return Corpus(ids, offsets, labels)


def write_info(folder: Path, info: CorpusInfo) -> None:
    write_json(folder / INFO, vars(info))


def read_info(folder: Path) -> CorpusInfo:
    return CorpusInfo(**read_json(require(folder / INFO)))


def _file(folder: Path, split: str, name: str) -> Path:
    return folder / f"{split}.{name}.npy"
