"""Linear Transformer's attention: Katharopoulos et al. 2020, arxiv.org/abs/2006.16236, Equations 5 to 7, not causal."""

from typing import Self

import torch
from torch import Tensor
from torch.nn import functional

from pipeline.attention.heads import AttentionMaps, join_heads, split_heads
from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions
from pipeline.attention.precision import at_least_float32

SMALLEST_NORMALISER = 1e-6
"""The authors' code adds this much; here it is the least, so that sums above it stay exact."""


class LinearAttention(AttentionMaps):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time linear in N.

    Attention with the kernel phi(q) . phi(k) for exp(q . k), phi(x) = elu(x) + 1. Raises ValueError if `heads` doesn't
    divide `dim`.
    """

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        return cls(options.dim, options.heads)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        x = zero_padding(x, mask)
        mixed = self._attend(self.query(x), self.key(x), self.value(x), mask)
        out: Tensor = self.output(mixed.to(x.dtype))
        return out

    def _attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """Each (B, N, D), mask (B, N) -> (B, N, D), in float32 at least: sums over a text overflow in float16."""
        with torch.autocast(query.device.type, enabled=False):
            query, key, value = map(at_least_float32, (query, key, value))
            # phi is above 0, also of the zeros and biases that stand in padding.
            phi_key = split_heads(zero_padding(functional.elu(key) + 1, mask), self.heads)
            phi_query = split_heads(functional.elu(query) + 1, self.heads)
            summed = phi_key.transpose(2, 3) @ split_heads(value, self.heads)  # (B, H, D / H, D / H)
            normaliser = phi_query @ phi_key.sum(dim=2).unsqueeze(-1)  # (B, H, N, 1)
            return join_heads(phi_query @ summed / normaliser.clamp_min(SMALLEST_NORMALISER))
