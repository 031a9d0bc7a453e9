"""The folded forms against the direct one: outputs, and the gradients of the input and of every parameter."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from pipeline.attention import fastformer_direct, fastformer_folded
from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.operations import Form
from tests.attention.mixers import DIM, INTERACTIONS, PLAIN, VARIANTS, Variant, make, odd_mask, results

LENGTHS = (1, 2, 7, 63, 64, 65, 127, 300, 1000)
FOLDED: tuple[Form, ...] = ("short", "long")


def in_form(mixer: FastformerAttention, form: Form, x: Tensor, mask: Tensor) -> dict[str, Tensor]:
    return results(mixer, lambda x, mask: mixer.mix(x, mask, form), x, mask)


def largest_error(actual: dict[str, Tensor], expected: dict[str, Tensor]) -> float:
    """Of all outputs and gradients, relative to the largest number of each; absolute for a gradient that is zero."""
    return max(
        float((actual[name].double() - exact).abs().max() / (exact.abs().max() if exact.abs().max() > 1e-9 else 1.0))
        for name, exact in expected.items()
        if exact.numel()
    )


@pytest.mark.parametrize(("dtype", "limit"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_outputs_and_gradients_equal_the_direct_form(variant: Variant, dtype: torch.dtype, limit: float) -> None:
    exact, mixer = make(variant), make(variant, dtype)
    for length in LENGTHS:
        x, mask = torch.randn(3, length, DIM, dtype=dtype), odd_mask(3, length)
        mask[1] = False
        expected = in_form(exact, "direct", x.double(), mask)
        for form in FOLDED:
            assert largest_error(in_form(mixer, form, x, mask), expected) < limit, (length, form)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    variant=st.sampled_from(VARIANTS),
    form=st.sampled_from(FOLDED),
    rows=st.integers(1, 20).flatmap(
        lambda length: st.lists(st.lists(st.booleans(), min_size=length, max_size=length), min_size=1, max_size=4)
    ),
)
def test_any_mask(variant: Variant, form: Form, rows: list[list[bool]]) -> None:
    mixer, mask = make(variant), torch.tensor(rows)
    x = torch.randn(*mask.shape, DIM, dtype=torch.float64, generator=torch.Generator().manual_seed(mask.numel()))
    assert largest_error(in_form(mixer, form, x, mask), in_form(mixer, "direct", x, mask)) < 1e-10
    # What comes out for padding means nothing, but all forms make the same of the zeros there.
    torch.testing.assert_close(mixer.mix(x, mask, form), mixer.mix(x, mask, "direct"), atol=1e-9, rtol=1e-9)


def autocast_errors(variant: Variant, dtype: torch.dtype, form: Form) -> dict[str, float]:
    """Of the output and of each gradient, squared, relative to its size; both summed over some inputs."""
    dim, heads = 64, 8  # wide enough for the errors of single numbers to average out
    exact, mixer = make(variant, torch.float64, dim, heads), make(variant, torch.float32, dim, heads)
    errors: dict[str, float] = {}
    sizes: dict[str, float] = {}
    for seed, length in enumerate((2, 7, 33, 65, 127)):
        x, mask = torch.randn(3, length, dim, generator=torch.Generator().manual_seed(seed)), odd_mask(3, length)
        mask[1] = False
        expected = in_form(exact, "direct", x.double(), mask)
        with torch.autocast("cpu", dtype=dtype):
            actual = in_form(mixer, form, x, mask)
        assert all(tensor.isfinite().all() for tensor in actual.values())
        for name, truth in expected.items():
            errors[name] = errors.get(name, 0.0) + float((actual[name].double() - truth).square().sum())
            sizes[name] = sizes.get(name, 0.0) + float(truth.square().sum())
    return {name: error / sizes[name] for name, error in errors.items() if sizes[name] > 1e-12}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("variant", VARIANTS)
def test_autocast_takes_it_no_further_from_double_than_the_direct_form(variant: Variant, dtype: torch.dtype) -> None:
    direct = autocast_errors(variant, dtype, "direct")
    for form in FOLDED:
        folded = autocast_errors(variant, dtype, form)
        # Which single gradient rounds worse is chance; on the whole they are closer. Most of the output's error is the
        # last rounding, which is the same.
        assert sum(folded.values()) <= sum(direct.values())
        assert folded["out"] <= 1.2 * direct["out"]


@pytest.mark.parametrize("form", FOLDED)
@pytest.mark.parametrize("interaction", INTERACTIONS)
def test_one_mixer_may_be_used_at_every_depth_under_autocast(interaction: str, form: Form) -> None:
    variant = next(v for v in VARIANTS if v[:2] == (interaction, "qv"))
    exact, mixer = make(variant), make(variant, torch.float32)
    x, mask = 0.1 * torch.randn(2, 33, DIM), odd_mask(2, 33)

    def twice(mixer: FastformerAttention, form: Form, x: Tensor) -> dict[str, Tensor]:
        return results(mixer, lambda x, mask: mixer.mix(mixer.mix(x, mask, form) * 0.1, mask, form), x, mask)

    expected = twice(exact, "direct", x.double())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        actual = twice(mixer, form, x)
    assert largest_error(actual, expected) < 0.1
    assert largest_error(twice(mixer, form, x), expected) < 1e-5


@pytest.mark.parametrize("variant", VARIANTS)
def test_attention_maps_equal_the_direct_forms(variant: Variant) -> None:
    mixer, mask = make(variant), odd_mask(3, 33)
    mask[1] = False
    x = torch.randn(3, 33, DIM, dtype=torch.float64)
    for actual, expected in zip(
        fastformer_folded.weights(mixer, x, mask), fastformer_direct.weights(mixer, x, mask), strict=True
    ):
        torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize(("form", "tensors"), [("short", 3.0), ("long", 2.0)])
def test_the_backward_pass_keeps_at_most_half_as_much(form: Form, tensors: float) -> None:
    length = 16 * DIM
    x, mask = torch.randn(4, length, DIM, requires_grad=True), torch.ones(4, length, dtype=torch.bool)
    mixer = make(PLAIN, torch.float32)
    known = {tensor.untyped_storage().data_ptr() for tensor in (mask, *mixer.parameters())}

    def kept(form: Form) -> float:
        storages = {}

        def pack(tensor: Tensor) -> Tensor:
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in known:
                storages[storage.data_ptr()] = (storage.nbytes(), tensor)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            mixer.mix(x, mask, form)
        return sum(size for size, _ in storages.values()) / x.nbytes

    # With 3 heads of 4 the weights (B, N, H) weigh as much as a quarter of x, in each form two of them.
    assert kept(form) < tensors
    assert kept(form) < kept("direct") / 2


@pytest.mark.parametrize(("length", "form"), [(24, "short"), (40, "long")])
def test_the_compiler_takes_it_too(length: int, form: Form) -> None:
    mixer = make(dtype=torch.float32, dim=32, heads=4)
    x, mask = torch.randn(8, length, 32), odd_mask(8, length)
    assert mixer.form(8, length) == form
    compiled = torch.compile(mixer, backend="aot_eager")
    expected = results(mixer, lambda x, mask: mixer.mix(x, mask, form), x, mask)
    for name, actual in results(mixer, compiled, x, mask).items():
        torch.testing.assert_close(actual, expected[name], atol=1e-5, rtol=1e-5, msg=name)
