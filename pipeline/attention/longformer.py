"""Longformer's attention: Beltagy et al. 2020, arXiv 2004.05150, Section 3, a sliding window and global tokens."""

from typing import Self

import torch
from torch import Tensor, nn

from pipeline.attention.heads import require_equal_heads
from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions
from pipeline.attention.windows import (
    CHUNK,
    attend_by_chunk,
    attend_to_all,
    band,
    blocks,
    visible_with_first,
    with_first,
)


class LongformerAttention(nn.Module):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time and memory linear in N.

    A token sees those at most window // 2 positions away, and the global ones: the tokens among the first
    `global_tokens` positions, which see all. What a global token sees goes through query, key and value maps of its
    own, as in the original (its Section 3.1, "Linear Projections for Global Attention"); a local query meets the global
    tokens by the local maps, once, also where they lie in its window. 7 (D * D + D) parameters. No dilation.
    Raises ValueError if `heads` doesn't divide `dim`.
    """

    def __init__(self, dim: int, heads: int, *, window: int, global_tokens: int) -> None:
        super().__init__()
        require_equal_heads(dim, heads)
        self.dim = dim
        self.heads = heads
        self.reach = window // 2
        self.global_tokens = global_tokens
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.global_query = nn.Linear(dim, dim)
        self.global_key = nn.Linear(dim, dim)
        self.global_value = nn.Linear(dim, dim)
        self.output = nn.Linear(dim, dim)

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        """A mixer of these sizes."""
        return cls(options.dim, options.heads, window=options.window, global_tokens=options.global_tokens)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        x = zero_padding(x, mask)
        first = min(self.global_tokens, x.shape[1])
        local = self._local(x, mask, first)
        mixed: Tensor = self.output(torch.cat([self._global(x, mask, first), local[:, first:]], dim=1))
        return mixed

    def operations(self, batch: int, length: int) -> int:
        """Multiply-adds of a forward pass, those of pairs that the mask then drops included."""
        first = min(self.global_tokens, length)
        queries = blocks(length, CHUNK) * CHUNK
        pairs = queries * (first + CHUNK + 2 * self.reach) + first * length
        return batch * ((6 * length + first) * self.dim**2 + 2 * pairs * self.dim)

    def _local(self, x: Tensor, mask: Tensor, first: int) -> Tensor:
        """What each token sees in its window and among the first `first` positions: (B, N, D)."""
        chunks = blocks(x.shape[1], CHUNK)
        query = self.query(x)
        key, value = (with_first(tokens, first, chunks, CHUNK, self.reach) for tokens in (self.key(x), self.value(x)))
        visible = visible_with_first(mask, first, chunks, band(CHUNK, self.reach, self.reach, x.device))
        return attend_by_chunk(query, key, value, visible, mask, CHUNK, self.heads)

    def _global(self, x: Tensor, mask: Tensor, first: int) -> Tensor:
        """What each of the first `first` positions sees of the whole text: (B, first, D)."""
        query, key, value = self.global_query(x[:, :first]), self.global_key(x), self.global_value(x)
        return attend_to_all(query, key, value, mask, self.heads)
