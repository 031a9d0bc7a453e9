"""What a kind of event is: who takes part, which figures it has, and the sentences that can be told of it."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

TOPICS = (
    "business",
    "crime",
    "entertainment",
    "environment",
    "health",
    "politics",
    "science",
    "sports",
    "technology",
    "travel",
)

NEIGHBOURS = {
    "business": ("politics", "technology", "health", "travel", "crime", "sports"),
    "crime": ("politics", "business", "technology", "sports"),
    "entertainment": ("technology", "sports", "travel"),
    "environment": ("politics", "science", "travel"),
    "health": ("politics", "business", "science", "sports"),
    "politics": ("business", "health", "crime", "environment", "travel"),
    "science": ("technology", "health", "environment"),
    "sports": ("business", "health", "crime", "entertainment"),
    "technology": ("business", "science", "crime", "entertainment"),
    "travel": ("politics", "business", "entertainment", "environment"),
}
"""The topics that a topic's articles also report on; whoever is a neighbour has the other as its neighbour."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of an event, drawn evenly from `low` to `high` in steps, and how it is written."""

    form: str
    low: int
    high: int
    step: int = 1

    def drawn(self, generator: random.Random) -> str:
        value = self.low + self.step * generator.randrange((self.high - self.low) // self.step + 1)
        return written(value, self.form)


def count(low: int, high: int, step: int = 1) -> Figure:
    """A number of things, from two upwards, so that they are always in the plural."""
    return Figure("count", low, high, step)


def money(low: int, high: int, step: int = 1) -> Figure:
    """An amount in millions."""
    return Figure("money", low, high, step)


def price(low: int, high: int, step: int = 1) -> Figure:
    """An amount in dollars."""
    return Figure("price", low, high, step)


def percent(low: int, high: int) -> Figure:
    return Figure("percent", low, high)


def year(low: int, high: int) -> Figure:
    return Figure("year", low, high)


SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def written(value: int, form: str) -> str:
    """The number as a newspaper prints it."""
    if form == "year":
        return str(value)
    if form == "percent":
        return f"{value} percent"
    if form == "price":
        return f"${value:,}"
    if form == "money":
        billions, rest = divmod(value, 1000)
        if not billions:
            return f"${value} million"
        return f"${billions}.{rest // 100} billion" if rest >= 100 else f"${billions} billion"
    return SMALL[value - 2] if 2 <= value <= 12 else f"{value:,}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event.

    With several `topics` it lies on their border: an event of it is filed under any of them, and told alike. `cast`
    gives a slot its participant: a kind of organisation (`airline`), another of the same kind (`rival@company`), a role
    (`lawmaker`), or a role at an organisation, which has a slot or is of a kind (`chief@company`). The slot `who` is
    there always: the one who speaks. `options` and `figures` are drawn once for an event.

    Sentences are templates of grammar.py. They begin with a small letter where the first word is no name, since a
    connective may go before. `titles` come over an article, `leads` say what happened and bring all participants in by
    their full names; `details`, `quotes`, `background` and `outcomes` come in that order after a lead.
    """

    name: str
    topics: tuple[str, ...]
    cast: Mapping[str, str]
    titles: tuple[str, ...]
    leads: tuple[str, ...]
    details: tuple[str, ...]
    quotes: tuple[str, ...]
    background: tuple[str, ...]
    outcomes: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
