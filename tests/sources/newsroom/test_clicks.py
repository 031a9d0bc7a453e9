"""Generated clicks: MIND's format, chances that are as good as they claim to be, and what can be known without them."""

import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.errors import UserError
from pipeline.files import sha256
from pipeline.metrics.ranking import ranking
from pipeline.sources.mind_behaviors import behaviors_of
from pipeline.sources.mind_news import news_of
from pipeline.sources.newsroom.angles import ANGLES
from pipeline.sources.newsroom.clicks import NewsroomClicks
from pipeline.sources.newsroom.desks import KINDS
from pipeline.sources.newsroom.readers import AGEING, DISLIKED, FOLLOWED, LIKED, OF_ANGLE, OF_TOPIC
from pipeline.sources.newsroom.visits import (
    DAYS,
    HISTORY_DAYS,
    OPENS,
    SHELF_LIFE,
    TEST_DAY,
    Newsstand,
    Visit,
)
from pipeline.sources.newsroom.world import World
from pipeline.sources.recommendation import Impression

VALUES: dict[str, Any] = {"news": 900, "readers": 150, "impressions": 60, "world": 1}
FILES = ("train/news.tsv", "train/behaviors.tsv", "dev/news.tsv", "dev/behaviors.tsv", "dev/chances.txt")


def source(**changes: Any) -> NewsroomClicks:
    values = (
        {"reader": "newsroom_clicks", "max_history": 50, "abstract_length": None, "news_encoder": None}
        | VALUES
        | changes
    )
    options: Any = NewsroomClicks.Options.model_validate(values)
    return NewsroomClicks("newsroom_clicks", options)


@cache
def stand(world: int = 1) -> Newsstand:
    return Newsstand(World(world), news=2500, readers=400, visits=700)


def read(path: Path) -> list[Impression]:
    return list(source().read(path, Counter()))


# The files


def test_a_seed_gives_the_same_bytes_in_any_process(raw: Path, tmp_path: Path) -> None:
    code = (
        "import sys, json; from pathlib import Path; from pipeline.sources.newsroom.clicks import *;"
        "o = NewsroomClicks.Options.model_validate(json.loads(sys.argv[2]));"
        "p = Path(sys.argv[1]); NewsroomClicks('newsroom_clicks', o).fetch(p, p, p)"
    )
    options = source().options.model_dump_json()
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path), options], check=True, env=environment)
    for name in FILES:
        assert sha256(tmp_path / name) == sha256(raw / name)


def test_rows_have_minds_layout(raw: Path) -> None:
    for folder, days in (("train", 6), ("dev", 1)):
        content = (raw / folder / "behaviors.tsv").read_bytes()
        assert b"\r" not in content
        lines = content.decode().split("\n")
        assert lines.pop() == ""
        assert len(lines) == days * VALUES["impressions"]
        times = []
        for number, line in enumerate(lines, 1):
            identifier, user, time, history, shown = line.split("\t")
            assert identifier == str(number)
            assert re.fullmatch(r"U\d+", user)
            assert re.fullmatch(r"(9|10)/[1-9]\d?/2026 ([1-9]|1[0-2]):\d\d:\d\d [AP]M", time)
            assert re.fullmatch(r"(N\d+( N\d+)*)?", history)
            assert re.fullmatch(r"N\d+-[01]( N\d+-[01])+", shown)
            times.append(time)
        assert times != sorted(times)


def test_every_id_is_in_the_folders_own_news(raw: Path) -> None:
    for folder in ("train", "dev"):
        rows = [row for _, row in behaviors_of(raw / folder / "behaviors.tsv")]
        known = [news.id for _, news in news_of(raw / folder / "news.tsv")]
        assert len(set(known)) == len(known)
        assert {one for row in rows for one in (*row.history, *row.candidates)} == set(known)


def test_splits_follow_each_other(raw: Path) -> None:
    found = read(raw)
    days = {
        split: {one.time // 86_400 for one in found if one.split == split} for split in ("train", "validation", "test")
    }
    assert [len(days[split]) for split in days] == [5, 1, 1]
    assert max(days["train"]) + 1 == min(days["validation"]) == min(days["test"]) - 1
    assert list(source().splits(raw)) == ["train", "validation", "test"]


def test_a_user_has_one_history_in_each_folder_and_a_longer_one_in_the_test(raw: Path) -> None:
    train, test = {}, {}
    for one in read(raw):
        histories = test if one.split == "test" else train
        assert histories.setdefault(one.user, one.history) == one.history
    assert () in train.values()
    both = train.keys() & test.keys()
    assert both
    assert all(test[user][: len(train[user])] == train[user] for user in both)
    assert any(len(test[user]) > len(train[user]) for user in both)


def test_only_test_impressions_have_chances(raw: Path) -> None:
    for one in read(raw):
        if one.split != "test":
            assert one.chances is None
        else:
            assert one.chances is not None
            assert len(one.chances) == len(one.candidates)
            assert all(0 < chance < 1 for chance in one.chances)


@pytest.mark.parametrize("chances", ["", "0.5 0.5\n", "nan\n", "2\n", "x\n"])
def test_chances_that_do_not_fit_are_refused(raw: Path, tmp_path: Path, chances: str) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((raw / name).read_bytes())
    (tmp_path / "dev" / "chances.txt").write_text(chances)
    with pytest.raises(UserError, match=r"chances\.txt:1: not one chance per candidate; run fetch again"):
        read(tmp_path)


# The rules


def test_every_kind_has_one_angle_and_angles_cross_topics() -> None:
    assert Counter(kind for kinds in ANGLES.values() for kind in kinds) == Counter(KINDS.keys())
    for kinds in ANGLES.values():
        assert 4 <= len(kinds) <= 6
        assert len({topic for kind in kinds for topic in KINDS[kind].topics}) >= 2


def test_interests_have_their_numbers_and_weights() -> None:
    changed = 0
    for reader in stand().readers:
        for interests in (reader.before, reader.after):
            assert Counter(interests.topics.values()) == {OF_TOPIC: LIKED, -OF_TOPIC: DISLIKED}
            assert Counter(interests.angles.values()) == {OF_ANGLE: LIKED, -OF_ANGLE: DISLIKED}
        assert len(reader.before.topics.keys() - reader.after.topics.keys()) == 1
        assert len(reader.before.angles.keys() - reader.after.angles.keys()) == 1
        assert 1 <= len(reader.follows) <= FOLLOWED
        changed += reader.change < DAYS
    assert 0.4 < changed / len(stand().readers) < 0.6


def test_pages_hold_what_is_new_and_unclicked_and_end_with_a_click() -> None:
    for visit in stand().log:
        assert len({item.number for item in visit.page}) == len(visit.page) <= 60
        assert 0 < sum(visit.clicks) < len(visit.page)
        assert HISTORY_DAYS <= int(visit.now) < DAYS
        assert visit.now % 1 >= OPENS
        assert all(visit.now - SHELF_LIFE - 1 / 24 < item.published <= visit.now for item in visit.page)
        known = {item.number for item in visit.reader.history[: visit.history]}
        assert known.isdisjoint(item.number for item in visit.page)


def test_the_first_half_of_a_page_is_clicked_as_often_as_the_second() -> None:
    places: Counter[str] = Counter()
    clicks: Counter[str] = Counter()
    for visit in stand().log:
        half = len(visit.page) // 2
        for part, some in (("first", slice(half)), ("second", slice(len(visit.page) - half, None))):
            places[part] += half
            clicks[part] += sum(visit.clicks[some])
    rates = [clicks[part] / places[part] for part in ("first", "second")]
    error = np.sqrt(2 * rates[0] / places["first"])
    assert abs(rates[0] - rates[1]) < 4 * error


def test_given_one_click_each_candidate_has_it_in_proportion_to_its_odds() -> None:
    """P(i alone is clicked) is proportional to p / (1 - p), which leaves nothing to the choice of pages."""
    expected, hits, variance = np.zeros(3), np.zeros(3), np.zeros(3)
    for visit in stand().log:
        if sum(visit.clicks) != 1:
            continue
        odds = np.array([chance / (1 - chance) for chance in visit.chances])
        share = odds / odds.sum()
        part = np.digitize(share, [0.05, 0.2])
        np.add.at(expected, part, share)
        np.add.at(variance, part, share * (1 - share))
        np.add.at(hits, part, visit.clicks)
    assert (np.abs(hits - expected) < 4 * np.sqrt(variance)).all()


# What can be known


def auc(visits: list[Visit], score: Any) -> float:
    scores = np.array([score(visit, item) for visit in visits for item in visit.page], dtype=float)
    clicks = np.array([click for visit in visits for click in visit.clicks])
    return ranking(scores, clicks, np.cumsum([0, *(len(visit.page) for visit in visits)])).means()["auc"]


@pytest.mark.parametrize("world", [1, 2])
def test_what_a_score_may_know_decides_how_good_it_is(world: int) -> None:
    news = stand(world)
    train, test = ([visit for visit in news.log if visit.is_test == is_test] for is_test in (False, True))
    assert all(visit.now >= TEST_DAY for visit in test)
    shown, clicked = Counter[int](), Counter[int]()
    for visit in train:
        shown.update(item.number for item in visit.page)
        clicked.update(item.number for item, click in zip(visit.page, visit.clicks, strict=True) if click)
    rate = clicked.total() / shown.total()
    words = [set(article.title.lower().split()) for article in news.articles]
    chance = np.random.default_rng(1)

    def overlap(visit: Visit, item: Any) -> float:
        mine = words[item.number]
        history = visit.reader.history[: visit.history]
        return sum(len(mine & words[one.number]) / len(mine | words[one.number]) for one in history)

    def content(visit: Visit, item: Any) -> float:
        history = visit.reader.history[: visit.history]
        alike = (sum(one.topic == item.topic for one in history), sum(one.angle == item.angle for one in history))
        return sum(np.log(2 + count) for count in alike)

    found = [
        auc(test, lambda *_: chance.random()),
        auc(test, lambda _, item: (clicked[item.number] + 20 * rate) / (shown[item.number] + 20)),
        auc(test, overlap),
        auc(test, content),
        auc(test, lambda visit, item: visit.reader.taste(item, visit.now)),
        auc(test, lambda visit, item: visit.reader.taste(item, visit.now) - AGEING * (visit.now - item.published)),
        auc(test, lambda visit, item: visit.reader.chance(item, visit.now)),
    ]
    assert found == sorted(found)
    assert abs(found[0] - 0.5) < 0.02
    assert found[3] - found[2] > 0.03
    assert 0.8 < found[-1] < 0.9


def test_most_clicks_of_the_test_day_are_on_news_that_training_never_showed() -> None:
    seen = {item.number for visit in stand().log if not visit.is_test for item in visit.page}
    clicks = [
        item.number in seen
        for visit in stand().log
        if visit.is_test
        for item, click in zip(visit.page, visit.clicks, strict=True)
        if click
    ]
    assert 0.2 < np.mean(clicks) < 0.4
