"""The record of news recommendation beside `News`, and what a source of it offers."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

from pipeline.section import Size, SourceOptions, Task
from pipeline.sources import given, news_encoder
from pipeline.sources.mind_news import News
from pipeline.sources.news_encoder import NewsEncoderOptions
from pipeline.sources.remote import RemoteFile
from pipeline.sources.source import Files

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


class RecommendationOptions(SourceOptions):
    """What every source of impressions is asked.

    The newest `max_history` clicks of a history are kept. With `abstract_length`, abstracts are encoded too, up to so
    many tokens, and their words are in the vocabulary; null leaves them out. `news_encoder` is null, or names a
    pretrained model for the variants that have `news_encoder: pretrained`.
    """

    task: ClassVar[Task] = "recommendation"
    max_history: Size
    abstract_length: Size | None
    news_encoder: NewsEncoderOptions | None


ChosenOptions = TypeVar("ChosenOptions", bound=RecommendationOptions)


class RecommendationSource(Files[ChosenOptions]):
    """A data set of news and impressions, and the files of a pretrained news encoder if one is named."""

    def is_absent(self, local: Path) -> bool:
        """Whether the user has none of upstream's files, so that they are fetched; a news encoder is none of them."""
        encoder = self.options.news_encoder
        return given.nothing_in(local, but=Path(encoder.pretrained).parts[0] if encoder else None)

    def remote(self, local: Path) -> Sequence[RemoteFile]:
        own = self.published() if self.is_absent(local) else ()
        encoder = self.options.news_encoder
        return [*own, *(news_encoder.remote(encoder, local) if encoder else ())]

    def check(self, local: Path) -> None:
        self.check_news(local)
        if self.options.news_encoder:
            news_encoder.check(self.options.news_encoder, local, self.dataset)

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        self.fetch_news(downloads, local, raw)
        if self.options.news_encoder:
            news_encoder.bring(self.options.news_encoder, downloads, local, raw)

    def check_news(self, local: Path) -> None:
        """`check` of the news and impressions."""

    @abstractmethod
    def fetch_news(self, downloads: Path, local: Path, raw: Path) -> None:
        """`fetch` of the news and impressions."""

    @abstractmethod
    def news(self, raw: Path, skipped: Counter[str]) -> Iterator[tuple[News, tuple[str, ...]]]:
        """Every article once, its texts mended, and what was mended. Counts in `skipped` the rows that become none."""

    @abstractmethod
    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Impression]:
        """Every impression of every split. UserError, naming file and line, where a file isn't what it should be."""

    @abstractmethod
    def splits(self, raw: Path) -> dict[str, str]:
        """The splits that there are, and in words where each comes from, for the report."""
