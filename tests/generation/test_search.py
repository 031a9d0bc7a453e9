"""Beam search against exhaustive search and a plain one, and what it may never write."""

import itertools
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from pipeline.generation.search import Marks, SearchOptions, search

WORDS = 5
PAD, BEGIN, END = 0, 1, 2
MARKS = Marks(begin=BEGIN, end=END, never=(PAD, BEGIN))
EVERY_WORD = Marks(begin=WORDS, end=0, never=())
PLAIN = SearchOptions(beam=3, length_penalty=1.0, min_length=0, max_length=4, block_trigrams=False)
CPU = torch.device("cpu")


class Language:
    """Random log probabilities of the next word that depend on all words before it; told apart by text."""

    def __init__(self, texts: int, seed: int, words: int = WORDS) -> None:
        self.texts, self.seed, self.words = texts, seed, words
        self.written: list[tuple[int, ...]] = [() for _ in range(texts)]

    def following(self, text: int, written: tuple[int, ...]) -> Tensor:
        generator = torch.Generator().manual_seed(hash((self.seed, text, *written)) % 2**31)
        return (2 * torch.randn(self.words, generator=generator)).log_softmax(0)

    def __call__(self, words: Tensor, rows: Tensor | None) -> Tensor:
        before = [self.written[i] for i in rows.tolist()] if rows is not None else self.written
        self.written = [(*past, word) for past, word in zip(before, words.tolist(), strict=True)]
        each = len(self.written) // self.texts
        return torch.stack([self.following(i // each, written) for i, written in enumerate(self.written)])

    def score(self, text: int, ids: tuple[int, ...], begin: int, penalty: float) -> float:
        total = sum(float(self.following(text, (begin, *ids[:i]))[word]) for i, word in enumerate(ids))
        return total / len(ids) ** penalty


def run(language: Language, options: SearchOptions, marks: Marks = MARKS) -> list[list[int]]:
    return search(language, language.texts, options, marks, CPU)


def every_text(words: int, end: int, max_length: int) -> list[tuple[int, ...]]:
    others = [word for word in range(words) if word != end]
    found: list[tuple[int, ...]] = [
        (*start, end) for length in range(max_length) for start in itertools.product(others, repeat=length)
    ]
    return found + list(itertools.product(others, repeat=max_length))


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.0, -1.0])
@pytest.mark.parametrize("seed", range(6))
def test_a_beam_for_all_is_exhaustive_search(penalty: float, seed: int) -> None:
    language = Language(2, seed)
    options = replace(PLAIN, beam=WORDS**3, length_penalty=penalty)
    found = run(language, options, EVERY_WORD)
    for text, ids in enumerate(found):
        scores = {one: language.score(text, one, WORDS, penalty) for one in every_text(WORDS, EVERY_WORD.end, 4)}
        assert tuple(ids) == max(scores, key=lambda one: scores[one])


def plain_search(language: Language, text: int, options: SearchOptions) -> list[int]:
    """One text, one hypothesis at a time, by lists."""
    live: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    finished: list[tuple[float, tuple[int, ...]]] = []
    for length in range(1, options.max_length + 1):
        candidates = [
            (total + float(language.following(text, (BEGIN, *ids))[word]), (*ids, word))
            for total, ids in live
            for word in range(WORDS)
            if word not in MARKS.never and (word != END or length > options.min_length)
        ]
        candidates.sort(reverse=True)
        candidates = candidates[: 2 * options.beam]
        best = candidates[: options.beam]
        ended = [one for one in best if one[1][-1] == END or length == options.max_length]
        finished += [(total / length**options.length_penalty, ids) for total, ids in ended]
        live = [one for one in candidates if one[1][-1] != END][: options.beam]
        if options.beam == 1 and finished:
            break
    return list(max(finished)[1])


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(
    seed=st.integers(0, 10_000),
    texts=st.integers(1, 4),
    beam=st.integers(1, 6),
    penalty=st.sampled_from([0.0, 0.5, 1.0, 1.5]),
    max_length=st.integers(1, 7),
    min_length=st.integers(0, 6),
)
def test_it_finds_what_a_plain_search_finds(
    seed: int, texts: int, beam: int, penalty: float, max_length: int, min_length: int
) -> None:
    language = Language(texts, seed)
    options = SearchOptions(
        beam=beam, length_penalty=penalty, min_length=min_length, max_length=max_length, block_trigrams=False
    )
    assert run(Language(texts, seed), options) == [plain_search(language, text, options) for text in range(texts)]


@settings(derandomize=True, max_examples=100, deadline=None, database=None)
@given(
    seed=st.integers(0, 10_000),
    texts=st.integers(1, 3),
    beam=st.integers(1, 4),
    min_length=st.integers(0, 8),
    more=st.integers(1, 8),
    block=st.booleans(),
)
def test_what_holds_of_every_text(seed: int, texts: int, beam: int, min_length: int, more: int, block: bool) -> None:
    max_length = min_length + more
    options = SearchOptions(
        beam=beam, length_penalty=1.0, min_length=min_length, max_length=max_length, block_trigrams=block
    )
    # Words 3 and 4 alone make at most eight trigrams.
    for ids in run(Language(texts, seed), options):
        assert len(ids) <= max_length
        assert not set(ids) & {PAD, BEGIN}
        assert END not in ids[:-1]
        words = [word for word in ids if word != END]
        trigrams = list(zip(words, words[1:], words[2:], strict=False))
        if block:
            assert len(set(trigrams)) == len(trigrams)
        else:
            assert len(words) >= min_length
            assert ids[-1] == END or len(ids) == max_length


def test_a_text_that_can_go_nowhere_ends_with_what_is_written() -> None:
    options = replace(PLAIN, beam=2, min_length=30, max_length=40, block_trigrams=True)
    for ids in run(Language(2, 1), options):
        assert END not in ids
        # All eight trigrams of two words fit into ten words.
        assert 3 <= len(ids) <= 10


@pytest.mark.parametrize("seed", range(5))
def test_a_beam_of_one_is_greedy(seed: int) -> None:
    language = Language(3, seed)
    for text, ids in enumerate(run(Language(3, seed), replace(PLAIN, beam=1, max_length=9))):
        wanted: list[int] = []
        while len(wanted) < 9 and END not in wanted:
            following = language.following(text, (BEGIN, *wanted))
            following[[PAD, BEGIN]] = -torch.inf
            wanted.append(int(following.argmax()))
        assert ids == wanted


def test_texts_do_not_depend_on_each_other() -> None:
    together = run(Language(3, 7), PLAIN)

    class Alone(Language):
        def __init__(self, text: int) -> None:
            super().__init__(1, 7)
            self.text = text

        def following(self, text: int, written: tuple[int, ...]) -> Tensor:
            return super().following(self.text, written)

    assert together == [run(Alone(text), PLAIN)[0] for text in range(3)]


def test_a_longer_text_is_preferred_with_a_penalty() -> None:
    lengths = {
        penalty: sum(len(ids) for ids in run(Language(40, 3), replace(PLAIN, max_length=8, length_penalty=penalty)))
        for penalty in (0.0, 1.0, 3.0)
    }
    assert lengths[0.0] < lengths[1.0] < lengths[3.0]
