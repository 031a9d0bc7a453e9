"""Who and what is in the world: people, places, organisations, newspapers."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """Somebody with a role, such as `lawmaker`, and how a newspaper names it ("finance minister")."""

    id: str
    first: str
    last: str
    is_woman: bool
    role: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def short(self) -> str:
        return f"{'Ms' if self.is_woman else 'Mr'} {self.last}"

    @property
    def forms(self) -> tuple[str, ...]:
        """What the person is called in a text, the longest first."""
        return self.name, self.last


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """A region, a river or a country."""

    id: str
    name: str

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A town, where it lies, and who governs it."""

    id: str
    name: str
    region: Area
    river: Area
    mayor: Person

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True, slots=True, eq=False)
class Organisation:
    """A company, a club, an institution. `people` are those that it has for each role.

    `name` is how a sentence says it, with an article where one belongs ("the Civic Party"); `short` and `noun` stand
    for it once it is known ("Velmark", "the airline"). One that has no name of its own is called by what it is ("the
    weather service"); `proper` tells the two apart.
    """

    id: str
    kind: str
    name: str
    short: str
    noun: str
    people: Mapping[str, tuple[Person, ...]]
    place: Place | None = None
    proper: bool = True

    @property
    def title(self) -> str:
        """How a headline says it."""
        return self.name.removeprefix("the ")

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.title,) if self.short == self.noun else (self.title, self.short)


@dataclass(frozen=True, slots=True, eq=False)
class Outlet:
    """A newspaper and its style. `dateline` and `farewell` are templates with {PLACE}, {day} and {outlet}, or empty."""

    name: str
    dateline: str
    farewell: str
    capitals: bool


Entity = Person | Area | Place | Organisation
