"""No token mixer at all: what a model with this reads of a text is a bag of words, or of words and positions."""

from typing import Self

import torch
from torch import Tensor, nn

from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions


class NoMixer(nn.Module):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> zeros (B, N, D).

    It adds nothing to the residual, so that what is left of a layer is LayerNorm and the feed-forward block, each token
    for itself: what a mixer is worth is the distance from this.
    """

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        return cls()

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> zeros (B, N, D)."""
        return zero_padding(x, torch.zeros_like(mask))
