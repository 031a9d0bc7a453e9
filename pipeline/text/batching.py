"""Batches: texts of like length, in an order that depends on seed and epoch alone, padded to their longest."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

SHORTEST_SHARE = 0.75
"""A group of texts of like length has none shorter than this share of its longest."""

POOL_BATCHES = 50
"""Texts are sorted by length within this many batches: little padding, and still a shuffle."""

BUCKET_BATCHES = 8
"""Batches of like length among which texts change places, where a batch has a budget of tokens."""


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


class TokenBatchSampler(LengthBatchSampler):
    """The same, of batches with at most `batch_size` texts and at most `batch_tokens` tokens, padding among them.

    A text that is longer by itself is a batch. How many texts a batch has depends on lengths alone, so that every epoch
    has as many batches: texts change places only among BUCKET_BATCHES batches of like length.
    """

    def __init__(self, lengths: NDArray[np.int64], batch_size: int, batch_tokens: int, seed: int | None) -> None:
        super().__init__(lengths, batch_size, seed)
        order = np.argsort(lengths, kind="stable")[::-1]
        self._buckets: list[tuple[NDArray[np.int64], int]] = []
        while len(order):
            # Its longest text says how many fit into a batch of this bucket.
            size = min(batch_size, max(1, batch_tokens // max(1, int(lengths[order[0]]))))
            self._buckets.append((order[: size * BUCKET_BATCHES], size))
            order = order[size * BUCKET_BATCHES :]

    def __len__(self) -> int:
        return sum(-(-len(members) // size) for members, size in self._buckets)

    def _batches(self) -> list[list[int]]:
        draw = np.random.default_rng((self.seed, self.epoch)) if self.seed is not None else None
        batches: list[list[int]] = []
        for members, size in self._buckets:
            order = members if draw is None else draw.permutation(members)
            batches += [order[start : start + size].tolist() for start in range(0, len(order), size)]
        return batches if draw is None else [batches[i] for i in draw.permutation(len(batches))]


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
    widths = np.maximum(lengths, 1)  # an empty text takes a place of padding
    order = np.argsort(widths, kind="stable")
    ordered = widths[order]
    groups = []
    end = len(order)
    while end:
        longest = int(ordered[end - 1])
        start = int(np.searchsorted(ordered[:end], SHORTEST_SHARE * longest))
        if most_tokens is not None:
            start = max(start, end - max(most_tokens // longest, 1))
        groups.append(order[start:end])
        end = start
    return groups[::-1]
