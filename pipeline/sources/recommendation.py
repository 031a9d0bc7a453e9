"""The record of news recommendation beside `News`, and what a source of it offers."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.sources.mind_news import News
from pipeline.sources.source import Chosen, Files

UNLABELLED = "unlabelled"
"""The split whose clicks upstream keeps to itself, beside those of `base.SPLITS`."""


@dataclass(frozen=True, slots=True)
class Impression:
    """What one reader was shown at one time, and what of it was clicked.

    `history` holds the ids of the news that the user had clicked before, oldest first; `candidates` those shown, and
    `clicks` says of each whether it was clicked, or is None where upstream doesn't tell. `time` is in seconds since
    1970 on the clock of the file, `origin` names its file and line. `chances` are the probabilities of the clicks for
    who knows how they were made; only generated impressions have them.
    """

    id: int
    user: str
    time: int
    history: tuple[str, ...]
    candidates: tuple[str, ...]
    clicks: tuple[bool, ...] | None
    split: str
    origin: str
    chances: tuple[float, ...] | None = None


class RecommendationSource(Files[Chosen]):
    """A data set of news and impressions."""

    @abstractmethod
    def news(self, raw: Path, skipped: Counter[str]) -> Iterator[tuple[News, tuple[str, ...]]]:
        """Every article once, its texts mended, and what was mended. Counts in `skipped` the rows that become none."""

    @abstractmethod
    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Impression]:
        """Every impression of every split. UserError, naming file and line, where a file isn't what it should be."""

    @abstractmethod
    def splits(self, raw: Path) -> dict[str, str]:
        """The splits that there are, and in words where each comes from, for the report."""
