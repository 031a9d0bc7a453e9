"""Articles: which events and remarks are in one, and how it is written."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.sources.newsroom import remarks
from pipeline.sources.newsroom.chances import DIGESTS, Chances, Content, positions
from pipeline.sources.newsroom.desks import KINDS
from pipeline.sources.newsroom.draws import drawn
from pipeline.sources.newsroom.entities import Outlet
from pipeline.sources.newsroom.event import Event
from pipeline.sources.newsroom.grammar import capital, expand, sentence
from pipeline.sources.newsroom.kinds import TOPICS
from pipeline.sources.newsroom.world import World

LENGTHS = (
    (1, 1, 0.138),
    (2, 2, 0.21),
    (3, 4, 0.37),
    (5, 6, 0.17),
    (7, 10, 0.06),
    (11, 20, 0.02),
    (25, 33, 0.032),
)
"""How many sentences a body has: from, to, and the chance of each band; within a band evenly."""

PARTS = {"main": 0.58, "remark": 0.22, "side": 0.2}
"""What a sentence after the first is on: the main event, its surroundings, or another event."""

LONGEST_MAIN = 13
"""Sentences on the main event after its first; what would go beyond goes to other events."""

MOST_REMARKS = 8
"""Remarks in one article, fewer than a topic has; what would go beyond goes to other events."""

LONGEST_SIDE = 3
"""Sentences in a row on one event that isn't the main one."""

LINKED = 0.3
"""The chance that a remark begins with a connective."""

SMALL_WORDS = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "over", "the", "to", "with")
)
"""What stays small in headlines with capitals."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The lengths of an article's parts, in sentences; drawn before its topic and whatever the topic is."""

    is_digest: bool
    main: int
    """Sentences on the first event after the one that begins with it."""
    sides: tuple[int, ...]
    remarks: int


@dataclass(frozen=True, slots=True)
class Article:
    """A text, its events in the order in which they are told, and which of them is the main one."""

    topic: str
    outlet: Outlet
    title: str
    sentences: tuple[str, ...]
    events: tuple[Event, ...]
    main: int
    content: Content
    posterior: Mapping[str, float]

    @property
    def body(self) -> str:
        return " ".join(self.sentences)

    @property
    def main_event(self) -> Event:
        return self.events[self.main]

    @property
    def best(self) -> str:
        """The topic that is most likely for who knows all but which topic was drawn."""
        return max(self.posterior, key=lambda topic: self.posterior[topic])


class Writer:
    """Writes the articles of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.chances = Chances(world)

    def article(self, generator: random.Random) -> Article:
        return self.written(draw_sizes(generator), generator)

    def written(self, sizes: Sizes, generator: random.Random) -> Article:
        """An article whose parts have these lengths."""
        topic = drawn(self.world.topics, generator)
        content, main = self.draw_content(topic, sizes, generator)
        events: list[Event] = []
        for kind in content.kinds:
            events.append(self.world.event(KINDS[kind], topic, generator, events[0] if events else None))
        outlet = generator.choice(self.world.outlets)
        title, sentences = write(sizes, content, events, outlet, generator)
        posterior = self.chances.posterior(content)
        return Article(topic, outlet, title, sentences, tuple(events), main, content, posterior)

    def draw_content(self, topic: str, sizes: Sizes, generator: random.Random) -> tuple[Content, int]:
        """What depends on the topic, and the main event's place; the only draws that do."""
        first = drawn(self.chances.main[topic], generator)
        main = 0
        if sizes.is_digest:
            chances = positions(len(sizes.sides) + 1)
            main = generator.choices(range(len(chances)), chances)[0]
        told = [first]
        for _ in sizes.sides:
            told.append(drawn(self.chances.left(topic, told), generator))
        kinds = (*told[1 : main + 1], first, *told[main + 1 :])
        surroundings = tuple(drawn(self.chances.remarks[topic], generator) for _ in range(sizes.remarks))
        return Content(sizes.is_digest, kinds, surroundings), main


def draw_sizes(generator: random.Random) -> Sizes:
    """The lengths of an article's parts."""
    low, high, _ = generator.choices(LENGTHS, [chance for *_, chance in LENGTHS])[0]
    sentences = generator.randint(low, high)
    is_digest = sentences > 1 and generator.random() < DIGESTS
    parts = generator.choices(list(PARTS), list(PARTS.values()), k=sentences - 1)
    on_remarks = min(parts.count("remark"), MOST_REMARKS)
    if is_digest:
        on_remarks = min(on_remarks, sentences - 2)
        first, *others = _passages(sentences - on_remarks, at_least=2, generator=generator)
        return Sizes(True, first - 1, tuple(others), on_remarks)
    on_main = min(parts.count("main"), LONGEST_MAIN)
    return Sizes(
        False, on_main, _passages(sentences - 1 - on_remarks - on_main, at_least=0, generator=generator), on_remarks
    )


def _passages(sentences: int, *, at_least: int, generator: random.Random) -> tuple[int, ...]:
    """So many sentences cut into passages of one to LONGEST_SIDE, `at_least` so many of them."""
    passages: list[int] = []
    left = sentences
    while left:
        spare = left - max(0, at_least - len(passages) - 1)
        passages.append(generator.randint(1, min(LONGEST_SIDE, spare)))
        left -= passages[-1]
    return tuple(passages)


def write(
    sizes: Sizes, content: Content, events: Sequence[Event], outlet: Outlet, generator: random.Random
) -> tuple[str, tuple[str, ...]]:
    """Title and sentences. Of the events only what is told of them is read, never their topic."""
    first, *others = events
    slots = {**first.slots, "outlet": outlet.name, "PLACE": first.place.name.upper()}
    titles = remarks.DIGEST_TITLES if content.is_digest else first.kind.titles
    title = capital(expand(generator.choice(titles), slots, generator))
    lead = sentence(expand(generator.choice(first.kind.leads), slots, generator))
    dateline = expand(outlet.dateline, slots, generator)
    opening = [f"{dateline} {lead}" if dateline else lead]

    if content.is_digest:
        opening += told_sentences(first, _details(first, sizes.main, generator), generator)
        closing: list[str] = []
    else:
        opening_parts, closing_parts = _main_parts(first, sizes.main, generator)
        opening += told_sentences(first, opening_parts, generator)
        closing = told_sentences(first, closing_parts, generator)

    surroundings = surroundings_of(content.remarks, first, generator, linked=LINKED)
    joints = generator.sample(remarks.JOINTS, len(remarks.JOINTS))
    blocks = [[text] for text in surroundings]
    # A remark may stand between what happened and what comes of it; the others stand among the further events.
    between = blocks.pop() if closing and blocks and generator.random() < 0.4 else []
    blocks += [
        passage(event, size, joints[place % len(joints)], generator)
        for place, (event, size) in enumerate(zip(others, sizes.sides, strict=True))
    ]
    blocks = mixed(blocks, len(surroundings) - bool(between), generator)
    sentences = [*opening, *between, *closing, *(text for block in blocks for text in block)]
    if outlet.farewell and len(sentences) > 2:
        sentences.append(expand(outlet.farewell, slots, generator))
    return (_capitals(title) if outlet.capitals else title), tuple(sentences)


def mixed(blocks: list[list[str]], remarks_first: int, generator: random.Random) -> list[list[str]]:
    """Remarks and passages in random order, passages keeping theirs."""
    passages = iter(blocks[remarks_first:])
    others = iter(blocks[:remarks_first])
    turns = [True] * remarks_first + [False] * (len(blocks) - remarks_first)
    generator.shuffle(turns)
    return [next(others if is_remark else passages) for is_remark in turns]


def _main_parts(event: Event, number: int, generator: random.Random) -> tuple[list[str], list[str]]:
    """Templates for so many sentences on the main event: those after the lead, and the closing ones."""
    closing: list[str] = []
    if number >= 5 or (number >= 2 and generator.random() < 0.6):
        closing.append(event.outcome)
    if number >= 4 and generator.random() < 0.6:
        closing.insert(0, generator.choice(event.kind.background))
    number -= len(closing)
    voices = generator.sample(event.kind.quotes, len(event.kind.quotes))
    voices += generator.sample(remarks.QUOTES, 3)
    facts = _details(event, len(event.kind.details), generator)
    # The more there is to say, the more general it becomes.
    facts += generator.sample(remarks.ANYWHERE, 3)
    if number <= 2 and generator.random() < 0.12:
        facts.insert(0, facts.pop())
    spoken = min(len(voices), number // 3 + (generator.random() < 0.5)) if number else 0
    spoken = max(spoken, number - len(facts))
    told = facts[: number - spoken]
    for voice in voices[:spoken]:
        told.insert(generator.randint(min(1, len(told)), len(told)), voice)
    return told, closing


def _details(event: Event, number: int, generator: random.Random) -> list[str]:
    return generator.sample(event.kind.details, number)


def passage(event: Event, size: int, joint: str, generator: random.Random) -> list[str]:
    """An event that isn't the first, told in so many sentences."""
    lead = f"{joint} {expand(generator.choice(event.kind.leads), event.slots, generator)}"
    return [sentence(lead), *told_sentences(event, _details(event, size - 1, generator), generator)]


def told_sentences(event: Event, templates: Sequence[str], generator: random.Random) -> list[str]:
    return [sentence(expand(template, event.slots, generator)) for template in templates]


def surroundings_of(topics: Sequence[str], event: Event, generator: random.Random, *, linked: float) -> list[str]:
    """A remark on each of the topics, none of them twice, each with the chance `linked` to begin with a connective."""
    pools = {topic: generator.sample(remarks.OF_TOPIC[topic], MOST_REMARKS) for topic in TOPICS if topic in topics}
    texts = [pools[topic].pop() for topic in topics]
    links = generator.sample(remarks.LINKS, len(remarks.LINKS))
    texts = [f"{links.pop()} {text}" if links and generator.random() < linked else text for text in texts]
    return told_sentences(event, texts, generator)


def _capitals(title: str) -> str:
    words = title.split(" ")
    return " ".join(word if place and word in SMALL_WORDS else capital(word) for place, word in enumerate(words))
