"""From a sequence to one vector.

Source: the official AttentionPooling (github.com/wuch15/Fastformer, Fastformer.ipynb at 84cc859), which is the paper's
"additive attention network". The official weights are exp(e) / (sum + 1e-8): they overflow for large e, and differ
from this softmax by about 1e-8 otherwise.
"""

import torch
from torch import Tensor, nn

from pipeline.attention.masking import masked_softmax, zero_padding


class AdditivePooling(nn.Module):
    """x (B, N, D), mask (B, N) bool, True = keep -> (B, D): a weighted mean of the tokens; zeros if there are none."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(dim, dim)
        self.score = nn.Linear(dim, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, D)."""
        x = zero_padding(x, mask)
        scores: Tensor = self.score(torch.tanh(self.hidden(x)))
        weights = masked_softmax(scores, mask, dim=1)  # (B, N, 1)
        return (weights.transpose(1, 2) @ x).squeeze(1)


class MeanPooling(nn.Module):
    """x (B, N, D), mask (B, N) bool, True = keep -> (B, D): the mean of the tokens; zeros if there are none."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, D)."""
        kept = mask.sum(dim=1, keepdim=True).clamp_min(1)
        # The sum of a long text may overflow in half precision.
        return (zero_padding(x, mask).sum(dim=1, dtype=torch.promote_types(x.dtype, torch.float32)) / kept).to(x.dtype)
