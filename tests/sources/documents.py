"""Documents as the columns by which they are selected and split."""

from collections.abc import Sequence

from pipeline.sources.base import Document
from pipeline.sources.columns import Columns, hashed, joined


def columns(documents: Sequence[Document]) -> Columns:
    """The columns of the documents, put together out of two parts."""
    half = len(documents) // 2
    parts = (documents[:half], documents[half:])
    return joined([hashed(part, [document.text.encode() for document in part]) for part in parts])


def same_text(text: str) -> str:
    """Equal for texts that differ in white space and case alone."""
    return " ".join(text.split()).casefold()
