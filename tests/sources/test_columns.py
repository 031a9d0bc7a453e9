"""The columns of documents: equal texts have equal numbers, and other ones others."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.sources import columns as module
from pipeline.sources.base import Document
from pipeline.sources.columns import first_equal, folded
from tests.sources.documents import columns, same_text

TEXTS = st.text(st.sampled_from("aAbß \t\n\x1c\x85\u00a0\u2028.İ"), max_size=8) | st.text(max_size=8)
SETTINGS = settings(derandomize=True, max_examples=150, deadline=None, database=None)


@SETTINGS
@given(st.lists(TEXTS, max_size=8))
@example([" \x1f A\x0b\x0c b ", "", " ", "  c", "D\x85 é ", " e"])
def test_folding_is_that_of_words_and_case(texts: list[str]) -> None:
    assert folded([text.encode() for text in texts]) == [same_text(text).encode() for text in texts]


@SETTINGS
@given(st.lists(TEXTS, max_size=20))
def test_a_text_has_the_number_of_the_first_that_equals_it(texts: list[str]) -> None:
    found = columns([Document(text, "x", "a:1") for text in texts])
    assert found.texts.tolist() == [texts.index(text) for text in texts]
    same = [same_text(text) for text in texts]
    assert found.same_texts.tolist() == [same.index(text) for text in same]
    some = found.rows(np.arange(len(texts) // 3, len(texts)))
    rest = texts[len(texts) // 3 :]
    assert first_equal(some.texts).tolist() == [rest.index(text) for text in rest]


def test_hashes_that_share_a_half_are_told_apart() -> None:
    halves = np.array([[1, 2], [1, 3], [2, 2], [1, 2], [1, 3], [2, 2]], np.uint64)
    assert module._numbers(halves).tolist() == [0, 1, 2, 0, 1, 2]


def test_what_a_document_says_of_itself_stays_with_it() -> None:
    documents = [
        Document("a", "2", "a:1", split="test"),
        Document("b", "1", "a:2"),
        Document("c", "2", "a:3", split="train", group="g"),
        Document("d", "3", "a:4", split="validation"),
    ]
    found = columns(documents)
    assert [found.names[number] for number in found.labels] == ["2", "1", "2", "3"]
    assert found.splits.tolist() == [2, module.NO_SPLIT, 0, 1]
    assert found.for_training.tolist() == [False, True, True, False]
    assert found.groups == [None, None, "g", None]
    assert found.rows(np.array([2, 0])).groups == ["g", None]
    assert columns([]).groups is None
