"""Batches: texts of like length, in an order that depends on seed and epoch alone, padded to their longest."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

SHORTEST_SHARE = 0.75
"""A group of texts of like length has none shorter than this share of its longest."""

POOL_BATCHES = 50
"""Texts are sorted by length within this many batches: little padding, and still a shuffle."""


class LengthBatchSampler:
    """Batches of text numbers. Shuffled when `seed` is given, else all sorted by length.

    The first `skip` batches are left out: those that a resumed epoch has had. Lightning calls `set_epoch` only on a
    batch sampler's own `.sampler`, hence that attribute.
    """

    def __init__(self, lengths: NDArray[np.int64], batch_size: int, seed: int | None) -> None:
        self.lengths = lengths
        self.batch_size = batch_size
        self.seed = seed
        self.epoch = 0
        self.skip = 0
        self.sampler = self

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-len(self.lengths) // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self._batches()[self.skip :])

    def _batches(self) -> list[list[int]]:
        if self.seed is None:
            return self._cut(np.argsort(self.lengths, kind="stable"))
        draw = np.random.default_rng((self.seed, self.epoch))
        shuffled = draw.permutation(len(self.lengths))
        pool = self.batch_size * POOL_BATCHES
        batches: list[list[int]] = []
        for start in range(0, len(shuffled), pool):
            members = shuffled[start : start + pool]
            batches += self._cut(members[np.argsort(self.lengths[members], kind="stable")])
        return [batches[i] for i in draw.permutation(len(batches))]

    def _cut(self, order: NDArray[np.int64]) -> list[list[int]]:
        return [order[start : start + self.batch_size].tolist() for start in range(0, len(order), self.batch_size)]


def padded(texts: Sequence[NDArray[np.int32]]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """B texts as ids (B, N), zeros behind each up to the longest, and a mask (B, N), True where a token stands.

    N is at least 1, which empty texts have too.
    """
    lengths = np.array([len(text) for text in texts])
    mask = np.arange(max(lengths.max(), 1)) < lengths[:, None]
    ids = np.zeros(mask.shape, dtype=np.int64)
    ids[mask] = np.concatenate(texts)
    return ids, mask


def groups_of_like_length(lengths: NDArray[np.int64], most_tokens: int | None = None) -> list[NDArray[np.int64]]:
    """All text numbers, in groups that need little padding, the shortest texts first.

    With `most_tokens`, no group has more of them, padding included, but for one text that has more by itself.
    """
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order]
    groups = []
    end = len(order)
    while end:
        longest = max(int(ordered[end - 1]), 1)
        start = int(np.searchsorted(ordered[:end], SHORTEST_SHARE * longest))
        if most_tokens is not None:
            start = max(start, end - max(most_tokens // longest, 1))
        groups.append(order[start:end])
        end = start
    return groups[::-1]
