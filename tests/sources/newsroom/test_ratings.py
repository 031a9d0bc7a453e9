"""newsroom_ratings: files in the real layout, read by the real reader, and the same for the same world."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.sources.newsroom.answers import read_answers
from pipeline.sources.newsroom.ratings import NewsroomRatings, NewsroomRatingsOptions

REVIEWS = 300


def source(**changes: Any) -> NewsroomRatings:
    values: dict[str, Any] = {
        "reader": "newsroom_ratings",
        "reviews": REVIEWS,
        "world": 1,
        "splits": {"validation": 0.1, "test": 0.2, "seed": 1},
        "drop_repeated": False,
    }
    return NewsroomRatings("newsroom_ratings", NewsroomRatingsOptions.model_validate(values | changes))


def fetched(folder: Path, **changes: Any) -> dict[str, bytes]:
    folder.mkdir()
    source(**changes).fetch(folder / "downloads", folder / "local", folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_world_is_the_same_every_time_and_another_is_another(tmp_path: Path) -> None:
    first = fetched(tmp_path / "first")
    assert fetched(tmp_path / "again") == first
    assert fetched(tmp_path / "other", world=2)["reviews.json"] != first["reviews.json"]


@pytest.mark.parametrize("hash_seed", ["0", "99"])
def test_a_world_is_the_same_in_every_process(tmp_path: Path, hash_seed: str) -> None:
    first = fetched(tmp_path / "first")
    code = (
        "import hashlib; from pathlib import Path; from tests.sources.newsroom.test_ratings import fetched; "
        f"print(hashlib.sha256(fetched(Path({str(tmp_path / 'child')!r}))['reviews.json']).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == hashlib.sha256(first["reviews.json"]).hexdigest()


def test_lines_have_the_layout_of_2018(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in fetched(tmp_path / "raw")["reviews.json"].decode().splitlines()]
    assert len(rows) == REVIEWS
    for row in rows:
        assert list(row) == [
            "overall",
            "verified",
            "reviewTime",
            "reviewerID",
            "asin",
            "reviewText",
            "summary",
            "unixReviewTime",
        ]
        assert row["overall"] in (1.0, 2.0, 3.0, 4.0, 5.0)
        assert len(row["reviewerID"]) == 14
        assert len(row["asin"]) == 10


def test_one_product_has_one_asin(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in fetched(tmp_path / "raw")["reviews.json"].decode().splitlines()]
    pairs = {(row["summary"], row["asin"]) for row in rows}
    assert len(pairs) == len({asin for _, asin in pairs}) == len({summary for summary, _ in pairs})


def test_each_record_has_its_stars_and_the_best_answer(tmp_path: Path) -> None:
    fetched(tmp_path / "raw")
    skipped: Counter[str] = Counter()
    documents = list(source().read(tmp_path / "raw", skipped))
    assert not skipped
    assert [document.origin for document in documents] == [f"reviews.json:{n}" for n in range(1, REVIEWS + 1)]
    assert [document.best for document in documents] == read_answers(tmp_path / "raw")
    right = sum(document.label == document.best for document in documents)
    assert 0.84 < right / REVIEWS < 0.97
