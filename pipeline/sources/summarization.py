"""The record of summarization, and what a source of it offers."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pipeline.section import Size, SourceOptions, Task
from pipeline.sources.source import Chosen, Files


class SummarizationOptions(SourceOptions):
    """What the `source` section of every data set for summarization holds.

    `summary_length`: tokens of a summary that a model learns to write; a longer one is cut there, but not where outputs
    are measured.
    """

    task: ClassVar[Task] = "summarization"
    summary_length: Size


@dataclass(frozen=True, slots=True)
class Article:
    """A text and what sums it up, sentence by sentence. `origin` names its file and its line or entry.

    `split` is upstream's own split. `cleaned` names what was mended in either text. `best` is the summary of who knows
    how the text was made; only generated articles have one.
    """

    body: str
    summary: tuple[str, ...]
    origin: str
    split: str
    cleaned: tuple[str, ...] = ()
    best: tuple[str, ...] | None = None


class SummarizationSource(Files[Chosen]):
    """A data set of articles with their summaries."""

    @abstractmethod
    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Article]:
        """Yields the articles, and counts in `skipped`, by reason, every entry that becomes none.

        Raises UserError, naming the place, where a file isn't what it should be.
        """
