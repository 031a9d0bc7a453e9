"""Stories with a summary: an event, what comes of it, and what else is told around them."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pipeline.sources.newsroom import remarks
from pipeline.sources.newsroom.article import (
    LINKED,
    LONGEST_SIDE,
    MOST_REMARKS,
    passage,
    surroundings_of,
    told_sentences,
)
from pipeline.sources.newsroom.desks import KINDS, OWN
from pipeline.sources.newsroom.draws import drawn
from pipeline.sources.newsroom.entities import Person
from pipeline.sources.newsroom.event import Event
from pipeline.sources.newsroom.gists import GISTS
from pipeline.sources.newsroom.grammar import CHOICE, SLOT, expand, sentence
from pipeline.sources.newsroom.kinds import TOPICS, Kind
from pipeline.sources.newsroom.names import SURNAMES
from pipeline.sources.newsroom.world import World

LENGTHS = ((6, 7, 0.35), (8, 9, 0.3), (10, 12, 0.2), (13, 16, 0.1), (17, 22, 0.05))
"""How many sentences a story has: from, to, and the chance of each band; within a band evenly."""

PARTS = {"main": 0.5, "remark": 0.25, "side": 0.25}
"""What a sentence is on that the summary doesn't need."""

OPENINGS = {"lead": 0.5, "remark": 0.25, "side": 0.25}
"""What a story begins with."""

OUTCOMES = ("after the lead", "after the main event", "at the end")
"""Where it stands what comes of the event, all equally likely."""

NEWCOMERS = 0.5
"""The chance that somebody in the story has a name that no other story has."""

MIDDLES = ("all", "and", "ber", "der", "en", "ger", "ill", "ker", "man", "mer", "nel", "ol", "per", "sen", "ter", "ver")
"""The middle parts of newcomers' names."""

BRANCHES = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True)
class Story:
    """Sentences and summary; `best` is the summary of who knows all but which wordings were drawn."""

    sentences: tuple[str, ...]
    summary: tuple[str, ...]
    best: tuple[str, ...]
    event: Event


class StoryWriter:
    """Writes the stories of a world."""

    def __init__(self, world: World) -> None:
        self.world = world

    def stories(self, number: int) -> Iterator[Story]:
        """The first stories of the world, in the order in which it has them."""
        generator = random.Random(f"briefs {self.world.seed}")
        for _ in range(number):
            yield self.story(generator)

    def story(self, generator: random.Random) -> Story:
        world = self.world
        topic = drawn(world.topics, generator)
        name = drawn({name: world.kinds[topic][name] for name in OWN[topic]}, generator)
        kind, gist = KINDS[name], GISTS[name]
        event = world.event(kind, topic, generator)
        if generator.random() < NEWCOMERS:
            event = with_newcomer(event, generator)
        choice = generator.randrange(len(kind.outcomes))
        lead, needed = needed_templates(kind, generator)
        low, high, _ = generator.choices(LENGTHS, [chance for *_, chance in LENGTHS])[0]
        left = max(0, generator.randint(low, high) - 2 - len(needed))
        parts = generator.choices(list(PARTS), list(PARTS.values()), k=left)
        spare = [
            text
            for pool in (kind.details, kind.quotes, kind.background, remarks.QUOTES, remarks.ANYWHERE)
            for text in pool
            if text not in needed
        ]
        more = generator.sample(spare, min(parts.count("main"), len(spare)))
        on_remarks = min(parts.count("remark"), MOST_REMARKS)
        main = [*needed, *more]
        generator.shuffle(main)
        before, after = self._around(event, on_remarks, left - len(more) - on_remarks, generator)

        outcome = kind.outcomes[choice]
        where = generator.choice(OUTCOMES)
        told = [lead, outcome, *main] if where == OUTCOMES[0] else [lead, *main]
        told += [outcome] if where == OUTCOMES[1] else []
        sentences = [*before, *told_sentences(event, told, generator), *after]
        sentences += told_sentences(event, [outcome], generator) if where == OUTCOMES[2] else []
        outlet = generator.choice(world.outlets)
        slots = {**event.slots, "outlet": outlet.name, "PLACE": event.place.name.upper()}
        if dateline := expand(outlet.dateline, slots, generator):
            sentences[0] = f"{dateline} {sentences[0]}"
        if outlet.farewell:
            sentences.append(expand(outlet.farewell, slots, generator))
        wordings = (gist.event, gist.endings[choice])
        return Story(
            tuple(sentences),
            tuple(told_sentences(event, wordings, generator)),
            tuple(sentence(expand(first_wordings(text), event.slots, generator)) for text in wordings),
            event,
        )

    def _around(
        self, event: Event, on_remarks: int, on_sides: int, generator: random.Random
    ) -> tuple[list[str], list[str]]:
        """Sentences before the lead, and those after the main event's: remarks, and passages on further events."""
        opening = drawn(OPENINGS, generator)
        linked = 0.0 if opening == "remark" else LINKED
        topics = generator.choices(TOPICS, k=on_remarks)
        surroundings = [[text] for text in surroundings_of(topics, event, generator, linked=linked)]
        sides: list[list[str]] = []
        others = generator.sample([name for name in KINDS if name != event.kind.name], len(KINDS) - 1)
        joints = generator.sample(remarks.JOINTS, len(remarks.JOINTS))
        while on_sides:
            size = generator.randint(1, min(LONGEST_SIDE, on_sides))
            kind = KINDS[others.pop()]
            further = self.world.event(kind, kind.topics[0], generator, event)
            if opening == "side" and not sides:
                first = [generator.choice(kind.leads), *generator.sample(kind.details, size - 1)]
                sides.append(told_sentences(further, first, generator))
            else:
                sides.append(passage(further, size, joints[len(sides) % len(joints)], generator))
            on_sides -= size
        before: list[list[str]] = []
        if opening == "side":
            before, sides = sides[:1], sides[1:]
        elif opening == "remark":
            number = generator.randint(1, 2)
            before, surroundings = surroundings[:number], surroundings[number:]
        blocks = [*surroundings, *sides]
        generator.shuffle(blocks)
        return [text for block in before for text in block], [text for block in blocks for text in block]


def needed_templates(kind: Kind, generator: random.Random) -> tuple[str, list[str]]:
    """A lead, and the sentences that tell what the summary names and that lead doesn't, each fact by one of them.

    The order of a sentence's facts is the alphabet's, so that the draws are the same in every process.
    """
    lead, missing = generator.choice(leads_of(kind.name))
    needed: list[str] = []
    for slot in missing:
        if not any(slot in told_slots(text) for text in needed):
            needed.append(generator.choice(tellers(kind, slot)))
    return lead, needed


@cache
def leads_of(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The leads that a story can have, each with the slots of the summary that it doesn't fill in."""
    kind = KINDS[name]
    wanted = named_slots(GISTS[name].event)
    found = [(lead, tuple(sorted(wanted - told_slots(lead)))) for lead in kind.leads]
    return tuple((lead, missing) for lead, missing in found if all(tellers(kind, slot) for slot in missing))


def tellers(kind: Kind, slot: str) -> list[str]:
    """The sentences beside leads and outcomes that always name a slot's value."""
    return [text for text in (*kind.details, *kind.quotes, *kind.background) if slot in told_slots(text)]


def told_slots(template: str) -> set[str]:
    """The slots that are filled in whatever choices are drawn."""
    return named_slots(BRANCHES.sub(" ", template))


def named_slots(template: str) -> set[str]:
    return set(SLOT.findall(template))


def first_wordings(template: str) -> str:
    """The template with the first of each choice."""
    return CHOICE.sub(lambda match: match.group(1).split("|")[0], template)


def with_newcomer(event: Event, generator: random.Random) -> Event:
    """The event with a new family name for one of its people: one whom the summary names, if it names any."""
    people = {slot: one for slot, one in event.participants.items() if isinstance(one, Person)}
    named = named_slots(GISTS[event.kind.name].event)
    slot = generator.choice([slot for slot in people if slot in named] or list(people))
    first, last = SURNAMES
    surname = generator.choice(first) + generator.choice(MIDDLES) + generator.choice(last)
    person = replace(people[slot], last=surname)
    names = {slot: person.name, f"{slot}_last": person.last, f"{slot}_ms": person.short}
    return replace(event, participants={**event.participants, slot: person}, slots={**event.slots, **names})


def paragraphs(sentences: Sequence[str], generator: random.Random) -> Iterator[str]:
    """Sentences in order, one to three to a paragraph."""
    left = list(sentences)
    while left:
        size = generator.randint(1, 3)
        yield " ".join(left[:size])
        left = left[size:]
