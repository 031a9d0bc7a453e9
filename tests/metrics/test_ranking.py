"""Ranking metrics: against golden values, scikit-learn, and plain loops over all orders of what is tied.

GOLDEN_DIR names another folder that holds a mind_metrics.json.
"""

import itertools
import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from pipeline.errors import UserError
from pipeline.metrics import ranking as module
from pipeline.metrics.ranking import METRICS, Ranking, ranking

FIXTURES = Path(__file__).parents[1] / "fixtures" / "golden"

Impression = tuple[Sequence[float], Sequence[int]]
"""Scores, and 1 for every clicked candidate."""


def measured(*impressions: Impression, dtype: Any = np.float64) -> Ranking:
    scores = np.array([score for scores, _ in impressions for score in scores], dtype=dtype)
    clicks = np.array([click for _, clicks in impressions for click in clicks], dtype=bool)
    return ranking(scores, clicks, np.cumsum([0, *(len(scores) for scores, _ in impressions)]))


def of_order(clicks: Sequence[int]) -> dict[str, float]:
    """The metrics of candidates in the order of their ranks, written out."""
    ranks = [rank for rank, click in enumerate(clicks, 1) if click]
    right = sum(first > second for first, second in itertools.combinations(clicks, 2))
    found = {
        "auc": right / (len(ranks) * (len(clicks) - len(ranks))),
        "mrr": sum(1 / rank for rank in ranks) / len(ranks),
        "first_hit_mrr": 1 / ranks[0],
    }
    for k in (5, 10):
        best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), k) + 1))
        found[f"ndcg{k}"] = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= k) / best
    return found


def plain(scores: Sequence[float], clicks: Sequence[int]) -> dict[str, float]:
    """The mean over all orders that the scores allow."""
    orders = [
        order
        for order in itertools.permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    found = [of_order([clicks[i] for i in order]) for order in orders]
    return {name: sum(one[name] for one in found) / len(found) for name in METRICS}


def test_golden_values() -> None:
    golden = json.loads((Path(os.environ.get("GOLDEN_DIR") or FIXTURES) / "mind_metrics.json").read_text())
    found = measured(*((one["scores"], one["labels"]) for one in golden["impressions"]))
    assert found.impressions.tolist() == list(range(len(golden["impressions"])))
    for name, mean in golden["mean"].items():
        expected = [one[name] for one in golden["impressions"]]
        np.testing.assert_allclose(found.values[name], expected, rtol=0, atol=1e-12)
        assert found.means()[name] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("levels", [None, 5], ids=["all different", "many ties"])
def test_a_thousand_impressions_against_scikit_learn_and_a_sort(levels: int | None) -> None:
    draw = np.random.default_rng(1)
    impressions = []
    for _ in range(1000):
        size = int(draw.integers(2, 120))
        scores = draw.normal(size=size) if levels is None else draw.integers(0, levels, size)
        clicks = draw.random(size) < draw.choice([0.05, 0.5])
        clicks[:2] = draw.permutation([True, False])
        impressions.append((scores.tolist(), clicks.astype(int).tolist()))
    found = measured(*impressions)
    assert len(found.impressions) == 1000
    auc = [roc_auc_score(clicks, scores) for scores, clicks in impressions]
    np.testing.assert_allclose(found.values["auc"], auc, rtol=0, atol=1e-12)
    if levels is None:
        for number, (scores, clicks) in enumerate(impressions):
            expected = of_order([clicks[i] for i in sorted(range(len(scores)), key=lambda i, s=scores: -s[i])])
            assert {name: found.values[name][number] for name in METRICS} == pytest.approx(expected, abs=1e-12)


@settings(derandomize=True, max_examples=150, deadline=None, database=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=6))
def test_ties_are_averaged_over_all_their_orders(candidates: list[tuple[int, bool]]) -> None:
    scores, clicks = [float(score) for score, _ in candidates], [int(click) for _, click in candidates]
    found = measured((scores, clicks), dtype=np.float32)
    if len(set(clicks)) == 1:
        assert len(found.impressions) == 0
    else:
        assert {name: found.values[name][0] for name in METRICS} == pytest.approx(plain(scores, clicks), abs=1e-12)


def test_equal_scores_earn_what_chance_earns() -> None:
    found = measured(([0.5] * 4, [0, 0, 0, 1]), ([0.5] * 4, [1, 0, 0, 0]))
    expected = {"auc": 0.5, "mrr": (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4}
    for name, value in expected.items():
        assert found.values[name].tolist() == pytest.approx([value, value], abs=1e-12)


def test_mrr_counts_every_click_and_first_hit_mrr_the_first() -> None:
    found = measured(([3, 2, 1], [1, 0, 1]))
    assert found.values["mrr"][0] == pytest.approx((1 + 1 / 3) / 2)
    assert found.values["first_hit_mrr"][0] == 1


def test_what_cannot_be_measured_is_counted_and_in_no_mean() -> None:
    good: Impression = ([2, 1], [1, 0])
    odd: list[Impression] = [([], []), ([1], [1]), ([1], [0]), ([1, 2], [0, 0]), ([1, 2, 3], [1, 1, 1])]
    found = measured(odd[0], good, *odd[1:], odd[0])
    assert found.impressions.tolist() == [1]
    assert found.left_out == {"no candidates": 2, "none clicked": 2, "all clicked": 2}
    assert found.means() == dict.fromkeys(METRICS, 1.0)
    with pytest.raises(UserError, match=r"no impression has both .* \(all clicked: 1\), so that .*; take more"):
        measured(([1], [1])).means()
    with pytest.raises(UserError, match=r"\(there is none at all\)"):
        measured().means()


def test_a_nan_and_lengths_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="impression 2: the score of candidate 1 is NaN"):
        measured(([1, 2], [1, 0]), ([], []), ([1, math.nan], [1, 0]))
    with pytest.raises(ValueError, match=r"2 scores, 2 clicks and offsets up to 3 don't match"):
        ranking(np.zeros(2), np.zeros(2, dtype=bool), np.array([0, 3]))


def test_infinite_scores_have_their_ranks() -> None:
    assert measured(([math.inf, 0, -math.inf], [1, 0, 0])).means() == dict.fromkeys(METRICS, 1.0)


def test_portions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(2)
    impressions = [(draw.normal(size=9).tolist(), [1, 0, *(draw.random(7) < 0.3).astype(int)]) for _ in range(50)]
    whole = measured(*impressions)
    monkeypatch.setattr(module, "PAIRS_AT_A_TIME", 20)
    portions = measured(*impressions)
    for name in METRICS:
        np.testing.assert_array_equal(whole.values[name], portions.values[name])
