"""The world: the same for a seed, another for another seed, and every template fits the events of its kind."""

import random
import re
from collections import Counter

import pytest

from pipeline.sources.newsroom import remarks
from pipeline.sources.newsroom.desks import KINDS, OWN, SHARED
from pipeline.sources.newsroom.entities import Organisation, Person
from pipeline.sources.newsroom.event import DAYS
from pipeline.sources.newsroom.grammar import expand
from pipeline.sources.newsroom.kinds import NEIGHBOURS, TOPICS, count, money, percent, price
from pipeline.sources.newsroom.world import World

SLOT = re.compile(r"\{(\w+)\}")


@pytest.fixture(scope="module")
def world() -> World:
    return World(1)


def names_of(world: World) -> list[str]:
    return [entity.forms[0] for entity in world.entities()]


def test_a_seed_is_a_world(world: World) -> None:
    same, other = World(1), World(2)
    assert names_of(same) == names_of(world)
    assert (same.makers, same.kinds, same.topics) == (world.makers, world.kinds, world.topics)
    assert len(set(names_of(world)) & set(names_of(other))) < 0.1 * len(names_of(world))
    assert {place.name for place in world.places} != {place.name for place in other.places}
    assert world.kinds != other.kinds


def test_no_two_are_called_alike(world: World) -> None:
    forms = [form for entity in world.entities() for form in entity.forms]
    assert [form for form, number in Counter(forms).items() if number > 1] == []
    assert [entity_id for entity_id, number in Counter(e.id for e in world.entities()).items() if number > 1] == []


def test_what_others_build_on(world: World) -> None:
    assert len(world.makers) == len(set(world.makers)) == 12
    assert len(world.outlets) >= 8
    assert len({outlet.name for outlet in world.outlets}) == len(world.outlets)
    assert any(outlet.dateline for outlet in world.outlets)


def test_popularities_are_shares(world: World) -> None:
    assert sum(world.topics.values()) == pytest.approx(1)
    for topic in TOPICS:
        assert set(world.kinds[topic]) == {*OWN[topic], *SHARED[topic]}
        assert sum(world.kinds[topic].values()) == pytest.approx(1)


def test_topics_are_neighbours_of_each_other_and_share_kinds() -> None:
    for topic, others in NEIGHBOURS.items():
        assert topic not in others
        assert all(topic in NEIGHBOURS[other] for other in others)
        assert len(OWN[topic]) >= 4
        assert len(SHARED[topic]) >= 3
    for kind in KINDS.values():
        assert all(b in NEIGHBOURS[a] for a in kind.topics for b in kind.topics if a != b)


@pytest.mark.parametrize("name", KINDS)
def test_every_sentence_of_a_kind_can_be_told_of_its_events(world: World, name: str) -> None:
    kind, generator = KINDS[name], random.Random(name)
    pools = (kind.titles, kind.leads, kind.details, kind.quotes, kind.background, kind.outcomes)
    assert min(map(len, pools)) >= 2
    assert min(len(kind.titles), len(kind.leads)) >= 3
    assert len(kind.details) >= 5
    for _ in range(10):
        event = world.event(kind, kind.topics[0], generator)
        assert event.day in DAYS
        for template in (template for pool in pools for template in pool):
            text = expand(template, event.slots, generator)
            assert not re.search(r"[{}\[\]|]|  ", text), text
    assert all("{who}" in lead or "{who_role}" in lead for lead in kind.leads)
    used = set(SLOT.findall(" ".join(template for pool in pools for template in pool)))
    assert {*kind.options, *kind.figures} <= used


@pytest.mark.parametrize("name", KINDS)
def test_whoever_is_called_by_a_short_form_was_brought_in_by_the_lead(name: str) -> None:
    kind = KINDS[name]
    later = " ".join((*kind.details, *kind.quotes, *kind.background, *kind.outcomes))
    for slot, asked in kind.cast.items():
        if f"{{{slot}_ms}}" in later or f"{{{slot}_short}}" in later:
            assert all(f"{{{slot}}}" in lead for lead in kind.leads), (slot, asked)


def test_an_event_is_the_same_under_each_of_its_topics(world: World) -> None:
    for kind in KINDS.values():
        first, *others = (world.event(kind, topic, random.Random(3)) for topic in kind.topics)
        for other in others:
            assert (other.slots, other.outcome, other.day) == (first.slots, first.outcome, first.day)


def test_participants_are_who_the_cast_asks_for(world: World) -> None:
    event = world.event(KINDS["takeover"], "business", random.Random(1))
    company, target = event.participants["company"], event.participants["target"]
    assert isinstance(company, Organisation)
    assert isinstance(target, Organisation)
    assert company.kind == target.kind
    assert company is not target
    assert event.participants["who"] in company.people["chief"]
    event = world.event(KINDS["match"], "sports", random.Random(1))
    club = event.participants["club"]
    assert isinstance(club, Organisation)
    assert event.place is club.place
    assert len({one for one in event.participants.values() if isinstance(one, Person)}) == 3


def test_a_further_event_shares_company_and_place(world: World) -> None:
    generator = random.Random(1)
    first = world.event(KINDS["fraud_trial"], "crime", generator)
    others = [world.event(KINDS["robbery_verdict"], "crime", generator, first) for _ in range(200)]
    assert 90 < sum(other.place is first.place for other in others) < 170
    assert not any(set(other.participants.values()) & set(first.participants.values()) for other in others)


def test_remarks_suffice_and_stand_nowhere_else() -> None:
    assert set(remarks.OF_TOPIC) == set(TOPICS)
    everywhere = [*remarks.ANYWHERE, *remarks.QUOTES, *(text for pool in remarks.OF_TOPIC.values() for text in pool)]
    for kind in KINDS.values():
        everywhere += [*kind.leads, *kind.details, *kind.quotes, *kind.background, *kind.outcomes]
    assert [text for text, number in Counter(everywhere).items() if number > 1] == []


def test_figures_are_written_as_a_newspaper_does() -> None:
    generator = random.Random(1)
    assert {count(2, 3).drawn(generator) for _ in range(20)} == {"two", "three"}
    assert count(1500, 1500).drawn(generator) == "1,500"
    assert money(40, 40).drawn(generator) == "$40 million"
    assert money(1200, 1200).drawn(generator) == "$1.2 billion"
    assert money(3000, 3000).drawn(generator) == "$3 billion"
    assert price(1999, 1999).drawn(generator) == "$1,999"
    assert percent(7, 7).drawn(generator) == "7 percent"
    assert {count(10, 30, 10).drawn(generator) for _ in range(60)} == {"ten", "20", "30"}
