"""Articles and summaries as ids in memory-mapped files, with a report that accounts for every entry.

Texts are streamed, a few portions at a time for each process that cuts them into words. What is held of them is the
list of different words, with a number and a count for each.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
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
from pipeline.preparation.progress import progress_bar
from pipeline.preparation.spread import spread_of_counts
from pipeline.preparation.workers import Workers
from pipeline.sources.base import SPLITS
from pipeline.sources.chosen import summarization_source_of
from pipeline.sources.summarization import Article, SummarizationOptions, SummarizationSource
from pipeline.text import articles, bulk_tokenizer, ragged, vocabulary
from pipeline.text.articles import END_ID, SENTENCE_ID, SOURCE, TARGET, WRITTEN_SPECIALS, SummarizationInfo
from pipeline.text.ragged import Ragged, RaggedWriter
from pipeline.text.vocabulary import UNKNOWN_ID

TEXTS = pa.list_(pa.string())
RECORDS = pa.schema([("origin", pa.string()), ("body", pa.string()), ("summary", TEXTS), ("best", TEXTS)])
UNKNOWN_WORDS = pa.schema([("words", TEXTS)])
PORTION = 1000
"""Rows of a table that are held before they go to disk."""

PIECE = 1 << 23
"""Characters of articles that are cut into words together."""

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
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        self._counts = np.zeros(0, np.int64)

    def numbered(self, words: bulk_tokenizer.Words) -> Ragged:
        """The words of texts by their numbers here."""
        place = np.fromiter(map(self.numbers.__getitem__, words.types), np.int32, len(words.types))
        return Ragged(place[words.numbers], np.concatenate([np.zeros(1, np.int64), np.cumsum(words.lengths)]))

    def count(self, numbers: NDArray[np.int32]) -> None:
        """Counts these words of training."""
        counts = np.bincount(numbers, minlength=len(self.numbers))
        counts[: len(self._counts)] += self._counts
        self._counts = counts

    def counted(self) -> Iterator[tuple[str, int]]:
        """The words that training has, with their numbers of times."""
        return ((word, n) for word, n in zip(self.numbers, self._counts.tolist(), strict=True) if n)


def prepare(params: Params, dataset: str) -> None:
    """Writes data/prepared/<data set>. UserError where a split has nothing that can be used."""
    options, text, hardware = params.data[dataset].source, params.text_of(dataset), params.hardware
    assert isinstance(options, SummarizationOptions), "a source for summarization has their options"
    skipped: Counter[str] = Counter()
    with (
        writing_folder(paths.prepared(dataset)) as folder,
        Workers(hardware.processes) as workers,
        progress_bar(hardware.draws_bars, dataset) as bar,
    ):
        words = Words()
        splits = {name: Split(folder, name) for name in SPLITS}
        try:
            source = summarization_source_of(params, dataset)
            read = read_all(source, paths.raw(dataset), text, workers, skipped)
            for some in bar.over(read, "cutting into words", repeat(1), None):
                add(some, words, splits, skipped)
        finally:
            for split in splits.values():
                split.close()
        for name, split in splits.items():
            if not split.articles:
                reasons = ", ".join(f"{reason}: {count:,}" for reason, count in sorted(skipped.items()))
                raise UserError(
                    f"data set {dataset}: no article for {name} can be used ({reasons or 'there is none'}); link whole "
                    "files as published"
                )
        entries = vocabulary.of_counts(
            words.counted(),
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


@dataclass(frozen=True)
class Cut:
    """Articles in words: bodies cut at the greatest length, their whole lengths, and all sentences of the summaries."""

    articles: list[Article]
    bodies: bulk_tokenizer.Words
    whole: NDArray[np.int64]
    sentences: bulk_tokenizer.Words


def read_all(
    source: SummarizationSource[Any], raw: Path, text: Text, workers: Workers, skipped: Counter[str]
) -> Iterator[Cut]:
    """Every article, PIECE characters at a time; they are read here, and cut into words by all processes."""
    waiting: deque[list[Article]] = deque()

    def pieces() -> Iterator[tuple[Any, ...]]:
        for some in in_pieces(source.read(raw, skipped)):
            waiting.append(some)
            bodies = pa.array([article.body for article in some], pa.string())
            sentences = pa.array([sentence for article in some for sentence in article.summary], pa.string())
            yield bodies, sentences, text.tokenizer, text.lowercase, text.max_length

    for bodies, whole, sentences in workers.each(cut_into_words, pieces()):
        yield Cut(waiting.popleft(), bodies, whole, sentences)


def in_pieces(articles_read: Iterable[Article]) -> Iterator[list[Article]]:
    """The articles in lists of about PIECE characters."""
    some: list[Article] = []
    size = 0
    for article in articles_read:
        some.append(article)
        size += len(article.body)
        if size >= PIECE:
            yield some
            some, size = [], 0
    if some:
        yield some


def cut_into_words(
    bodies: pa.StringArray, sentences: pa.StringArray, tokenizer: str, lowercase: bool, longest: int
) -> tuple[bulk_tokenizer.Words, NDArray[np.int64], bulk_tokenizer.Words]:
    """The bodies' first `longest` words, the bodies' whole lengths, and the sentences' words."""
    words = bulk_tokenizer.split_texts(bodies, tokenizer, lowercase=lowercase)
    return words.cut(longest), words.lengths, bulk_tokenizer.split_texts(sentences, tokenizer, lowercase=lowercase)


def add(some: Cut, words: Words, splits: dict[str, Split], skipped: Counter[str]) -> None:
    """Puts articles into their splits; one without a word in its body or its summary is counted in `skipped`."""
    bodies, sentences = words.numbered(some.bodies), words.numbered(some.sentences)
    training = []
    behind = 0
    for number, article in enumerate(some.articles):
        first, behind = behind, behind + len(article.summary)
        rows = (sentences[place].tolist() for place in range(first, behind))
        summary = [row for row in rows if row]
        if not len(bodies[number]) or not summary:
            skipped["no tokens"] += 1
            continue
        target = summary[0] + [word for row in summary[1:] for word in (BREAK, *row)]
        splits[article.split].append(article, bodies[number].tolist(), target, int(some.whole[number]))
        if article.split == "train":
            training += [bodies[number], sentences.ids[sentences.offsets[first] : sentences.offsets[behind]]]
    words.count(np.concatenate([np.zeros(0, np.int32), *training]))


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
