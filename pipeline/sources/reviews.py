"""A review out of JSON: a text and a whole number of stars."""

from collections import Counter
from typing import Any

from pipeline.sources.base import Document
from pipeline.sources.cleaning import clean


def review(
    entry: dict[str, Any], *, text_key: str, rating_key: str, highest: int, origin: str, skipped: Counter[str]
) -> Document | None:
    """The review, labelled with its rating, "1" to `highest`; None, counted under a reason, where it isn't one."""
    text, rating = entry.get(text_key), entry.get(rating_key)
    if text is None:
        skipped[f"no {text_key}"] += 1
    elif not isinstance(text, str):
        skipped[f"{text_key} is no text"] += 1
    elif rating is None:
        skipped[f"no {rating_key}"] += 1
    elif (label := stars(rating, highest)) is None:
        skipped[f"{rating_key} isn't 1 to {highest}"] += 1
    else:
        cleaned, changes = clean(text)
        if cleaned:
            return Document(cleaned, label, origin, cleaned=changes)
        skipped["empty text"] += 1
    return None


def stars(value: Any, highest: int) -> str | None:
    """A rating as a label, 5, 5.0 and "5" being one; None where it isn't a whole number from 1 to `highest`."""
    if isinstance(value, str):
        value = {str(number): number for number in range(1, highest + 1)}.get(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return str(int(value)) if 1 <= value <= highest and value == int(value) else None
