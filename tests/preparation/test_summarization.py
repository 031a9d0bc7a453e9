"""Prepared articles: every id says what the file says, and the report accounts for every entry."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json, sha256
from pipeline.params import Params
from pipeline.preparation import summarization
from pipeline.stages import fetch, prepare
from pipeline.text import articles, vocabulary
from pipeline.text.articles import END_ID
from pipeline.text.bulk_tokenizer import Words
from tests.stages import own

SPLITS = ("train", "validation", "test")


@pytest.fixture(autouse=True)
def in_workspace(workspace: Path) -> Path:
    return workspace


def chosen(text: dict[str, Any] | None = None, dataset: str = "pubmed", **source: Any) -> Params:
    values = pipeline_params.load(own.REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
    values["data"][dataset]["source"] |= source
    values["data"][dataset]["text"] = {"min_count": 2, "max_length": 8, "tokenizer": "wordpunct"} | (text or {})
    return Params.model_validate(values)


def entry(body: list[str], abstract: list[str]) -> str:
    return json.dumps({"article_text": body, "abstract_text": [f"<S> {one} </S>" for one in abstract]}) + "\n"


TRAIN = (
    entry(["The cat sat .", "a Zorilla sat , too , and so did others ."], ["the cat", "zorilla sat"])
    + entry([""], ["an empty article"])
    + entry(["the cat &amp; the dog ."], ["the the the cat cat cat cat cat cat"])
    + entry(["\u2028 \u00a0"], ["white space alone is an empty article"])
)
OTHER = entry(["the gnu sat ."], ["gnu and okapi"])


def prepared(params: Params, **files: str) -> Path:
    for name, content in ({"train": TRAIN, "val": OTHER, "test": OTHER} | files).items():
        path = paths.local("pubmed") / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    fetch.run(params, "pubmed")
    prepare.run(params, "pubmed")
    return paths.prepared("pubmed")


def spelt(folder: Path, split: str, part: str) -> list[list[str]]:
    words = [word for word, _ in vocabulary.read(folder / "vocabulary.json")]
    unknown = articles.read_records(folder, split).unknown
    rows = getattr(articles.read(folder, split), part)
    return [[([*words, *unknown[i]])[number] for number in rows[i].tolist()] for i in range(len(rows))]


def test_ids_are_what_the_files_say() -> None:
    folder = prepared(chosen(summary_length=6))
    entries = vocabulary.read(folder / "vocabulary.json")
    # Counted: what the models read of training, summaries whole.
    assert [word for word, _ in entries] == [*articles.WRITTEN_SPECIALS, "cat", "the", "sat", ".", "zorilla"]
    assert dict(entries)["cat"] == 9
    assert spelt(folder, "train", "source") == [
        ["the", "cat", "sat", ".", "a", "zorilla", "sat", ","],
        ["the", "cat", "&", "the", "dog", "."],
    ]
    assert spelt(folder, "train", "target") == [
        ["the", "cat", "<sentence>", "zorilla", "sat", "<eos>"],
        ["the", "the", "the", "cat", "cat", "cat"],
    ]
    assert spelt(folder, "test", "target") == [["gnu", "<unk>", "<unk>", "<eos>"]]
    records = articles.read_records(folder, "train")
    assert records.unknown == [["a", ","], ["&", "dog"]]
    assert records.summary == [["the cat", "zorilla sat"], ["the the the cat cat cat cat cat cat"]]
    assert records.body[1] == "the cat & the dog ."
    assert records.best == [None, None]
    assert not list(folder.glob(".*"))


def test_the_report_accounts_for_every_entry() -> None:
    report = read_json(prepared(chosen(summary_length=6)) / "report.json")
    assert report["rows"] == report["articles"] + sum(report["skipped"].values()) == 6
    assert report["skipped"] == {"empty article": 2}
    assert report["vocabulary"] == {"words": 5}
    train = report["splits"]["train"]
    assert train["articles"] == 2
    assert train["cleaned"] == {"HTML entities": 1}
    assert train["source"]["tokens"] == 14
    assert train["source"]["truncated"] == 1
    assert train["source"]["length"] == pytest.approx({"min": 6, "median": 10.5, "mean": 10.5, "p95": 14.55, "max": 15})
    assert train["source"]["unknown_token_share"] == round(4 / 14, 6)
    summary = train["summary"]
    assert summary.pop("length") == pytest.approx({"min": 4, "median": 6.5, "mean": 6.5, "p95": 8.75, "max": 9})
    assert summary.pop("sentences") == pytest.approx({"min": 1, "median": 1.5, "mean": 1.5, "p95": 1.95, "max": 2})
    assert summary == {"tokens": 12, "copied_token_share": 0.0, "unknown_token_share": 0.0, "truncated": 1}
    test = report["splits"]["test"]["summary"]
    assert (test["copied_token_share"], test["unknown_token_share"]) == (0.25, 0.5)


def test_a_summary_that_just_fits_keeps_its_end() -> None:
    folder = prepared(chosen(summary_length=10))
    targets = articles.read(folder, "train").target
    assert [row[-1] for row in (targets[0], targets[1])] == [END_ID, END_ID]
    assert len(targets[1]) == 10


def test_words_that_are_spelt_like_marks_are_words() -> None:
    words = summarization.Words()
    numbers = words.numbered(Words(np.array([0, 1, 0], np.int32), np.array([3]), ["<eos>", "a"])).ids
    encoder = summarization.Encoder(words, [*((special, 0) for special in articles.WRITTEN_SPECIALS), ("a", 1)], 9)
    source, target, own_words = encoder.encoded(numbers, numbers)
    assert source == [6, 5, 6]
    assert target == [6, 5, 6, END_ID]
    assert [list(words.numbers)[number] for number in own_words] == ["<eos>"]


def test_many_articles_are_written_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = prepared(chosen())
    hashes = {path.name: sha256(path) for path in whole.iterdir() if path.suffix != ".parquet"}
    read = articles.read_records(whole, "train")
    monkeypatch.setattr(summarization, "PORTION", 1)
    portions = prepared(chosen())
    assert {path.name: sha256(path) for path in portions.iterdir() if path.suffix != ".parquet"} == hashes
    assert articles.read_records(portions, "train") == read


@pytest.mark.parametrize("processes", [1, 2])
def test_pieces_and_processes_change_no_byte(monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    whole = {path.name: sha256(path) for path in prepared(chosen()).iterdir()}
    monkeypatch.setattr(summarization, "PIECE", 1)
    values = chosen().model_dump(exclude_unset=True)
    values["hardware"]["processes"] = processes
    pieces = prepared(Params.model_validate(values))
    assert {path.name: sha256(path) for path in pieces.iterdir()} == whole


def test_a_split_without_an_article_is_told() -> None:
    with pytest.raises(UserError) as caught:
        prepared(chosen(), val=entry([""], ["x"]) + entry(["x"], []))
    assert str(caught.value) == (
        "data set pubmed: no article for validation can be used (empty abstract: 1, empty article: 3); link whole "
        "files as published"
    )
    assert not paths.prepared("pubmed").exists()


def test_generated_stories_have_their_best_summaries() -> None:
    numbers = {"train": 40, "validation": 5, "test": 6}
    params = chosen({"max_length": 512, "min_count": 3}, "newsroom_briefs", articles=numbers)
    fetch.run(params, "newsroom_briefs")
    prepare.run(params, "newsroom_briefs")
    folder = paths.prepared("newsroom_briefs")
    assert articles.read_info(folder).splits == numbers
    for split in SPLITS:
        records = articles.read_records(folder, split)
        assert all(
            len(best or ()) == len(summary) == 2 for best, summary in zip(records.best, records.summary, strict=True)
        )
        for source, body in zip(spelt(folder, split, "source"), records.body, strict=True):
            assert "".join(source) == "".join(body.lower().split())
