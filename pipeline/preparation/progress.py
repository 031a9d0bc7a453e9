"""A bar for what takes minutes on large sets."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Piece = TypeVar("Piece")


class Bar:
    """A line per pass over the data, on standard error."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress = progress
        self._title = title

    def over(self, pieces: Iterable[Piece], doing: str, sizes: Iterable[int], total: int | None) -> Iterator[Piece]:
        """The pieces; after each the bar has advanced by its size."""
        task = self._progress.add_task(f"{self._title}: {doing}", total=total)
        for piece, size in zip(pieces, sizes, strict=False):
            yield piece
            self._progress.advance(task, size)


@contextmanager
def progress_bar(drawn: bool, title: str) -> Iterator[Bar]:
    """Draws nothing where `drawn` is False."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True), disable=not drawn
    ) as progress:
        yield Bar(progress, title)
