"""The world of a seed: who and what is in it, and how often which kind of event happens."""

import random
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from pipeline.sources.newsroom import names
from pipeline.sources.newsroom.desks import OWN, SHARED
from pipeline.sources.newsroom.draws import normalised
from pipeline.sources.newsroom.entities import Area, Entity, Organisation, Outlet, Person, Place
from pipeline.sources.newsroom.event import DAYS, Event, slots_of
from pipeline.sources.newsroom.grammar import expand, sentence
from pipeline.sources.newsroom.kinds import SMALL, TOPICS, Kind
from pipeline.sources.newsroom.names import Names

T = TypeVar("T")

PLACES = 14
REGIONS = 4
COUNTRIES = 7
MAKERS = 12

ROLES = {
    "lawmaker": 12,
    "envoy": 5,
    "campaigner": 8,
    "analyst": 6,
    "unionist": 6,
    "shopkeeper": 6,
    "investor": 5,
    "banker": 5,
    "lawyer": 8,
    "prosecutor": 6,
    "suspect": 12,
    "engineer": 8,
    "reviewer": 5,
    "designer": 6,
    "nurse": 5,
    "scholar": 8,
    "ranger": 5,
    "customs_officer": 5,
    "athlete": 12,
    "trainer": 6,
    "actor": 10,
    "singer": 10,
    "director": 8,
    "critic": 6,
    "presenter": 5,
    "hotelier": 6,
    "travel_writer": 6,
    "captain": 5,
    "organiser": 5,
    "farmer": 8,
    "fire_chief": 5,
    "official": 8,
    "resident": 20,
}
"""The roles of people who belong to no organisation, and how many have each."""

COMPANIES = {
    "airline": ("Air", "the airline"),
    "bank": ("Bank", "the bank"),
    "builder": ("Construction", "the builder"),
    "carmaker": ("Motors", "the carmaker"),
    "chipmaker": ("Micro", "the chipmaker"),
    "drugmaker": ("Pharma", "the drugmaker"),
    "foodmaker": ("Foods", "the food company"),
    "gamemaker": ("Games", "the games studio"),
    "power": ("Energy", "the energy company"),
    "railway": ("Rail", "the railway company"),
    "retailer": ("Stores", "the retailer"),
    "studio": ("Pictures", "the studio"),
    "tech": ("Systems", "the technology company"),
}
"""The second part of a company's name, and what it is called once it is known."""

PRODUCERS = ("builder", "carmaker", "chipmaker", "drugmaker", "foodmaker", "power", "retailer")
"""The kinds of companies of which any will do where a cast asks for a `company`."""

COMPANIES_OF_A_KIND = 4

CLUBS = ("Albion", "Argyle", "Athletic", "Corinthian", "Dynamo", "Orient", "Phoenix", "Sporting", "United", "Victoria")
MINISTRIES = ("finance", "foreign", "health", "interior", "justice", "labour", "transport")
PARTIES = ("the Civic Party", "the Harvest Party", "the New Centre", "the Workers' Alliance")
AGENCIES = {
    "health_agency": "the public health agency",
    "space_agency": "the space agency",
    "tourist_board": "the tourist board",
    "weather_service": "the weather service",
}

PAPERS = (
    "Ledger",
    "Courier",
    "Observer",
    "Chronicle",
    "Gazette",
    "Mercury",
    "Monitor",
    "Sentinel",
    "Register",
    "Herald",
)
STYLES = (
    ("{PLACE} — ", "", False),
    ("", "", False),
    ("{PLACE} ({outlet}) — ", "", False),
    ("", "Read more in the weekend edition of {outlet}.", False),
    ("{PLACE}, {day} — ", "", False),
    ("", "", True),
    ("{PLACE} — ", "", True),
    ("", "This report first appeared in {outlet}.", True),
    ("", "", False),
)
"""Datelines, closing lines, and whether headlines have capitals; one for each outlet."""

OWN_SHARE = 0.5
"""How much of a topic's news is of kinds that no other topic has."""

SOMEWHERE_ELSE = 0.4
"""The chance that a further event of an article is in another town, or has another company, where both would do."""


class World:
    """Everything that the newsroom reports on; the same for the same seed.

    `topics` says how much of the news is filed under each topic, `kinds` how much of a topic's news is of each kind.
    """

    def __init__(self, seed: int) -> None:
        generator = random.Random(f"world {seed}")
        self._generator = generator
        self._names = Names(generator)
        self._ids = 0
        self.seed = seed
        self.country, *self.abroad = (self._area(names.COUNTRIES) for _ in range(COUNTRIES))
        regions = [self._area(names.REGIONS) for _ in range(REGIONS)]
        rivers = [Area(self._id(), self._names.one_of(names.RIVERS)) for _ in range(REGIONS)]
        self.places = tuple(
            Place(
                self._id(), self._names.joined(names.PLACES), regions[i % REGIONS], rivers[i % REGIONS], self._mayor()
            )
            for i in range(PLACES)
        )
        self.people = {
            role: tuple(self._person(role.replace("_", " ")) for _ in range(number)) for role, number in ROLES.items()
        }
        self.organisations = {**self._companies(), **self._institutions()}
        self.outlets = tuple(
            Outlet(f"The {self._names.one_of(PAPERS)}", *style) for style in generator.sample(STYLES, len(STYLES))
        )
        self.makers = tuple(self._names.joined(names.BRANDS) for _ in range(MAKERS))
        self.topics = normalised({topic: generator.uniform(0.7, 1.3) for topic in TOPICS})
        self.kinds = {topic: self._popularity(topic) for topic in TOPICS}

    def event(self, kind: Kind, topic: str, generator: random.Random, beside: Event | None = None) -> Event:
        """An event of a kind, filed under a topic; in an article it may share place and company with the one `beside`.

        Nothing but `Event.topic` depends on the topic.
        """
        at_home = beside is not None and generator.random() >= SOMEWHERE_ELSE
        participants: dict[str, Person | Organisation] = {}
        place = beside.place if beside and at_home else self._popular(self.places, generator)
        home: Place | None = None
        for slot, asked in kind.cast.items():
            role, _, other = asked.partition("@")
            if role in self.organisations or role == "rival":
                rival = participants.get(other)
                wanted = rival.kind if isinstance(rival, Organisation) else role
                organisation = self._organisation(wanted, participants, beside if at_home else None, generator)
                participants[slot] = organisation
                home = home or organisation.place
        place = home or place
        known = set(participants.values()) | (set(beside.participants.values()) if beside else set())
        for slot, asked in kind.cast.items():
            if slot not in participants:
                participants[slot] = person = self._somebody(asked, participants, known, place, generator)
                known.add(person)
        day, next_day = generator.sample(DAYS, 2)
        facts = {key: generator.choice(values) for key, values in kind.options.items()}
        facts |= {key: figure.drawn(generator) for key, figure in kind.figures.items()}
        slots = slots_of(participants, place) | facts
        slots |= {
            "day": day,
            "next_day": next_day,
            "country": self.country.name,
            "abroad": generator.choice(self.abroad).name,
            "since": str(1956 + generator.randrange(54)),
            "decade": generator.choice(SMALL[4:]),
            "small": generator.choice(SMALL[1:8]),
        }
        outcome = sentence(expand(generator.choice(kind.outcomes), slots, generator))
        return Event(kind, topic, place, day, participants, facts, slots, outcome)

    def entities(self) -> Iterator[Entity]:
        """All that has a name of its own."""
        yield self.country
        yield from self.abroad
        areas = [area for place in self.places for area in (place.region, place.river)]
        organisations = [one for group in self.organisations.values() for one in group]
        staff = [person for one in organisations for people in one.people.values() for person in people]
        mayors = [place.mayor for place in self.places]
        proper = [one for one in organisations if one.proper]
        people = [person for group in self.people.values() for person in group]
        rest: list[Entity] = [*areas, *self.places, *mayors, *proper, *staff, *people]
        yield from dict.fromkeys(rest)

    def _organisation(
        self,
        asked: str,
        participants: dict[str, Person | Organisation],
        beside: Event | None,
        generator: random.Random,
    ) -> Organisation:
        free = [one for one in self.organisations[asked] if one not in participants.values()]
        if beside:
            for one in beside.participants.values():
                if isinstance(one, Organisation) and one in free:
                    return one
        return self._popular(free, generator)

    def _somebody(
        self,
        asked: str,
        participants: dict[str, Person | Organisation],
        known: Collection[Person | Organisation],
        place: Place,
        generator: random.Random,
    ) -> Person:
        role, _, where = asked.partition("@")
        if role == "mayor":
            return place.mayor
        if not where:
            return self._popular([one for one in self.people[role] if one not in known], generator)
        organisation = participants.get(where) or self._popular(self.organisations[where], generator)
        assert isinstance(organisation, Organisation), "a cast names organisations behind @"
        candidates = organisation.people[role]
        return generator.choice([one for one in candidates if one not in known] or candidates)

    def _popular(self, choices: Sequence[T], generator: random.Random) -> T:
        """One of them, the first ones more often: the lower of two draws."""
        return choices[min(generator.randrange(len(choices)), generator.randrange(len(choices)))]

    def _popularity(self, topic: str) -> dict[str, float]:
        """The share of each kind in a topic's news."""
        own = normalised({name: self._generator.uniform(0.6, 1.4) for name in OWN[topic]})
        shared = normalised({name: self._generator.uniform(0.6, 1.4) for name in SHARED[topic]})
        return {name: OWN_SHARE * share for name, share in own.items()} | {
            name: (1 - OWN_SHARE) * share for name, share in shared.items()
        }

    def _id(self) -> str:
        """An invented id in the form of Wikidata's, far above the real ones."""
        self._ids += 1
        return f"Q{900_000_000 + self._ids}"

    def _area(self, parts: names.Parts) -> Area:
        return Area(self._id(), self._names.joined(parts))

    def _person(self, role: str) -> Person:
        is_woman = self._generator.random() < 0.5
        first = self._generator.choice(names.WOMEN if is_woman else names.MEN)
        return Person(self._id(), first, self._names.joined(names.SURNAMES), is_woman, role)

    def _mayor(self) -> Person:
        return self._person("mayor")

    def _staff(self, **numbers: int) -> dict[str, tuple[Person, ...]]:
        return {role: tuple(self._person(role) for _ in range(number)) for role, number in numbers.items()}

    def _companies(self) -> dict[str, tuple[Organisation, ...]]:
        companies = {
            kind: tuple(self._company(kind, second, noun) for _ in range(COMPANIES_OF_A_KIND))
            for kind, (second, noun) in COMPANIES.items()
        }
        mixed = [one for kind in PRODUCERS for one in companies[kind]]
        self._generator.shuffle(mixed)
        return {**companies, "company": tuple(mixed)}

    def _company(self, kind: str, second: str, noun: str) -> Organisation:
        brand = self._names.joined(names.BRANDS)
        return Organisation(self._id(), kind, f"{brand} {second}", brand, noun, self._staff(chief=1))

    def _institutions(self) -> dict[str, tuple[Organisation, ...]]:
        made: dict[str, tuple[Organisation, ...]] = {}
        homes = self._generator.sample(self.places, len(CLUBS))
        made["club"] = tuple(
            Organisation(
                self._id(),
                "club",
                f"{home.name} {second}",
                second,
                "the club",
                self._staff(coach=1, chair=1, player=4),
                home,
            )
            for home, second in zip(homes, self._generator.sample(CLUBS, len(CLUBS)), strict=True)
        )
        made["hospital"] = tuple(
            self._located("hospital", "Hospital", home, self._staff(director=1, doctor=3)) for home in self.places[:7]
        )
        made["university"] = tuple(
            self._located("university", "University", home, self._staff(researcher=6)) for home in self.places[3:9]
        )
        made["police"] = tuple(
            self._located("police", "police", home, self._staff(detective=2)) for home in self.places
        )
        ministries = {
            f"{branch}_ministry": self._public(
                "ministry",
                f"the {branch} ministry",
                "the ministry",
                {"minister": (self._person(f"{branch} minister"),)},
            )
            for branch in MINISTRIES
        }
        made |= {kind: (ministry,) for kind, ministry in ministries.items()}
        made["ministry"] = tuple(ministries.values())
        made["party"] = tuple(
            self._public("party", name, "the party", self._staff(leader=1), proper=True) for name in PARTIES
        )
        made |= {kind: (self._public(kind, name, name, self._staff(official=3)),) for kind, name in AGENCIES.items()}
        return made

    def _located(self, kind: str, second: str, home: Place, people: dict[str, tuple[Person, ...]]) -> Organisation:
        noun = f"the {kind}"
        return Organisation(self._id(), kind, f"{home.name} {second}", noun, noun, people, home)

    def _public(
        self, kind: str, name: str, noun: str, people: dict[str, tuple[Person, ...]], *, proper: bool = False
    ) -> Organisation:
        return Organisation(self._id(), kind, name, noun, noun, people, proper=proper)
