"""What every mixer of the registry keeps to: the mask rule, odd lengths, half precision, no hidden state."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from pipeline.attention.options import READ_BY, MixerOptions
from pipeline.registry import ATTENTIONS, load
from tests.attention.plain import drawn, gradients, odd_mask

DIM, HEADS, MAX_LENGTH = 16, 4, 256
OPTIONS = MixerOptions(
    dim=DIM,
    heads=HEADS,
    max_length=MAX_LENGTH,
    window=8,
    global_tokens=8,
    random_tokens=8,
    block_length=4,
    pooling_window=16,
    projection_dim=5,
    bucket_length=8,
    hash_rounds=2,
)
FASTFORMERS: dict[str, dict[str, Any]] = {
    "fastformer": {"interaction": "product", "sharing": "qv_layer", "scoring": "full"},
    "fastformer, add": {"interaction": "add", "sharing": "qv", "scoring": "full"},
    "fastformer, concat": {"interaction": "concat", "sharing": "none", "scoring": "full"},
    "fastformer, per head": {"interaction": "product", "sharing": "qv_layer", "scoring": "per_head"},
    "fastformer, heads shared": {"interaction": "product", "sharing": "qv_head", "scoring": "per_head"},
}
CASES = FASTFORMERS | {name: {} for name in ATTENTIONS if name != "fastformer"}
LENGTHS = [1, 2, 3, 7, 63, 64, 65, 127]
"""Multiples of no window, block or bucket, and their neighbours."""

SQUARE, SCORES = DIM * DIM + DIM, DIM * HEADS + HEADS
SLICE = DIM // HEADS
PARAMETERS = {
    "fastformer": 4 * SQUARE + 2 * SCORES,
    "fastformer, add": 4 * SQUARE + 2 * SCORES,
    "fastformer, concat": 5 * SQUARE + 2 * SCORES + 2 * (2 * DIM * DIM + DIM),
    "fastformer, per head": 4 * SQUARE + 2 * (DIM + HEADS),
    "fastformer, heads shared": 2 * SQUARE + 2 * (SLICE * SLICE + SLICE) + 2 * (SLICE + 1),
    "transformer": 4 * SQUARE,
    "longformer": 7 * SQUARE,
    "bigbird": 4 * SQUARE,
    "linformer": 4 * SQUARE + 2 * OPTIONS.projection_dim * MAX_LENGTH,
    "linear_transformer": 4 * SQUARE,
    "poolingformer": 7 * SQUARE,
    "reformer": 3 * SQUARE,
    "query_only": 3 * SQUARE + SCORES,
    "none": 0,
}
# A constant added to all scores of a query cancels in its softmax.
SCORE_BIASES = {"query_scores.bias", "key_scores.bias"}
WITHOUT_GRADIENT = dict.fromkeys(FASTFORMERS, SCORE_BIASES) | {
    "transformer": {"key.bias"},
    "longformer": {"key.bias", "global_key.bias"},
    "bigbird": {"key.bias"},
    "poolingformer": {"key.bias", "pooled_key.bias"},
    "query_only": {"query_scores.bias"},
}
BOUND_BY_MAX_LENGTH = {"linformer"}


def make(case: str, *, seed: int = 1, std: float = 0.4, **changes: Any) -> nn.Module:
    """A mixer in float64 and eval mode, its weights drawn from `seed`."""
    mixer_class = load(ATTENTIONS, case.partition(",")[0])
    torch.manual_seed(0)
    return drawn(mixer_class.from_options(replace(OPTIONS, **CASES[case], **changes)), seed, std)


def batch(length: int, rows: int = 3) -> tuple[Tensor, Tensor]:
    """Texts of several lengths, the first one full, padded at the end."""
    generator = torch.Generator().manual_seed(length)
    x = torch.randn(rows, length, DIM, dtype=torch.float64, generator=generator)
    lengths = torch.tensor([length, max(1, length - 1), max(1, length // 3)])[:rows]
    return x, torch.arange(length) < lengths.unsqueeze(1)


def run(mixer: nn.Module, x: Tensor, mask: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """The outputs at kept positions, and the gradients of a loss over them."""
    x = x.clone().requires_grad_()
    out = mixer(x, mask)
    assert out.shape == x.shape
    assert out.dtype == x.dtype
    assert out.isfinite().all()
    kept = out[mask]
    weight = torch.linspace(-1, 1, kept.shape[0] * DIM, dtype=x.dtype).view(kept.shape)
    return kept.detach(), gradients(mixer, x, kept * weight + kept * kept)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("length", LENGTHS)
def test_longer_padding_changes_no_valid_output_and_no_gradient(case: str, length: int) -> None:
    mixer = make(case)
    x, mask = batch(length)
    out, plain = run(mixer, x, mask)
    for more in (1, 5, 64):
        longer = nn.functional.pad(x, (0, 0, 0, more))
        padded_out, padded = run(mixer, longer, nn.functional.pad(mask, (0, more)))
        torch.testing.assert_close(padded_out, out, atol=1e-9, rtol=1e-9)
        padded["x"] = padded["x"][:, :length]
        for name, gradient in padded.items():
            torch.testing.assert_close(gradient, plain[name], atol=1e-8, rtol=1e-8, msg=f"gradient of {name}, +{more}")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("length", LENGTHS)
def test_a_text_alone_is_as_in_a_batch(case: str, length: int) -> None:
    mixer = make(case)
    x, mask = batch(length)
    together = mixer(x, mask)
    for row, kept in enumerate(mask.sum(1).tolist()):
        alone = mixer(x[row : row + 1, :kept], mask[row : row + 1, :kept])
        torch.testing.assert_close(together[row, :kept], alone[0], atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("junk", [1e9, float("nan"), float("inf")])
@pytest.mark.parametrize("length", [7, 65])
@pytest.mark.parametrize("holes", [False, True], ids=["padding", "holes"])
def test_what_stands_in_padding_reaches_nothing(case: str, junk: float, length: int, holes: bool) -> None:
    mixer = make(case)
    x, mask = batch(length)
    if holes:
        mask = odd_mask(*mask.shape)
    out, plain = run(mixer, x, mask)
    junk_out, poisoned = run(mixer, x.masked_fill(~mask.unsqueeze(-1), junk), mask)
    assert torch.equal(junk_out, out)
    for name, gradient in poisoned.items():
        assert torch.equal(gradient, plain[name]), name
    assert (poisoned["x"][~mask] == 0).all()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("length", [1, 9])
def test_a_row_without_tokens_is_finite_and_changes_no_other(case: str, dtype: torch.dtype, length: int) -> None:
    mixer = make(case).to(dtype)
    x, mask = batch(length)
    x, mask[1] = x.to(dtype), False
    x.requires_grad_()
    out = mixer(x, mask)
    assert out.dtype == dtype
    assert out.isfinite().all()
    for name, gradient in gradients(mixer, x, out).items():
        assert gradient.isfinite().all(), name
    others = torch.tensor([0, 2])
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(out[others], mixer(x[others], mask[others]), atol=tolerance, rtol=tolerance)
    assert mixer(x[1:2], mask[1:2]).isfinite().all()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("length", [1, 7, 65])
@pytest.mark.parametrize("how", ["float16", "bfloat16", "autocast"])
def test_half_precision_is_near_double(case: str, length: int, how: str) -> None:
    mixer = make(case, std=0.2)
    x, mask = batch(length)
    expected = mixer(x, mask)[mask]
    if how == "autocast":
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = mixer.float()(x.float(), mask)[mask]
    else:
        dtype = getattr(torch, how)
        out = mixer.to(dtype)(x.to(dtype), mask)[mask]
    assert out.isfinite().all()
    # Rounding moves a few of Reformer's tokens over the border of a bucket; most stay.
    each, size = (out.double() - expected).norm(dim=1), expected.norm(dim=1).clamp_min(1e-6)
    error = (each / size).median() if case == "reformer" else each.norm() / size.norm()
    assert error < (5e-3 if how == "float16" else 4e-2)


@pytest.mark.parametrize("case", CASES)
def test_batches_of_other_lengths_leave_no_trace(case: str) -> None:
    mixer = make(case)
    (long, long_mask), (short, short_mask) = batch(127), batch(3)
    first = mixer(long, long_mask)
    mixer(short, short_mask)
    assert torch.equal(mixer(long, long_mask), first)


@pytest.mark.parametrize("case", CASES)
def test_in_eval_mode_no_random_state_matters_or_moves(case: str) -> None:
    mixer = make(case)
    x, mask = batch(65)
    outputs = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        np.random.seed(seed)
        random.seed(seed)
        before = torch.get_rng_state(), np.random.get_state()[1], random.getstate()
        outputs.append(mixer(x, mask))
        after = torch.get_rng_state(), np.random.get_state()[1], random.getstate()
        assert torch.equal(before[0], after[0])
        assert np.array_equal(before[1], after[1])
        assert before[2] == after[2]
    assert torch.equal(*outputs)


@pytest.mark.parametrize("case", CASES)
def test_max_length_binds_those_that_have_a_weight_per_position(case: str) -> None:
    mixer = make(case, max_length=16)
    x, mask = batch(16)
    assert mixer(x, mask).isfinite().all()
    x, mask = batch(17)
    if case in BOUND_BY_MAX_LENGTH:
        with pytest.raises(ValueError, match=r"17 .*16"):
            mixer(x, mask)
    else:
        assert mixer(x, mask).isfinite().all()


@pytest.mark.parametrize("case", CASES)
def test_permuted_texts_give_permuted_outputs(case: str) -> None:
    mixer = make(case)
    x, mask = batch(65)
    order = torch.tensor([2, 0, 1])
    torch.testing.assert_close(mixer(x[order], mask[order]), mixer(x, mask)[order], atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_a_state_dict_round_trip_gives_the_same_outputs(case: str) -> None:
    mixer, other = make(case), make(case, seed=2)
    x, mask = batch(65)
    other.load_state_dict(mixer.state_dict())
    assert torch.equal(other(x, mask), mixer(x, mask))


@pytest.mark.parametrize("case", CASES)
def test_the_input_stays_as_it_is(case: str) -> None:
    x, mask = batch(7)
    copy, mask_copy = x.clone(), mask.clone()
    make(case)(x, mask)
    assert torch.equal(x, copy)
    assert torch.equal(mask, mask_copy)


@pytest.mark.parametrize("case", CASES)
def test_every_parameter_learns_but_those_that_cant(case: str) -> None:
    mixer = make(case)
    found = {name: gradient.abs().max() for name, gradient in run(mixer, *batch(127))[1].items() if name != "x"}
    assert {name for name, largest in found.items() if largest < 1e-9} == WITHOUT_GRADIENT.get(case, set())


@pytest.mark.parametrize("name", ATTENTIONS)
def test_the_sizes_that_it_reads_are_those_that_the_report_shows(name: str) -> None:
    class Recorded:
        """The options, and which were looked at."""

        def __init__(self) -> None:
            self.read: set[str] = set()

        def __getattr__(self, key: str) -> Any:
            self.read.add(key)
            return getattr(replace(OPTIONS, **CASES[name]), key)

    recorded = Recorded()
    load(ATTENTIONS, name).from_options(recorded)
    assert recorded.read & set(READ_BY) == {key for key, names in READ_BY.items() if name in names}


@pytest.mark.parametrize("case", CASES)
def test_parameter_counts(case: str) -> None:
    assert sum(parameter.numel() for parameter in make(case).parameters()) == PARAMETERS[case]


def test_no_mixer_adds_nothing() -> None:
    x, mask = batch(7)
    assert (make("none")(x, mask) == 0).all()
