"""Articles and summaries as ids in memory-mapped files, with a report that accounts for every entry.

Texts are streamed: what is held of them is the list of different words, with a number and a count for each.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import Closing, write_json, writing_folder
from pipeline.params import Params, Text
from pipeline.preparation.spread import spread_of_counts
from pipeline.sources.base import SPLITS
from pipeline.sources.chosen import summarization_source_of
from pipeline.sources.summarization import Article, SummarizationOptions, SummarizationSource
from pipeline.text import articles, ragged, vocabulary
from pipeline.text.articles import END_ID, SENTENCE_ID, SOURCE, TARGET, WRITTEN_SPECIALS, SummarizationInfo
from pipeline.text.ragged import RaggedWriter
from pipeline.text.tokenizer import Tokenizer, tokenizer
from pipeline.text.vocabulary import UNKNOWN_ID

TEXTS = pa.list_(pa.string())
RECORDS = pa.schema([("origin", pa.string()), ("body", pa.string()), ("summary", TEXTS), ("best", TEXTS)])
UNKNOWN_WORDS = pa.schema([("words", TEXTS)])
PORTION = 1000
"""Rows of a table that are held before they go to disk."""

BREAK = -1
"""Stands between the sentences of a summary before its words have their ids."""


class TableWriter(Closing):
    """Writes the rows of one table a portion at a time."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(path, schema)
        self._rows: list[dict[str, Any]] = []

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def append(self, **row: Any) -> None:
        self._rows.append(row)
        if len(self._rows) == PORTION:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows = []


class Split:
    """One split as it is read: its words by their provisional numbers, its records, and its lengths before any cut."""

    def __init__(self, folder: Path, name: str) -> None:
        self.writers = {part: RaggedWriter(folder, f".{name}.{part}") for part in (SOURCE, TARGET)}
        self.records = TableWriter(folder / f"{name}.parquet", RECORDS)
        self.lengths: dict[str, Counter[int]] = {SOURCE: Counter(), TARGET: Counter()}
        self.sentences: Counter[int] = Counter()
        self.cleaned: Counter[str] = Counter()
        self.articles = 0

    def close(self) -> None:
        for writer in self.writers.values():
            writer.close()
        self.records.close()

    def append(self, article: Article, source: list[int], target: list[int], length: int) -> None:
        self.writers[SOURCE].append(source)
        self.writers[TARGET].append(target)
        self.records.append(
            origin=article.origin,
            body=article.body,
            summary=list(article.summary),
            best=list(article.best) if article.best is not None else None,
        )
        self.lengths[SOURCE][length] += 1
        self.lengths[TARGET][len(target) - target.count(BREAK)] += 1
        self.sentences[len(article.summary)] += 1
        self.cleaned.update(article.cleaned)
        self.articles += 1


class Words:
    """Numbers for words as they come, from 0, and how often training has each."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.counts = array("q")

    def numbered(self, words: list[str], *, counted: bool) -> list[int]:
        found = []
        for word in words:
            number = self.numbers.setdefault(word, len(self.counts))
            if number == len(self.counts):
                self.counts.append(0)
            self.counts[number] += counted
            found.append(number)
        return found


def prepare(params: Params, dataset: str) -> None:
    """Writes data/prepared/<data set>. UserError where a split has nothing that can be used."""
    options, text = params.data[dataset].source, params.text_of(dataset)
    assert isinstance(options, SummarizationOptions), "a source for summarization has their options"
    skipped: Counter[str] = Counter()
    with writing_folder(paths.prepared(dataset)) as folder:
        words = Words()
        splits = read_all(summarization_source_of(params, dataset), paths.raw(dataset), folder, words, text, skipped)
        for name, split in splits.items():
            if not split.articles:
                reasons = ", ".join(f"{reason}: {count:,}" for reason, count in sorted(skipped.items()))
                raise UserError(
                    f"data set {dataset}: no article for {name} can be used ({reasons or 'there is none'}); link whole "
                    "files as published"
                )
        entries = vocabulary.of_counts(
            ((word, words.counts[number]) for word, number in words.numbers.items() if words.counts[number]),
            min_count=text.min_count,
            max_words=text.max_words,
            specials=WRITTEN_SPECIALS,
        )
        vocabulary.write(folder / "vocabulary.json", entries)
        encoder = Encoder(words, entries, options.summary_length)
        info = SummarizationInfo(
            vocabulary_size=len(entries),
            max_length=text.max_length,
            summary_length=options.summary_length,
            tokenizer=text.tokenizer,
            lowercase=text.lowercase,
            splits={name: split.articles for name, split in splits.items()},
        )
        articles.write_info(folder, info)
        report: dict[str, Any] = {
            "task": "summarization",
            "rows": sum(split.articles for split in splits.values()) + skipped.total(),
            "skipped": dict(sorted(skipped.items())),
            "articles": sum(split.articles for split in splits.values()),
            "vocabulary": {"words": len(entries) - len(WRITTEN_SPECIALS)},
            "splits": {},
        }
        for name, split in splits.items():
            encoder.encode(folder, name)
            report["splits"][name] = describe(split, articles.read(folder, name), info)
        write_json(folder / "report.json", report)


def read_all(
    source: SummarizationSource[Any], raw: Path, folder: Path, words: Words, text: Text, skipped: Counter[str]
) -> dict[str, Split]:
    """Every article as numbers of words and as a record; an article or a summary without tokens is counted."""
    split_words = tokenizer(text.tokenizer, lowercase=text.lowercase)
    splits = {name: Split(folder, name) for name in SPLITS}
    try:
        for article in source.read(raw, skipped):
            tokens = split_words(article.body)
            summary = list(summary_words(article, split_words))
            if not tokens or not summary:
                skipped["no tokens"] += 1
                continue
            is_training = article.split == "train"
            target: list[int] = []
            for sentence in summary:
                target += [BREAK] if target else []
                target += words.numbered(sentence, counted=is_training)
            kept = words.numbered(tokens[: text.max_length], counted=is_training)
            splits[article.split].append(article, kept, target, len(tokens))
    finally:
        for split in splits.values():
            split.close()
    return splits


def summary_words(article: Article, split_words: Tokenizer) -> Iterator[list[str]]:
    """The words of the summary's sentences, those left out that have none."""
    return (tokens for sentence in article.summary if (tokens := split_words(sentence)))


class Encoder:
    """Turns provisional numbers into ids: of the vocabulary, or of an article's own words."""

    def __init__(self, words: Words, entries: list[tuple[str, int]], summary_length: int) -> None:
        self._words = list(words.numbers)
        self._size = len(entries)
        self._summary_length = summary_length
        # -1 for a word that the vocabulary lacks. One that is spelt like a special is no special.
        self._ids = np.full(len(self._words), -1, dtype=np.int32)
        for number, (word, _) in enumerate(entries):
            if number >= len(WRITTEN_SPECIALS):
                self._ids[words.numbers[word]] = number

    def encode(self, folder: Path, name: str) -> None:
        """Writes the ids of one split, and removes its provisional numbers."""
        provisional = {part: ragged.read(folder, f".{name}.{part}") for part in (SOURCE, TARGET)}
        with (
            RaggedWriter(folder, f"{name}.{SOURCE}") as sources,
            RaggedWriter(folder, f"{name}.{TARGET}") as targets,
            TableWriter(folder / f"{name}.unknown.parquet", UNKNOWN_WORDS) as unknown,
        ):
            for number in range(len(provisional[SOURCE])):
                source, target, own = self.encoded(provisional[SOURCE][number], provisional[TARGET][number])
                sources.append(source)
                targets.append(target)
                unknown.append(words=[self._words[word] for word in own])
        del provisional
        for path in folder.glob(f".{name}.*.npy"):
            path.unlink()

    def encoded(self, source: NDArray[np.int32], target: NDArray[np.int32]) -> tuple[list[int], list[int], list[int]]:
        """Ids of a source and its target, and the numbers of the article's own words in their order."""
        ids = self._ids[source]
        missing = ids < 0
        own = {int(word): place for place, word in enumerate(dict.fromkeys(source[missing].tolist()))}
        ids[missing] = [self._size + own[word] for word in source[missing].tolist()]
        written = [SENTENCE_ID if word == BREAK else self._id_of(word, own) for word in target.tolist()]
        return ids.tolist(), [*written, END_ID][: self._summary_length], list(own)

    def _id_of(self, word: int, own: dict[int, int]) -> int:
        known = int(self._ids[word])
        if known >= 0:
            return known
        return self._size + own[word] if word in own else UNKNOWN_ID


def describe(split: Split, written: articles.Articles, info: SummarizationInfo) -> dict[str, Any]:
    """One split in numbers; lengths are those before the cut, shares those of what is encoded."""
    source, target = written.source.ids, written.target.ids
    return {
        "articles": split.articles,
        "cleaned": dict(sorted(split.cleaned.items())),
        "source": {
            "tokens": len(source),
            "unknown_token_share": share(source >= info.vocabulary_size),
            "truncated": sum(n for length, n in split.lengths[SOURCE].items() if length > info.max_length),
            "length": spread_of_counts(split.lengths[SOURCE]),
        },
        "summary": {
            "tokens": len(target),
            "copied_token_share": share(target >= info.vocabulary_size),
            "unknown_token_share": share(target == UNKNOWN_ID),
            "truncated": int((written.target.ids[written.target.offsets[1:] - 1] != END_ID).sum()),
            "length": spread_of_counts(split.lengths[TARGET]),
            "sentences": spread_of_counts(split.sentences),
        },
    }


def share(marked: NDArray[np.bool_]) -> float:
    return round(float(marked.mean()), 6)
