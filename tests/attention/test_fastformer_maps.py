"""How many parameters each variant has, which heads share what, and what is refused."""

import pytest
import torch
from torch import nn

from pipeline.attention.fastformer_maps import FastformerMaps, dense
from tests.attention.mixers import DIM, HEADS, VARIANTS, Variant, make

SIZE = DIM // HEADS


def count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize("variant", VARIANTS)
def test_parameter_counts(variant: Variant) -> None:
    interaction, sharing, scoring = variant
    dim, heads = 256, 16
    square, joint, size = dim * dim + dim, 2 * dim * dim + dim, dim // heads
    scores = 2 * (dim * heads + heads) if scoring == "full" else 2 * (dim + heads)
    expected = {
        "none": 5 * square + scores,
        "qv": 4 * square + scores,
        "qv_head": 2 * square + 2 * (size * size + size) + 2 * (size + 1),
    }[sharing] + (2 * joint if interaction == "concat" else 0)
    assert count(FastformerMaps(dim, heads, interaction=interaction, sharing=sharing, scoring=scoring)) == expected


def test_the_official_code_has_as_many_parameters() -> None:
    maps = FastformerMaps(256, 16, interaction="product", sharing="qv", scoring="full")
    assert count(maps) == 205_600 + 65_792  # self-attention and output map


def test_sharing_layers_changes_no_map_within_a_layer() -> None:
    shapes = [
        {name: tuple(tensor.shape) for name, tensor in maps.state_dict().items()}
        for maps in (make(("product", "qv", "full")), make(("product", "qv_layer", "full")))
    ]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v[2] == "per_head"])
def test_a_score_per_head_sees_that_heads_slice_alone(variant: Variant) -> None:
    mixer = make(variant)
    tokens = torch.randn(DIM, dtype=torch.float64)
    changed = tokens.clone()
    changed[SIZE : 2 * SIZE] += 1  # the second head's
    for scores in (mixer.query_scores, mixer.key_scores):
        assert (scores(tokens) == scores(changed)).tolist() == [True, False, True]


def test_shared_over_heads_is_the_same_block_for_each_and_nothing_between() -> None:
    maps = make(("product", "qv_head", "per_head"))
    weight, bias = dense(maps.key)
    blocks = weight.view(HEADS, SIZE, HEADS, SIZE)
    for row in range(HEADS):
        for column in range(HEADS):
            expected = maps.key.weight if row == column else torch.zeros_like(maps.key.weight)
            assert torch.equal(blocks[row, :, column], expected)
    assert torch.equal(bias.view(HEADS, SIZE), maps.key.bias.expand(HEADS, SIZE))
    scores, _ = dense(maps.query_scores)
    assert torch.equal(scores, torch.block_diag(*[maps.query_scores.weight] * HEADS))


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        FastformerMaps(10, 4, interaction="product", sharing="qv", scoring="full")


def test_heads_that_share_their_scores_have_none_of_the_full_vector() -> None:
    with pytest.raises(ValueError, match=r"qv_head.*per_head"):
        FastformerMaps(12, 3, interaction="product", sharing="qv_head", scoring="full")
