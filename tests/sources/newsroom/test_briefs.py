"""Generated stories: CNN's format, summaries whose facts the story tells, and no way round reading it."""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import UserError
from pipeline.files import sha256
from pipeline.sources.cnn_dailymail import parsed_story, story_name
from pipeline.sources.newsroom import stories as writing
from pipeline.sources.newsroom.briefs import ANSWERS, ARCHIVE, NewsroomBriefs
from pipeline.sources.newsroom.desks import KINDS, OWN
from pipeline.sources.newsroom.entities import Person
from pipeline.sources.newsroom.gists import GISTS
from pipeline.sources.newsroom.grammar import CHOICE
from pipeline.sources.newsroom.stories import (
    LENGTHS,
    NEWCOMERS,
    Story,
    StoryWriter,
    first_wordings,
    leads_of,
    named_slots,
    told_slots,
)
from pipeline.sources.newsroom.world import World
from pipeline.sources.summarization import Article
from tests.sources.newsroom.patterns import pattern

FILES = (ARCHIVE, ANSWERS, "train.txt", "validation.txt", "test.txt")
NUMBERS = {"train": 30, "validation": 4, "test": 6}


def source(world: int = 1, **numbers: int) -> NewsroomBriefs:
    values = {"reader": "newsroom_briefs", "summary_length": 64, "articles": NUMBERS | numbers, "world": world}
    options: Any = NewsroomBriefs.Options.model_validate(values)
    return NewsroomBriefs("newsroom_briefs", options)


@cache
def many() -> tuple[Story, ...]:
    return tuple(StoryWriter(World(1)).stories(3000))


def read(made: NewsroomBriefs, path: Path) -> list[Article]:
    skipped: Counter[str] = Counter()
    articles = list(made.read(path, skipped))
    assert not skipped
    return articles


# The files


def test_a_seed_gives_the_same_bytes_in_any_process(raw: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pipeline.sources.newsroom.briefs import *;"
        "values = dict(reader='newsroom_briefs', summary_length=64, world=1);"
        f"o = NewsroomBriefs.Options.model_validate(values | dict(articles={NUMBERS}));"
        "p = Path(sys.argv[1]); NewsroomBriefs('newsroom_briefs', o).fetch(p, p, p)"
    )
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    assert [sha256(tmp_path / name) for name in FILES] == [sha256(raw / name) for name in FILES]


def test_stories_are_upstreams_files(raw: Path) -> None:
    with tarfile.open(raw / ARCHIVE) as archive:
        names = archive.getnames()
        first = archive.extractfile(names[0])
        assert first is not None
        text = io.TextIOWrapper(first, encoding="utf-8").read()
    assert len(set(names)) == sum(NUMBERS.values())
    assert all(re.fullmatch(r"newsroom/stories/[0-9a-f]{40}\.story", name) for name in names)
    blocks = text.removesuffix("\n").split("\n\n")
    assert blocks.count("@highlight") == 2
    assert all(block and "\n" not in block for block in blocks)
    body, highlights = parsed_story(text)
    assert len(highlights) == 2
    assert "@highlight" not in body


def test_splits_follow_each_other_in_time(raw: Path) -> None:
    urls = [line for split in NUMBERS for line in (raw / f"{split}.txt").read_text().splitlines()]
    assert urls == sorted(urls)
    articles = {article.origin.rpartition(":")[2]: article for article in read(source(), raw)}
    told = list(StoryWriter(World(1)).stories(len(urls)))
    for split, start in (("train", 0), ("validation", 30), ("test", 34)):
        for number in range(start, start + NUMBERS[split]):
            article = articles[story_name(urls[number])]
            assert article.split == split
            assert article.body == " ".join(told[number].sentences)
            assert article.summary == told[number].summary
            assert article.best == told[number].best


def test_more_stories_begin_with_the_same_ones(raw: Path, tmp_path: Path) -> None:
    source(train=40).fetch(tmp_path, tmp_path, tmp_path)
    mine, longer = ([(a.body, a.summary) for a in read(source(), path)] for path in (raw, tmp_path))
    assert longer[: len(mine)] == mine


def test_another_world_has_other_stories(raw: Path, tmp_path: Path) -> None:
    source(world=2).fetch(tmp_path, tmp_path, tmp_path)
    mine, other = ({a.body for a in read(source(), path)} for path in (raw, tmp_path))
    assert not mine & other


def test_a_story_without_its_best_summary_is_refused(raw: Path, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes((raw / name).read_bytes())
    lines = (raw / ANSWERS).read_text().splitlines()
    (tmp_path / ANSWERS).write_text("\n".join(lines[1:]) + "\n")
    with pytest.raises(UserError, match=f"has no best summary of {json.loads(lines[0])['story']}; run fetch again"):
        read(source(), tmp_path)
    (tmp_path / ANSWERS).write_text('{"story": "a.story", "best": "text"}\n')
    with pytest.raises(UserError, match="1: is no story with its best summary"):
        read(source(), tmp_path)


# The rules


def test_every_kind_of_a_single_topic_has_a_gist() -> None:
    assert set(GISTS) == {name for names in OWN.values() for name in names}


@pytest.mark.parametrize("name", GISTS)
def test_a_gist_fits_its_kind(name: str) -> None:
    kind, gist = KINDS[name], GISTS[name]
    assert leads_of(name)
    assert len(gist.endings) == len(kind.outcomes)
    for wording in (gist.event, *gist.endings):
        assert all(len(choice.split("|")) == 2 for choice in CHOICE.findall(wording))
        assert CHOICE.search(wording)
    # What comes of it is told by the outcome; a person's family name by the full one.
    for ending, outcome in zip(gist.endings, kind.outcomes, strict=True):
        told = named_slots(gist.event) | told_slots(outcome)
        assert {slot.removesuffix("_last").removesuffix("_short") for slot in named_slots(ending)} <= told


def test_stories_tell_all_that_their_summaries_name() -> None:
    for story in many():
        body = " ".join(story.sentences).lower()
        gist, slots = GISTS[story.event.kind.name], story.event.slots
        assert [slot for slot in named_slots(gist.event) if slots[slot].lower() not in body] == []
        endings = [pattern(ending).fullmatch(story.summary[1]) for ending in gist.endings]
        (number,) = (number for number, found in enumerate(endings) if found)
        assert pattern(story.event.kind.outcomes[number]).search(" ".join(story.sentences))


def test_no_other_event_has_its_outcome_told() -> None:
    others = [(name, pattern(outcome)) for name, kind in KINDS.items() for outcome in kind.outcomes]
    for story in many()[:300]:
        mine = {" ".join(outcome.split()) for outcome in story.event.kind.outcomes}
        found = [name for name, made in others for text in story.sentences if made.fullmatch(text)]
        # Some kinds' outcomes are worded alike ("bookings open on", "tickets ... on").
        assert len(found) <= 2, (found, mine)
        assert story.event.kind.name in found


def test_lengths_have_a_long_tail() -> None:
    words = sorted(len(" ".join(story.sentences).split()) for story in many())
    assert 140 < sum(words) / len(words) < 160
    assert words[0] > 50
    assert words[-1] <= 420
    assert words[len(words) // 2] * 1.7 < words[int(0.95 * len(words))]
    sentences = Counter(len(story.sentences) for story in many())
    assert max(sentences) <= LENGTHS[-1][1] + 2
    summaries = [len(" ".join(story.summary).split()) for story in many()]
    assert min(summaries) >= 15
    assert max(summaries) <= 40


def test_the_first_sentences_seldom_tell_all() -> None:
    told = dict.fromkeys((1, 3), 0)
    for story in many():
        gist, slots = GISTS[story.event.kind.name], story.event.slots
        outcomes = [pattern(outcome) for outcome in story.event.kind.outcomes]
        for number in told:
            start = " ".join(story.sentences[:number]).lower()
            names_all = all(slots[slot].lower() in start for slot in named_slots(gist.event))
            told[number] += names_all and any(outcome.search(start) for outcome in outcomes)
    assert told[1] == 0
    assert told[3] < 0.2 * len(many())


def test_wordings_are_drawn_without_a_look_at_the_story() -> None:
    for story in many():
        gist = GISTS[story.event.kind.name]
        assert pattern(gist.event).fullmatch(story.summary[0])
        assert pattern(first_wordings(gist.event)).fullmatch(story.best[0])
    alike = sum(story.summary[1] == story.best[1] for story in many())
    assert 0.45 < alike / len(many()) < 0.55


def test_half_of_the_stories_have_a_name_of_their_own() -> None:
    known = {entity.last for entity in World(1).entities() if isinstance(entity, Person)}
    people = [
        one.last
        for story in many()
        for one in story.event.participants.values()
        if isinstance(one, Person) and one.last not in known
    ]
    assert abs(len(people) / len(many()) - NEWCOMERS) < 0.03
    assert len(set(people)) > 0.9 * len(people)
    in_summary = sum(
        any(
            isinstance(one, Person) and one.last not in known and one.last in " ".join(story.summary)
            for one in story.event.participants.values()
        )
        for story in many()
    )
    assert in_summary / len(many()) > 0.3


def test_a_third_of_the_outcomes_stand_in_each_place() -> None:
    assert len(writing.OUTCOMES) == 3
    last = sum(
        any(pattern(outcome).search(story.sentences[i]) for outcome in story.event.kind.outcomes for i in (-1, -2))
        for story in many()
    )
    assert last / len(many()) > 0.33
