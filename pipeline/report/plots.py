"""Plotly figures as plain dictionaries, without colours of their own for text and lines: page.css sets those."""

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import plotly.io

from pipeline.report.measures import headline, headline_head
from pipeline.report.rows import Row
from pipeline.report.runs import Run
from pipeline.report.speed import Measured, Mode

PALETTE = (
    *("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#c9a227", "#ff9da7", "#9c755f", "#6b6ecf"),
    *("#a0cbe8", "#ffbe7d", "#8cd17d", "#d37295", "#d4a6c8", "#499894", "#f1ce63", "#b6992d", "#79706e", "#9c9ede"),
)
BASELINE_COLOUR = "#9aa3ad"
CURVES = {
    "train_loss": "Training loss",
    "validation_loss": "Validation loss",
    "validation_score": "Validation {metric}, %",
}

Figure = dict[str, Any]


def colours(names: Sequence[str]) -> dict[str, str]:
    """One colour per variant, the same in all plots of the page."""
    return {name: PALETTE[index % len(PALETTE)] for index, name in enumerate(names)}


def metric_bars(rows: Sequence[Row], colour: Mapping[str, str], reference: str | None = None) -> Figure:
    """A bar per row that is there, with its deviation over seeds, and a line at the value of `reference`.

    All rows are of one task, whose main metric is shown.
    """
    there = [row for row in rows if row["metrics"]]
    task = rows[0]["task"]
    metric = headline(task)
    figure = go.Figure()
    # plotly draws the caps of an empty error bar too, so rows with one value are a trace of their own.
    for several in (False, True):
        some = [row for row in there if (row["metrics"][metric]["std"] is not None) == several]
        measures = [row["metrics"][metric] for row in some]
        deviations = [round(100 * (one["std"] or 0), 4) for one in measures]
        figure.add_bar(
            orientation="h",
            y=[text(row["variant"]) for row in some],
            x=[round(100 * one["mean"], 4) for one in measures],
            error_x={"type": "data", "array": deviations, "thickness": 1.5, "visible": several},
            marker={"color": [colour.get(row["variant"].removesuffix(", ensemble"), BASELINE_COLOUR) for row in some]},
            text=[f"{100 * one['mean']:.2f}" for one in measures],
            textposition="inside",
            insidetextanchor="start",
            textfont={"color": "#10151c"},
            hovertemplate="%{y}: %{x:.2f}%<extra></extra>",
        )
    order = [text(row["variant"]) for row in there]
    figure.update_layout(barmode="overlay", showlegend=False)
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=order,
        autorange="reversed",
        automargin=True,
        ticksuffix=" ",
    )
    figure.update_xaxes(
        range=[0, 100], title={"text": f"Test {headline_head(task)}, %", "font": {"size": 12}}, zeroline=False
    )
    named = next((row for row in there if row["variant"] == reference and row["kind"] == "variant"), None)
    if named:
        figure.add_vline(x=100 * named["metrics"][metric]["mean"], line={"width": 1, "dash": "dot"})
    return finish(figure, height=70 + 34 * len(there), right=16)


def difference_bars(reference: Row, rows: Sequence[Row], here: str) -> Figure:
    """By how many points each row's accuracy differs from the reference's: on the data set `here`, and in the paper."""

    def accuracy(row: Row, name: str | None) -> float | None:
        if name is not None:
            return row["published"][name]["accuracy"]
        return row["metrics"]["accuracy"]["mean"] if row["metrics"] else None

    figure = go.Figure()
    for colour, name in zip(PALETTE, (None, *reference["published"]), strict=False):
        base = accuracy(reference, name)
        pairs = [(text(row["variant"]), accuracy(row, name)) for row in rows]
        shown = [(variant, 100 * (value - base)) for variant, value in pairs if value is not None and base is not None]
        figure.add_bar(
            orientation="h",
            name=text(f"{here}, here" if name is None else f"{name}, paper"),
            y=[variant for variant, _ in shown],
            x=[round(difference, 4) for _, difference in shown],
            marker={"color": colour},
            opacity=1 if name is None else 0.55,
            hovertemplate="%{y}, %{fullData.name}: %{x:+.2f}<extra></extra>",
        )
    title = f"Test accuracy, points above {reference['variant']}"
    figure.update_xaxes(title={"text": text(title), "font": {"size": 12}}, zeroline=True)
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=[text(row["variant"]) for row in rows],
        autorange="reversed",
        automargin=True,
        ticksuffix=" ",
    )
    figure.update_layout(legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"})
    return finish(figure, height=110 + 64 * len(rows), top=40, right=16)


def learning_curve(runs: Sequence[Run], column: str, task: str, colour: Mapping[str, str]) -> Figure:
    """One line per run over epochs."""
    scale = 100 if column == "validation_score" else 1
    title = CURVES[column].format(metric=headline_head(task))
    figure = go.Figure()
    for run in runs:
        values = [getattr(epoch, column) for epoch in run.history]
        figure.add_scatter(
            x=[epoch.epoch for epoch in run.history],
            y=[None if value is None else round(scale * value, 6) for value in values],
            mode="lines+markers",
            line={"color": colour[run.variant], "width": 2},
            marker={"size": 5},
            opacity=0.85,
            name=text(f"{run.variant}, seed {run.seed}"),
            meta=run.variant,
            hovertemplate="%{fullData.name}<br>epoch %{x}: %{y:.4g}<extra></extra>",
        )
    figure.update_xaxes(title={"text": "Epoch", "font": {"size": 12}}, tickformat="d", zeroline=False)
    if all(len(run.history) < 12 for run in runs):
        figure.update_xaxes(dtick=1)
    figure.update_yaxes(zeroline=False, automargin=True)
    figure.update_layout(title={"text": title, "x": 0.02, "font": {"size": 14}}, showlegend=False)
    return finish(figure, height=280, top=40)


def time_curves(measured: Measured, mode: Mode, colour: Mapping[str, str]) -> Figure:
    """Microseconds per token and layer against length, both logarithmic, one line per encoder."""
    figure = go.Figure()
    for encoder in measured.encoders:
        rows = [measured.layers[encoder, length, mode] for length in measured.lengths]
        figure.add_scatter(
            x=measured.lengths,
            y=[round(row.microseconds_per_token, 4) for row in rows],
            mode="lines+markers",
            line={"color": colour[encoder], "width": 3 if encoder == "fastformer" else 1.5},
            marker={"size": 6},
            name=text(encoder),
            hovertemplate="%{fullData.name}<br>%{x} tokens: %{y:.3g} µs<extra></extra>",
        )
    axis = {"type": "log", "zeroline": False}
    figure.update_xaxes(
        **axis, title={"text": "Tokens per text", "font": {"size": 12}}, tickvals=measured.lengths, tickformat=",d"
    )
    figure.update_yaxes(**axis, automargin=True, dtick="D2")
    title = {"forward": "Inference", "train": "Training"}[mode] + ", µs per token and layer"
    figure.update_layout(title={"text": title, "x": 0.02, "font": {"size": 14}}, legend={"font": {"size": 12}})
    return finish(figure, height=400, top=40)


def finish(figure: go.Figure, height: int, top: int = 8, right: int = 8) -> Figure:
    """The figure as plain JSON data, with what all plots share."""
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 8, "r": right, "t": top, "b": 44},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "inherit", "size": 13},
        bargap=0.25,
        dragmode=False,
    )
    done: Figure = json.loads(plotly.io.to_json(figure, engine="json"))
    return done


def text(name: str) -> str:
    """Plotly reads a few HTML tags in its texts; here every name means itself."""
    return html.escape(name, quote=False)
