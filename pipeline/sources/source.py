"""What every source offers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from pipeline.section import SourceOptions
from pipeline.sources.base import Document
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
