"""What each form of Fastformer's attention costs, and which one is taken: docs/attention.md. No torch."""

from typing import Literal

from pipeline.attention.options import Interaction, Sharing

Form = Literal["direct", "short", "long"]


def choose_form(batch: int, length: int, *, dim: int, heads: int, interaction: Interaction, sharing: Sharing) -> Form:
    """The fastest form for a batch of shape (batch, length), by timings on a CPU at dim 64, 128 and 256.

    Training and inference turn at about the same lengths.
    """
    # Folding multiplies the weights with each other, once per batch: too much for a few tokens.
    if batch * length < 4 * dim:
        return "direct"
    if interaction != "product":
        return "long" if length >= heads else "direct"
    if sharing == "qv_head":  # queries and keys are cheap: what is left to gain is transform and output as one
        return "long" if length > 3 * dim // 2 else "direct"
    # A text's H rows of scoring cost as much as H keys, and its output map as much as some 16 tokens.
    if length < heads + 16:
        return "direct"
    # N D^2 + D^3 against the short form's 2 N D^2, or 3 N D^2 with values of their own.
    return "long" if length > (dim // 2 if sharing == "none" else dim) else "short"


def operations(
    batch: int,
    length: int,
    dim: int,
    heads: int,
    form: Form,
    *,
    interaction: Interaction = "product",
    sharing: Sharing = "qv",
    training: bool = False,
) -> int:
    """Multiply-adds of all matrix products, forwards, or with `training` forwards and backwards.

    That is three times as many, and in the folded forms the means once more. Element-wise work and the softmaxes aren't
    counted; scoring "per_head" costs what "full" does.
    """
    tokens, again = batch * length, 0
    square, rows = dim * dim, dim * heads
    maps = 2 if interaction == "concat" else 0  # of `concat`: for the key and for the value
    if form == "direct":
        token_map, scores = (square // heads, dim) if sharing == "qv_head" else (square, rows)
        own_value = square if sharing == "none" else 0
        per_token = 2 * token_map + own_value + 2 * square + maps * square + 2 * scores + 2 * rows
        count = tokens * per_token + batch * maps * square
    else:
        pooling, again = 4 * tokens * rows + 2 * batch * square, 2 * tokens * rows
        scoring = (1 + (batch if interaction == "product" else 1)) * rows * dim
        if interaction != "product":
            gate = tokens * square + (2 + maps) * square * dim + batch * maps * square
        elif form == "long":
            gate = tokens * square + (1 + batch) * square * dim
        else:
            gate = 3 * tokens * square + square * dim if sharing == "none" else 2 * tokens * square
        # `through` and the bias: output @ transform, output @ a vector, and what the global key adds to it per text.
        count = pooling + scoring + gate + square * dim + square + batch * square
    return 3 * count + again if training else count
