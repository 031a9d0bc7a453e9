"""Prepared data of summarization on disk: `<split>.source` and `<split>.target` as ragged ids.

An id below the vocabulary's size is a word's. An article's words that the vocabulary lacks are numbered in the order in
which they come, and have the ids from the vocabulary's size on: what a copy mechanism can write, and nobody else (See
et al. 2017, arxiv.org/abs/1704.04368, Section 2.2). A summary has `<sentence>` between its sentences and ends in
`<eos>`, if it isn't cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from pipeline.files import read_json, require, write_json
from pipeline.text import ragged
from pipeline.text.ragged import Ragged
from pipeline.text.vocabulary import SPECIALS, UNKNOWN_ID

INFO = "summarization.json"
SOURCE, TARGET = "source", "target"

BEGIN, END, SENTENCE = "<bos>", "<eos>", "<sentence>"
BEGIN_ID, END_ID, SENTENCE_ID = (len(SPECIALS) + number for number in range(3))
WRITTEN_SPECIALS = (*SPECIALS, BEGIN, END, SENTENCE)
"""What the vocabulary of a model that writes begins with."""


@dataclass(frozen=True)
class SummarizationInfo:
    """What a model must know of prepared data: its sizes are read, never typed by hand.

    `splits` has the number of articles of every split.
    """

    vocabulary_size: int
    max_length: int
    summary_length: int
    tokenizer: str
    lowercase: bool
    splits: dict[str, int]


@dataclass(frozen=True)
class Articles:
    """One split: row i of both is article i's, in ids as above."""

    source: Ragged
    target: Ragged

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class Records:
    """The texts of one split. `unknown[i]` are the words of article i that the vocabulary lacks, in their order."""

    body: list[str]
    summary: list[list[str]]
    best: list[list[str] | None]
    unknown: list[list[str]]


def read(folder: Path, split: str) -> Articles:
    """One split, memory-mapped and read-only."""
    return Articles(ragged.read(folder, f"{split}.{SOURCE}"), ragged.read(folder, f"{split}.{TARGET}"))


def read_records(folder: Path, split: str) -> Records:
    """The texts of one split, in memory."""
    texts = pq.read_table(folder / f"{split}.parquet", columns=["body", "summary", "best"])
    unknown = pq.read_table(folder / f"{split}.unknown.parquet")
    columns: dict[str, Any] = {name: texts.column(name).to_pylist() for name in texts.column_names}
    return Records(**columns, unknown=unknown.column("words").to_pylist())


def write_info(folder: Path, info: SummarizationInfo) -> None:
    write_json(folder / INFO, vars(info))


def read_info(folder: Path) -> SummarizationInfo:
    return SummarizationInfo(**read_json(require(folder / INFO)))


def is_prepared(folder: Path) -> bool:
    """Whether the folder holds data for summarization, not for another task."""
    return (folder / INFO).is_file()


def encoded_source(words: Sequence[str], ids: dict[str, int], vocabulary_size: int) -> tuple[list[int], list[str]]:
    """The ids of an article's words, and its own words that `ids` lacks, in the order of theirs.

    `ids` are those of the vocabulary's words, without the specials.
    """
    own: dict[str, int] = {}
    found = [ids.get(word) or vocabulary_size + own.setdefault(word, len(own)) for word in words]
    return found, list(own)


def words_of(ids: Sequence[int], words: Sequence[str], unknown: Sequence[str]) -> list[list[str]]:
    """The sentences that ids spell, up to `<eos>`; `words` is the vocabulary, `unknown` the article's own.

    Specials other than `<unk>` are left out.
    """
    sentences: list[list[str]] = [[]]
    for number in ids:
        if number == END_ID:
            break
        if number == SENTENCE_ID:
            sentences.append([])
        elif number >= len(words):
            sentences[-1].append(unknown[number - len(words)])
        elif number == UNKNOWN_ID or number >= len(WRITTEN_SPECIALS):
            sentences[-1].append(words[number])
    return [sentence for sentence in sentences if sentence]


def fixed_sample(total: int, size: int) -> list[int]:
    """At most `size` of `total` numbers, evenly spaced, the same always."""
    numbers: list[int] = np.linspace(0, total - 1, min(size, total)).round().astype(int).tolist()
    return numbers
