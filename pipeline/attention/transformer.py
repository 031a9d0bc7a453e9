"""The Transformer's attention: Vaswani et al. 2017, arxiv.org/abs/1706.03762, Section 3.2."""

from typing import Self

from torch import Tensor
from torch.nn import functional

from pipeline.attention.heads import AttentionMaps, join_heads, split_heads
from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions


class SoftmaxAttention(AttentionMaps):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time quadratic in N.

    Equation 1 per head, by torch's fused kernel. Dropout acts on what the layer adds, as in every encoder here, and not
    on the weights. Raises ValueError if `heads` doesn't divide `dim`.
    """

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        return cls(options.dim, options.heads)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        x = zero_padding(x, mask)
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        # A row without tokens attends to its zeroed padding: what torch's kernels make of a softmax over nothing isn't
        # documented, and has been NaN (pytorch issues 103963 and 109517).
        seen = mask | ~mask.any(dim=1, keepdim=True)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen[:, None, None, :])
        out: Tensor = self.output(join_heads(mixed))
        return out
