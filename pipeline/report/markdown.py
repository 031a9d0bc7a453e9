"""results.md."""

import textwrap
from collections.abc import Iterable

from pipeline.report import data_tables, tables
from pipeline.report.collect import Collected
from pipeline.report.notes import notes
from pipeline.report.speed_tables import machine_line, speed_tables
from pipeline.report.tables import Table

WIDTH = 120


def markdown(collected: Collected) -> str:
    """The whole of results.md: per data set its tables and its data, then how to read them."""
    blocks = ["# Results"]
    for dataset in collected.datasets:
        results, *ablations = tables.result_tables(dataset.rows)
        blocks += [f"## {dataset.name}", table(results)]
        if paper := tables.paper_table(dataset, collected.paper):
            blocks += [f"### {paper.title}", table(paper)]
        for ablation in ablations:
            blocks += [f"### {ablation.title}", table(ablation)]
        if published := tables.published_table(dataset, collected):
            blocks += [f"### {published.title}", table(published)]
        blocks += ["### Settings", bullets(tables.setting_lines(dataset))]
        blocks += ["### Data", bullets(data_tables.lines(dataset))]
    if collected.speed:
        blocks += ["## Speed", textwrap.fill(machine_line(collected.speed), WIDTH, break_on_hyphens=False)]
        for one in speed_tables(collected.speed):
            blocks += [f"### {one.title}", table(one)]
    blocks += ["## How to read this", bullets(notes(collected))]
    if line := tables.left_over_line(collected):
        blocks.append(line)
    return "\n\n".join(blocks) + "\n"


def table(content: Table) -> str:
    """A markdown table whose columns line up in a terminal too."""
    lines = [[escape(cell) for cell in line] for line in [content.head, *content.body]]
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * width if index < content.words else "-" * (width - 1) + ":" for index, width in enumerate(widths)]
    padded = [
        [
            cell.ljust(width) if index < content.words else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]])


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(
        textwrap.fill(
            line, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        for line in lines
    )


def escape(cell: str) -> str:
    """A cell that can't end its column."""
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
