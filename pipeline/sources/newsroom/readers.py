"""Who reads the newsroom's news, and how likely each clicks on what; docs/newsroom.md states the same in prose."""

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.sources.newsroom.angles import ANGLES
from pipeline.sources.newsroom.draws import drawn
from pipeline.sources.newsroom.kinds import TOPICS

LIKED, DISLIKED = 2, 2
"""Of how many topics, and of how many angles, a reader likes and dislikes the news."""

OF_TOPIC, OF_ANGLE, OF_NAME = 1.2, 1.8, 1.6
"""What a liked topic, a liked angle and a followed name in the title add to the log odds of a click; dislikes take off
as much."""

FOLLOWED = 3
CHANGES = 0.5
"""The chance that a reader's interests change once within the days that are told of."""

NEWCOMERS = 0.03
"""The share of readers who come only with the training days, without a history."""

BASE = -3.6
AGEING = 0.8
"""What each day since it was published takes off the log odds of a click on it."""

APPEAL, KIND_APPEAL = 0.5, 0.4
"""Standard deviations of what a title has beside its content, and of the popularity of its kind of events."""


@dataclass(frozen=True, slots=True)
class Item:
    """An article as a reader sees it on a page; `published` is in days from the first one on.

    `names` are the entities that the title names, `appeal` what it adds to everybody's log odds, and `prominence` how
    much more often than others it is shown.
    """

    number: int
    published: float
    topic: str
    angle: str
    names: frozenset[str]
    appeal: float
    prominence: float


@dataclass(frozen=True, slots=True)
class Interests:
    """What a topic and an angle add to the log odds, 0 for those that aren't named."""

    topics: Mapping[str, float]
    angles: Mapping[str, float]


@dataclass(slots=True)
class Reader:
    """Somebody with interests, which may become others on the day `change`, and what was clicked so far."""

    name: str
    activity: float
    first_day: int
    before: Interests
    after: Interests
    change: float
    follows: frozenset[str]
    history: list[Item] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def taste(self, item: Item, now: float) -> float:
        """What this reader adds to the log odds of a click on the item at a time."""
        interests = self.before if now < self.change else self.after
        followed = 0.0 if self.follows.isdisjoint(item.names) else OF_NAME
        return interests.topics.get(item.topic, 0.0) + interests.angles.get(item.angle, 0.0) + followed

    def chance(self, item: Item, now: float) -> float:
        """The probability of a click on the item at a time; its place on the page doesn't matter."""
        odds = BASE + self.taste(item, now) + item.appeal - AGEING * (now - item.published)
        return 1 / (1 + math.exp(-odds))


def draw_readers(
    number: int, names: Mapping[str, float], days: int, joining_day: int, generator: random.Random
) -> list[Reader]:
    """So many readers. `names` says how often each entity stands in titles; who is named more has more followers."""
    readers = []
    for place in range(number):
        before = Interests(_liked(TOPICS, OF_TOPIC, generator), _liked(tuple(ANGLES), OF_ANGLE, generator))
        changes = generator.random() < CHANGES
        readers.append(
            Reader(
                name=f"U{10_001 + place}",
                activity=generator.lognormvariate(0, 0.9),
                first_day=joining_day if generator.random() < NEWCOMERS else 0,
                before=before,
                after=Interests(
                    _changed(before.topics, TOPICS, generator), _changed(before.angles, tuple(ANGLES), generator)
                ),
                change=generator.uniform(0, days) if changes else math.inf,
                follows=frozenset(drawn(names, generator) for _ in range(FOLLOWED)),
            )
        )
    return readers


def _liked(choices: Sequence[str], weight: float, generator: random.Random) -> dict[str, float]:
    chosen = generator.sample(choices, LIKED + DISLIKED)
    return {name: weight if place < LIKED else -weight for place, name in enumerate(chosen)}


def _changed(liked: Mapping[str, float], choices: Collection[str], generator: random.Random) -> dict[str, float]:
    """The same with another in the place of the one that is named first, which was liked."""
    gone, *kept = liked
    new = generator.choice([name for name in choices if name not in liked])
    return {new: liked[gone]} | {name: liked[name] for name in kept}
