"""What token mixers are built from. No torch here: params.py reads this file too."""

from dataclasses import dataclass
from typing import Literal

Interaction = Literal["product", "add", "concat"]
Sharing = Literal["none", "qv", "qv_head", "qv_layer"]
Scoring = Literal["full", "per_head"]

READ_BY = {
    "window": ("longformer", "bigbird"),
    "global_tokens": ("longformer", "bigbird"),
    "random_tokens": ("bigbird",),
    "block_length": ("bigbird",),
    "pooling_window": ("poolingformer",),
    "projection_dim": ("linformer",),
    "bucket_length": ("reformer",),
    "hash_rounds": ("reformer",),
}
"""Sizes that not every mixer reads, and which do: the report leaves them out elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixerOptions:
    """Sizes of one mixer, as the paper's Table 9 names them; each mixer reads those that it has a use for.

    `layer` is its number from 0, `max_length` the most tokens a text may have. `interaction`, `sharing` and `scoring`
    are Fastformer's, None for the others. Windows, blocks and buckets are in tokens.
    """

    dim: int
    heads: int
    max_length: int
    layer: int = 0
    interaction: Interaction | None = None
    sharing: Sharing | None = None
    scoring: Scoring | None = None
    window: int  # Longformer, BigBird: tokens seen around a token, half of them on each side
    global_tokens: int  # Longformer, BigBird: the first tokens of a text, which see and are seen by all
    random_tokens: int  # BigBird
    block_length: int  # BigBird
    pooling_window: int  # Poolingformer: the first, unpooled window; the pooled one is four times as wide
    projection_dim: int  # Linformer
    bucket_length: int  # Reformer
    hash_rounds: int  # Reformer
