"""Fastformer without its key branch: the global query meets the values directly. Ours, to judge what the keys are for.

With Fastformer's names: u = q_global * q, output W_o (W_t u + q), the query map making the values. One pooling
instead of two, and neither key map nor key scores.
"""

from typing import Self

import torch
from torch import Tensor, nn

from pipeline.attention import fastformer_direct
from pipeline.attention.fastformer_folded import gate_values, in_product_dtype, pool_queries
from pipeline.attention.fastformer_maps import scoring_map
from pipeline.attention.heads import require_equal_heads
from pipeline.attention.masking import zero_padding
from pipeline.attention.operations import Form, choose_form
from pipeline.attention.options import MixerOptions, Scoring


class QueryOnlyAttention(nn.Module):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time linear in N.

    3 (D^2 + D) parameters and the scores': full D H + H, per_head D + H (see FastformerMaps). Raises ValueError if
    `heads` doesn't divide `dim`.
    """

    def __init__(self, dim: int, heads: int, *, scoring: Scoring) -> None:
        super().__init__()
        require_equal_heads(dim, heads)
        self.dim = dim
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.query = nn.Linear(dim, dim)
        self.query_scores = scoring_map(dim, heads, scoring, shared=False)
        self.transform = nn.Linear(dim, dim)
        self.output = nn.Linear(dim, dim)

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        """`scoring` is "full" where the options leave it out. Raises ValueError as the constructor does."""
        return cls(options.dim, options.heads, scoring=options.scoring or "full")

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        form = choose_form(*mask.shape, dim=self.dim, heads=self.heads, interaction="product", sharing="qv")
        return self.mix(x, mask, form)

    def mix(self, x: Tensor, mask: Tensor, form: Form) -> Tensor:
        """`forward` in a given form; all give the same up to rounding, and the same gradients."""
        x = zero_padding(x, mask)
        if form == "direct":
            query: Tensor = self.query(x)
            _, global_query = fastformer_direct.pool(query, self.query_scores, self.scale, mask)
            mixed: Tensor = self.output(self.transform(query * global_query.unsqueeze(1)) + query)
            return mixed
        x = in_product_dtype(x)
        with torch.autocast(x.device.type, enabled=False):
            x, global_query, _ = pool_queries(self, x, mask)
            return gate_values(self, x, global_query, per_text_matrix=form == "long")
