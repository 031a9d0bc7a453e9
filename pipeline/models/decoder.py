"""The Transformer's decoder, with the norm after each residual: Vaswani et al. 2017, arxiv.org/abs/1706.03762.

It writes several continuations of one text at a time: row b * K + k of a batch is the k-th of text b. The K share the
text's keys and values, since each of their tokens is one more query to them.
"""

from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from pipeline.attention.heads import AttentionMaps, join_heads, split_heads
from pipeline.models.dropout import Dropout
from pipeline.models.embedding import LAYER_NORM_EPS


class KeysAndValues(NamedTuple):
    """What queries attend to: each (B, H, N, D / H)."""

    keys: Tensor
    values: Tensor

    def rows(self, indices: Tensor) -> "KeysAndValues":
        """Those of other rows of the batch."""
        return KeysAndValues(self.keys.index_select(0, indices), self.values.index_select(0, indices))


class Attention(AttentionMaps):
    """x (B, T, D) attends to keys and values (B, H, N, D / H) -> (B, T, D), Equation 1 per head by torch's kernel."""

    def of(self, x: Tensor) -> KeysAndValues:
        """x (B, N, D) -> its keys and values."""
        return KeysAndValues(split_heads(self.key(x), self.heads), split_heads(self.value(x), self.heads))

    def forward(self, x: Tensor, given: KeysAndValues, seen: Tensor | None) -> Tensor:
        """`seen` (bool, True = keep, broadcast to (B, H, T, N)) or None for all -> (B, T, D)."""
        query = split_heads(self.query(x), self.heads)
        mixed = functional.scaled_dot_product_attention(query, given.keys, given.values, attn_mask=seen)
        out: Tensor = self.output(join_heads(mixed))
        return out


class DecoderLayer(nn.Module):
    """Self-attention to what was written before, attention to the text, two maps with a GELU between.

    Each is followed by dropout, residual and LayerNorm, as in the encoder's layers.
    """

    def __init__(self, *, dim: int, heads: int, feedforward_dim: int, dropout: float) -> None:
        super().__init__()
        self.own = Attention(dim, heads)
        self.own_norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS)
        self.text = Attention(dim, heads)
        self.text_norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS)
        self.expand = nn.Linear(dim, feedforward_dim)
        self.contract = nn.Linear(feedforward_dim, dim)
        self.feedforward_norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS)
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Tensor, text: KeysAndValues, seen: Tensor, past: KeysAndValues | None
    ) -> tuple[Tensor, KeysAndValues]:
        """x (B * K, T, D) after `past`, seen (B, 1, 1, N) of the text -> (B * K, T, D), and the new past."""
        length = x.shape[1]
        own = self.own.of(x)
        if past is not None:
            own = KeysAndValues(torch.cat([past.keys, own.keys], 2), torch.cat([past.values, own.values], 2))
        causal = None
        if length > 1:
            causal = torch.ones(length, own.keys.shape[2], dtype=torch.bool, device=x.device)
            causal = causal.tril(own.keys.shape[2] - length)
        x = self.own_norm(x + self.dropout(self.own(x, own, causal)))
        queries = x.reshape(len(text.keys), -1, x.shape[2])  # (B, K * T, D)
        x = self.text_norm(x + self.dropout(self.text(queries, text, seen).view_as(x)))
        fed: Tensor = self.contract(functional.gelu(self.expand(x)))
        return self.feedforward_norm(x + self.dropout(fed)), own


class Decoder(nn.Module):
    """Layers in a row. Raises ValueError if `layers` is below 1.

    With `recompute` a training keeps no activations of a layer but its input, and computes the others again.
    """

    def __init__(
        self, *, layers: int, dim: int, heads: int, feedforward_dim: int, dropout: float, recompute: bool
    ) -> None:
        super().__init__()
        if layers < 1:
            raise ValueError(f"a decoder needs at least 1 layer, not {layers}")
        self.recompute = recompute
        self.layers = nn.ModuleList(
            DecoderLayer(dim=dim, heads=heads, feedforward_dim=feedforward_dim, dropout=dropout) for _ in range(layers)
        )

    def texts(self, states: Tensor) -> list[KeysAndValues]:
        """An encoder's states (B, N, D) -> the keys and values that each layer has of them."""
        return [cast(DecoderLayer, layer).text.of(states) for layer in self.layers]

    def forward(
        self, x: Tensor, texts: list[KeysAndValues], seen: Tensor, past: list[KeysAndValues] | None
    ) -> tuple[Tensor, list[KeysAndValues]]:
        """x (B * K, T, D) after `past` -> (B * K, T, D), and the past for what comes next."""
        after = []
        for number, layer in enumerate(self.layers):
            before = past[number] if past is not None else None
            if self.recompute and self.training:
                x, own = checkpoint(layer, x, texts[number], seen, before, use_reentrant=False)
            else:
                x, own = layer(x, texts[number], seen, before)
            after.append(own)
        return x, after
