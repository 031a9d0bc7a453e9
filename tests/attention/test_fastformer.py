"""Fastformer's attention against the paper's formulas written out token by token, and against the mask rule."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.masking import masked_softmax
from pipeline.attention.options import Interaction

INTERACTIONS: tuple[Interaction, ...] = ("product", "add", "concat")
VARIANTS = list(itertools.product(INTERACTIONS, (True, False)))
DIM, HEADS = 12, 3


def make(
    interaction: Interaction = "product", share_query_value: bool = True, dtype: torch.dtype = torch.float64
) -> FastformerAttention:
    """A mixer with weights and biases large enough that no term is lost in rounding."""
    torch.manual_seed(1)
    mixer = FastformerAttention(DIM, HEADS, interaction=interaction, share_query_value=share_query_value)
    for parameter in mixer.parameters():
        nn.init.normal_(parameter, std=0.4)
    return mixer.to(dtype)


def odd_mask(batch: int, length: int) -> Tensor:
    """Every row keeps some tokens, with holes in the middle as well as padding at the end."""
    generator = torch.Generator().manual_seed(length)
    mask = torch.rand(batch, length, generator=generator) < 0.6
    mask[torch.arange(batch), torch.randint(length, (batch,), generator=generator)] = True
    return mask


def apply_linear(linear: nn.Linear, vector: Tensor) -> Tensor:
    return linear.weight @ vector + linear.bias


def pool_by_loops(tokens: list[Tensor], scores: nn.Linear) -> Tensor:
    """The paper's Equations 3 to 6, one head after another."""
    size = DIM // HEADS
    heads = []
    for head in range(HEADS):
        exponentials = [((scores.weight[head] @ t + scores.bias[head]) / math.sqrt(size)).exp() for t in tokens]
        total = sum(exponentials, torch.zeros((), dtype=torch.float64))
        own = slice(head * size, (head + 1) * size)
        pooled = torch.zeros(size, dtype=torch.float64)
        for weight, token in zip(exponentials, tokens, strict=True):
            pooled = pooled + weight / total * token[own]
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


def gradients(mixer: FastformerAttention, x: Tensor) -> dict[str, Tensor]:
    """Gradients of the input and of every parameter, which are reset."""
    assert x.grad is not None
    found = {"x": x.grad}
    for name, parameter in mixer.named_parameters():
        assert parameter.grad is not None, name
        found[name] = parameter.grad
        parameter.grad = None
    x.grad = None
    return found


@pytest.mark.parametrize(("interaction", "share_query_value"), VARIANTS)
@pytest.mark.parametrize(("batch", "length"), [(1, 1), (2, 7), (1, 33)])
def test_outputs_and_gradients_equal_the_reference(
    interaction: Interaction, share_query_value: bool, batch: int, length: int
) -> None:
    mixer = make(interaction, share_query_value)
    x = torch.randn(batch, length, DIM, dtype=torch.float64, requires_grad=True)
    mask = odd_mask(batch, length)
    weight = torch.randn(batch, length, DIM, dtype=torch.float64)

    actual = mixer(x, mask)
    (actual * weight)[mask].sum().backward()
    actual_gradients = gradients(mixer, x)

    expected = reference(mixer, x, mask)
    torch.autograd.backward([(out * weight[place]).sum() for place, out in expected.items()])
    expected_gradients = gradients(mixer, x)

    for place, out in expected.items():
        torch.testing.assert_close(actual[place], out, atol=1e-11, rtol=1e-11)
    for name, gradient in expected_gradients.items():
        torch.testing.assert_close(actual_gradients[name], gradient, atol=1e-10, rtol=1e-10, msg=name)


@pytest.mark.parametrize(("interaction", "share_query_value"), VARIANTS)
def test_longer_padding_changes_nothing(interaction: Interaction, share_query_value: bool) -> None:
    mixer = make(interaction, share_query_value, torch.float32)
    x, mask = torch.randn(3, 9, DIM), odd_mask(3, 9)
    longer = torch.cat([x, torch.randn(3, 14, DIM)], dim=1)
    longer_mask = torch.cat([mask, torch.zeros(3, 14, dtype=torch.bool)], dim=1)
    difference = mixer(longer, longer_mask)[:, :9][mask] - mixer(x, mask)[mask]
    assert difference.abs().max() <= 1e-6 * mixer(x, mask)[mask].abs().max()


@pytest.mark.parametrize(("interaction", "share_query_value"), VARIANTS)
@pytest.mark.parametrize("junk", [1e9, float("nan"), float("inf")])
def test_junk_in_padding_reaches_no_output_and_no_gradient(
    interaction: Interaction, share_query_value: bool, junk: float
) -> None:
    mixer = make(interaction, share_query_value, torch.float32)
    clean, mask = torch.randn(3, 9, DIM), odd_mask(3, 9)
    results = []
    for filled in (clean, clean.masked_fill(~mask.unsqueeze(-1), junk)):
        x = filled.clone().requires_grad_()
        out = mixer(x, mask)
        out[mask].square().sum().backward()
        results.append((out.detach(), gradients(mixer, x)))
    (clean_out, clean_gradients), (junk_out, junk_gradients) = results
    assert torch.equal(clean_out, junk_out)
    for name, gradient in junk_gradients.items():
        assert gradient.isfinite().all(), name
        assert torch.equal(gradient, clean_gradients[name]), name
    assert (junk_gradients["x"][~mask] == 0).all()


@pytest.mark.parametrize(("interaction", "share_query_value"), VARIANTS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_row_without_tokens_is_finite(interaction: Interaction, share_query_value: bool, dtype: torch.dtype) -> None:
    mixer = make(interaction, share_query_value, dtype)
    x = torch.randn(2, 5, DIM, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True] * 4 + [False], [False] * 5])
    out = mixer(x, mask)
    assert out.dtype == dtype
    assert out.isfinite().all()
    out.sum().backward()
    for name, gradient in gradients(mixer, x).items():
        assert gradient.isfinite().all(), name
    alone = mixer(x[:1], mask[:1])
    torch.testing.assert_close(out[:1], alone, atol=2e-2 if dtype != torch.float32 else 1e-6, rtol=1e-2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("interaction", INTERACTIONS)
def test_half_precision_follows_double(interaction: Interaction, dtype: torch.dtype) -> None:
    exact, half = make(interaction), make(interaction, dtype=dtype)
    x, mask = torch.randn(2, 33, DIM, dtype=dtype), odd_mask(2, 33)
    expected = exact(x.double(), mask)[mask]
    error = (half(x, mask)[mask].double() - expected).abs().max() / expected.abs().max()
    assert error < {torch.float16: 5e-3, torch.bfloat16: 4e-2}[dtype]
    weights = masked_softmax(half.query_scores(x) * half.scale, mask, dim=1)
    torch.testing.assert_close(weights.float().sum(1), torch.ones(2, HEADS), atol=1e-2, rtol=0)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(order=st.permutations(range(7)), seed=st.integers(0, 99), variant=st.sampled_from(VARIANTS))
def test_permuted_tokens_give_permuted_outputs(order: list[int], seed: int, variant: tuple[Interaction, bool]) -> None:
    mixer = make(*variant)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 7, DIM, dtype=torch.float64, generator=generator)
    mask = torch.rand(2, 7, generator=generator) < 0.7
    torch.testing.assert_close(mixer(x[:, order], mask[:, order]), mixer(x, mask)[:, order], atol=1e-11, rtol=0)


@pytest.mark.parametrize(("interaction", "share_query_value"), VARIANTS)
def test_parameter_counts(interaction: Interaction, share_query_value: bool) -> None:
    dim, heads = 256, 16
    mixer = FastformerAttention(dim, heads, interaction=interaction, share_query_value=share_query_value)
    square, scoring, joint = dim * dim + dim, dim * heads + heads, 2 * dim * dim + dim
    maps = 4 if share_query_value else 5  # query, key, transform, output; value
    expected = maps * square + 2 * scoring + (2 * joint if interaction == "concat" else 0)
    assert sum(parameter.numel() for parameter in mixer.parameters()) == expected
    if interaction == "product" and share_query_value:
        assert expected == 205_600 + 65_792  # counted in the official code: self-attention and output map


@pytest.mark.parametrize(("interaction", "share_query_value"), VARIANTS)
def test_every_parameter_learns_except_the_biases_of_scores(interaction: Interaction, share_query_value: bool) -> None:
    mixer = make(interaction, share_query_value)
    x = torch.randn(2, 7, DIM, dtype=torch.float64, requires_grad=True)
    mixer(x, odd_mask(2, 7)).square().sum().backward()
    for name, gradient in gradients(mixer, x).items():
        # A constant added to all scores of a head cancels in its softmax.
        dead = name in ("query_scores.bias", "key_scores.bias")
        assert (gradient.abs().max() < 1e-10) == dead, name


@pytest.mark.parametrize("interaction", ["add", "concat"])
def test_without_the_product_the_global_query_cant_steer_the_second_softmax(interaction: Interaction) -> None:
    mixer = make(interaction)
    x, mask = torch.randn(2, 7, DIM, dtype=torch.float64), odd_mask(2, 7)
    key = mixer.key(x)
    weights = [
        masked_softmax(mixer.key_scores(mixer._meet(query, key, mixer.meet_key)), mask, dim=1)
        for query in torch.randn(2, 2, DIM, dtype=torch.float64)
    ]
    torch.testing.assert_close(weights[0], weights[1])


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        FastformerAttention(10, 4, interaction="product", share_query_value=True)
