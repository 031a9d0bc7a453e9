"""All kinds of events, and those of each topic."""

from pipeline.sources.newsroom.events import (
    business,
    crime,
    entertainment,
    environment,
    health,
    politics,
    science,
    sports,
    technology,
    travel,
)
from pipeline.sources.newsroom.kinds import TOPICS, Kind

KINDS: dict[str, Kind] = {
    kind.name: kind
    for module in (
        business,
        crime,
        entertainment,
        environment,
        health,
        politics,
        science,
        sports,
        technology,
        travel,
    )
    for kind in module.KINDS
}

OWN: dict[str, tuple[str, ...]] = {
    topic: tuple(name for name, kind in KINDS.items() if kind.topics == (topic,)) for topic in TOPICS
}
"""The names of the kinds that no other topic has."""

SHARED: dict[str, tuple[str, ...]] = {
    topic: tuple(name for name, kind in KINDS.items() if topic in kind.topics and len(kind.topics) > 1)
    for topic in TOPICS
}
"""The names of the kinds on the topic's borders."""
