"""Amazon's reviews, in the layouts of 2014 and of 2018."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import UserError
from pipeline.sources.amazon import Amazon
from pipeline.sources.base import Document

OF_2014: dict[str, Any] = {
    "reviewerID": "A1",
    "asin": "0001",
    "reviewerName": "Ann",
    "helpful": [1, 2],
    "reviewText": "A plain kettle.",
    "overall": 4.0,
    "summary": "Four Stars",
    "unixReviewTime": 1393545600,
    "reviewTime": "02 28, 2014",
}
OF_2018: dict[str, Any] = {
    "overall": 5.0,
    "vote": "1,341",
    "verified": True,
    "reviewTime": "09 4, 2015",
    "reviewerID": "A2",
    "asin": "B0002",
    "style": {"Size:": " 7.0 oz"},
    "reviewerName": "Bo",
    "reviewText": "Fine &amp; dandy.\nWould buy again.",
    "summary": "Five Stars",
    "unixReviewTime": 1441324800,
    "image": ["https://example.org/1.jpg"],
}


def source(file: str = "Kettles_5.json", sample: int | None = None, **changes: Any) -> Amazon:
    values = {"reader": "amazon", "file": file, "sample": sample, "drop_repeated": True}
    values |= {"splits": {"validation": 0.1, "test": 0.1, "seed": 1}}
    options: Any = Amazon.Options.model_validate(values | changes)
    return Amazon("amazon", options)


def lines(*entries: Any) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def read(folder: Path, content: bytes, file: str = "Kettles_5.json") -> tuple[list[Document], dict[str, int]]:
    (folder / file).write_bytes(content)
    skipped: Counter[str] = Counter()
    return list(source(file).read(folder, skipped)), dict(skipped)


@pytest.mark.parametrize("file", ["Kettles_5.json", "Kettles_5.json.gz"])
def test_both_layouts_are_read(tmp_path: Path, file: str) -> None:
    content = lines(OF_2014, OF_2018)
    documents, skipped = read(tmp_path, gzip.compress(content) if file.endswith("gz") else content, file)
    assert [(d.text, d.label, d.origin) for d in documents] == [
        ("A plain kettle.", "4", f"data/local/amazon/{file}:1"),
        ("Fine & dandy.\nWould buy again.", "5", f"data/local/amazon/{file}:2"),
    ]
    assert [d.cleaned for d in documents] == [(), ("HTML entities",)]
    assert skipped == {}


def test_what_is_no_review_is_counted_by_reason(tmp_path: Path) -> None:
    without = [{k: v for k, v in OF_2018.items() if k != key} for key in ("reviewText", "overall")]
    others = [{"reviewText": None}, {"reviewText": 3}, {"reviewText": "<br />"}, {"overall": 6.0}, {"overall": 4.5}]
    others += [{"overall": True}, {"overall": None}, {"overall": [5]}, {"overall": float("nan")}]
    documents, skipped = read(tmp_path, lines(*without, *(OF_2018 | other for other in others), OF_2014))
    assert len(documents) == 1
    assert documents[0].origin.endswith(":12")
    assert skipped == {
        "no reviewText": 2,
        "reviewText is no text": 1,
        "empty text": 1,
        "no overall": 2,
        "overall isn't 1 to 5": 5,
    }


def test_bytes_that_arent_utf8_are_no_error(tmp_path: Path) -> None:
    documents, _ = read(tmp_path, lines(OF_2014).replace(b"plain", b"na\xefve") + b"\n" + lines(OF_2018))
    assert documents[0].text == "A na\ufffdve kettle."
    assert documents[0].cleaned == ("not UTF-8",)
    assert documents[1].origin.endswith(":3")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lines(OF_2014) + b'{"overall": 5.0, "reviewTe', "Kettles_5.json:2: broken JSON at column "),
        (b"[1, 2]\n", "Kettles_5.json:1: not a JSON object but list; link the file as published"),
        (b"9" * 5000, "Kettles_5.json:1: unreadable JSON: "),
        (b"[" * 100_000, "Kettles_5.json:1: unreadable JSON: "),
        (b"\n\n", "Kettles_5.json: has no review; link the file as published"),
    ],
    ids=["cut", "list", "long number", "brackets", "empty"],
)
def test_a_broken_file_is_refused_by_its_own_name(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "local").mkdir()
    (tmp_path / "raw").mkdir()
    (tmp_path / "local" / "Kettles_5.json").write_bytes(content)
    with pytest.raises(UserError) as caught:
        source().fetch(tmp_path, tmp_path / "local", tmp_path / "raw")
    assert str(caught.value).startswith(f"{tmp_path}/local/{message}")
    assert list((tmp_path / "raw").iterdir()) == []


def test_check_says_what_to_link(tmp_path: Path) -> None:
    message = r"/Kettles_5\.json: no such file; `python -m pipeline link amazon FILE` puts it there$"
    with pytest.raises(UserError, match=message):
        source().check(tmp_path)


def test_a_link_becomes_a_file(tmp_path: Path) -> None:
    for name in ("local", "raw"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine.json").write_bytes(lines(OF_2014))
    (tmp_path / "local" / "Kettles_5.json").symlink_to(tmp_path / "mine.json")
    source().fetch(tmp_path, tmp_path / "local", tmp_path / "raw")
    assert (tmp_path / "raw" / "Kettles_5.json").read_bytes() == lines(OF_2014)
    assert not (tmp_path / "raw" / "Kettles_5.json").is_symlink()


@pytest.mark.parametrize("file", ["a.csv", "../a.json", "/a.json"])
def test_another_file_is_refused(file: str) -> None:
    with pytest.raises(ValueError, match=r"must (end in \.json or \.json\.gz|be a path inside)"):
        source(file)
