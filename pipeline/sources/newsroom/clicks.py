"""Clicks of the newsroom's readers, in MIND's folders and files; read by the reader of the real ones.

Beside the test rows stand the true probabilities of their clicks: ranking by them is the best that can be done.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

from pipeline.errors import UserError
from pipeline.section import Count, Seed, SourceOptions
from pipeline.sources.lines import numbered_lines
from pipeline.sources.mind import BEHAVIORS, NEWS, Mind, MindOptions
from pipeline.sources.mind_news import News
from pipeline.sources.newsroom.mind_rows import FIRST_ID, MindRows
from pipeline.sources.newsroom.readers import Item
from pipeline.sources.newsroom.visits import Newsstand, Visit
from pipeline.sources.newsroom.world import World
from pipeline.sources.recommendation import Impression, RecommendationOptions, RecommendationSource

TRAIN, TEST = "train", "dev"
CHANCES = "chances.txt"
FIRST_DAY = datetime(2026, 9, 24)


class NewsroomClicksOptions(RecommendationOptions):
    """So many `news` and `readers` of the world with that seed, and so many logged `impressions` a day."""

    reader: Literal["newsroom_clicks"]
    news: Count
    readers: Count
    impressions: Count
    world: Seed


class NewsroomClicks(RecommendationSource[NewsroomClicksOptions]):
    """Generated readers and what they click on; docs/newsroom.md states how."""

    Options: ClassVar[type[SourceOptions]] = NewsroomClicksOptions

    def fetch_news(self, downloads: Path, local: Path, raw: Path) -> None:
        options = self.options
        world = World(options.world)
        stand = Newsstand(world, news=options.news, readers=options.readers, visits=options.impressions)
        rows = MindRows(world)
        order = Random(f"clicks order {options.world}")
        for folder in (TRAIN, TEST):
            log = [visit for visit in stand.log if visit.is_test == (folder == TEST)]
            order.shuffle(log)
            (raw / folder).mkdir()
            told = {item.number for visit in log for item in (*visit.page, *visit.reader.history[: visit.history])}
            _write(raw / folder / NEWS, (rows.row(number, stand.articles[number]) for number in sorted(told)))
            _write(raw / folder / BEHAVIORS, (_row(number, visit) for number, visit in enumerate(log, 1)))
            if folder == TEST:
                chances = (" ".join(f"{chance:.6f}" for chance in visit.chances) + "\n" for visit in log)
                _write(raw / folder / CHANCES, chances)

    def news(self, raw: Path, skipped: Counter[str]) -> Iterator[tuple[News, tuple[str, ...]]]:
        return self._mind().news(raw, skipped)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Impression]:
        chances = [line.split() for _, line in numbered_lines(raw / TEST / CHANCES)]
        for impression in self._mind().read(raw, skipped):
            if impression.split != "test":
                yield impression
                continue
            line = int(impression.origin.rpartition(":")[2])
            known = _numbers(chances[line - 1]) if line <= len(chances) else ()
            if len(known) != len(impression.candidates):
                raise UserError(f"{raw / TEST / CHANCES}:{line}: not one chance per candidate; run fetch again")
            yield replace(impression, chances=known)

    def splits(self, raw: Path) -> dict[str, str]:
        return self._mind().splits(raw) | {"test": "the day after"}

    def _mind(self) -> Mind:
        options = self.options
        return Mind(
            self.dataset,
            MindOptions(
                reader="mind",
                accept_licence=True,
                train=TRAIN,
                test=TEST,
                unlabelled=None,
                max_history=options.max_history,
                abstract_length=options.abstract_length,
                news_encoder=None,
            ),
        )


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


def _row(number: int, visit: Visit) -> str:
    """A visit as a row of behaviors.tsv."""
    shown = zip(_ids(visit.page), visit.clicks, strict=True)
    fields = (
        str(number),
        visit.reader.name,
        as_mind(FIRST_DAY + timedelta(seconds=int(visit.now * 86_400))),
        " ".join(_ids(visit.reader.history[: visit.history])),
        " ".join(f"{news}-{click:d}" for news, click in shown),
    )
    return "\t".join(fields) + "\n"


def _ids(items: Sequence[Item]) -> list[str]:
    return [f"N{FIRST_ID + item.number}" for item in items]


def as_mind(time: datetime) -> str:
    """The time as MIND writes it: 11/9/2019 9:03:12 AM."""
    half = "AM" if time.hour < 12 else "PM"
    return f"{time.month}/{time.day}/{time.year} {time.hour % 12 or 12}:{time:%M:%S} {half}"


def _numbers(words: Collection[str]) -> tuple[float, ...]:
    """The words as probabilities; none where one of them isn't."""
    try:
        found = tuple(float(word) for word in words)
    except ValueError:
        return ()
    return found if all(0 <= chance <= 1 for chance in found) else ()
