"""Which records are used: repeats, leaks into training, samples, and the counts of what isn't."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.section import SourceOptions
from pipeline.sources import selection
from pipeline.sources.amazon import AmazonOptions
from pipeline.sources.base import Document
from pipeline.sources.selection import drawn
from tests.sources.documents import columns, same_text

DOCUMENTS = st.lists(
    st.builds(
        Document,
        text=st.integers(0, 12).map("text {}".format),
        label=st.sampled_from(["1", "2"]),
        origin=st.just("a.json:1"),
        split=st.sampled_from([None, "train", "validation", "test"]),
    ),
    max_size=40,
)


def options(drop_repeated: bool, sample: int | None = None, seed: int = 1) -> AmazonOptions:
    splits = {"validation": 0.1, "test": 0.1, "seed": seed}
    values: dict[str, Any] = {"reader": "amazon", "file": "a.json", "sample": sample, "drop_repeated": drop_repeated}
    return AmazonOptions.model_validate(values | {"splits": splits})


def plain(*texts: str, split: str | None = None) -> list[Document]:
    return [Document(text, "1", f"a.json:{line}", split=split) for line, text in enumerate(texts, 1)]


def select(documents: list[Document], options: SourceOptions, skipped: Counter[str]) -> list[Document]:
    """The documents that are selected by their columns."""
    return [documents[place] for place in selection.select(columns(documents), options, skipped)]


def test_the_first_of_a_text_stays() -> None:
    skipped: Counter[str] = Counter()
    chosen = select(plain("a", "b", "a", "c", "b", "a"), options(True), skipped)
    assert [document.origin for document in chosen] == ["a.json:1", "a.json:2", "a.json:4"]
    assert skipped == {"repeated text": 3}


def test_the_copy_in_training_is_the_one_that_goes() -> None:
    documents = plain("a", "b", "c", split="train") + plain("a", "x", "x", split="test")
    skipped: Counter[str] = Counter()
    chosen = select(documents, options(True), skipped)
    assert [(document.split, document.text) for document in chosen] == [
        ("train", "b"),
        ("train", "c"),
        ("test", "a"),
        ("test", "x"),
        ("test", "x"),
    ]
    assert skipped == {"repeated text": 1}


def test_without_the_option_all_stay() -> None:
    skipped: Counter[str] = Counter()
    documents = plain("a", "a") + plain("a", split="test")
    assert select(documents, options(False), skipped) == documents
    assert select(documents, SourceOptions(reader="x"), skipped) == documents
    assert skipped == {}


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(DOCUMENTS, st.booleans(), st.none() | st.integers(1, 10))
def test_nothing_vanishes_and_nothing_leaks(documents: list[Document], drop: bool, sample: int | None) -> None:
    skipped: Counter[str] = Counter()
    chosen = select(documents, options(drop, sample), skipped)
    assert len(chosen) + skipped.total() == len(documents)
    assert 0 not in skipped.values()
    if drop:
        training = [document.text for document in chosen if document.split in (None, "train")]
        assert len(training) == len(set(training))
        assert not {document.text for document in chosen if document.split not in (None, "train")} & set(training)
    if not sample:
        held_out = [document for document in documents if document.split not in (None, "train")]
        assert [document for document in chosen if document.split not in (None, "train")] == held_out
    places = iter(documents)
    assert all(any(document is other for other in places) for document in chosen)  # their order is the file's


def test_repeats_go_before_the_draw() -> None:
    skipped: Counter[str] = Counter()
    texts = [f"text {i % 50}" for i in range(200)]
    chosen = select(plain(*texts), options(True, sample=40), skipped)
    assert len({document.text for document in chosen}) == 40
    assert skipped == {"repeated text": 150, "not in the sample": 10}


def test_a_sample_is_seeded_and_no_larger_than_the_set() -> None:
    documents = plain(*(f"text {i}" for i in range(100)))
    first = select(documents, options(False, 30), Counter())
    assert select(documents, options(False, 30), Counter()) == first
    assert select(documents, options(False, 30, seed=2), Counter()) != first
    skipped: Counter[str] = Counter()
    assert select(documents, options(True, 500), skipped) == documents
    assert skipped == {}


@pytest.mark.parametrize("size", [3, 9])
def test_every_document_has_the_same_chance(size: int) -> None:
    documents = plain(*(f"text {i}" for i in range(10)))
    counts = Counter(documents[i].text for seed in range(2000) for i in drawn(10, size, seed, Counter()))
    # A share of 2,000 draws; its standard deviation is below 0.0103.
    assert all(abs(counts[d.text] / 2000 - size / 10) < 0.042 for d in documents)


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(DOCUMENTS)
def test_repeats_are_counted_within_splits_and_across(documents: list[Document]) -> None:
    where: dict[str, Counter[str | None]] = {}
    for document in documents:
        where.setdefault(same_text(document.text), Counter())[document.split] += 1
    assert selection.repeated(columns(documents)) == {
        "within_a_split": sum(sum(counts.values()) - len(counts) for counts in where.values()),
        "across_splits": sum(len(counts) > 1 for counts in where.values()),
    }
