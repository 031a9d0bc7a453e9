"""All that the report shows, read once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipeline import paths
from pipeline.attention.options import READ_BY
from pipeline.files import read_json
from pipeline.params import BASELINES, CEILING, READ_BY_TASK, Params
from pipeline.registry import WITHOUT_LAYERS
from pipeline.report import measures, rows, runs
from pipeline.report.paper import Paper
from pipeline.report.paper import read as read_paper
from pipeline.report.rows import Row
from pipeline.report.runs import Run
from pipeline.report.speed import Speed, read_speed


@dataclass(frozen=True)
class Coverage:
    """A coverage.json that several variants share."""

    variants: list[str]
    report: dict[str, Any]


@dataclass(frozen=True)
class DataSet:
    """One data set: its rows in the order of the tables, its runs, and what is known of its data."""

    name: str
    task: str
    rows: list[Row]
    runs: list[Run]
    data: dict[str, Any] | None
    coverage: list[Coverage]
    settings: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Collected:
    """The whole report before it is written down. `reference` is the variant that the ablations change."""

    datasets: list[DataSet]
    reference: str
    names: list[str]
    left_over: list[str]
    paper: Paper
    speed: Speed | None

    @property
    def rows(self) -> list[Row]:
        return [row for dataset in self.datasets for row in dataset.rows]

    @property
    def runs(self) -> list[Run]:
        return [run for dataset in self.datasets for run in dataset.runs]


def collect(params: Params) -> Collected:
    """Reads the runs that params.yaml spans. A missing one is missing in its row; stale or damaged ones: UserError."""
    paper = read_paper(paths.PAPER)
    return Collected(
        datasets=[collect_dataset(params, dataset, paper) for dataset in params.datasets],
        reference=params.variants[0],
        names=list(dict.fromkeys([*params.variants, *params.ablations.variants])),
        left_over=runs.left_over(params),
        paper=paper,
        speed=read_speed(paths.BENCHMARK / "benchmark.json", paper.time_over_fastformer),
    )


def collect_dataset(params: Params, dataset: str, paper: Paper) -> DataSet:
    """The baselines, the variants and the ablations of one data set."""
    task, reference = params.task_of(dataset), params.variants[0]
    ablations = params.ablations.variants if dataset in params.ablations.datasets else []
    baselines = runs.read_baselines(task, dataset)
    trained = {variant: read_runs(task, "train", dataset, variant, params.seeds) for variant in params.variants}
    ablated = {variant: read_runs(task, "ablate", dataset, variant, params.seeds) for variant in ablations}
    known_ceiling = [CEILING] if baselines and CEILING in baselines.metrics else []
    every = [run for group in (trained, ablated) for some in group.values() for run in some]

    tested_against = BASELINES[task][-1]
    text_baseline = [baselines.answers[tested_against]] if baselines else []
    rows.require_same_data([*text_baseline, *(run.answers for run in every)])

    def row(kind: Literal["variant", "ablation"], variant: str, some: list[Run]) -> Row:
        answers = [run.answers for run in some]
        if kind == "variant":
            p_value = rows.p_value(tested_against, answers, text_baseline)
        else:
            p_value = rows.p_value(reference, answers, [run.answers for run in trained[reference]])
        published = (
            paper.ablation(params.variant[variant], params.variant[reference]) if task == "classification" else {}
        )
        return rows.run_row(task, dataset, variant, kind, params.seeds, some, p_value, published)

    against = text_baseline[0] if text_baseline else None
    ensembles = (rows.ensemble_row(task, dataset, variant, some, against) for variant, some in trained.items())
    return DataSet(
        name=dataset,
        task=task,
        rows=[
            *(rows.baseline_row(task, dataset, name, baselines) for name in BASELINES[task]),
            *(row("variant", variant, some) for variant, some in trained.items()),
            *(ensemble for ensemble in ensembles if ensemble),
            *(rows.baseline_row(task, dataset, name, baselines) for name in known_ceiling),
            *(row("ablation", variant, some) for variant, some in ablated.items()),
        ],
        runs=every,
        data=read_if_there(paths.prepared(dataset) / "report.json"),
        coverage=read_coverage(dataset, {"train": params.variants, "ablate": ablations}),
        settings={name: settings(params, dataset, name) for name in dict.fromkeys([*params.variants, *ablations])},
    )


def settings(params: Params, dataset: str, name: str) -> dict[str, Any]:
    """What a variant is trained with on a data set, overrides applied; no sizes that its model doesn't read."""
    run = params.run(dataset, name, 0)
    attention = run.variant.attention
    variant = run.variant.model_dump(exclude={"model", "training"}, exclude_none=True)
    model = {} if attention in WITHOUT_LAYERS else run.model.model_dump()
    read = {key: value for key, value in model.items() if attention in READ_BY.get(key, (attention,))}
    task = params.task_of(dataset)
    values = variant | read | run.training.model_dump()
    if run.variant.news_encoder is None:
        del values["encoder_lr"]
    return {key: value for key, value in values.items() if READ_BY_TASK.get(key, task) == task}


def read_runs(task: str, grid: str, dataset: str, variant: str, seeds: Sequence[int]) -> list[Run]:
    """Those runs of a variant that are there."""
    found = (runs.read_run(task, grid, dataset, variant, seed) for seed in seeds)
    return [run for run in found if run is not None]


def read_coverage(dataset: str, grids: dict[str, list[str]]) -> list[Coverage]:
    """The coverage reports of a data set, equal ones as one."""
    found: list[Coverage] = []
    for grid, variants in grids.items():
        for variant in variants:
            report = read_if_there(paths.embeddings(grid, dataset, variant) / "coverage.json")
            same = next((one for one in found if one.report == report), None)
            if report is not None and same is None:
                found.append(Coverage([variant], report))
            elif same is not None and variant not in same.variants:
                same.variants.append(variant)
    return found


def read_if_there(path: Path) -> dict[str, Any] | None:
    report: dict[str, Any] | None = read_json(path) if path.is_file() else None
    return report


def headline(collected: Collected) -> dict[str, dict[str, float]]:
    """For `dvc metrics show`: the name of a file in metrics/ to the main metric by data set, missing ones left out."""
    found: dict[str, dict[str, float]] = {}
    for row in collected.rows:
        name = f"ablation.{row['variant']}" if row["kind"] == "ablation" else row["variant"].replace(", ", ".")
        values = found.setdefault(name, {})
        if row["metrics"]:
            values[row["dataset"]] = round(row["metrics"][measures.headline(row["task"])]["mean"], 6)
    return found
