"""Linformer's attention: Wang et al. 2020, arxiv.org/abs/2006.04768, Equation 7.

E and F are shared among the heads of a layer and not among layers, which the paper calls headwise sharing.
"""

import math
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.heads import AttentionMaps, join_heads, split_heads
from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions


class LinformerAttention(AttentionMaps):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time linear in N.

    Softmax attention over `projection_dim` mixtures of the keys and values, each a learned weighting of positions: E
    and F, (projection_dim, max_length). A shorter text uses their first N columns; padding has no part in a mixture.
    Raises ValueError if `heads` doesn't divide `dim`.
    """

    def __init__(self, dim: int, heads: int, *, max_length: int, projection_dim: int) -> None:
        super().__init__(dim, heads)
        self.project_keys = nn.Parameter(torch.empty(projection_dim, max_length))  # E
        self.project_values = nn.Parameter(torch.empty(projection_dim, max_length))  # F
        # As in the authors' code (fairseq, examples/linformer): a mixture of max_length tokens is about as large as one
        # of them. With N(0, 0.02), as the linear maps start, it would shrink with the length.
        for projection in (self.project_keys, self.project_values):
            nn.init.xavier_uniform_(projection, gain=1 / math.sqrt(2))

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        return cls(options.dim, options.heads, max_length=options.max_length, projection_dim=options.projection_dim)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D). Raises ValueError if N exceeds `max_length`."""
        length, longest = x.shape[1], self.project_keys.shape[1]
        if length > longest:
            raise ValueError(f"a text of {length} tokens is longer than max_length {longest}")
        x = zero_padding(x, mask)
        # The maps have biases, so that padding is no longer zero behind them.
        keys = self.project_keys[:, :length] @ zero_padding(self.key(x), mask)  # (B, K, D)
        values = self.project_values[:, :length] @ zero_padding(self.value(x), mask)
        query, keys, values = (split_heads(part, self.heads) for part in (self.query(x), keys, values))
        mixed = functional.scaled_dot_product_attention(query, keys, values)
        out: Tensor = self.output(join_heads(mixed))
        return out
