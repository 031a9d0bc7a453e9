"""Intervals of means: by the standard error, whatever the portions, and within the values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics import bootstrap
from pipeline.metrics.bootstrap import RESAMPLES, interval


def test_it_is_that_of_resampled_examples() -> None:
    """Beside the definition: examples drawn one by one."""
    values = np.random.default_rng(1).choice([0.0, 0.25, 1.0], size=300, p=[0.5, 0.2, 0.3])
    draw = np.random.default_rng(2)
    means = [draw.choice(values, size=len(values)).mean() for _ in range(RESAMPLES)]
    expected = np.percentile(means, (2.5, 97.5))
    assert interval(values) == pytest.approx(expected, abs=0.15 * (expected[1] - expected[0]))


def test_it_is_as_wide_as_the_standard_error_says() -> None:
    values = np.random.default_rng(4).normal(0.3, 0.1, 2000)
    wide = 1.96 * values.std() / np.sqrt(len(values))
    assert interval(values) == pytest.approx((values.mean() - wide, values.mean() + wide), abs=0.1 * wide)


def test_it_depends_on_values_and_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).random(40)
    whole = interval(values, seed=1)
    assert interval(values, seed=2) != whole
    assert interval(np.random.default_rng(6).permutation(values), seed=1) == whole
    monkeypatch.setattr(bootstrap, "PORTION", 400)
    assert interval(values, seed=1) == whole


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(0, 5))
def test_it_lies_within_the_values(values: list[float], seed: int) -> None:
    low, high = interval(np.array(values), seed=seed)
    assert min(values) - 1e-12 <= low <= high <= max(values) + 1e-12


def test_there_must_be_values() -> None:
    with pytest.raises(ValueError, match="no values"):
        interval(np.zeros(0))
