"""Stage `fetch`: the whole folder, or what was there before."""

from pathlib import Path

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.stages import fetch
from tests.stages import own


@pytest.mark.usefixtures("workspace")
def test_files_are_copied_and_a_file_no_longer_named_goes() -> None:
    own.write("reviews.jsonl", own.reviews())
    own.write("test.jsonl", own.reviews(4))
    fetch.run(own.params(source={"test": "test.jsonl"}), "own")
    assert sorted(path.name for path in paths.raw("own").iterdir()) == ["reviews.jsonl", "test.jsonl"]
    fetch.run(own.params(), "own")
    assert [path.name for path in paths.raw("own").iterdir()] == ["reviews.jsonl"]
    copied = (paths.raw("own") / "reviews.jsonl").read_bytes()
    assert copied == (paths.local("own") / "reviews.jsonl").read_bytes()


def test_a_failing_fetch_leaves_nothing_half_written(workspace: Path) -> None:
    own.write("reviews.jsonl", own.reviews())
    own.write("test.jsonl", own.reviews(4))
    with (paths.local("own") / "test.jsonl").open("a") as file:
        file.write("{broken\n")
    with pytest.raises(UserError, match=r"^data/local/own/test\.jsonl:5: broken JSON"):
        fetch.run(own.params(source={"test": "test.jsonl"}), "own")
    assert list((workspace / "data" / "raw").iterdir()) == []


def test_a_failing_fetch_leaves_the_older_files(workspace: Path) -> None:
    own.write("reviews.jsonl", own.reviews())
    fetch.run(own.params(), "own")
    before = own.hashes(workspace / "data" / "raw")
    with pytest.raises(UserError, match=r"data/local/own/gone\.csv: no such file"):
        fetch.run(own.params(source={"train": "gone.csv"}), "own")
    assert own.hashes(workspace / "data" / "raw") == before
