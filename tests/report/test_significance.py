"""The paired randomization test against exact enumeration."""

from itertools import product

import numpy as np
import pytest

from pipeline.report.significance import paired_randomization

ZERO = np.zeros(200)


def exact(first: np.ndarray, second: np.ndarray) -> float:
    """The share of all exchanges within pairs that differ at least as much as what was observed."""
    differences = first - second
    signs = np.array(list(product([-1, 1], repeat=len(differences))))
    return float((np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9).mean())


@pytest.mark.parametrize("seed", range(6))
def test_small_samples_agree_with_enumeration(seed: int) -> None:
    draw = np.random.default_rng(seed)
    first = draw.integers(0, 2, 9).astype(float) if seed % 2 else draw.random(9)
    second = draw.integers(0, 2, 9).astype(float) if seed % 2 else draw.random(9)
    # Four standard errors of 10,000 samples.
    assert paired_randomization(first, second) == pytest.approx(exact(first, second), abs=0.02)


def test_the_smallest_p_of_a_small_sample_is_no_smaller_than_enumeration_gives() -> None:
    assert paired_randomization(np.ones(6), np.zeros(6)) == pytest.approx(2 / 2**6, abs=0.006)


def test_equal_scores_are_no_difference() -> None:
    scores = np.random.default_rng(1).random(50)
    assert paired_randomization(scores, scores) == 1.0
    assert paired_randomization(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1.0


def test_it_is_two_sided_and_repeats_with_its_seed() -> None:
    draw = np.random.default_rng(1)
    first, second = draw.random(40), draw.random(40)
    p = paired_randomization(first, second, seed=5)
    assert paired_randomization(second, first, seed=5) == p
    assert paired_randomization(first, second, seed=5) == p
    assert paired_randomization(first, second, seed=6) != p


def test_a_large_difference_has_the_smallest_p_and_none_has_a_large_one() -> None:
    draw = np.random.default_rng(1)
    assert paired_randomization(ZERO + 1, ZERO) == 1 / 10_001
    assert paired_randomization(draw.random(200), draw.random(200)) > 0.1


@pytest.mark.parametrize("samples", [1, 999, 1000, 1001])
def test_the_number_of_samples_bounds_p(samples: int) -> None:
    assert paired_randomization(ZERO + 1, ZERO, samples=samples) == 1 / (samples + 1)


def test_examples_without_a_difference_change_nothing() -> None:
    first, second = np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0])
    padded = paired_randomization(np.concatenate([first, ZERO]), np.concatenate([second, ZERO]))
    assert padded == paired_randomization(first, second)
