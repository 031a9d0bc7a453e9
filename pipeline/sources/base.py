"""Records, and what every source offers."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from pipeline.section import SourceOptions

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its label. `origin` names its file and line, `group` what must not be torn apart by a split.

    `split` is upstream's own split, or None where the pipeline cuts one. `cleaned` names what was mended in the text.
    `best` is the answer of who knows how the text was made; only generated texts have one.
    """

    text: str
    label: str
    origin: str
    group: str | None = None
    split: str | None = None
    cleaned: tuple[str, ...] = ()
    best: str | None = None

    @property
    def same_text(self) -> str:
        """Equal for texts that differ in white space and case alone, which are the same to most tokenizers."""
        return " ".join(self.text.split()).casefold()


class Source(Protocol):
    """A data set: `fetch` brings its files in, `read` turns them into records."""

    Options: ClassVar[type[SourceOptions]]

    def __init__(self, dataset: str, options: SourceOptions) -> None: ...

    def check(self, local: Path) -> None:
        """Raises UserError for what can be seen to be wrong before time is spent, such as a file that isn't there."""

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        """Fills the folder `raw`. `downloads` outlives the stage, `local` holds the user's own files."""

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        """Yields the records and counts in `skipped`, by reason, every row that becomes none.

        Raises UserError, naming file and line, where a file isn't what it should be.
        """
