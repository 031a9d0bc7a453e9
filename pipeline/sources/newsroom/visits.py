"""Days of readers' visits to the newsroom's pages: what is published, shown and clicked."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pipeline.sources.newsroom.angles import ANGLE_OF
from pipeline.sources.newsroom.article import Article, Sizes, Writer
from pipeline.sources.newsroom.desks import KINDS
from pipeline.sources.newsroom.mind_rows import MindRows
from pipeline.sources.newsroom.readers import APPEAL, KIND_APPEAL, Item, Reader, draw_readers
from pipeline.sources.newsroom.world import World

HISTORY_DAYS, TRAINING_DAYS, TEST_DAYS = 7, 6, 1
DAYS = HISTORY_DAYS + TRAINING_DAYS + TEST_DAYS
TEST_DAY = HISTORY_DAYS + TRAINING_DAYS

SHELF_LIFE = 2
"""Days for which an article is shown; so long before the first visit the first ones are published."""

FADING = 1.0
"""An article is shown exp(-FADING) times as often with each day."""

PROMINENCE = 0.8
"""Standard deviation of the logarithm of how often an article is shown."""

SMALLEST_PAGE, MEAN_PAGE, LARGEST_PAGE = 2, 20, 60

OPENS = 6 / 24
"""Visits are from six o'clock to midnight."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A page that a reader was shown, at a time in days, with what was clicked and how likely each click was.

    `history` is the number of the reader's clicks that are known to whoever looks at the log: those before the first
    training day, on the test day also those since.
    """

    reader: Reader
    now: float
    history: int
    page: tuple[Item, ...]
    chances: tuple[float, ...]
    clicks: tuple[bool, ...]

    @property
    def is_test(self) -> bool:
        return self.now >= TEST_DAY


class Newsstand:
    """The news of some days, their readers, and every visit that is logged; the same for the same arguments."""

    def __init__(self, world: World, *, news: int, readers: int, visits: int) -> None:
        self._generator = random.Random(f"clicks {world.seed}")
        writer = Writer(world)
        self.articles = [self._article(writer) for _ in range(news)]
        self.items = self._items(MindRows(world))
        named = Counter(name for item in self.items for name in sorted(item.names))
        self.readers = draw_readers(readers, named, DAYS, HISTORY_DAYS, self._generator)
        self._known: dict[str, int] = {}
        self.log = [visit for day in range(DAYS) for visit in self._day(day, visits)]

    def _article(self, writer: Writer) -> Article:
        """A report on one event: a title, a first sentence, and up to two more."""
        return writer.written(Sizes(False, self._generator.randrange(3), (), 0), self._generator)

    def _items(self, rows: MindRows) -> list[Item]:
        generator = self._generator
        kinds = {kind: generator.gauss(0, KIND_APPEAL) for kind in KINDS}
        times = sorted(generator.uniform(-SHELF_LIFE, DAYS) for _ in self.articles)
        return [
            Item(
                number=number,
                published=published,
                topic=article.topic,
                angle=ANGLE_OF[article.main_event.kind.name],
                names=frozenset(entity["WikidataId"] for entity in rows.found(article.title)),
                appeal=kinds[article.main_event.kind.name] + generator.gauss(0, APPEAL),
                prominence=generator.lognormvariate(0, PROMINENCE),
            )
            for number, (article, published) in enumerate(zip(self.articles, times, strict=True))
        ]

    def _day(self, day: int, visits: int) -> Iterator[Visit]:
        """The visits of a day; those of the first days only fill the histories."""
        generator = self._generator
        present = [reader for reader in self.readers if reader.first_day <= day]
        activities = list(accumulate(reader.activity for reader in present))
        if day in (HISTORY_DAYS, TEST_DAY):
            self._known = {reader.name: len(reader.history) for reader in self.readers}
        times = sorted(day + OPENS + generator.random() * (1 - OPENS) for _ in range(visits))
        shelves: dict[int, tuple[list[Item], list[float]]] = {}
        for now in times:
            hour = int(now * 24)
            if hour not in shelves:
                shelves = {hour: self._shelf(hour / 24)}
            reader = generator.choices(present, cum_weights=activities)[0]
            page, chances, clicks = self._clicked(reader, now, *shelves[hour])
            if day >= HISTORY_DAYS:
                yield Visit(reader, now, self._known[reader.name], page, chances, clicks)
            reader.history += [item for item, click in zip(page, clicks, strict=True) if click]
            reader.seen.update(item.number for item, click in zip(page, clicks, strict=True) if click)

    def _shelf(self, now: float) -> tuple[list[Item], list[float]]:
        """What may be shown at a time, and the running sum of how often each is."""
        there = [item for item in self.items if now - SHELF_LIFE < item.published <= now]
        weights = (item.prominence * math.exp(-FADING * (now - item.published)) for item in there)
        return there, list(accumulate(weights))

    def _clicked(
        self, reader: Reader, now: float, there: Sequence[Item], weights: Sequence[float]
    ) -> tuple[tuple[Item, ...], tuple[float, ...], tuple[bool, ...]]:
        """The first page on which the reader clicks on something but not on everything."""
        generator = self._generator
        while True:
            size = min(SMALLEST_PAGE + int(generator.expovariate(1 / (MEAN_PAGE - SMALLEST_PAGE))), LARGEST_PAGE)
            shown = dict.fromkeys(generator.choices(there, cum_weights=weights, k=size))
            page = tuple(item for item in shown if item.number not in reader.seen)
            chances = tuple(reader.chance(item, now) for item in page)
            clicks = tuple(generator.random() < chance for chance in chances)
            if any(clicks) and not all(clicks):
                return page, chances, clicks
