"""Sentences out of templates: `{slot}` is filled in, `[this|that|]` is one of its parts, drawn with equal chances."""

import random
import re
from collections.abc import Mapping

SLOT = re.compile(r"\{(\w+)\}")
CHOICE = re.compile(r"\[([^\[\]{}]*)\]")
ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])(?!(?:[Uu]ni|[Uu]se|[Oo]ne|[Ee]u))")


def expand(template: str, slots: Mapping[str, str], generator: random.Random) -> str:
    """The template as plain text, with single blanks, and `an` where `a` stands before a vowel.

    Choices may hold slots and further choices; slots may hold choices. Raises KeyError for a slot without a value.
    """
    text = template
    while True:
        if choice := CHOICE.search(text):
            parts = choice.group(1).split("|")
            text = text[: choice.start()] + generator.choice(parts) + text[choice.end() :]
        elif slot := SLOT.search(text):
            text = text[: slot.start()] + slots[slot.group(1)] + text[slot.end() :]
        else:
            break
    text = re.sub(r" +", " ", text).strip()
    text = re.sub(r" (?=[,.;:!?])", "", text)
    return ARTICLE.sub(r"\1n ", text)


def sentence(text: str) -> str:
    """The text with a capital at its beginning and a full stop at its end, where it has no mark there."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", '"')) else text + "."
