"""index.html: one page that needs no network."""

import json
from typing import Any

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from pipeline.report import data_tables, plots, tables
from pipeline.report.answers import Labels
from pipeline.report.collect import Collected, DataSet
from pipeline.report.confusion import Confusion, confusion
from pipeline.report.measures import headline_head
from pipeline.report.notes import notes
from pipeline.report.plots import Figure
from pipeline.report.runs import Run
from pipeline.report.samples import samples
from pipeline.report.speed import MODES, Speed
from pipeline.report.speed_tables import machine_line, speed_tables
from pipeline.report.templates import environment


def render(collected: Collected) -> str:
    """The whole page; what users named is escaped."""
    colour = plots.colours(collected.names)
    sections = [section(dataset, f"s{number}", collected, colour) for number, dataset in enumerate(collected.datasets)]
    speed = speed_section(collected.speed) if collected.speed else None
    shown = [*sections, speed] if speed else sections
    figures = {name: figure for one in shown for name, figure in one["figures"].items()}
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            sections=sections,
            tasks=list(dict.fromkeys(dataset.task for dataset in collected.datasets)),
            speed=speed,
            colour=colour,
            curve_columns=list(plots.CURVES),
            notes=notes(collected),
            tracked=any(run.timing.get("wandb_run") for run in collected.runs),
            left_over=tables.left_over_line(collected),
            missing=[
                f"{row['dataset']}, {row['variant']}"
                + (f", seeds {row['missing_seeds']}" if row["missing_seeds"] else "")
                for row in collected.rows
                if row["missing_seeds"] or not row["metrics"]
            ],
            figures=script_json(figures),
            # Plotly's own bundle, which plotly itself writes into a script element as it is.
            plotly_js=Markup(get_plotlyjs()),
        )
    )


def section(dataset: DataSet, anchor: str, collected: Collected, colour: dict[str, str]) -> dict[str, Any]:
    """What the template shows of one data set. Ids of plots are made of numbers, never of names."""
    compared = [row for row in dataset.rows if row["kind"] != "ablation"]
    reference = [row for row in compared if row["variant"] == collected.reference]
    ablations = [row for row in dataset.rows if row["kind"] == "ablation"]
    trained, ablated = ([run for run in dataset.runs if run.grid == grid] for grid in ("train", "ablate"))

    figures: dict[str, Figure] = {}
    if any(row["metrics"] for row in compared):
        figures[f"{anchor}-results"] = plots.metric_bars(compared, colour)
    if any(row["metrics"] for row in ablations):
        figures[f"{anchor}-ablations"] = plots.metric_bars([*reference, *ablations], colour, collected.reference)
    if published := tables.published_rows(dataset, collected):
        figures[f"{anchor}-published"] = plots.difference_bars(published[0], published[1:], dataset.name)
    for grid, runs in (("train", trained), ("ablate", ablated)):
        if runs:
            figures |= {
                f"{anchor}-{grid}-{column}": plots.learning_curve(runs, column, dataset.task, colour)
                for column in plots.CURVES
            }
    return {
        "name": dataset.name,
        "anchor": anchor,
        "tables": tables.result_tables(dataset.rows),
        "paper": tables.paper_table(dataset, collected.paper),
        "published": tables.published_table(dataset, collected),
        "figures": figures,
        "curves": [
            (title, grid, list(dict.fromkeys(run.variant for run in runs)))
            for title, grid, runs in (
                ("Learning curves", "train", trained),
                ("Learning curves of the ablations", "ablate", ablated),
            )
            if runs
        ],
        "confusions": confusions(first_runs(trained), dataset.data),
        "samples": samples(first_runs(trained)),
        "metric": headline_head(dataset.task),
        "data": data_tables.of_data(dataset.task, dataset.data) if dataset.data else None,
        "coverage": tables.coverage_table(dataset.coverage) if dataset.coverage else None,
        "settings": tables.setting_lines(dataset),
        "neighbours": [one for one in dataset.coverage if one.report.get("neighbours")],
        "runs": tables.runs_table(dataset) if dataset.runs else None,
    }


def speed_section(speed: Speed) -> dict[str, Any]:
    """What the template shows of the benchmark."""
    colour = plots.colours(speed.measured.encoders)
    return {
        "machine": machine_line(speed),
        "tables": speed_tables(speed),
        "figures": {f"speed-{mode}": plots.time_curves(speed.measured, mode, colour) for mode in MODES},
    }


def first_runs(runs: list[Run]) -> list[Run]:
    """The first run of every variant."""
    first: dict[str, Run] = {}
    for run in runs:
        first.setdefault(run.variant, run)
    return list(first.values())


def confusions(runs: list[Run], data: dict[str, Any] | None) -> list[tuple[str, int, Confusion]]:
    """Variant, seed and confusion of every run that predicts labels."""
    labelled = [(run.variant, run.seed, run.answers) for run in runs if isinstance(run.answers, Labels)]
    order = list(data["splits"]["test"]["labels"]) if data and labelled else []
    return [(variant, seed, confusion(answers, order)) for variant, seed, answers in labelled]


def script_json(value: Any) -> Markup:
    """JSON that can't end the script element around it."""
    encoded = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        encoded = encoded.replace(character, f"\\u{ord(character):04x}")
    return Markup(encoded)
