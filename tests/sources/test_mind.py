"""MIND's news and impressions: its times, its splits, its empty histories, and rows without clicks."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pipeline.errors import UserError
from pipeline.sources.mind import Mind
from pipeline.sources.mind_behaviors import behaviors_of
from pipeline.sources.recommendation import Impression
from tests.sources import mind_files
from tests.sources.mind_files import TRAIN, behavior_row


def source(**changes: Any) -> Mind:
    values = {"reader": "mind", "accept_licence": False, "train": "train", "test": "dev", "unlabelled": "test"}
    values |= {"max_history": 50, "abstract_length": None, "news_encoder": None}
    options: Any = Mind.Options.model_validate(values | changes)
    return Mind("mind", options)


def read(path: Path, **changes: Any) -> list[Impression]:
    return list(source(**changes).read(path, Counter()))


def test_rows_are_impressions_in_their_splits(tmp_path: Path) -> None:
    found = read(mind_files.write(tmp_path))
    assert [(one.split, one.id, one.user) for one in found] == [
        ("train", 1, "U1"),
        ("train", 2, "U2"),
        ("train", 3, "U1"),
        ("validation", 4, "U3"),
        ("test", 1, "U1"),
        ("test", 2, "U4"),
        ("unlabelled", 7, "U1"),
        ("unlabelled", 8, "U4"),
    ]
    first = found[0]
    assert (first.history, first.candidates, first.clicks) == (("N1", "N2", "N1"), ("N3", "N4"), (True, False))
    assert first.origin == "data/local/mind/train/behaviors.tsv:1"
    assert found[1].history == ()
    assert (found[-1].candidates, found[-1].clicks) == (("N4",), None)
    assert all(one.chances is None for one in found)


def test_noon_and_midnight_and_days_without_zeros(tmp_path: Path) -> None:
    found = read(mind_files.write(tmp_path))
    # 2019-11-10 09:03:12, 2019-11-09 12:00:05 and 00:59:59, as `date -u -d ... +%s` says.
    assert [one.time for one in found[:3]] == [1573376592, 1573300805, 1573261199]


def test_the_splits_are_told_in_words(tmp_path: Path) -> None:
    told = source(unlabelled=None).splits(mind_files.write(tmp_path))
    assert told == {
        "train": "train before 2019-11-11",
        "validation": "the last day of train, 2019-11-11",
        "test": "dev; upstream doesn't publish the clicks of its own test split",
    }
    assert list(source().splits(tmp_path)) == ["train", "validation", "test", "unlabelled"]


def test_news_keep_their_quotes_and_count_once(tmp_path: Path) -> None:
    skipped: Counter[str] = Counter()
    found = list(source().news(mind_files.write(tmp_path), skipped))
    assert [(news.id, news.title) for news, _ in found] == [
        ("N1", "Orlen votes"),
        ("N2", '"We won," she said'),
        ("N3", 'A lone " quote'),
        ("N4", "Rain ahead"),
        ("N5", "Snow at last"),
    ]
    assert skipped == {"repeated id": 3}
    assert all(changes == () for _, changes in found)


def test_news_are_mended_and_say_of_what(tmp_path: Path) -> None:
    rows = mind_files.TRAIN_NEWS.replace("Orlen votes", "\ufeffOrlen &amp; votes")
    (news, changes), *_ = source().news(mind_files.write(tmp_path, train_news=rows), Counter())
    assert (news.title, changes) == ("Orlen & votes", ("zero-width characters", "HTML entities"))


def test_fetch_copies_the_named_folders(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    source(unlabelled=None).fetch(tmp_path, mind_files.write(tmp_path / "local"), raw)
    copied = sorted(path.relative_to(raw).as_posix() for path in raw.rglob("*") if path.is_file())
    assert copied == ["dev/behaviors.tsv", "dev/news.tsv", "train/behaviors.tsv", "train/news.tsv"]
    assert (raw / "train" / "behaviors.tsv").read_text() == TRAIN


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1\tU1\t11/9/2019 9:03:12 AM\tN1-1\n", "4 fields between tabs, not the 5 of MIND's behaviors.tsv"),
        (behavior_row(5, "U", "2019-11-09 09:03:12", "", "N1-1"), "'2019-11-09 09:03:12' is no time such as 11/9/2019"),
        (behavior_row(5, "U", "13/9/2019 9:03:12 AM", "", "N1-1"), "'13/9/2019' is no date such as 11/9/2019 (month"),
        (behavior_row(5, "U", "11/9/2019 13:03:12 PM", "", "N1-1"), "'11/9/2019 13:03:12 PM' is no time"),
        (behavior_row(5, "U", "11/9/2019 9:03:12 AM", "", "N1-1 N2"), "candidate 'N2' doesn't end in -0 or -1"),
        (behavior_row(5, "U", "11/9/2019 9:03:12 AM", "", "N1-2"), "candidate 'N1-2' doesn't end in -0 or -1"),
        (behavior_row(5, "U", "11/9/2019 9:03:12 AM", "", "N1-1").replace("5", "x", 1), "impression id 'x' is no"),
    ],
)
def test_a_broken_row_is_refused_by_its_own_file(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "raw").mkdir()
    with pytest.raises(UserError) as caught:
        source().fetch(tmp_path, mind_files.write(tmp_path / "local", train_behaviors=TRAIN + row), tmp_path / "raw")
    assert str(caught.value).startswith(f"{tmp_path}/local/train/behaviors.tsv:5: {message}")
    assert str(caught.value).endswith("; link the file as published")


def test_a_split_with_the_wrong_marks_is_refused(tmp_path: Path) -> None:
    local = mind_files.write(tmp_path)
    with pytest.raises(UserError, match=r"data/local/mind/test/behaviors.tsv:1: says nothing of clicks, but is named"):
        read(local, test="test", unlabelled=None)
    mind_files.write(local, test_behaviors=mind_files.TEST)
    with pytest.raises(UserError, match=r"test/behaviors.tsv:1: says what was clicked, but is named as unlabelled"):
        read(local)


def test_a_labelled_impression_without_candidates_is_read(tmp_path: Path) -> None:
    row = behavior_row(3, "U9", "11/12/2019 8:00:00 PM", "N1", "")
    found = read(mind_files.write(tmp_path, dev_behaviors=mind_files.TEST + row))
    assert [one.clicks for one in found if one.user == "U9"] == [()]


def test_an_empty_file_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    local = mind_files.write(tmp_path, dev_behaviors="")
    with pytest.raises(UserError, match=r"dev/behaviors.tsv: has no rows; link the file as published"):
        source().check(local)
    (local / "dev" / "behaviors.tsv").unlink()
    with pytest.raises(UserError, match=r"dev/behaviors.tsv: no such file; `python -m pipeline link mind FILE`"):
        source().check(local)


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValidationError, match="name one folder twice"):
        source(test="train")
    with pytest.raises(ValidationError, match="must be a path inside"):
        source(unlabelled="../test")


def test_bytes_that_are_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "behaviors.tsv"
    path.write_bytes(TRAIN.encode() + b"\xff")
    with pytest.raises(UserError, match=r"behaviors.tsv:5: not UTF-8"):
        list(behaviors_of(path))
