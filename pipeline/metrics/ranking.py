"""AUC, MRR and nDCG of ranked candidates, as MIND's evaluation defines them (evaluate.py of github.com/msnews/MIND).

Each is computed per impression and averaged over impressions. Candidates with equal scores stand in no order: a metric
is then its mean over all orders of theirs (McSherry and Najork, "Computing information retrieval performance measures
efficiently in the presence of tied scores", ECIR 2008), which for AUC is what scikit-learn does, so that neither a
candidate's place in the file nor a constant score earns anything.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import UserError

METRICS = ("auc", "mrr", "first_hit_mrr", "ndcg5", "ndcg10")

NO_CANDIDATES, NONE_CLICKED, ALL_CLICKED = "no candidates", "none clicked", "all clicked"
"""Why an impression can't be measured: it has no pair of a clicked candidate and one that isn't."""

PAIRS_AT_A_TIME = 2_000_000

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ranking:
    """The metrics of single impressions. `impressions` numbers those measured, `left_out` counts the others by reason.

    `values` has one float64 per measured impression for every name in METRICS:

    - `auc`: the share of pairs of a clicked candidate and one that isn't in which the clicked one has the higher score.
    - `mrr`: the mean of 1 / rank over all clicked candidates.
    - `first_hit_mrr`: 1 / rank of the clicked candidate that stands first; what other libraries call MRR.
    - `ndcg5`, `ndcg10`: DCG over that of the best order, a clicked candidate at rank r <= k counting 1 / log2(r + 1).
    """

    impressions: Ints
    values: dict[str, Floats]
    left_out: dict[str, int]

    def means(self) -> dict[str, float]:
        """Every metric's mean over the measured impressions. Raises UserError where there are none."""
        if not len(self.impressions):
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in self.left_out.items() if count)
            raise UserError(
                f"no impression has both a clicked candidate and one that isn't ({reasons or 'there is none at all'}), "
                "so that no ranking can be measured; take more impressions"
            )
        return {name: float(values.mean()) for name, values in self.values.items()}


def ranking(scores: NDArray[np.floating], clicks: NDArray[np.bool_], offsets: Ints) -> Ranking:
    """Measures ragged impressions: impression i has the candidates from `offsets[i]` to `offsets[i + 1]`.

    scores, clicks: (candidates,); offsets: (impressions + 1,). Raises ValueError where a score is NaN: it has no rank.
    """
    if len(scores) != len(clicks) or len(scores) != offsets[-1]:
        raise ValueError(f"{len(scores)} scores, {len(clicks)} clicks and offsets up to {offsets[-1]} don't match")
    if np.isnan(scores).any():
        place = int(np.isnan(scores).argmax())
        impression = int(np.searchsorted(offsets, place, side="right")) - 1
        raise ValueError(f"impression {impression}: the score of candidate {place - offsets[impression]} is NaN")
    sizes = np.diff(offsets)
    clicked = np.diff(np.concatenate([[0], np.cumsum(clicks)])[offsets])
    left_out = {
        NO_CANDIDATES: int((sizes == 0).sum()),
        NONE_CLICKED: int(((clicked == 0) & (sizes > 0)).sum()),
        ALL_CLICKED: int(((clicked == sizes) & (sizes > 0)).sum()),
    }
    measured = np.flatnonzero((clicked > 0) & (clicked < sizes))
    parts = [
        _measured(scores, clicks, offsets[:-1][some], sizes[some], clicked[some])
        for some in _portions(measured, sizes * clicked)
    ]
    values = {name: np.concatenate([np.zeros(0), *(part[name] for part in parts)]) for name in METRICS}
    return Ranking(measured, values, left_out)


def _portions(impressions: Ints, pairs: Ints) -> Iterator[Ints]:
    """The impressions in portions of so few pairs that memory stays bounded."""
    portion = np.cumsum(pairs[impressions]) // PAIRS_AT_A_TIME
    yield from np.split(impressions, np.flatnonzero(np.diff(portion)) + 1) if len(impressions) else ()


def _measured(
    scores: NDArray[np.floating], clicks: NDArray[np.bool_], starts: Ints, sizes: Ints, clicked: Ints
) -> dict[str, Floats]:
    """The metrics of impressions that have a clicked candidate and one that isn't.

    Nothing is sorted: a clicked candidate's rank is one more than the number of candidates with a higher score.
    """
    place = _ranges(starts, sizes)
    hits = place[clicks[place]]  # the clicked candidates, impression by impression
    of = np.repeat(np.arange(len(starts)), clicked)  # the impression of each
    other = _ranges(starts[of], sizes[of])
    hit = np.repeat(np.arange(len(hits)), sizes[of])
    above = scores[other] > scores[hits][hit]
    tied = scores[other] == scores[hits][hit]

    def count(condition: NDArray[np.bool_]) -> Ints:
        """Per clicked candidate, how many candidates of its impression fulfil the condition."""
        return np.bincount(hit[condition], minlength=len(hits))

    def total(values: Floats) -> Floats:
        return np.asarray(np.bincount(of, weights=values, minlength=len(starts)), dtype=np.float64)

    before, size = count(above), count(tied)
    clicked_before, clicked_size = count(above & clicks[other]), count(tied & clicks[other])
    wrong_pairs = (before - clicked_before) + (size - clicked_size) / 2
    auc = 1 - total(wrong_pairs) / (clicked * (sizes - clicked))

    def expected(gains: Floats) -> Floats:
        """Per impression, the sum over clicked candidates of what their ranks gain, ties averaged."""
        sums = np.concatenate([[0.0], np.cumsum(gains)])
        return total(np.where(size == 1, gains[before], (sums[before + size] - sums[before]) / size))

    ranks = np.arange(1, sizes.max() + 1)
    discounts = 1 / np.log2(ranks + 1)
    first = np.lexsort((before, of))[np.concatenate([[0], np.cumsum(clicked)[:-1]])]
    measured = {
        "auc": auc,
        "mrr": expected(1 / ranks) / clicked,
        "first_hit_mrr": _first_hit(before[first], size[first], clicked_size[first]),
    }
    for k in (5, 10):
        gains = np.where(ranks <= k, discounts, 0.0)
        measured[f"ndcg{k}"] = expected(gains) / np.cumsum(gains)[clicked - 1]
    return measured


def _first_hit(before: Ints, size: Ints, clicked: Ints) -> Floats:
    """The mean of 1 / rank of the first click where `clicked` of `size` tied candidates are, behind `before` others."""
    mean = np.zeros(len(before))
    none_yet = np.ones(len(before))
    for place in range(int((size - clicked).max()) + 1):
        chance = np.minimum(clicked / np.maximum(size - place, 1), 1.0)
        mean += none_yet * chance / (before + place + 1)
        none_yet *= 1 - chance
    return mean


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """start, start + 1, ... for each start, so many as its size says, one after the other."""
    ends = np.cumsum(sizes)
    return np.asarray(np.arange(ends[-1]) + np.repeat(starts - (ends - sizes), sizes), dtype=np.int64)
