"""The rows of results.json: means over seeds, and whether a difference could be luck."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import UserError
from pipeline.metrics.bootstrap import interval
from pipeline.params import BASELINES
from pipeline.report.answers import Answers, Scores
from pipeline.report.measures import METRICS
from pipeline.report.paper import Scores as PaperScores
from pipeline.report.runs import Baselines, Run
from pipeline.report.significance import paired_randomization


class Measure(TypedDict):
    """One metric over seeds; `std` is the sample standard deviation, null for a single value."""

    mean: float
    std: float | None
    values: list[float]


class PValue(TypedDict):
    """The chance of such a difference from row `against` if the two were equally good."""

    against: str
    value: float


class Row(TypedDict):
    """One model on one data set; `metrics` is empty if no run of it is there.

    `interval` has the ends of the first metric's 95 % interval over test examples, each one's value averaged over
    seeds; None without answers to single examples. An ensemble is the mean of the scores of a variant's seeds.
    `published` has the paper's value of each metric, by its data sets, where it had that form of Fastformer.
    """

    dataset: str
    task: str
    variant: str
    kind: Literal["baseline", "variant", "ensemble", "ablation"]
    seeds: list[int]
    missing_seeds: list[int]
    metrics: dict[str, Measure]
    interval: tuple[float, float] | None
    parameters: int | None
    train_seconds: float | None
    tokens_per_second: float | None
    p_value: PValue | None
    published: dict[str, dict[str, float]]


def baseline_row(task: str, dataset: str, name: str, baselines: Baselines | None) -> Row:
    """The row of one baseline, which has no seeds."""
    metrics = baselines.metrics.get(name, {}) if baselines else {}
    timing = baselines.timing.get(name, {}) if baselines else {}
    return Row(
        dataset=dataset,
        task=task,
        variant=name,
        kind="baseline",
        seeds=[],
        missing_seeds=[],
        metrics={metric: measure([metrics[metric]]) for metric in METRICS[task] if metric in metrics},
        interval=interval_of([baselines.answers[name]]) if baselines and name in baselines.answers else None,
        parameters=metrics.get("parameters"),
        train_seconds=timing.get("train_seconds"),
        tokens_per_second=None,
        p_value=None,
        published={},
    )


def run_row(
    task: str,
    dataset: str,
    variant: str,
    kind: Literal["variant", "ablation"],
    seeds: Sequence[int],
    runs: Sequence[Run],
    p_value: PValue | None,
    published: Mapping[str, PaperScores],
) -> Row:
    """The row of a variant out of those of its runs that are there."""
    there = [run.seed for run in runs]
    return Row(
        dataset=dataset,
        task=task,
        variant=variant,
        kind=kind,
        seeds=there,
        missing_seeds=[seed for seed in seeds if seed not in there],
        metrics={metric: measure([run.metrics[metric] for run in runs]) for metric in METRICS[task]} if runs else {},
        interval=interval_of([run.answers for run in runs]),
        parameters=runs[0].metrics.get("parameters") if runs else None,
        train_seconds=mean_of(runs, "train_seconds"),
        tokens_per_second=mean_of(runs, "tokens_per_second"),
        p_value=p_value,
        published={
            name: {metric: round(getattr(scores, metric) / 100, 6) for metric in METRICS[task]}
            for name, scores in published.items()
        },
    )


def ensemble_row(task: str, dataset: str, variant: str, runs: Sequence[Run], against: Answers | None) -> Row | None:
    """The mean of the scores of a variant's seeds as a row; None for a single seed, or where answers aren't scores."""
    answers = [run.answers for run in runs]
    first = answers[0] if len(answers) > 1 else None
    if not isinstance(first, Scores):
        return None
    mean = np.mean([one.scores for one in answers if isinstance(one, Scores)], axis=0)
    combined = replace(first, scores=mean)
    metrics = combined.ranking.means()
    return Row(
        dataset=dataset,
        task=task,
        variant=f"{variant}, ensemble",
        kind="ensemble",
        seeds=[run.seed for run in runs],
        missing_seeds=[],
        metrics={metric: measure([metrics[metric]]) for metric in METRICS[task]},
        interval=interval_of([combined]),
        parameters=sum(run.metrics["parameters"] for run in runs),
        train_seconds=None,
        tokens_per_second=None,
        p_value=p_value(BASELINES[task][-1], [combined], [against] if against else []),
        published={},
    )


def measure(values: Sequence[float]) -> Measure:
    """Mean and sample standard deviation."""
    return Measure(
        mean=float(np.mean(values)),
        std=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        values=list(values),
    )


def interval_of(answers: Sequence[Answers]) -> tuple[float, float] | None:
    """The first metric's interval; None without answers, or where none of them counts."""
    values = mean_values(answers) if answers else np.zeros(0)
    return interval(values) if len(values) else None


def mean_of(runs: Sequence[Run], key: str) -> float | None:
    """The mean of what the runs' timing.json hold under `key`, None if none holds it."""
    values: list[Any] = [run.timing[key] for run in runs if run.timing.get(key) is not None]
    return float(np.mean(values)) if values else None


def p_value(name: str, first: Sequence[Answers], second: Sequence[Answers]) -> PValue | None:
    """Paired randomization of the two rows' values per test example, averaged over seeds; None if one has no runs."""
    if not first or not second:
        return None
    return PValue(against=name, value=paired_randomization(mean_values(first), mean_values(second)))


def mean_values(answers: Sequence[Answers]) -> NDArray[np.float64]:
    """For every test example the mean over runs; for labels the share of the runs that were right."""
    return np.asarray(np.mean([one.values for one in answers], axis=0), dtype=np.float64)


def require_same_data(answers: Sequence[Answers]) -> None:
    """Raises UserError where two files of predictions hold other examples, or other truths about them."""
    for one in answers[1:]:
        first = answers[0]
        if not (np.array_equal(one.ids, first.ids) and np.array_equal(one.truth, first.truth)):
            raise UserError(
                f"{one.path}: its test split differs from that in {first.path}, so one of them is older than the "
                "data; run `dvc repro`, which makes stale outputs anew"
            )
