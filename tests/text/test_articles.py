"""Ids of articles and summaries, there and back."""

import itertools
from pathlib import Path

import pytest

from pipeline.text import articles
from pipeline.text.articles import (
    BEGIN_ID,
    END_ID,
    SENTENCE_ID,
    WRITTEN_SPECIALS,
    SummarizationInfo,
    encoded_source,
    fixed_sample,
    words_of,
)

WORDS = [*WRITTEN_SPECIALS, "the", "cat"]
IDS = {"the": 5, "cat": 6}


def test_the_marks_are_where_their_ids_say() -> None:
    assert [WRITTEN_SPECIALS[number] for number in (BEGIN_ID, END_ID, SENTENCE_ID)] == ["<bos>", "<eos>", "<sentence>"]


def test_an_articles_own_words_have_ids_beyond_the_vocabulary() -> None:
    ids, own = encoded_source(["the", "zorilla", "<eos>", "cat", "zorilla", "the"], IDS, len(WORDS))
    assert ids == [5, 7, 8, 6, 7, 5]
    assert own == ["zorilla", "<eos>"]


def test_ids_are_spelt_up_to_the_end() -> None:
    ids = [5, 7, SENTENCE_ID, SENTENCE_ID, 6, 1, BEGIN_ID, END_ID, 5]
    assert words_of(ids, WORDS, ["zorilla"]) == [["the", "zorilla"], ["cat", "<unk>"]]
    assert words_of([END_ID], WORDS, []) == words_of([], WORDS, []) == []
    assert words_of([5, 0, 0], WORDS, []) == [["the"]]


@pytest.mark.parametrize(("total", "size"), [(1, 5), (5, 5), (7, 3), (1000, 200), (3, 1)])
def test_a_sample_is_even(total: int, size: int) -> None:
    found = fixed_sample(total, size)
    assert len(set(found)) == len(found) == min(total, size)
    assert set(found) <= set(range(total))
    steps = {after - before for before, after in itertools.pairwise(found)}
    assert len(steps) <= 2


def test_what_a_model_must_know_survives_its_file(tmp_path: Path) -> None:
    info = SummarizationInfo(9, 512, 64, "wordpunct", True, {"train": 3})
    assert not articles.is_prepared(tmp_path)
    articles.write_info(tmp_path, info)
    assert articles.is_prepared(tmp_path)
    assert articles.read_info(tmp_path) == info
