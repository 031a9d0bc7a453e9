"""Our dropout against what torch's promises."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from pipeline.models.dropout import LEVELS, Dropout, random_levels

SHAPES = st.lists(st.integers(0, 7), min_size=0, max_size=4)


@given(SHAPES, st.floats(0, 0.999), st.integers(0, 2**32), st.sampled_from([torch.float32, torch.float64]))
def test_what_stays_is_scaled_so_that_the_mean_is_kept(
    shape: list[int], p: float, seed: int, dtype: torch.dtype
) -> None:
    torch.manual_seed(seed)
    x = torch.randn(shape, dtype=dtype).requires_grad_()
    out = Dropout(p)(x)
    out.backward(torch.ones_like(out))
    assert out.shape == x.shape
    assert out.dtype == dtype
    gradient = x.grad
    assert gradient is not None
    scale = LEVELS / (LEVELS - round(p * LEVELS))
    stays = gradient != 0
    torch.testing.assert_close(gradient[stays], torch.full_like(gradient[stays], scale))
    torch.testing.assert_close(out, x * gradient)


@pytest.mark.parametrize("p", [0.1, 0.2, 0.5, 0.9])
def test_the_share_of_zeros_is_p(p: float) -> None:
    torch.manual_seed(1)
    count = 400_000
    zeros = int((Dropout(p)(torch.ones(count)) == 0).sum())
    assert abs(zeros - p * count) < 5 * (count * p * (1 - p)) ** 0.5


def test_neighbours_that_share_a_draw_are_independent() -> None:
    torch.manual_seed(1)
    kept = (Dropout(0.5)(torch.ones(400_000)) != 0).view(-1, 4).double()
    off_diagonal = torch.corrcoef(kept.T)[~torch.eye(4, dtype=torch.bool)]
    assert off_diagonal.abs().max() < 5 / 100_000**0.5


def test_every_level_is_drawn() -> None:
    torch.manual_seed(1)
    levels = random_levels(64 * LEVELS)
    assert levels.unique().numel() == LEVELS
    assert abs(float(levels.double().mean()) + 0.5) < 5 * LEVELS / 12**0.5 / len(levels) ** 0.5


@pytest.mark.parametrize("p", [0.0, 1 / LEVELS / 4])
def test_without_dropout_nothing_changes_or_is_drawn(p: float) -> None:
    x = torch.randn(3, 5)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    assert torch.equal(Dropout(p)(x), x)
    assert torch.equal(Dropout(0.5).eval()(x), x)
    assert torch.equal(torch.get_rng_state(), state)


def test_a_p_that_rounds_to_one_still_keeps_the_mean() -> None:
    torch.manual_seed(1)
    out = Dropout(1 - 1e-9)(torch.ones(5 * LEVELS))
    assert set(out.unique().tolist()) <= {0.0, float(LEVELS)}


def test_the_seed_decides() -> None:
    outs = []
    for _ in range(2):
        torch.manual_seed(7)
        outs.append(Dropout(0.3)(torch.ones(3, 11)))
    assert torch.equal(*outs)


def test_half_precision_and_non_contiguous_inputs_pass() -> None:
    torch.manual_seed(1)
    x = torch.ones(4, 6, dtype=torch.bfloat16).T
    out = Dropout(0.5)(x)
    assert out.dtype == torch.bfloat16
    assert out.shape == (6, 4)
    assert set(out.unique().tolist()) <= {0.0, 2.0}


def test_a_p_above_one_is_refused_as_by_torch() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Dropout(1.5)
    assert issubclass(Dropout, nn.Dropout)
