"""How likely an article is under each topic, and so which topic it most likely has: the best answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.sources.newsroom.draws import normalised
from pipeline.sources.newsroom.kinds import NEIGHBOURS, TOPICS
from pipeline.sources.newsroom.world import World

DIGESTS = 0.1
"""The chance that an article tells several events alike, and only its writer knows which is the main one."""

FIRST = 0.6
"""The chance that a digest begins with its main event; else it stands at any of the other places, evenly."""

OWN_SIDE = 0.35
"""The chance that a further event is drawn as the topic's own news are; else as those of a neighbour, evenly."""

OWN_REMARK = 0.55
"""The chance that a remark is on the article's own topic; else it is on a neighbour, evenly."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a text shows of what was drawn for it: the kinds of its events in their order, and its remarks' topics.

    Whatever else is in a text depends on the topic only through these.
    """

    is_digest: bool
    kinds: tuple[str, ...]
    remarks: tuple[str, ...]


class Chances:
    """The probabilities of one world."""

    def __init__(self, world: World) -> None:
        self.topics: Mapping[str, float] = world.topics
        self.main: Mapping[str, Mapping[str, float]] = world.kinds
        self.remarks = {topic: _mixture(topic, OWN_REMARK) for topic in TOPICS}
        self.sides: dict[str, dict[str, float]] = {}
        for topic in TOPICS:
            kinds: dict[str, float] = {}
            for source, share in _mixture(topic, OWN_SIDE).items():
                for kind, chance in world.kinds[source].items():
                    kinds[kind] = kinds.get(kind, 0.0) + share * chance
            self.sides[topic] = kinds

    def left(self, topic: str, told: Sequence[str]) -> dict[str, float]:
        """The chances of the kind of a further event, when some have been told: none is told twice."""
        return normalised({kind: chance for kind, chance in self.sides[topic].items() if kind not in told})

    def posterior(self, content: Content) -> dict[str, float]:
        """The probability of each topic for who has read the text and knows this world."""
        return normalised({topic: self.topics[topic] * self.likelihood(topic, content) for topic in TOPICS})

    def likelihood(self, topic: str, content: Content) -> float:
        """The chance that an article on the topic, with so many events and remarks, has just these."""
        places = positions(len(content.kinds)) if content.is_digest else (1.0,)
        chance = sum(place * self._told(topic, content.kinds, main) for main, place in enumerate(places) if place)
        for remark in content.remarks:
            chance *= self.remarks[topic].get(remark, 0.0)
        return chance

    def _told(self, topic: str, kinds: Sequence[str], main: int) -> float:
        """The chance of these events, the one at the place `main` being the main one, which is drawn first."""
        chance = self.main[topic].get(kinds[main], 0.0)
        told = [kinds[main]]
        for place, kind in enumerate(kinds):
            if chance and place != main:
                chance *= self.left(topic, told).get(kind, 0.0)
                told.append(kind)
        return chance


def positions(events: int) -> tuple[float, ...]:
    """The chances of the main event's place in a digest of so many events, two or more."""
    return (FIRST, *([(1 - FIRST) / (events - 1)] * (events - 1)))


def _mixture(topic: str, own: float) -> dict[str, float]:
    """The topic itself with its chance, and its neighbours with what is left."""
    others = NEIGHBOURS[topic]
    return {topic: own} | dict.fromkeys(others, (1 - own) / len(others))
