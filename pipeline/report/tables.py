"""Tables as text cells, the same for results.md, the page and the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.report.collect import Collected, Coverage, DataSet
from pipeline.report.measures import METRICS
from pipeline.report.paper import Paper
from pipeline.report.rows import Measure, Row

NOTHING = "-"
MISSING = "missing"
INTERVAL = "95 %"
"""Head of the interval of the first metric."""


@dataclass(frozen=True)
class Table:
    """A title, the heads of the columns, and rows of cells. The first `words` columns hold words, the rest numbers."""

    title: str
    head: list[str]
    body: list[list[str]]
    words: int = 1


def result_tables(rows: Sequence[Row]) -> list[Table]:
    """The comparison of one data set, and its ablations if there are any."""
    compared = [row for row in rows if row["kind"] != "ablation"]
    ablations = [row for row in rows if row["kind"] == "ablation"]
    tables = [_results("Results", compared, against(compared))]
    if ablations:
        name = against(ablations)
        reference = [row for row in rows if row["kind"] == "variant" and row["variant"] == name]
        tables.append(_results(f"Ablations of {name}" if name else "Ablations", [*reference, *ablations], name))
    return tables


def published_table(dataset: DataSet, collected: Collected) -> Table | None:
    """The ablations of which the paper has a figure, here and there; None if there are none beside the reference."""
    rows = published_rows(dataset, collected)
    if not rows:
        return None
    names = list(rows[0]["published"])
    head = ["model", f"{dataset.name}, here", *(f"{name}, paper" for name in names)]

    def here(row: Row) -> str:
        return pair({key: value["mean"] for key, value in row["metrics"].items()}) if row["metrics"] else MISSING

    body = [[row["variant"], here(row), *(pair(row["published"][name]) for name in names)] for row in rows]
    title = f"The paper's ablations, on its data sets ({collected.paper.ablations.source}): accuracy / macro-F1"
    return Table(title, head, body)


def paper_table(dataset: DataSet, paper: Paper) -> Table | None:
    """The paper's main results on this data set; None if it has none."""
    published = paper.of(dataset.task)
    scores = published.results.get(dataset.name)
    if not scores:
        return None
    names = [name for name in METRICS[dataset.task] if name in type(next(iter(scores.values()))).model_fields]

    def cell(values: Any, name: str) -> str:
        std = getattr(values, f"{name}_std", None)
        return measure(Measure(mean=getattr(values, name) / 100, std=None if std is None else std / 100, values=[]))

    return Table(
        f"In the paper ({published.source})",
        ["model", *(METRICS[dataset.task][name] for name in names)],
        [[model, *(cell(values, name) for name in names)] for model, values in scores.items()],
    )


def published_rows(dataset: DataSet, collected: Collected) -> list[Row]:
    """The reference and those ablations of which the paper has a figure; none if it lacks either."""
    reference = [row for row in dataset.rows if row["kind"] == "variant" and row["variant"] == collected.reference]
    ablations = [row for row in dataset.rows if row["kind"] == "ablation" and row["published"]]
    return [*reference, *ablations] if ablations and reference[0]["published"] else []


def pair(values: Mapping[str, float]) -> str:
    return f"{100 * values['accuracy']:.2f} / {100 * values['macro_f1']:.2f}"


def against(rows: Sequence[Row]) -> str | None:
    """The row that these are tested against."""
    return next((row["p_value"]["against"] for row in rows if row["p_value"]), None)


def _results(title: str, rows: Sequence[Row], name: str | None) -> Table:
    p_head = f"p vs {name}" if name else "p"
    metrics = METRICS[rows[0]["task"]]
    first, *others = metrics.values()
    head = ["model", first, INTERVAL, *others, p_head, "parameters", "tokens/s", "minutes", "seeds"]
    return Table(title, head, [_cells(row, name, list(metrics)) for row in rows])


def _cells(row: Row, name: str | None, names: Sequence[str]) -> list[str]:
    metrics, p_value, seconds = row["metrics"], row["p_value"], row["train_seconds"]
    if not metrics:
        return [row["variant"], MISSING, *[NOTHING] * (len(names) + 4), seeds(row)]
    first, *others = (measure(metrics.get(metric)) for metric in names)
    return [
        row["variant"],
        first,
        span(row["interval"]),
        *others,
        f"{p_value['value']:.4f}" if p_value and p_value["against"] == name else NOTHING,
        whole(row["parameters"]),
        whole(row["tokens_per_second"]),
        NOTHING if seconds is None else minutes(seconds),
        seeds(row),
    ]


def seeds(row: Row) -> str:
    """The seeds that are there, and those that are missing."""
    there = " ".join(map(str, row["seeds"]))
    missing = " ".join(map(str, row["missing_seeds"]))
    return " ".join(filter(None, [there, f"({missing} missing)" if missing else ""])) or NOTHING


def measure(value: Measure | None) -> str:
    """A share in percent, with its deviation over seeds."""
    if value is None:
        return NOTHING
    mean, std = f"{100 * value['mean']:.2f}", value["std"]
    return mean if std is None else f"{mean} ± {100 * std:.2f}"


def span(interval: tuple[float, float] | None) -> str:
    """The ends of an interval of shares, in percent."""
    return NOTHING if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}"


def minutes(seconds: float) -> str:
    return "< 0.1" if 0 < seconds < 3 else f"{seconds / 60:.1f}"


def whole(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"


def percent(share: float) -> str:
    return f"{100 * share:.2f}%"


def coverage_table(coverage: Sequence[Coverage]) -> Table:
    """What the file of vectors has of the vocabulary, for the variants that start from it."""
    head = ["vectors", "file", "used by", "dimensions", "words found", "training tokens found", "words missing"]
    body = []
    for one in coverage:
        shares = one.report.get("coverage")
        found = (
            [percent(shares["types"]), percent(shares["tokens"]), whole(shares["missing_words"])]
            if shares
            else [NOTHING] * 3
        )
        body.append(
            [
                one.report["vectors"],
                one.report.get("file", NOTHING),
                ", ".join(one.variants),
                str(one.report["dim"]),
                *found,
            ]
        )
    return Table("Coverage of the vocabulary", head, body, words=3)


def runs_table(dataset: DataSet) -> Table:
    """Every run with its machine and its W&B folder."""
    wandb = "experiments/wandb/"
    words = ["model", "grid", "device", f"folder in {wandb}"]
    head = [*words, "seed", "epochs", "best epoch", "minutes", "peak MB", "resumed"]
    body = []
    for run in dataset.runs:
        timing, threads = run.timing, run.timing.get("threads")
        seconds = timing.get("train_seconds")
        body.append(
            [
                run.variant,
                run.grid,
                f"{timing.get('device', NOTHING)}" + (f", {threads} threads" if threads else ""),
                (timing.get("wandb_run") or NOTHING).removeprefix(wandb),
                str(run.seed),
                whole(run.metrics.get("epochs")),
                whole(run.metrics.get("best_epoch")),
                NOTHING if seconds is None else minutes(seconds),
                whole(timing.get("peak_memory_mb")),
                whole(timing.get("resumed")),
            ]
        )
    return Table("Runs", head, body, words=len(words))


def setting_lines(dataset: DataSet) -> list[str]:
    """A line for what all variants are trained with, and one for each with what is its own.

    A model without layers has few settings, and would leave nothing to say of all: it has a whole line to itself.
    """
    each = dataset.settings
    layered = {name: values for name, values in each.items() if "layers" in values} or each
    if not each:
        return []
    first = next(iter(layered.values()))
    shared = [key for key in first if all(values.get(key) == first[key] for values in layered.values())]
    others = [name for name in each if name not in layered]

    def line(values: dict[str, Any], keys: Iterable[str]) -> str:
        return ", ".join(f"{key} {values[key]}" for key in keys)

    own = [
        f"{name}: {line(values, (key for key in values if name in others or key not in shared))}"
        for name, values in each.items()
    ]
    title = f"all but {', '.join(others)}" if others else "all"
    return [f"{title}: {line(first, shared)}", *(own if len(each) > 1 else [])]


def left_over_line(collected: Collected) -> str | None:
    """One line that names run folders which params.yaml doesn't span."""
    if not collected.left_over:
        return None
    names = ", ".join(collected.left_over)
    return f"Other runs on disk, which params.yaml doesn't list and these tables leave out: {names}"
