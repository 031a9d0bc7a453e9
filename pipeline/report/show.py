"""The results in a terminal, for `python -m pipeline results`."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.params import Params
from pipeline.report.rows import Row
from pipeline.report.runs import is_there, spanned
from pipeline.report.tables import INTERVAL, MISSING, Table, result_tables

WIDTH = 100
WANDB = "experiments/wandb"
LESS_NEEDED = (INTERVAL, "parameters", "tokens/s", "minutes")
"""Columns that a narrow terminal leaves out, the first one first; the report page has them all."""
GAP = 2


def show(params: Params) -> None:
    """Prints the tables of results.json, and where the report and the W&B runs lie; plain text in a pipe."""
    results = paths.REPORT / "results.json"
    if not results.is_file():
        raise UserError(f"{results}: not there yet; run `dvc repro`")
    rows: list[Row] = read_json(results)["rows"]
    missing = [folder.as_posix() for folder in spanned(params) if not is_there(folder)]
    console = Console(highlight=False, markup=False, emoji=False)
    # rich knows no width in a pipe and takes 80 columns.
    if not console.is_terminal:
        console.width = WIDTH
    if missing:
        console.print(
            f"Not trained here yet: {', '.join(missing)}. These are the results of an earlier report; `dvc repro` "
            "makes them anew.\n",
            style="yellow",
        )
    datasets = dict.fromkeys(row["dataset"] for row in rows)
    tables = {name: result_tables([row for row in rows if row["dataset"] == name]) for name in datasets}
    left_out = too_wide([table for some in tables.values() for table in some], console.width)
    for dataset, some in tables.items():
        for table in some:
            console.print(Text(f"{dataset}: {table.title.lower()}", style="bold"))
            console.print(rich_table(table, columns(table, left_out), plain=not console.is_terminal))
            console.print()
    for line in where(params):
        console.print(line, soft_wrap=True)


def where(params: Params) -> Sequence[str]:
    """Where the report and the W&B runs lie."""
    index = paths.REPORT / "index.html"
    page = f"Report page: {index if index.is_file() else 'not there yet; `dvc repro` makes it'}"
    if params.tracking.mode == "disabled":
        return [page, "W&B runs: none, tracking.mode in params.yaml is disabled"]
    if not (paths.wandb() / "wandb").is_dir():
        return [page, "W&B runs: none yet"]
    return [page, f"W&B runs: {WANDB}, browse them with `wandb leet {WANDB}`"]


def too_wide(tables: Sequence[Table], width: int) -> list[str]:
    """The columns to leave out so that all tables fit into `width`, as far as that can bring it about."""
    left_out: list[str] = []
    for name in LESS_NEEDED:
        if all(natural_width(table, columns(table, left_out)) <= width for table in tables):
            break
        left_out.append(name)
    return left_out


def columns(table: Table, left_out: Sequence[str]) -> list[int]:
    return [index for index, head in enumerate(table.head) if head not in left_out]


def natural_width(table: Table, columns: Sequence[int]) -> int:
    """The width of a table with these columns if nothing is broken."""
    cells = ([*head_lines(table.head[index]), *(line[index] for line in table.body)] for index in columns)
    return sum(max(map(len, column)) + GAP for column in cells)


def head_lines(head: str) -> list[str]:
    """`p vs tfidf_logreg` in two lines."""
    return head.replace(" vs ", " vs\n").split("\n")


def rich_table(table: Table, columns: Sequence[int], *, plain: bool) -> RichTable:
    """The table for a terminal, or without lines for a pipe."""
    made = RichTable(box=None if plain else box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP if plain else 1, 0, 0))
    for index in columns:
        name = index < table.words
        # Numbers never break; names and seeds may, where a terminal is narrower still.
        made.add_column(
            Text("\n".join(head_lines(table.head[index]))),
            justify="left" if name else "right",
            overflow="fold",
            no_wrap=index < len(table.head) - 1 and not name,
            min_width=12 if name else None,
        )
    for line in table.body:
        made.add_row(*(Text(line[index], style="yellow" if line[index] == MISSING else "") for index in columns))
    return made
