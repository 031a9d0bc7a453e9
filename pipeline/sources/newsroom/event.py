"""A single event: who, where, when, with which figures, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.sources.newsroom.entities import Organisation, Person, Place
from pipeline.sources.newsroom.kinds import Kind

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. `facts` are the figures and options drawn for it, `outcome` a whole sentence.

    `topic` is the desk that it is filed under; no sentence depends on it, only on the kind.
    """

    kind: Kind
    topic: str
    place: Place
    day: str
    participants: Mapping[str, Person | Organisation]
    facts: Mapping[str, str]
    slots: Mapping[str, str]
    """What the kind's templates may name."""
    outcome: str


def slots_of(participants: Mapping[str, Person | Organisation], place: Place) -> dict[str, str]:
    """The names by which sentences call the participants and the place."""
    slots = {"place": place.name, "region": place.region.name, "river": place.river.name}
    for key, one in participants.items():
        slots[key] = one.name
        if isinstance(one, Person):
            slots |= {f"{key}_last": one.last, f"{key}_ms": one.short, f"{key}_role": one.role}
        else:
            slots |= {f"{key}_title": one.title, f"{key}_short": one.short, f"{key}_noun": one.noun}
    return slots
