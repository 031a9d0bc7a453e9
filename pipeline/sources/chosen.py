"""What every source offers, and the source of a data set of params.yaml."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from pipeline import registry
from pipeline.params import Params
from pipeline.section import SourceOptions
from pipeline.sources.base import Document
from pipeline.sources.recommendation import RecommendationSource
from pipeline.sources.remote import RemoteFile


class Source(Protocol):
    """A data set: `fetch` brings its files in, `read` turns them into records."""

    Options: ClassVar[type[SourceOptions]]

    def __init__(self, dataset: str, options: SourceOptions) -> None: ...

    def remote(self, local: Path) -> Sequence[RemoteFile]:
        """Upstream's files that must lie in `downloads` before `fetch`; none where the user's own lie in `local`."""

    def check(self, local: Path) -> None:
        """Raises UserError for what can be seen to be wrong before time is spent, such as a file that isn't there."""

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        """Fills the folder `raw` from upstream's files in `downloads`, or from the user's own in `local`."""

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        """Yields the records and counts in `skipped`, by reason, every row that becomes none.

        Raises UserError, naming file and line, where a file isn't what it should be.
        """


def source_of(params: Params, dataset: str) -> Source:
    """The data set's source, with its options."""
    made: Source = _made(params, dataset)
    return made


def recommendation_source_of(params: Params, dataset: str) -> RecommendationSource:
    """The same for a data set whose task is recommendation."""
    made: RecommendationSource = _made(params, dataset)
    return made


def _made(params: Params, dataset: str) -> Any:
    options = params.data[dataset].source
    return registry.load(registry.SOURCES, options.reader)(dataset, options)
