"""What every source offers."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pipeline.section import SourceOptions
from pipeline.sources import given
from pipeline.sources.base import Document
from pipeline.sources.lines import Block
from pipeline.sources.remote import RemoteFile

Chosen = TypeVar("Chosen", bound=SourceOptions)


class Files(ABC, Generic[Chosen]):
    """A data set's files, whatever its records: `fetch` brings them in."""

    Options: ClassVar[type[SourceOptions]]

    def __init__(self, dataset: str, options: Chosen) -> None:
        self.dataset = dataset
        self.options = options

    def published(self) -> Sequence[RemoteFile]:
        """Upstream's files, if they can be fetched by their addresses."""
        return ()

    def remote(self, local: Path) -> Sequence[RemoteFile]:
        """Those that must lie in `downloads` before `fetch`: none where the user's own lie in `local`."""
        return self.published() if given.nothing_in(local) else ()

    def folder(self, downloads: Path, local: Path) -> Path:
        """Which of the two `fetch` takes its files from."""
        return downloads if self.remote(local) else local

    def check(self, local: Path) -> None:
        """Raises UserError for what can be seen to be wrong before time is spent, such as a file that isn't there."""

    @abstractmethod
    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        """Fills the folder `raw` from upstream's files in `downloads`, or from the user's own in `local`."""


class Source(Files[Chosen]):
    """A data set of labelled texts: `read` turns its files into records."""

    @abstractmethod
    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        """Yields the records and counts in `skipped`, by reason, every row that becomes none.

        Raises UserError, naming file and line, where a file isn't what it should be.
        """


class BlockSource(Source[Chosen]):
    """A data set whose file is read in blocks, by several processes; one after the other they are what `read` gives."""

    @abstractmethod
    def blocks(self, raw: Path) -> Iterator[Block]:
        """The file in blocks, in its order."""

    @abstractmethod
    def read_block(self, block: Block, skipped: Counter[str]) -> Iterator[Document]:
        """The records of one of them, as `read` yields, counts and raises."""

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        for block in self.blocks(raw):
            yield from self.read_block(block, skipped)
