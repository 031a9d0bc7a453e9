"""Layers around a token mixer, and their stack.

Source: the official FastformerLayer (github.com/wuch15/Fastformer, Fastformer.ipynb at 84cc859), a BERT layer with the
norm after each residual. Sharing one layer among all depths is the paper's (Section 3.1); the official code lacks it.
"""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from pipeline.attention.masking import zero_padding
from pipeline.models.dropout import Dropout
from pipeline.models.embedding import LAYER_NORM_EPS


class EncoderLayer(nn.Module):
    """x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D): the mixer, then two maps with a GELU between.

    Each of the two is followed by dropout, residual and LayerNorm. The authors' README says that not all tasks need all
    of it: `feedforward_dim` None leaves the two maps out with all that follows them, and without `residual` or
    `layer_norm` neither half has it.
    """

    def __init__(
        self,
        mixer: nn.Module,
        *,
        dim: int,
        feedforward_dim: int | None,
        dropout: float,
        residual: bool = True,
        layer_norm: bool = True,
    ) -> None:
        super().__init__()
        self.mixer = mixer
        self.mixer_norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS) if layer_norm else nn.Identity()
        self.feedforward_dim = feedforward_dim
        if feedforward_dim is not None:
            self.expand = nn.Linear(dim, feedforward_dim)
            self.contract = nn.Linear(feedforward_dim, dim)
            self.feedforward_norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS) if layer_norm else nn.Identity()
        self.dropout = Dropout(dropout)
        self.residual = residual

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        x = self.mixer_norm(self._dropped(self.mixer(x, mask), x))
        if self.feedforward_dim is None:
            return x
        fed: Tensor = self.contract(functional.gelu(self.expand(x)))
        out: Tensor = self.feedforward_norm(self._dropped(fed, x))
        return out

    def _dropped(self, made: Tensor, x: Tensor) -> Tensor:
        """What a half of the layer made of x, after dropout and with the residual."""
        made = self.dropout(made)
        return made + x if self.residual else made


class Encoder(nn.Module):
    """x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D): `layers` layers in a row.

    `make_layer` gets the number of the layer, from 0. With `share_layers` there is one layer, number 0, applied
    `layers` times and stored once. With `recompute` a training keeps no activations of a layer but its input, and
    computes the others again (Chen et al. 2016, arxiv.org/abs/1604.06174). Raises ValueError if `layers` is below 1.
    """

    def __init__(
        self, make_layer: Callable[[int], EncoderLayer], *, layers: int, share_layers: bool, recompute: bool = False
    ) -> None:
        super().__init__()
        if layers < 1:
            raise ValueError(f"an encoder needs at least 1 layer, not {layers}")
        self.repeats = layers if share_layers else 1
        self.recompute = recompute
        self.layers = nn.ModuleList(make_layer(number) for number in range(1 if share_layers else layers))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D); what comes out at padded positions is finite and means nothing."""
        # The mixers do this too, but a NaN that went round them by the residual would reach the gradient of the norms.
        x = zero_padding(x, mask)
        for _ in range(self.repeats):
            for layer in self.layers:
                if self.recompute and self.training:
                    x = checkpoint(layer, x, mask, use_reentrant=False)
                else:
                    x = layer(x, mask)
        return x
