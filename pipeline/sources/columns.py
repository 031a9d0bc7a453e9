"""A few bytes for each document, by which it is decided which are used, and for what, without holding their texts.

Two texts are taken for equal where their 128-bit hashes (xxh3, https://xxhash.com) are: among ten million others
the odds that two collide are below 1 in 10^24.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_128_digest

from pipeline.sources.base import SPLITS, Document

Hashes = NDArray[np.uint64]
"""(documents, 2): 128 bits each."""
Indices = NDArray[np.int64]

NO_SPLIT = len(SPLITS)
"""Stands for the split of a document that is in none of upstream's."""

PORTION = 400
"""Texts that are folded together: what numpy makes of them stays in the processor's cache."""

_CODES = {split: code for code, split in enumerate((*SPLITS, None))}
_FOLDED = (
    bytes(range(256))
    .lower()
    .translate(bytes(ord(" ") if chr(byte).isspace() and byte < 0x80 else byte for byte in range(256)))
)


@dataclass(frozen=True)
class Hashed:
    """Columns of some of the documents: `labels` are places in `names`, `splits` in SPLITS, or NO_SPLIT."""

    names: list[str]
    labels: NDArray[np.int32]
    splits: NDArray[np.uint8]
    texts: Hashes
    same_texts: Hashes
    groups: list[str | None] | None


@dataclass(frozen=True)
class Columns:
    """Columns of all documents; a text's number is the place of the first document that has it.

    `same_texts` are equal for texts that differ in white space and case alone, which are the same to most tokenizers.
    """

    names: list[str]
    labels: NDArray[np.int32]
    splits: NDArray[np.uint8]
    texts: Indices
    same_texts: Indices
    groups: list[str | None] | None

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self, chosen: Indices) -> Self:
        """These documents in this order."""
        return replace(
            self,
            labels=self.labels[chosen],
            splits=self.splits[chosen],
            texts=self.texts[chosen],
            same_texts=self.same_texts[chosen],
            groups=None if self.groups is None else [self.groups[index] for index in chosen.tolist()],
        )

    @property
    def for_training(self) -> NDArray[np.bool_]:
        """Which documents are in upstream's training split, or in none yet."""
        return np.isin(self.splits, (NO_SPLIT, SPLITS.index("train")))


def hashed(documents: Sequence[Document], encoded: Sequence[bytes]) -> Hashed:
    """The documents' columns; `encoded` are their texts in UTF-8."""
    names: dict[str, int] = {}
    return Hashed(
        labels=np.array([names.setdefault(document.label, len(names)) for document in documents], np.int32),
        names=list(names),
        splits=np.array([_CODES[document.split] for document in documents], np.uint8),
        texts=_hashes(encoded),
        same_texts=_hashes(
            text for at in range(0, len(encoded), PORTION) for text in folded(encoded[at : at + PORTION])
        ),
        groups=[document.group for document in documents] if any(document.group for document in documents) else None,
    )


def joined(parts: Sequence[Hashed]) -> Columns:
    """All documents of the parts, one part after the other; at least one part."""
    names: dict[str, int] = {}
    labels = []
    for part in parts:
        places = np.array([names.setdefault(name, len(names)) for name in part.names], np.int32)
        labels.append(places[part.labels])
    groups: list[str | None] | None = None
    if any(part.groups for part in parts):
        groups = [group for part in parts for group in part.groups or [None] * len(part.labels)]
    return Columns(
        names=list(names),
        labels=np.concatenate(labels),
        splits=np.concatenate([part.splits for part in parts]),
        texts=_numbers(np.concatenate([part.texts for part in parts])),
        same_texts=_numbers(np.concatenate([part.same_texts for part in parts])),
        groups=groups,
    )


def first_equal(numbers: Indices) -> Indices:
    """For every number the place where it stands first."""
    first = np.zeros(numbers.max(initial=-1) + 1, np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # the last to be written is the first of its kind
    return first[numbers]


def folded(encoded: Sequence[bytes]) -> list[bytes]:
    """The texts without differences of white space and case: words set apart by one blank, case folded."""
    data = np.frombuffer(b"".join(encoded).translate(_FOLDED), np.uint8)
    offsets = np.cumsum([0, *map(len, encoded)])
    blank = data == ord(" ")
    behind = np.ones(len(data) + 1, np.bool_)  # a blank, or the text's begin, stands before it
    behind[1:] = blank
    behind[offsets] = True
    dropped = np.flatnonzero(blank & behind[:-1])
    kept = np.delete(data, dropped).tobytes()
    begins = (offsets - np.searchsorted(dropped, offsets)).tolist()
    texts = [kept[begin:end].rstrip(b" ") for begin, end in itertools.pairwise(begins)]
    beyond = np.unique(np.searchsorted(offsets, np.flatnonzero(data >= 0x80), "right") - 1)
    for place in beyond.tolist():
        texts[place] = " ".join(encoded[place].decode().split()).casefold().encode()
    return texts


def _numbers(hashes: Hashes) -> Indices:
    """For every hash the place where it stands first."""
    order = np.argsort(hashes[:, 0])
    same = (hashes[order[1:]] == hashes[order[:-1]]).T
    if (same[0] & ~same[1]).any():  # halves that collide: their wholes aren't side by side yet
        order = np.lexsort((hashes[:, 1], hashes[:, 0]))
        same = (hashes[order[1:]] == hashes[order[:-1]]).T
    begins = np.ones(len(order), np.bool_)
    begins[1:] = ~(same[0] & same[1])
    first = np.empty(len(order), np.int64)
    if len(order):
        first[order] = np.minimum.reduceat(order, np.flatnonzero(begins))[np.cumsum(begins) - 1]
    return first


def _hashes(texts: Iterable[bytes]) -> Hashes:
    return np.frombuffer(b"".join(map(xxh3_128_digest, texts)), np.uint64).reshape(-1, 2)
