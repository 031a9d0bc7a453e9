"""Preparing in parts: the same bytes in any number of parts and processes, and what a plain loop gives."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.params import Params
from pipeline.preparation import classification, parts
from pipeline.sources import lines
from pipeline.sources.base import SPLITS
from pipeline.text import corpus, vocabulary
from pipeline.text.tokenizer import tokenizer
from tests.stages import own

SPLIT_SHARES = {"validation": 0.2, "test": 0.2, "seed": 1}
AMAZON = {"reader": "amazon", "file": "a.json", "sample": None, "splits": SPLIT_SHARES, "drop_repeated": True}
WORDS = [
    "A",
    "kettle",
    "isn't",
    "naïve",
    "ΟΔΟΣ",
    "good",
    "good",
    "bad.",
    "<br />",
    "(so)",
    '"it"',
    "\n",
    "&amp;",
    "x" * 40,
]


@pytest.fixture(autouse=True)
def in_workspace(workspace: Path) -> Path:
    return workspace


def reviews(count: int = 300) -> list[dict[str, Any]]:
    """Reviews of a few words, one in ten without a text, one in ten a repeat."""
    draw = random.Random(3)
    entries: list[dict[str, Any]] = []
    for _ in range(count):
        entry: dict[str, Any] = {"reviewText": " ".join(draw.choices(WORDS, k=draw.randrange(12))), "overall": 5.0}
        entry["overall"] = float(draw.randrange(1, 4))
        if draw.random() < 0.1:
            del entry["reviewText"]
        elif draw.random() < 0.1 and entries:
            entry |= {"reviewText": entries[0]["reviewText"]}
        entries.append(entry)
    return entries


def written(entries: list[dict[str, Any]], processes: int | None = 1, **changes: Any) -> Params:
    path = paths.raw("own") / "a.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    values = own.params(**changes)
    hardware = values.hardware.model_copy(update={"processes": processes})
    data = own.params(source={}).model_dump(exclude_unset=True)["data"]
    data["own"]["source"] = AMAZON | changes.get("amazon", {})
    dumped = values.model_dump(exclude_unset=True) | {"data": data, "hardware": hardware.model_dump()}
    return Params.model_validate(dumped)


def prepared(chosen: Params) -> dict[str, str]:
    classification.prepare(chosen, "own")
    assert [path.name for path in paths.prepared("own").parent.iterdir()] == ["own"]
    return own.hashes(paths.prepared("own"))


@pytest.mark.parametrize("name", ["wordpunct", "basic_english", "treebank"])
def test_the_bytes_are_the_same_in_any_number_of_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = written(reviews(), text={"tokenizer": name, "min_count": 2})
    whole = prepared(chosen)
    assert len(whole) == 15
    assert prepared(chosen) == whole
    for size in (1, 3000):
        monkeypatch.setattr(lines, "BLOCK", size)
        assert prepared(chosen) == whole


def test_the_bytes_are_the_same_with_any_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 2000)
    one = prepared(written(reviews()))
    for processes in (2, 3):
        assert prepared(written(reviews(), processes)) == one


def test_a_source_without_blocks_is_parted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    own.write("reviews.jsonl", own.reviews(60))
    whole = own.hashes(own.prepared(own.params()))
    monkeypatch.setattr(parts, "BLOCK", 100)
    assert own.hashes(own.prepared(own.params())) == whole


def test_ids_words_and_counts_are_those_of_a_plain_loop() -> None:
    prepared(written(reviews(), text={"min_count": 2, "max_words": 9, "max_length": 6}))
    folder = paths.prepared("own")
    split_words = tokenizer("wordpunct", lowercase=True)
    texts = {
        split: [split_words(text)[:6] for text in pq.read_table(folder / f"{split}.parquet").column("text").to_pylist()]
        for split in SPLITS
    }
    counts = Counter(word for text in texts["train"] for word in text)
    entries = vocabulary.build(texts["train"], min_count=2, max_words=9)
    assert vocabulary.read(folder / "vocabulary.json") == entries
    ids = {word: index for index, (word, _) in enumerate(entries)}
    for split in SPLITS:
        found = corpus.read(folder, split)
        assert [found[i].tolist() for i in range(len(found))] == [vocabulary.encode(text, ids) for text in texts[split]]
    report = json.loads((folder / "report.json").read_text())
    assert report["vocabulary"] == {"words": 9, "word_types_in_training": len(counts)}
    seen = [entry["reviewText"] for entry in reviews() if entry.get("reviewText", "").strip()]
    assert report["rows"] == 300 == report["texts"] + sum(report["skipped"].values())
    assert report["skipped"]["no reviewText"] == sum("reviewText" not in entry for entry in reviews())
    assert report["texts"] <= len(set(seen))


@pytest.mark.parametrize("processes", [1, 2])
def test_the_first_broken_line_is_named(processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 500)
    chosen = written(reviews(), processes)
    path = paths.raw("own") / "a.json"
    entries = path.read_text().splitlines()
    entries[100] = entries[200] = "{broken"
    path.write_text("\n".join(entries))
    with pytest.raises(UserError, match=r"a\.json:101: broken JSON at column 2: "):
        prepared(chosen)
    assert list(paths.prepared("own").parent.iterdir()) == []


def test_a_bar_is_drawn_where_it_is_wished(capfd: pytest.CaptureFixture[str]) -> None:
    chosen = written(reviews())
    for progress, drawn in (("always", True), ("never", False), ("auto", False)):
        hardware = chosen.hardware.model_copy(update={"progress": progress})
        classification.prepare(chosen.model_copy(update={"hardware": hardware}), "own")
        shown = capfd.readouterr()
        assert shown.out == ""
        assert ("own: cutting into words" in shown.err) == drawn
        assert drawn or shown.err == ""
