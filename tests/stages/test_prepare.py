"""Stage `prepare`: splits, vocabulary, encoded texts, and a report that adds up."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.params import Params
from pipeline.preparation.classification import by_value
from pipeline.sources.base import SPLITS
from pipeline.stages import fetch, prepare
from pipeline.text import corpus, vocabulary
from tests.stages import own

Rows = list[tuple[str | None, str | None]]


@pytest.fixture(autouse=True)
def in_workspace(workspace: Path) -> Path:
    return workspace


def made(rows: Rows, test: Rows | None = None, **changes: Any) -> Path:
    return own.prepared(written(rows, test, **changes))


def written(rows: Rows, test: Rows | None = None, **changes: Any) -> Params:
    own.write("reviews.jsonl", rows)
    if test is not None:
        own.write("test.jsonl", test)
        changes["source"] = {"test": "test.jsonl"}
    return own.params(**changes)


def texts(folder: Path, split: str) -> list[str]:
    found: list[str] = pq.read_table(folder / f"{split}.parquet").column("text").to_pylist()
    return found


def refusal(chosen: Params) -> str:
    """What `prepare` is refused with; no folder may be left."""
    fetch.run(chosen, "own")
    with pytest.raises(UserError) as caught:
        prepare.run(chosen, "own")
    prepared = paths.prepared("own").parent
    assert not prepared.exists() or list(prepared.iterdir()) == []
    return str(caught.value)


def test_texts_labels_and_ids_belong_together() -> None:
    folder = made(own.reviews())
    info = corpus.read_info(folder)
    assert info == corpus.CorpusInfo(["bad", "good"], info.vocabulary_size, 8, "wordpunct", True)
    words = [word for word, _ in vocabulary.read(folder / "vocabulary.json")]
    assert info.vocabulary_size == len(words)
    seen = 0
    for split in SPLITS:
        table, encoded = pq.read_table(folder / f"{split}.parquet").to_pydict(), corpus.read(folder, split)
        for i, (origin, text, label) in enumerate(zip(table["origin"], table["text"], table["label"], strict=True)):
            line = int(origin.removeprefix("data/local/own/reviews.jsonl:"))
            assert own.reviews()[line - 1] == (text, label)
            assert info.labels[encoded.labels[i]] == label
            assert [words[id] for id in encoded[i] if id > 1] == [word for word in text.split() if word in words]
            seen += 1
    assert seen == 40


def test_the_reports_counts_add_up() -> None:
    odd: Rows = [("", "good"), ("  ", "bad"), (None, "good"), ("a text", None), ("a text", " "), ('"', "good")]
    repeats: Rows = [("a fine film number0 .", "good"), ("a fine film number0 .", "good")]
    folder = made(own.reviews() + odd + repeats, text={"tokenizer": "basic_english"})
    report = read_json(folder / "report.json")
    assert report["skipped"] == {"empty label": 2, "empty text": 3, "no tokens": 1}
    assert (report["rows"], report["texts"]) == (48, 42)
    assert report["repeated_texts"] == {"within_a_split": 2, "across_splits": 0}
    for split in SPLITS:
        described, encoded = report["splits"][split], corpus.read(folder, split)
        assert described["texts"] == len(encoded) == sum(described["labels"].values())
        assert described["tokens"] == len(encoded.ids)
        assert described["unknown_token_share"] == round(float((encoded.ids == 1).mean()), 6)
    assert sum(split["texts"] for split in report["splits"].values()) == 42
    assert report["splits"]["train"]["unknown_token_share"] == 0
    entries = vocabulary.read(folder / "vocabulary.json")
    assert report["vocabulary"] == {"words": len(entries) - 2, "word_types_in_training": len(entries) - 2}
    assert sum(count for _, count in entries) == report["splits"]["train"]["tokens"]


def test_dropped_repeats_are_counted_and_the_report_still_adds_up() -> None:
    given: Rows = [("a fine evening .", "good"), ("a fine film number0 .", "good"), ("a fine evening .", "good")]
    repeats: Rows = [("a fine film number1 .", "good"), ("", "good"), ("a fine film number1 .", "bad")]
    own.write("test.jsonl", given)
    folder = made(own.reviews() + repeats, source={"test": "test.jsonl", "drop_repeated": True})
    report = read_json(folder / "report.json")
    assert report["skipped"] == {"empty text": 1, "repeated text": 3}
    assert (report["rows"], report["texts"]) == (46, 42)
    assert report["repeated_texts"] == {"within_a_split": 1, "across_splits": 0}
    assert texts(folder, "test") == [text for text, _ in given]
    assert "a fine film number0 ." not in texts(folder, "train") + texts(folder, "validation")
    kept = texts(folder, "train") + texts(folder, "validation")
    assert sorted(kept) == sorted(str(text) for text, _ in own.reviews() if text != "a fine film number0 .")


def test_long_texts_are_cut_and_counted() -> None:
    rows: Rows = [(f"{label} number{i} " + "word " * (i % 4), label) for i in range(20) for label in ("bad", "good")]
    folder = made(rows, text={"max_length": 4})
    report = read_json(folder / "report.json")
    assert sum(split["truncated"] for split in report["splits"].values()) == 10
    for split in SPLITS:
        lengths = corpus.read(folder, split).lengths
        assert (lengths.min(), lengths.max()) == (2, 4)
        assert report["splits"][split]["length"]["max"] == 5
        longer = [text for text in texts(folder, split) if len(text.split()) > 4]
        assert report["splits"][split]["truncated"] == len(longer) > 0


def test_words_behind_the_cut_are_not_in_the_vocabulary() -> None:
    rows: Rows = [(f"{label} number{i} behind", label) for i in range(20) for label in ("bad", "good")]
    folder = made(rows, text={"max_length": 2})
    assert "behind" not in dict(vocabulary.read(folder / "vocabulary.json"))


def test_the_vocabulary_is_that_of_training() -> None:
    folder = made(own.reviews(), [("a shiny film number3 .", "good"), ("a poor film .", "bad")])
    ids = {word: index for index, (word, _) in enumerate(vocabulary.read(folder / "vocabulary.json"))}
    assert "shiny" not in ids
    assert corpus.read(folder, "test")[0].tolist()[:3] == [ids["a"], vocabulary.UNKNOWN_ID, ids["film"]]
    training = {word for text in texts(folder, "train") for word in text.split()}
    assert set(ids) == training | {"<pad>", "<unk>"}


def test_a_test_file_is_the_test_split_and_validation_is_cut_from_train() -> None:
    given: Rows = [("a fine evening .", "good"), ("a poor evening .", "bad"), ("a fine film number0 .", "good")]
    folder = made(own.reviews(), given)
    assert texts(folder, "test") == [text for text, _ in given]
    assert len(texts(folder, "validation")) == 8
    assert sorted(texts(folder, "train") + texts(folder, "validation")) == sorted(text for text, _ in own.reviews())
    assert read_json(folder / "report.json")["repeated_texts"]["across_splits"] == 1


def test_all_three_files_are_the_splits() -> None:
    for name, count in (("reviews", 12), ("validation", 6), ("test", 4)):
        own.write(f"{name}.jsonl", own.reviews(count))
    folder = own.prepared(own.params(source={"validation": "validation.jsonl", "test": "test.jsonl"}))
    assert [len(texts(folder, split)) for split in SPLITS] == [12, 6, 4]


def test_twice_gives_the_same_bytes() -> None:
    chosen = written(own.reviews(), text={"min_count": 2})
    first = own.hashes(own.prepared(chosen))
    assert len(first) == 15
    assert own.hashes(own.prepared(chosen)) == first


def test_another_seed_cuts_other_splits() -> None:
    first = texts(made(own.reviews()), "test")
    splits = own.SOURCE["splits"] | {"seed": 2}
    assert texts(made(own.reviews(), source={"splits": splits}), "test") != first


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["10", "9", "-1"], ["-1", "9", "10"]),
        (["4.5", "3", "10"], ["3", "4.5", "10"]),
        (["b", "10", "9"], ["10", "9", "b"]),
    ],
)
def test_labels_are_in_the_order_of_their_values(labels: list[str], order: list[str]) -> None:
    assert by_value(sorted(labels)) == order


def test_one_label_is_refused() -> None:
    message = refusal(written([(f"a text {i}", "good") for i in range(20)]))
    assert message.startswith("data set own: data/local/own/reviews.jsonl: every row has the label 'good'; ")


def test_no_usable_row_is_refused() -> None:
    message = refusal(written([("", "good"), ("a text", None)]))
    assert message == (
        "data/local/own/reviews.jsonl: no row has both a text and a label; fill them in, or name another file"
    )


def test_a_label_unseen_in_training_is_named_with_its_line() -> None:
    message = refusal(written(own.reviews(), [("a fine text", "good"), ("a text", "godd")]))
    assert message == (
        "data set own: data/local/own/test.jsonl:2: label 'godd' doesn't occur in training (there: bad, good); "
        "correct it, or add training texts with it"
    )


def test_a_rare_label_is_named() -> None:
    message = refusal(written([*own.reviews(), ("an odd text", "odd")]))
    assert message.startswith("data set own: label 'odd' has 1 different text(s), too few for 3 splits; ")


def test_without_fetched_files_the_stage_before_is_named() -> None:
    with pytest.raises(UserError, match="data/raw/own: not there yet; `dvc repro` runs the stages that make it"):
        prepare.run(own.params(), "own")


def test_a_failing_prepare_leaves_the_older_folder() -> None:
    folder = made(own.reviews())
    before = own.hashes(folder.parent)
    chosen = written([("a text", "good")])
    fetch.run(chosen, "own")
    with pytest.raises(UserError, match="every row has the label 'good'"):
        prepare.run(chosen, "own")
    assert own.hashes(folder.parent) == before
