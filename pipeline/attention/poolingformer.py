"""Poolingformer's attention: Zhang et al. 2021, arXiv 2105.04371, a window, then a wider one over pooled tokens."""

from typing import Self

import torch
from torch import Tensor, nn

from pipeline.attention.heads import require_equal_heads
from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions
from pipeline.attention.windows import attend_by_chunk, band, blocks, chunked, surroundings

STRIDE, KERNEL = 4, 5
"""Of the pooling, as in the paper."""
WIDER = 4
"""The second window's width in first windows; the paper has 512 tokens after 128."""
CHUNK = 64
"""Longer than the other mixers', for wider windows: a tenth faster than 32 and than 128 on a CPU."""


class PoolingformerAttention(nn.Module):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time and memory linear in N.

    Level 1: y_i attends to the x of tokens at most pooling_window // 2 positions away. Level 2: z_i, from y_i, attends
    to pools of the y of tokens around every fourth position, those at most 4 * (pooling_window // 2) away. The result
    is the output map of y + z. Each level has its own query, key and value maps: 7 (D * D + D) parameters.
    Ours: pools are means of the tokens that the mask keeps, the simplest of those that the paper compares, and there is
    an output map. Raises ValueError if `heads` doesn't divide `dim` or `pooling_window` is below 2.
    """

    def __init__(self, dim: int, heads: int, *, pooling_window: int) -> None:
        super().__init__()
        require_equal_heads(dim, heads)
        if pooling_window < 2:
            raise ValueError(f"a pooling window of {pooling_window} tokens reaches no pool; it must be at least 2")
        self.dim = dim
        self.heads = heads
        self.reach = pooling_window // 2
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.pooled_query = nn.Linear(dim, dim)
        self.pooled_key = nn.Linear(dim, dim)
        self.pooled_value = nn.Linear(dim, dim)
        self.output = nn.Linear(dim, dim)

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        """A mixer of these sizes."""
        return cls(options.dim, options.heads, pooling_window=options.pooling_window)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        near = self._window(zero_padding(x, mask), mask)
        mixed: Tensor = self.output(near + self._pooled_window(near, mask))
        return mixed

    def operations(self, batch: int, length: int) -> int:
        """Multiply-adds of a forward pass, those of pairs that the mask then drops included."""
        queries = blocks(length, CHUNK) * CHUNK
        maps = 5 * length + 2 * pool_count(length)
        keys = CHUNK + 2 * self.reach + CHUNK // STRIDE + 2 * blocks(WIDER * self.reach, STRIDE)
        return batch * (maps * self.dim**2 + 2 * queries * keys * self.dim)

    def _window(self, x: Tensor, mask: Tensor) -> Tensor:
        """Level 1: x (B, N, D) -> y (B, N, D)."""
        chunks = blocks(x.shape[1], CHUNK)
        query = self.query(x)
        key, value = (surroundings(tokens, chunks, CHUNK, self.reach) for tokens in (self.key(x), self.value(x)))
        seen = surroundings(mask, chunks, CHUNK, self.reach).unsqueeze(2)
        visible = seen & band(CHUNK, self.reach, self.reach, x.device)
        return attend_by_chunk(query, key, value, visible, mask, CHUNK, self.heads)

    def _pooled_window(self, near: Tensor, mask: Tensor) -> Tensor:
        """Level 2: y (B, N, D) -> z (B, N, D)."""
        length, reach = near.shape[1], WIDER * self.reach
        chunks, width, halo = blocks(length, CHUNK), CHUNK // STRIDE, blocks(reach, STRIDE)
        pooled, exists = pool(near, mask)
        query = self.pooled_query(near)
        # Mapped after the pooling: the mean of mapped tokens is the mapped mean, at a quarter of the arithmetic.
        key, value = (
            surroundings(pools, chunks, width, halo) for pools in (self.pooled_key(pooled), self.pooled_value(pooled))
        )
        centre = STRIDE * torch.arange(-halo, width + halo, device=mask.device)
        in_reach = (centre - torch.arange(CHUNK, device=mask.device).unsqueeze(1)).abs() <= reach
        visible = surroundings(exists, chunks, width, halo).unsqueeze(2) & in_reach
        return attend_by_chunk(query, key, value, visible, mask, CHUNK, self.heads)


def pool_count(length: int) -> int:
    """How many pools hold a position of the first `length`."""
    return (length - 1 + KERNEL // 2) // STRIDE + 1


def pool(x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """x (B, N, D) -> (B, P, D), the mean of each pool's kept tokens, and (B, P) bool, which pools have one.

    Pool p holds the positions STRIDE * p - KERNEL // 2 to STRIDE * p + KERNEL // 2.
    """
    count = pool_count(x.shape[1])

    def total(tokens: Tensor) -> Tensor:
        wide = chunked(tokens, 1, STRIDE * count + KERNEL, start=-(KERNEL // 2)).squeeze(1)
        parts = [wide[:, offset : offset + STRIDE * count : STRIDE] for offset in range(KERNEL)]
        return torch.stack(parts).sum(0)

    tokens = total(mask)  # (B, P)
    return total(zero_padding(x, mask)) / tokens.clamp(min=1).unsqueeze(-1), tokens > 0
