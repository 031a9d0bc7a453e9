"""Reformer's attention: Kitaev et al. 2020, arXiv 2001.04451, Section 2, by locality-sensitive hashing.

Where the paper leaves something open, its code is followed (github.com/google/trax, LSHSelfAttention).
"""

import math
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.heads import join_heads, require_equal_heads, split_heads
from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions
from pipeline.attention.precision import at_least_float32
from pipeline.attention.windows import blocks, chunked

SELF_SCORE = -1e5
"""Of a token with itself, so low that it counts only where a token sees no other; the original's value."""
KEY_EPSILON = 1e-6
"""Added to a key's mean square before it is scaled, as in the original."""


class ReformerAttention(nn.Module):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), memory linear in N, time too but for a sort.

    Queries are keys too, a key scaled to length 1. In each round a head hashes the tokens into buckets by random
    rotations and sorts them by bucket, then position, padding last. This order is cut into runs of `bucket_length`
    tokens, and a token sees those in its own run and the one before that share its bucket. Rounds are weighted by their
    softmax sums; a pair that meets in several counts once. Rotations are drawn anew in each forward pass of training,
    and are fixed for `layer` in evaluation. 3 (D * D + D) parameters.
    Ours: a text of n tokens has as many buckets as the least power of 2 from n / bucket_length on (the paper: twice
    n / bucket_length), by two hashes of half the bits each. Raises ValueError if `heads` doesn't divide `dim`.
    """

    def __init__(self, dim: int, heads: int, *, bucket_length: int, hash_rounds: int, layer: int) -> None:
        super().__init__()
        require_equal_heads(dim, heads)
        self.dim = dim
        self.heads = heads
        self.bucket_length = bucket_length
        self.hash_rounds = hash_rounds
        self.layer = layer
        self.query_key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.output = nn.Linear(dim, dim)

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        """A mixer of these sizes."""
        return cls(
            options.dim,
            options.heads,
            bucket_length=options.bucket_length,
            hash_rounds=options.hash_rounds,
            layer=options.layer,
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        x = zero_padding(x, mask)
        length = x.shape[1]
        run = min(self.bucket_length, length)
        runs = blocks(length, run)
        query, value = (self._by_heads(tokens, runs * run) for tokens in (self.query_key(x), self.value(x)))
        # Drawn at any length, so that the global generator moves on alike however long the padding is.
        seed = int(torch.randint(2**62, ())) if self.training else self.layer
        # Half precision would lose the scores beside SELF_SCORE, and autocast would go back to it.
        with torch.autocast(x.device.type, enabled=False):
            buckets = self.hash(query, chunked(mask, 1, runs * run).squeeze(1), seed)
            mixed = attend_in_buckets(query, value, buckets, run)
        out: Tensor = self.output(join_heads(mixed)[:, :length].to(x.dtype))
        return out

    def operations(self, batch: int, length: int) -> int:
        """Multiply-adds of a forward pass, those of pairs that the hashes then drop included."""
        run = min(self.bucket_length, length)
        rounds = self.hash_rounds if length > run else 1
        padded = blocks(length, run) * run
        rotated = padded * self.dim * 2 * self.hash_rounds * self._columns(length)
        pairs = rounds * padded * 2 * run
        return batch * (3 * length * self.dim**2 + rotated + pairs * (2 * self.dim + self.heads))

    @torch.no_grad()
    def hash(self, query: Tensor, mask: Tensor, seed: int) -> Tensor:
        """query (B, H, N, d), mask (B, N) -> buckets (R, B, H, N) int64, with padding in a bucket behind all others.

        A single round where all texts fit into one bucket.
        """
        batch, _, length, size = query.shape
        behind = 2 ** self._bits(length)
        if behind == 1:
            buckets = torch.zeros(1, *query.shape[:3], dtype=torch.int64, device=query.device)
            return buckets.masked_fill(~mask.unsqueeze(1), behind)
        needed = (mask.sum(1) + self.bucket_length - 1).div(self.bucket_length, rounding_mode="floor").clamp(min=1)
        bits = torch.frexp((needed - 1).double()).exponent.long()  # of needed - 1, so 2**bits >= needed
        factors = 2 ** torch.stack([(bits + 1) // 2, bits // 2], dim=1).view(batch, 1, 1, 2, 1)
        columns = self._columns(length)
        # Column by column, so that a text's rotations don't change where a longer one asks for more of them.
        generator = torch.Generator().manual_seed(seed)
        shape = (self.heads, size, 2, self.hash_rounds)
        rotations = torch.stack([torch.randn(shape, generator=generator) for _ in range(columns)], dim=-1)
        rotated = (query @ rotations.to(query).flatten(2)).view(batch, -1, length, *rotations.shape[2:])
        unused = torch.arange(columns, device=query.device) >= (factors // 2).unsqueeze(-1)
        best = rotated.abs().masked_fill(unused, -1.0).argmax(-1, keepdim=True)
        side = rotated.gather(-1, best) < 0
        choice = (2 * best + side).squeeze(-1) * (factors > 1)  # (B, H, N, 2, R)
        first, second = choice.unbind(3)
        buckets = first * factors[:, :, :, 1] + second
        return buckets.masked_fill(~mask.view(batch, 1, length, 1), behind).permute(3, 0, 1, 2)

    def _bits(self, length: int) -> int:
        """Of the number of the buckets of a text of `length` tokens."""
        return int.bit_length(blocks(length, self.bucket_length) - 1)

    def _columns(self, length: int) -> int:
        """Of a rotation for such a text: half the buckets of the larger of its two hashes, one for both signs."""
        return 1 << (self._bits(length) + 1) // 2 >> 1

    def _by_heads(self, x: Tensor, length: int) -> Tensor:
        """x (B, N, D) -> (B, H, length, d), zeros behind N; half precision becomes float32."""
        return at_least_float32(split_heads(chunked(x, 1, length).squeeze(1), self.heads))


def attend_in_buckets(query: Tensor, value: Tensor, buckets: Tensor, run: int) -> Tensor:
    """Attention in the rounds that buckets (R, B, H, N) stand for: query, value (B, H, N, d) -> (B, H, N, d).

    N is a multiple of `run`, the length of the runs of sorted tokens.
    """
    shape = query.shape
    size = shape[3]
    key = query * (query.square().mean(-1, keepdim=True) + KEY_EPSILON).rsqrt() * size**-0.5
    # Softmax in powers of 2: on CPUs torch's exp takes ten times as long where the result is 0, its exp2 doesn't.
    query = query / math.log(2)
    # The column of ones becomes the sum of the softmax, by the product that mixes the values.
    tokens = torch.cat([query, key, value, torch.ones_like(value[..., :1])], dim=-1).flatten(0, 2)
    rounds = [sort_round(of_round, run) for of_round in buckets.flatten(1, 2)]
    peaks, sums = [], []
    for sorting in rounds:
        runs = permute(tokens, sorting.order, sorting.inverse).view(shape[0] * shape[1], -1, run, 3 * size + 1)
        queries, keys_and_values = runs[..., :size].flatten(0, 1), with_previous(runs[..., size:]).flatten(0, 1)
        bias = pair_bias(sorting, rounds, run, query.dtype).flatten(0, 1)
        scores = torch.baddbmm(bias, queries, keys_and_values[..., :size].transpose(1, 2))
        peak = scores.detach().amax(2, keepdim=True)
        mixed = scores.sub_(peak).exp2_() @ keys_and_values[..., size:]
        sums.append(permute(mixed.flatten(0, 1), sorting.inverse, sorting.order))
        peaks.append(peak.flatten(0, 1)[sorting.inverse])
    peak = torch.stack(peaks)  # (R, B * H * N, 1)
    total = (torch.stack(sums) * (peak - peak.amax(0)).exp2()).sum(0)
    return (total[:, :-1] / total[:, -1:]).view(shape)


class Sorting(NamedTuple):
    """One round's order of the tokens of all rows, G rows of N; numbers of tokens count through all rows.

    A cell is what a bucket has in a run. A token sees the cells from `lowest` to `cell`: its own, and the one before if
    it is of the same bucket.
    """

    order: Tensor  # (G * N,) int64: the token at each place
    inverse: Tensor  # (G * N,) int64: the place of each token
    cell: Tensor  # (G, N) int32, by token, from 1 in each row
    lowest: Tensor  # (G, N) int32, by token


def sort_round(buckets: Tensor, run: int) -> Sorting:
    """Sorts each row of buckets (G, N), N a multiple of `run`, by bucket, then position."""
    placed, order = buckets.sort(dim=1, stable=True)
    by_run = placed.view(len(placed), -1, run)
    before = functional.pad(by_run[:, :-1, -1:], (0, 0, 1, 0), value=-1)  # the bucket that ended the run before
    starts = torch.cat([torch.ones_like(before), by_run.diff(dim=2)], dim=2) != 0
    cell = starts.flatten(1).cumsum(1)
    lowest = cell - (by_run == before).flatten(1).long()
    first = buckets.shape[1] * torch.arange(len(buckets), device=buckets.device).unsqueeze(1)
    order = (order + first).flatten()
    inverse = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=order.device))
    return Sorting(order, inverse, *(x.int().take(inverse).view_as(x) for x in (cell, lowest)))


@torch.no_grad()
def pair_bias(sorting: Sorting, rounds: list[Sorting], run: int, dtype: torch.dtype) -> Tensor:
    """What is added to the scores of one round's pairs, (G, runs, run, 2 * run), in powers of 2; the run before first.

    Minus the logarithm of the number of rounds in which a pair meets, SELF_SCORE for a token with itself, and the least
    number for pairs that don't meet in this round.
    """

    def meeting(other: Sorting) -> Tensor:
        cell = other.cell.take(sorting.order).view(len(other.cell), -1, run)
        lowest = other.lowest.take(sorting.order).view_as(cell)
        key = with_previous(cell)  # cell 0, which is none, before the first run
        # `lowest` is `cell` or `cell - 1`, so a key is in one of them if twice its cell is at most 1 from their sum.
        return ((cell + lowest).unsqueeze(3) - 2 * key.unsqueeze(2)).abs_() <= 1

    here = meeting(sorting)
    count = here.byte()
    for other in rounds:
        if other is not sorting:
            count += meeting(other)
    bias = count.clamp_(min=1).to(dtype).log2_().neg_().masked_fill_(~here, torch.finfo(dtype).min)
    bias.diagonal(run, 2, 3).fill_(SELF_SCORE)
    return bias


def with_previous(runs: Tensor) -> Tensor:
    """(G, runs, run, ...) -> (G, runs, 2 * run, ...): behind the run before it, zeros before the first."""
    padding = [0, 0] * (runs.dim() - 2) + [1, 0]
    return torch.cat([functional.pad(runs, padding)[:, :-1], runs], dim=2)


def permute(rows: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
    """rows (M, C) in another order, of which `inverse` is the inverse."""
    permuted: Tensor = Permutation.apply(rows, order, inverse)  # type: ignore[no-untyped-call]
    return permuted


class Permutation(torch.autograd.Function):
    """`permute`, whose gradient is a look-up by the inverse order; torch's own scatters, which takes twice as long."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(order, inverse)
        return rows.index_select(0, order)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        order, inverse = ctx.saved_tensors
        return permute(gradient, inverse, order), None, None
