"""What every mixer must keep, of Fastformer's in each of its forms: the mask rule, half precision, permutation."""

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.masking import masked_softmax
from pipeline.attention.operations import Form
from pipeline.attention.options import MixerOptions
from tests.attention.mixers import DIM, HEADS, INTERACTIONS, VARIANTS, Variant, gradients, make, odd_mask

FORMS: tuple[Form, ...] = ("direct", "short", "long")
OPTIONS = MixerOptions(
    dim=DIM,
    heads=HEADS,
    max_length=64,
    interaction="concat",
    sharing="none",
    scoring="per_head",
    window=8,
    global_tokens=1,
    random_tokens=1,
    block_length=4,
    pooling_window=8,
    projection_dim=8,
    bucket_length=8,
    hash_rounds=1,
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_longer_padding_changes_nothing(variant: Variant, form: Form) -> None:
    mixer = make(variant, torch.float32)
    x, mask = torch.randn(3, 9, DIM), odd_mask(3, 9)
    longer = torch.cat([x, torch.randn(3, 14, DIM)], dim=1)
    longer_mask = torch.cat([mask, torch.zeros(3, 14, dtype=torch.bool)], dim=1)
    expected = mixer.mix(x, mask, form)[mask]
    difference = mixer.mix(longer, longer_mask, form)[:, :9][mask] - expected
    assert difference.abs().max() <= 2e-6 * expected.abs().max()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("junk", [1e9, float("nan"), float("inf")])
def test_junk_in_padding_reaches_no_output_and_no_gradient(variant: Variant, form: Form, junk: float) -> None:
    mixer = make(variant, torch.float32)
    clean, mask = torch.randn(3, 9, DIM), odd_mask(3, 9)
    results = []
    for filled in (clean, clean.masked_fill(~mask.unsqueeze(-1), junk)):
        x = filled.clone().requires_grad_()
        out = mixer.mix(x, mask, form)
        out[mask].square().sum().backward()
        results.append((out.detach(), gradients(mixer, x)))
    (clean_out, clean_gradients), (junk_out, junk_gradients) = results
    assert torch.equal(clean_out, junk_out)
    for name, gradient in junk_gradients.items():
        assert gradient.isfinite().all(), name
        assert torch.equal(gradient, clean_gradients[name]), name
    assert (junk_gradients["x"][~mask] == 0).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_row_without_tokens_is_finite(variant: Variant, form: Form, dtype: torch.dtype) -> None:
    mixer = make(variant, dtype)
    x = torch.randn(2, 5, DIM, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True] * 4 + [False], [False] * 5])
    out = mixer.mix(x, mask, form)
    assert out.dtype == dtype
    assert out.isfinite().all()
    out.sum().backward()
    for name, gradient in gradients(mixer, x).items():
        assert gradient.isfinite().all(), name
    alone = mixer.mix(x[:1], mask[:1], form)
    torch.testing.assert_close(out[:1], alone, atol=2e-2 if dtype != torch.float32 else 1e-5, rtol=1e-2)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("interaction", INTERACTIONS)
def test_half_precision_follows_double(interaction: str, dtype: torch.dtype, form: Form) -> None:
    variant = next(v for v in VARIANTS if v[:2] == (interaction, "qv"))
    exact, half = make(variant), make(variant, dtype)
    x, mask = torch.randn(2, 33, DIM, dtype=dtype), odd_mask(2, 33)
    expected = exact.mix(x.double(), mask, "direct")[mask]
    error = (half.mix(x, mask, form)[mask].double() - expected).abs().max() / expected.abs().max()
    assert error < {torch.float16: 5e-3, torch.bfloat16: 4e-2}[dtype]


@settings(derandomize=True, deadline=None, max_examples=30)
@given(
    order=st.permutations(range(7)),
    seed=st.integers(0, 99),
    variant=st.sampled_from(VARIANTS),
    form=st.sampled_from(FORMS),
)
def test_permuted_tokens_give_permuted_outputs(order: list[int], seed: int, variant: Variant, form: Form) -> None:
    mixer = make(variant)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 7, DIM, dtype=torch.float64, generator=generator)
    mask = torch.rand(2, 7, generator=generator) < 0.7
    permuted = mixer.mix(x[:, order], mask[:, order], form)
    torch.testing.assert_close(permuted, mixer.mix(x, mask, form)[:, order], atol=1e-10, rtol=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_parameter_learns_except_the_biases_of_scores(variant: Variant, form: Form) -> None:
    mixer = make(variant)
    x = torch.randn(2, 7, DIM, dtype=torch.float64, requires_grad=True)
    mixer.mix(x, odd_mask(2, 7), form).square().sum().backward()
    for name, gradient in gradients(mixer, x).items():
        # A constant added to all scores of a head cancels in its softmax.
        dead = name in ("query_scores.bias", "key_scores.bias")
        assert (gradient.abs().max() < 1e-10) == dead, name


@pytest.mark.parametrize(
    ("batch", "length", "form"), [(8, 19, "direct"), (8, 20, "short"), (8, 33, "long"), (3, 33, "direct")]
)
def test_forward_takes_the_form_for_its_shape(batch: int, length: int, form: Form) -> None:
    mixer = make(dim=32, heads=4)
    x, mask = torch.randn(batch, length, 32, dtype=torch.float64), odd_mask(batch, length)
    assert mixer.form(batch, length) == form
    assert torch.equal(mixer(x, mask), mixer.mix(x, mask, form))


@pytest.mark.parametrize("length", [5, 40])  # the direct form, and a folded one
@pytest.mark.parametrize("variant", VARIANTS)
def test_attention_maps_are_the_formulas_weights(variant: Variant, length: int) -> None:
    mixer = make(variant)
    x, mask = torch.randn(3, length, DIM, dtype=torch.float64, requires_grad=True), odd_mask(3, length)
    mask[1] = False
    alpha, beta = mixer.weights(x, mask)
    for weights in (alpha, beta):
        assert weights.shape == (3, length, HEADS)
        assert not weights.requires_grad
        assert (weights[~mask] == 0).all()
        torch.testing.assert_close(weights.sum(1), mask.any(1).double().unsqueeze(1).expand(3, HEADS))
    with torch.no_grad():
        scores = mixer.query_scores(mixer.query(x)) * mixer.scale
        torch.testing.assert_close(alpha, masked_softmax(scores, mask, dim=1))


def test_options_become_a_mixer() -> None:
    mixer = FastformerAttention.from_options(OPTIONS)
    expected = FastformerAttention(DIM, HEADS, interaction="concat", sharing="none", scoring="per_head")
    assert {n: p.shape for n, p in mixer.named_parameters()} == {n: p.shape for n, p in expected.named_parameters()}


@pytest.mark.parametrize("name", ["interaction", "sharing", "scoring"])
def test_options_of_another_mixer_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="interaction, sharing and scoring"):
        FastformerAttention.from_options(dataclasses.replace(OPTIONS, **{name: None}))
