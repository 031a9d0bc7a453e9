"""Sentences out of templates: `{slot}` is filled in, `[this|that|]` is one of its parts, drawn with equal chances."""

import random
import re
from collections.abc import Mapping

SLOT = re.compile(r"\{(\w+)\}")
CHOICE = re.compile(r"\[([^\[\]{}]*)\]")
BLANKS = re.compile(r" +(?=[ ,.;:!?])")
ARTICLE = re.compile(
    r"\b([Aa]) (?=[aeiouAEIOU]|8|1[18](?![0-9])|[Hh](?:our|onest|eir|onou?r))"
    r"(?!(?:[Uu]ni(?![mn])|[Uu]s[aeu]|[Oo]ne\b|[Oo]nce|[Ee]u))"
)


def expand(template: str, slots: Mapping[str, str], generator: random.Random) -> str:
    """The template as plain text, with single blanks, and `an` where `a` stands before a vowel's sound.

    Choices may hold slots and further choices; slots may hold choices. Raises KeyError for a slot without a value.
    """

    def picked(match: re.Match[str]) -> str:
        parts: list[str] = match.group(1).split("|")
        return generator.choice(parts)

    def filled(match: re.Match[str]) -> str:
        return slots[match.group(1)]

    text, changes = template, 1
    while changes:
        text, choices = CHOICE.subn(picked, text)
        text, filled_slots = SLOT.subn(filled, text)
        changes = choices + filled_slots
    text = BLANKS.sub("", text).strip()
    return ARTICLE.sub(r"\1n ", text)


def sentence(text: str) -> str:
    """The text with a capital at its beginning and a full stop at its end, where it has no mark there."""
    text = capital(text)
    return text if text.endswith((".", "!", "?", '"')) else text + "."


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
