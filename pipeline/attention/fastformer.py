"""Fastformer's additive attention: Wu et al. 2021, arXiv 2108.09084, Section 3.1, as the authors' PyTorch code has it.

That code is FastSelfAttention, then BertSelfOutput.dense (github.com/wuch15/Fastformer, Fastformer.ipynb at 84cc859).
Where paper and code differ the code is followed: a head's score sees the full query or key vector, scores are scaled by
the square root of the head's size, and an output map follows the query residual.
"""

from typing import Self

from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.masking import masked_softmax, zero_padding
from pipeline.attention.options import Interaction, MixerOptions


class FastformerAttention(nn.Module):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time linear in N.

    `interaction` is how a global vector meets each token (the paper's Figure 3); `concat` has a map 2D -> D for each of
    the two places. `share_query_value` lets the query map make the values too (Figure 4), as the official code does.
    Raises ValueError if `heads` doesn't divide `dim`.
    """

    def __init__(self, dim: int, heads: int, *, interaction: Interaction, share_query_value: bool) -> None:
        super().__init__()
        if dim % heads:
            raise ValueError(f"dim {dim} can't be split into {heads} heads of equal size")
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.interaction = interaction
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = None if share_query_value else nn.Linear(dim, dim)
        self.query_scores = nn.Linear(dim, heads)
        self.key_scores = nn.Linear(dim, heads)
        self.meet_key = nn.Linear(2 * dim, dim) if interaction == "concat" else None
        self.meet_value = nn.Linear(2 * dim, dim) if interaction == "concat" else None
        self.transform = nn.Linear(dim, dim)
        self.output = nn.Linear(dim, dim)

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        """Raises ValueError for what isn't here yet: sharing among heads, and scores of a head's own part."""
        if options.interaction is None or options.sharing in (None, "qv_head") or options.scoring != "full":
            raise ValueError(f"no such Fastformer: {options}")
        shared = options.sharing != "none"
        return cls(options.dim, options.heads, interaction=options.interaction, share_query_value=shared)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D): `attend` and the output map; no dropout, residual or LayerNorm."""
        mixed: Tensor = self.output(self.attend(x, mask))
        return mixed

    def attend(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D): the part before the output map, the official FastSelfAttention."""
        x = zero_padding(x, mask)
        query: Tensor = self.query(x)
        key: Tensor = self.key(x)
        value: Tensor = query if self.value is None else self.value(x)
        global_query = self._pool(query, self.query_scores, mask)
        key = self._meet(global_query, key, self.meet_key)
        global_key = self._pool(key, self.key_scores, mask)
        value = self._meet(global_key, value, self.meet_value)
        transformed: Tensor = self.transform(value)
        return transformed + query

    def _pool(self, tokens: Tensor, scores: nn.Linear, mask: Tensor) -> Tensor:
        """tokens (B, N, D) -> (B, D): per head the mean under that head's weights; zeros if a row has no token."""
        weights = masked_softmax(scores(tokens) * self.scale, mask, dim=1)  # (B, N, H)
        # Each head's weights pool the columns of all heads, and its own are kept: H times the arithmetic of this step,
        # still far below a D x D map's, but one product of H rows instead of H products of one. On two CPU cores
        # that takes less than half the time at 32 to 512 tokens, and 0.7 to 0.85 of it at thousands.
        pooled = weights.transpose(1, 2) @ tokens  # (B, H, D)
        own = pooled.view(len(tokens), self.heads, self.heads, -1).diagonal(dim1=1, dim2=2)  # (B, D / H, H)
        return own.transpose(1, 2).flatten(1)

    def _meet(self, global_vector: Tensor, tokens: Tensor, joint: nn.Linear | None) -> Tensor:
        """global_vector (B, D), tokens (B, N, D) -> (B, N, D); `joint` is the map of `concat`."""
        if joint is not None:
            # [g; t] W = g W1 + t W2: the global half once per text, and the concatenation is never formed.
            for_global, for_token = joint.weight.chunk(2, dim=1)
            shift = functional.linear(global_vector, for_global, joint.bias)
            return functional.linear(tokens, for_token) + shift.unsqueeze(1)
        if self.interaction == "add":
            return tokens + global_vector.unsqueeze(1)
        return tokens * global_vector.unsqueeze(1)
