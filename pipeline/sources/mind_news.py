"""MIND's news.tsv (Wu et al., ACL 2020): a row for every article, with title and abstract but without its body.

Eight fields set apart by tabs: id, category, subcategory, title, abstract, url, and the entities of title and abstract
as JSON. Quotes are text, as nothing is quoted. An abstract may be empty. Some texts hold characters without width.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import UserError
from pipeline.sources.cleaning import clean
from pipeline.sources.lines import numbered_lines

FIELDS = 8
ZERO_WIDTH = "zero-width characters"

# Not U+200C and U+200D, which some scripts and emoji need.
_ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class News:
    """An article as MIND has it."""

    id: str
    category: str
    subcategory: str
    title: str
    abstract: str


def news_of(path: Path) -> Iterator[tuple[int, News]]:
    """Line number and article of every row. UserError naming file and line of one that hasn't MIND's fields."""
    for number, line in numbered_lines(path, "surrogateescape"):
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) != FIELDS:
            raise UserError(
                f"{path}:{number}: {len(fields)} fields between tabs, not the {FIELDS} of MIND's news.tsv; "
                "link the file as published"
            )
        yield number, News(*fields[:5])


def cleaned(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without characters that have no width, then cleaned as every text is, and what was mended."""
    text, count = _ZERO_WIDTH.subn("", text)
    text, changes = clean(text)
    return text, ((ZERO_WIDTH, *changes) if count else changes)
