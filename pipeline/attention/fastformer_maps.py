"""The parameters of Fastformer's attention, which its forms share: Wu et al. 2021, arXiv 2108.09084, Section 3.1.

Where paper and the authors' PyTorch code differ (FastSelfAttention, then BertSelfOutput.dense;
github.com/wuch15/Fastformer, Fastformer.ipynb at 84cc859) the code is followed: scores are scaled by the square root of
the head's size, an output map follows the query residual, and, with `scoring="full"`, a head's score sees the full
query or key vector.
"""

from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.heads import require_equal_heads
from pipeline.attention.options import Interaction, Scoring, Sharing


class PerHeadScores(nn.Linear):
    """One score per head from that head's own slice: tokens (..., D) -> (..., H), weight (H, D / H); Equation 3."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__(dim // heads, heads)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (..., D) -> (..., H), by the matrix with zeros: one product is faster than H of a single column."""
        return functional.linear(tokens, *dense(self))


class SharedOverHeads(nn.Linear):
    """One map for the slices of all heads: tokens (..., H * in_features) -> (..., H * out_features)."""

    def __init__(self, heads: int, in_features: int, out_features: int) -> None:
        super().__init__(in_features, out_features)
        self.heads = heads

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (..., H * in_features) -> (..., H * out_features)."""
        return super().forward(tokens.view(*tokens.shape[:-1], self.heads, -1)).flatten(-2)


def dense(linear: nn.Linear) -> tuple[Tensor, Tensor]:
    """Weight (outputs, inputs) and bias (outputs,) of the same map of whole vectors, zero between different heads."""
    weight: Tensor = linear.weight
    bias: Tensor = linear.bias
    if isinstance(linear, PerHeadScores):
        blocks = weight.unsqueeze(1)  # (H, 1, D / H)
    elif isinstance(linear, SharedOverHeads):
        blocks = weight.expand(linear.heads, -1, -1)
        bias = bias.repeat(linear.heads)
    else:
        return weight, bias
    heads, outputs, inputs = blocks.shape
    places = weight.new_zeros(heads, outputs, heads, inputs)
    places.diagonal(dim1=0, dim2=2).copy_(blocks.permute(1, 2, 0))
    return places.view(heads * outputs, heads * inputs), bias


class FastformerMaps(nn.Module):
    """The maps of one mixer, of width D = `dim` with H = `heads`.

    `interaction` is how a global vector meets each token (Figure 3); `concat` has a map 2D -> D for each of the two
    places. `sharing` is Figure 4's. "qv": the query map makes the values too, as in the official code. "qv_layer": the
    same here; the encoder reuses the layer. "qv_head": as "qv", and the heads share the query and key map and both
    scoring vectors. The paper doesn't say which matrices it shares. Were every head to see the whole input through the
    same map, all heads would be equal; so here one map D/H -> D/H is applied to each head's own slice of the input,
    and one vector scores each head's own slice. Transform, output and the maps of `concat` mix heads and aren't shared.
    `scoring` is what a head's score sees: "full" the whole query or key vector, as in the official code, "per_head"
    the head's own slice, as in Equation 3.

    Parameters, with S = D^2 + D and s = (D/H)^2 + D/H; `concat` adds 2 (2 D^2 + D):

    - none: 5 S + scores;  qv, qv_layer: 4 S + scores;  qv_head: 2 S + 2 s + 2 (D/H + 1)
    - scores: full 2 (D H + H), per_head 2 (D + H)

    Raises ValueError if `heads` doesn't divide `dim`, or for "qv_head" with `scoring` "full".
    """

    def __init__(self, dim: int, heads: int, *, interaction: Interaction, sharing: Sharing, scoring: Scoring) -> None:
        super().__init__()
        require_equal_heads(dim, heads)
        if sharing == "qv_head" and scoring == "full":
            raise ValueError('sharing "qv_head" needs scoring "per_head": its vectors score one head\'s slice')
        self.dim = dim
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.interaction = interaction
        self.sharing = sharing
        self.query = self._token_map()
        self.key = self._token_map()
        self.value = nn.Linear(dim, dim) if sharing == "none" else None
        self.query_scores = scoring_map(dim, heads, scoring, shared=sharing == "qv_head")
        self.key_scores = scoring_map(dim, heads, scoring, shared=sharing == "qv_head")
        self.meet_key = nn.Linear(2 * dim, dim) if interaction == "concat" else None
        self.meet_value = nn.Linear(2 * dim, dim) if interaction == "concat" else None
        self.transform = nn.Linear(dim, dim)
        self.output = nn.Linear(dim, dim)

    def _token_map(self) -> nn.Linear:
        if self.sharing == "qv_head":
            return SharedOverHeads(self.heads, self.dim // self.heads, self.dim // self.heads)
        return nn.Linear(self.dim, self.dim)


def scoring_map(dim: int, heads: int, scoring: Scoring, *, shared: bool) -> nn.Linear:
    """The map (..., D) -> (..., H) of `scoring`; `shared` over the heads if it is "per_head"."""
    if scoring == "full":
        return nn.Linear(dim, heads)
    return SharedOverHeads(heads, dim // heads, 1) if shared else PerHeadScores(dim, heads)
