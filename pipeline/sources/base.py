"""The record of classification, and the splits."""

from dataclasses import dataclass

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
