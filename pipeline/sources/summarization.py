"""The record of summarization."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Article:
    """A text and what sums it up, sentence by sentence. `origin` names its file and its line or entry.

    `split` is upstream's own split. `cleaned` names what was mended in either text.
    """

    body: str
    summary: tuple[str, ...]
    origin: str
    split: str
    cleaned: tuple[str, ...] = ()
