"""Words and their ids."""

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.text import vocabulary
from pipeline.text.vocabulary import PAD, UNKNOWN, build, encode

ODD = [
    "null",
    "nan",
    "NA",
    "true",
    "1e-3",
    'quo"te',
    "back\\slash",
    "a\u00a0b",
    "a\u2028b",
    "\ufeff",
    "日本",
    "\U0001f600",
]


def test_order_is_by_falling_count_then_by_word() -> None:
    texts = [["b", "a", "c"], ["c", "a", "b"], ["c", "Z", "é"]]
    entries = build(texts, min_count=1, max_words=None)
    assert entries == [(PAD, 0), (UNKNOWN, 0), ("c", 3), ("a", 2), ("b", 2), ("Z", 1), ("é", 1)]


def test_odd_words_stay_what_they_are_through_a_file(tmp_path: Path) -> None:
    entries = build([ODD, ODD], min_count=1, max_words=None)
    vocabulary.write(tmp_path / "vocabulary.json", entries)
    assert vocabulary.read(tmp_path / "vocabulary.json") == entries
    assert [word for word, _ in entries] == [PAD, UNKNOWN, *sorted(ODD)]


def test_the_file_has_a_word_a_line(tmp_path: Path) -> None:
    vocabulary.write(tmp_path / "v.json", [(PAD, 0), (UNKNOWN, 3), ("naïve", 2)])
    assert (tmp_path / "v.json").read_bytes() == '[\n["<pad>", 0],\n["<unk>", 3],\n["naïve", 2]\n]\n'.encode()


def test_two_builds_of_shuffled_texts_are_equal() -> None:
    draw = random.Random(1)
    words = [f"w{draw.randrange(300)}" for _ in range(2000)]
    first = build([words], min_count=1, max_words=None)
    draw.shuffle(words)
    assert build([words], min_count=1, max_words=None) == first


def test_the_order_doesnt_depend_on_pythons_hashes(root: Path) -> None:
    code = (
        "from pipeline.text.vocabulary import build; "
        "print(build([[f'w{i % 97}' for i in range(500)]], min_count=2, max_words=50))"
    )
    outputs = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        outputs.add(subprocess.check_output([sys.executable, "-c", code], cwd=root, env=environment, text=True))
    assert len(outputs) == 1
    assert "('w0', 6)" in outputs.pop()


@pytest.mark.parametrize(
    ("min_count", "max_words", "kept", "unknown"),
    [
        (1, None, "abcd", 0),
        (2, None, "abc", 1),
        (3, None, "ab", 3),
        (1, 3, "abc", 1),
        (1, 1, "a", 6),
        (9, None, "", 10),
    ],
)
def test_words_that_are_left_out_count_under_unknown(
    min_count: int, max_words: int | None, kept: str, unknown: int
) -> None:
    entries = build([list("aaaabbbccd")], min_count=min_count, max_words=max_words)
    assert "".join(word for word, _ in entries[2:]) == kept
    assert entries[1] == (UNKNOWN, unknown)
    assert sum(count for _, count in entries) == 10


@settings(derandomize=True, max_examples=100, deadline=None, database=None)
@given(
    st.lists(st.lists(st.sampled_from([*ODD, "a", "b", "Z", PAD, UNKNOWN]) | st.text(max_size=2))),
    st.integers(1, 3),
    st.none() | st.integers(0, 6),
)
def test_the_order_is_that_of_torchtext(texts: list[list[str]], min_count: int, max_words: int | None) -> None:
    from torchtext.vocab import Vocab

    counts = Counter(word for text in texts for word in text)
    words = Vocab(counts, max_size=max_words, min_freq=min_count, specials=[PAD, UNKNOWN]).itos
    entries = build(texts, min_count=min_count, max_words=max_words)
    assert [word for word, _ in entries] == words
    assert all(count == counts[word] for word, count in entries[2:])
    assert sum(count for _, count in entries) == counts.total()


def test_a_word_of_no_training_text_is_unknown_and_stays_out() -> None:
    ids = {word: index for index, (word, _) in enumerate(build([["a", "b"]], min_count=1, max_words=None))}
    assert encode(["b", "only in test", "a"], ids) == [3, 1, 2]
    assert len(ids) == 4


def test_words_spelt_like_the_special_ones_are_unknown() -> None:
    entries = build([[PAD, UNKNOWN, "a"]], min_count=1, max_words=None)
    assert entries == [(PAD, 0), (UNKNOWN, 2), ("a", 1)]
    assert encode([PAD, UNKNOWN, "a"], {word: index for index, (word, _) in enumerate(entries)}) == [1, 1, 2]


def test_specials_come_first_and_are_never_words() -> None:
    counts = [("<eos>", 9), ("a", 3), ("b", 1), (UNKNOWN, 2)]
    entries = vocabulary.of_counts(counts, min_count=2, max_words=None, specials=(PAD, UNKNOWN, "<eos>"))
    assert entries == [(PAD, 0), (UNKNOWN, 12), ("<eos>", 0), ("a", 3)]
