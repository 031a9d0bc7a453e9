"""Softmax attention against the formula written out."""

import pytest
import torch
from torch import Tensor, cat
from torch.nn import functional

from pipeline.attention.transformer import SoftmaxAttention
from tests.attention.plain import DIM, HEADS, SIZES, apply_linear, assert_equals_reference, attend, drawn, heads_of


@pytest.mark.parametrize(("batch", "length"), SIZES)
def test_outputs_and_gradients_equal_the_reference(batch: int, length: int) -> None:
    mixer = SoftmaxAttention(DIM, HEADS)
    drawn(mixer)

    def reference(tokens: list[Tensor], _positions: list[int]) -> list[Tensor]:
        queries, keys, values = (
            [heads_of(apply_linear(part, token)) for token in tokens] for part in (mixer.query, mixer.key, mixer.value)
        )
        return [
            apply_linear(
                mixer.output,
                cat([attend(query[h], [key[h] for key in keys], [value[h] for value in values]) for h in range(HEADS)]),
            )
            for query in queries
        ]

    assert_equals_reference(mixer, reference, batch, length)


def test_torch_never_gets_a_row_without_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []

    def recorded(query: Tensor, *_: Tensor, attn_mask: Tensor) -> Tensor:
        kept.append(attn_mask)
        return query

    monkeypatch.setattr(functional, "scaled_dot_product_attention", recorded)
    mask = torch.tensor([[True, False, False], [False, False, False]])
    SoftmaxAttention(DIM, HEADS)(torch.zeros(2, 3, DIM), mask)
    assert kept[0].flatten(1).tolist() == [[True, False, False], [True, True, True]]


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        SoftmaxAttention(10, 4)
