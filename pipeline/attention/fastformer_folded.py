"""Fastformer's attention with its linear maps moved off the tokens: fastformer_direct's function in less arithmetic.

Ours; docs/attention.md derives it. Between its linear maps the attention has no nonlinearity but two softmaxes over
tokens, so scores and means are products of the tokens with H rows per text, and keys are never formed. Matrices are
folded in float32 at least. A weight is (outputs, inputs), as in nn.Linear.
"""

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.fastformer_maps import FastformerMaps, dense
from pipeline.attention.masking import zero_padding
from pipeline.attention.precision import at_least_float32
from pipeline.attention.token_products import gate_by_matrix, gate_by_output, gate_by_token, own_slices, pool, steer


def mix(maps: FastformerMaps, x: Tensor, mask: Tensor, *, per_text_matrix: bool) -> Tensor:
    """x (B, N, D), mask (B, N) -> (B, N, D), as fastformer_direct.mix.

    `per_text_matrix` is `gate_values`'; it says nothing for "add" and "concat", where one matrix serves all texts.
    """
    x = in_product_dtype(zero_padding(x, mask))
    with torch.autocast(x.device.type, enabled=False):
        x, global_key, _, _ = pool_twice(maps, x, mask)
        if maps.interaction == "product":
            return gate_values(maps, x, global_key, value=maps.value, per_text_matrix=per_text_matrix)
        return join_values(maps, x, global_key)


def weights(maps: FastformerMaps, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """x (B, N, D), mask (B, N) -> alpha and beta (B, N, H), as fastformer_direct.weights, but without gradients."""
    x = in_product_dtype(zero_padding(x, mask))
    with torch.autocast(x.device.type, enabled=False):
        _, _, alpha, beta = pool_twice(maps, x, mask)
    return alpha.transpose(1, 2), beta.transpose(1, 2)


class QueryMaps(Protocol):
    """What Fastformer and its relative without keys have in common."""

    scale: float
    query: nn.Linear
    query_scores: nn.Linear
    transform: nn.Linear
    output: nn.Linear


def pool_queries(maps: QueryMaps, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Equations 3 and 4: x (B, N, D), zero where mask (B, N) is False -> x, global query (B, D), alpha (B, H, N).

    Go on with the x that comes back: see token_products.pool.
    """
    query, query_bias = wide(maps.query)
    scores, _ = wide(maps.query_scores)
    means, alpha, x = pool(x, scores @ query * maps.scale, maps.query_scores.bias, mask)
    return x, own_slices(means, query, alpha, x) + bias_of_mean(query_bias, mask), alpha


def pool_twice(maps: FastformerMaps, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Equations 3 to 6: as `pool_queries`, but -> x, global key (B, D), alpha and beta (B, H, N)."""
    key, key_bias = wide(maps.key)
    scores, _ = wide(maps.key_scores)
    if maps.interaction == "product":
        x, global_query, alpha = pool_queries(maps, x, mask)
        scorer = steer(scores, global_query, key) * maps.scale  # (B, H, D)
        means, beta, x = pool(x, scorer, maps.key_scores.bias, mask)
        return x, global_query * (own_slices(means, key, beta, x) + key_bias), alpha, beta
    # The global query adds the same to all scores of a head: the second softmax can't see it, and both pool at once.
    query, query_bias = wide(maps.query)
    query_scores, _ = wide(maps.query_scores)
    key, key_bias = token_half(maps.meet_key, key, key_bias)
    scorers = torch.cat([query_scores @ query, scores @ key]) * maps.scale  # (2 H, D)
    means, both, x = pool(x, scorers, torch.cat([maps.query_scores.bias, maps.key_scores.bias]), mask)
    query_means, key_means = means.chunk(2, dim=1)
    alpha, beta = both.chunk(2, dim=1)
    global_query = own_slices(query_means, query, alpha, x) + bias_of_mean(query_bias, mask)
    global_key = own_slices(key_means, key, beta, x) + bias_of_mean(key_bias, mask)
    return x, global_half(maps.meet_key, global_query) + global_key, alpha, beta


def gate_values(
    maps: QueryMaps, x: Tensor, gate: Tensor, *, value: nn.Linear | None = None, per_text_matrix: bool
) -> Tensor:
    """x (B, N, D), gate (B, D) -> output(transform(gate * value(x)) + query(x)); without `value` the query makes both.

    `per_text_matrix` makes one matrix per text out of all the maps, instead of values per token.
    """
    query, query_bias = wide(maps.query)
    transform, transform_bias = wide(maps.transform)
    output, output_bias = wide(maps.output)
    values, value_bias = (query, query_bias) if value is None else wide(value)
    through = output @ transform
    shift = functional.linear(gate * value_bias, through) + (output @ (query_bias + transform_bias) + output_bias)
    if per_text_matrix:
        return gate_by_matrix(x, gate, values, through, output @ query, shift)
    if value is None:
        return gate_by_output(x, gate, query, through, output, shift)
    return gate_by_token(x, gate, values, through, output @ query, shift)


def join_values(maps: FastformerMaps, x: Tensor, global_key: Tensor) -> Tensor:
    """The end for "add" and "concat": x (B, N, D), global_key (B, D) -> (B, N, D), by one matrix for all texts."""
    query, query_bias = wide(maps.query)
    transform, transform_bias = wide(maps.transform)
    output, output_bias = wide(maps.output)
    value, value_bias = (query, query_bias) if maps.value is None else wide(maps.value)
    value, value_bias = token_half(maps.meet_value, value, value_bias)
    through = output @ transform
    shift = functional.linear(global_half(maps.meet_value, global_key) + value_bias, through)
    shift = shift + (output @ (query_bias + transform_bias) + output_bias)
    mixed = functional.linear(x, (through @ value + output @ query).to(x.dtype))
    return mixed.add_(shift.to(x.dtype).unsqueeze(1))


def bias_of_mean(bias: Tensor, mask: Tensor) -> Tensor:
    """bias (D,), mask (B, N) -> (B, D): a map's bias in the mean of its images, zero for a text without tokens."""
    return bias * mask.any(1, keepdim=True)


def token_half(joint: nn.Linear | None, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """A token map, then the token's half of `concat`'s map, as one map; without a `joint`, for "add", as it is."""
    if joint is None:
        return weight, bias
    joint_weight, joint_bias = wide(joint)
    for_token = joint_weight.chunk(2, dim=1)[1]
    return for_token @ weight, for_token @ bias + joint_bias


def global_half(joint: nn.Linear | None, vector: Tensor) -> Tensor:
    """vector (B, D) under the global vector's half of `concat`'s map; without a `joint`, for "add", as it is."""
    return vector if joint is None else functional.linear(vector, wide(joint)[0].chunk(2, dim=1)[0])


def in_product_dtype(x: Tensor) -> Tensor:
    """x in the dtype that autocast, where it is on, computes products in."""
    device = x.device.type
    return x.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else x


def wide(linear: nn.Linear) -> tuple[Tensor, Tensor]:
    """Its weight and bias on whole vectors (see fastformer_maps.dense), in float32 where they are half precision."""
    weight, bias = dense(linear)
    return at_least_float32(weight), at_least_float32(bias)
