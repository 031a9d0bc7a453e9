"""Linear attention against its formula written out, and where its sums are taken."""

import pytest
import torch
from torch import Tensor

from pipeline.attention.linear_transformer import LinearAttention
from tests.attention.plain import DIM, HEADS, SIZES, apply_linear, assert_equals_reference, drawn, heads_of


def phi(vector: Tensor) -> Tensor:
    return torch.where(vector > 0, vector + 1, vector.clamp_max(0).exp())


@pytest.mark.parametrize(("batch", "length"), SIZES)
def test_outputs_and_gradients_equal_the_reference(batch: int, length: int) -> None:
    mixer = LinearAttention(DIM, HEADS)
    drawn(mixer)

    def one_head(query: Tensor, keys: list[Tensor], values: list[Tensor]) -> Tensor:
        similarities = torch.stack([phi(query) @ phi(key) for key in keys])
        return similarities / similarities.sum() @ torch.stack(values)

    def reference(tokens: list[Tensor], _positions: list[int]) -> list[Tensor]:
        queries, keys, values = (
            [heads_of(apply_linear(part, token)) for token in tokens] for part in (mixer.query, mixer.key, mixer.value)
        )
        return [
            apply_linear(
                mixer.output,
                torch.cat(
                    [one_head(query[h], [key[h] for key in keys], [value[h] for value in values]) for h in range(HEADS)]
                ),
            )
            for query in queries
        ]

    assert_equals_reference(mixer, reference, batch, length)


@pytest.mark.parametrize("how", ["half", "autocast"])
def test_sums_over_a_long_text_dont_overflow_in_half_precision(how: str) -> None:
    torch.manual_seed(0)
    exact = LinearAttention(DIM, HEADS)
    with torch.no_grad():
        exact.key.bias.fill_(40)
        exact.value.bias.fill_(40)
        exact.output.weight.mul_(0.1)
    x, mask = torch.randn(1, 600, DIM), torch.ones(1, 600, dtype=torch.bool)
    expected = exact(x, mask)  # sums of up to 600 * 40 * 40, while float16 ends at 65,504
    if how == "half":
        out = exact.half()(x.half(), mask)
    else:
        with torch.autocast("cpu", dtype=torch.float16):
            out = exact(x, mask)
    torch.testing.assert_close(out.float(), expected, atol=0.1, rtol=0.01)


def test_features_that_are_all_zero_divide_by_no_zero() -> None:
    mixer = LinearAttention(DIM, HEADS)
    with torch.no_grad():
        mixer.query.bias.fill_(-1e4)
    x = torch.randn(1, 3, DIM, requires_grad=True)
    out = mixer(x, torch.ones(1, 3, dtype=torch.bool))
    out.sum().backward()
    assert out.isfinite().all()
    assert all(parameter.grad is not None and parameter.grad.isfinite().all() for parameter in mixer.parameters())


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        LinearAttention(10, 4)
