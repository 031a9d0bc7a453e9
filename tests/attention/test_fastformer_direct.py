"""The direct form against the paper's formulas written out token by token."""

import math

import pytest
import torch
from torch import Tensor, nn

from pipeline.attention import fastformer_direct
from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.fastformer_maps import dense
from pipeline.attention.masking import masked_softmax
from pipeline.attention.options import Interaction
from tests.attention.mixers import DIM, HEADS, VARIANTS, Variant, gradients, make, odd_mask

SIZE = DIM // HEADS


def apply_linear(linear: nn.Linear, vector: Tensor) -> Tensor:
    if linear.in_features == SIZE:  # one map for the slices of all heads
        return torch.cat([linear.weight @ part + linear.bias for part in vector.split(SIZE)])
    return linear.weight @ vector + linear.bias


def score(linear: nn.Linear, head: int, token: Tensor) -> Tensor:
    """w_q^T q_i of Equation 3: w_q as long as all of q_i, or as one head's part of it; or one w_q for all heads."""
    row = 0 if linear.out_features == 1 else head
    seen = token if linear.in_features == DIM else token[head * SIZE : (head + 1) * SIZE]
    return linear.weight[row] @ seen + linear.bias[row]


def pool_by_loops(tokens: list[Tensor], scores: nn.Linear) -> Tensor:
    """The paper's Equations 3 to 6, one head after another."""
    heads = []
    for head in range(HEADS):
        exponentials = [(score(scores, head, token) / math.sqrt(SIZE)).exp() for token in tokens]
        total = sum(exponentials, torch.zeros((), dtype=torch.float64))
        pooled = torch.zeros(SIZE, dtype=torch.float64)
        for weight, token in zip(exponentials, tokens, strict=True):
            pooled = pooled + weight / total * token[head * SIZE : (head + 1) * SIZE]
        heads.append(pooled)
    return torch.cat(heads)


def meet_by_hand(interaction: Interaction, vector: Tensor, token: Tensor, joint: nn.Linear | None) -> Tensor:
    if interaction == "add":
        return vector + token
    if interaction == "product":
        return vector * token
    assert joint is not None
    return apply_linear(joint, torch.cat([vector, token]))


def reference(mixer: FastformerAttention, x: Tensor, mask: Tensor) -> dict[tuple[int, int], Tensor]:
    """(row, position) -> output (D,) at every kept position."""
    outputs = {}
    for row in range(len(x)):
        kept = [position for position in range(x.shape[1]) if mask[row, position]]
        queries = [apply_linear(mixer.query, x[row, position]) for position in kept]
        keys = [apply_linear(mixer.key, x[row, position]) for position in kept]
        value_map = mixer.query if mixer.value is None else mixer.value
        values = [apply_linear(value_map, x[row, position]) for position in kept]
        global_query = pool_by_loops(queries, mixer.query_scores)
        met = [meet_by_hand(mixer.interaction, global_query, key, mixer.meet_key) for key in keys]
        global_key = pool_by_loops(met, mixer.key_scores)
        for position, query, value in zip(kept, queries, values, strict=True):
            mixed = meet_by_hand(mixer.interaction, global_key, value, mixer.meet_value)
            outputs[row, position] = apply_linear(mixer.output, apply_linear(mixer.transform, mixed) + query)
    return outputs


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("batch", "length"), [(1, 1), (2, 7), (1, 17)])
def test_outputs_and_gradients_equal_the_formulas(variant: Variant, batch: int, length: int) -> None:
    mixer = make(variant)
    x = torch.randn(batch, length, DIM, dtype=torch.float64, requires_grad=True)
    mask = odd_mask(batch, length)
    weight = torch.randn(batch, length, DIM, dtype=torch.float64)

    actual = mixer.mix(x, mask, "direct")
    (actual * weight)[mask].sum().backward()
    actual_gradients = gradients(mixer, x)

    expected = reference(mixer, x, mask)
    torch.autograd.backward([(out * weight[place]).sum() for place, out in expected.items()])
    expected_gradients = gradients(mixer, x)

    for place, out in expected.items():
        torch.testing.assert_close(actual[place], out, atol=1e-11, rtol=1e-11)
    for name, gradient in expected_gradients.items():
        torch.testing.assert_close(actual_gradients[name], gradient, atol=1e-10, rtol=1e-10, msg=name)


@pytest.mark.parametrize("interaction", ["add", "concat"])
def test_without_the_product_the_global_query_cant_steer_the_second_softmax(interaction: Interaction) -> None:
    mixer = make((interaction, "qv", "full"))
    x, mask = torch.randn(2, 7, DIM, dtype=torch.float64), odd_mask(2, 7)
    key = mixer.key(x)
    weights = [
        masked_softmax(mixer.key_scores(fastformer_direct.meet(query, key, interaction, mixer.meet_key)), mask, dim=1)
        for query in torch.randn(2, 2, DIM, dtype=torch.float64)
    ]
    torch.testing.assert_close(weights[0], weights[1])


@pytest.mark.parametrize("variant", [("product", "qv", "full"), ("product", "qv_head", "per_head")])
def test_maps_and_their_dense_matrices_are_the_same(variant: Variant) -> None:
    mixer = make(variant)
    tokens = torch.randn(2, 5, DIM, dtype=torch.float64)
    for linear in (mixer.query, mixer.key_scores, mixer.transform):
        weight, bias = dense(linear)
        torch.testing.assert_close(nn.functional.linear(tokens, weight, bias), linear(tokens))
