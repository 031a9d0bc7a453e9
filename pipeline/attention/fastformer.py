"""Fastformer's additive attention: Wu et al. 2021, arXiv 2108.09084, Section 3.1.

fastformer_maps holds its parameters, fastformer_direct its formulas, fastformer_folded the same function in less
arithmetic, operations the choice between them.
"""

from typing import Self

import torch
from torch import Tensor

from pipeline.attention import fastformer_direct, fastformer_folded
from pipeline.attention.fastformer_maps import FastformerMaps
from pipeline.attention.operations import Form, choose_form
from pipeline.attention.options import MixerOptions


class FastformerAttention(FastformerMaps):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time linear in N.

    What it is made of, and what is raised, stands at FastformerMaps.
    """

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        """Raises ValueError if an option of Fastformer's is missing, and as FastformerMaps does."""
        interaction, sharing, scoring = options.interaction, options.sharing, options.scoring
        if interaction is None or sharing is None or scoring is None:
            raise ValueError("Fastformer needs interaction, sharing and scoring")
        return cls(options.dim, options.heads, interaction=interaction, sharing=sharing, scoring=scoring)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D), the output map included; no dropout, residual or LayerNorm."""
        return self.mix(x, mask, self.form(*mask.shape))

    def mix(self, x: Tensor, mask: Tensor, form: Form) -> Tensor:
        """`forward` in a given form; all give the same up to rounding, and the same gradients."""
        if form == "direct":
            return fastformer_direct.mix(self, x, mask)
        return fastformer_folded.mix(self, x, mask, per_text_matrix=form == "long")

    @torch.no_grad()
    def weights(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, N, D), mask (B, N) -> alpha, beta (B, N, H): what each token gives to global query and global key.

        Equations 3 and 5; a head's weights sum to 1 over the tokens, and padding has 0.
        """
        if self.form(*mask.shape) == "direct":
            return fastformer_direct.weights(self, x, mask)
        return fastformer_folded.weights(self, x, mask)

    def form(self, batch: int, length: int) -> Form:
        """The form that a batch of this shape takes."""
        return choose_form(
            batch, length, dim=self.dim, heads=self.heads, interaction=self.interaction, sharing=self.sharing
        )
