"""Documents with labels: splits, vocabulary, encoded texts and a data report.

The texts pass through files of some thousands each (parts.py), on which several processes work, so that memory holds
the vocabulary, a few bytes per document, and as many parts as there are processes. What comes out is the same bytes,
however many they are. Reading and cutting into words are two passes: between them it is settled which documents are
used. The numbers that words get in a part become ids when the last text was counted.
"""

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import write_json, writing_folder
from pipeline.params import Params, Text
from pipeline.preparation import parts
from pipeline.preparation.parts import Part, Rows
from pipeline.preparation.progress import Bar, progress_bar
from pipeline.preparation.spread import spread
from pipeline.preparation.workers import Workers
from pipeline.section import Splits
from pipeline.sources import selection, splits
from pipeline.sources.base import SPLITS
from pipeline.sources.chosen import source_of
from pipeline.sources.columns import NO_SPLIT, Columns, Indices, joined
from pipeline.sources.source import BlockSource, Source
from pipeline.text import corpus, vocabulary


def prepare(params: Params, dataset: str) -> None:
    """Fills data/prepared/<data set>. Raises UserError where a file is broken, or its documents don't suffice."""
    options, text, hardware = params.data[dataset].source, params.text_of(dataset), params.hardware
    with (
        writing_folder(paths.prepared(dataset)) as folder,
        Workers(hardware.processes) as workers,
        progress_bar(hardware.draws_bars, dataset) as bar,
    ):
        spool = folder / "spool"
        spool.mkdir()
        read = list(read_all(source_of(params, dataset), paths.raw(dataset), spool, workers, bar))
        if len(read) == 1:
            workers = Workers(1)  # too little to share out
        unused: Counter[str] = Counter()
        columns = joined([part.columns for part in read])
        texts = cut_into_words(read, selection.select(columns, options, unused), text, workers, bar)
        if wordless := int((texts.lengths == 0).sum()):
            unused["no tokens"] += wordless
            texts = texts.with_words()
        documents = columns.rows(texts.chosen)
        for number, split in enumerate(SPLITS):
            if split != "train" and getattr(options, split, None) is not None and number not in documents.splits:
                raise UserError(
                    f"data set {dataset}: no text of the file for {split} can be used; name another, or null"
                )
        labels = label_names(documents, texts, dataset)
        documents = with_splits(documents, texts, getattr(options, "splits", None), dataset)

        members = [np.flatnonzero(documents.splits == number) for number in range(len(SPLITS))]
        tables = workers.each(
            parts.write_records,
            [(folder / f"{split}.parquet", texts.rows(chosen)) for split, chosen in zip(SPLITS, members, strict=True)],
        )
        counts = texts.counts(documents.splits == SPLITS.index("train"))
        entries = vocabulary.of_counts(
            zip(texts.words, counts.tolist(), strict=True),
            min_count=text.min_count,
            max_words=text.max_words,
            specials=vocabulary.SPECIALS,
        )
        vocabulary.write(folder / "vocabulary.json", entries)
        corpus.write_info(
            folder, corpus.CorpusInfo(labels, len(entries), text.max_length, text.tokenizer, text.lowercase)
        )
        skipped = sum((part.skipped for part in read), unused)
        report: dict[str, Any] = {
            "rows": len(columns) + sum(part.skipped.total() for part in read),
            "skipped": dict(sorted(skipped.items())),
            "cleaned": dict(sorted(sum((part.cleaned for part in read), Counter()).items())),
            "texts": len(documents),
            "repeated_texts": selection.repeated(documents),
            "vocabulary": {
                "words": len(entries) - len(vocabulary.SPECIALS),
                "word_types_in_training": int((counts > 0).sum()),
            },
            "splits": {},
        }
        number_of = {label: number for number, label in enumerate(labels)}
        numbers = np.array([number_of.get(name, -1) for name in documents.names])[documents.labels]
        ids = texts.ids_of_words(entries)
        for split, chosen in zip(SPLITS, members, strict=True):
            lengths = texts.lengths[chosen]
            pieces = Tally(texts.ids(chosen, ids))
            corpus.write(folder, split, pieces, np.minimum(lengths, text.max_length), numbers[chosen])
            report["splits"][split] = describe(pieces, numbers[chosen], labels, lengths, text.max_length)
        write_json(folder / "report.json", report)
        for _ in bar.over(tables, "writing", (1, 1, 1), 3):
            pass
        shutil.rmtree(spool)


def read_all(source: Source[Any], raw: Path, spool: Path, workers: Workers, bar: Bar) -> Iterator[Part]:
    """All records of the source, in parts; several processes read what can be read in blocks."""
    if not isinstance(source, BlockSource):
        yield from parts.parts_of_stream(source, raw, spool)
        return
    sizes: list[int] = []

    def pieces() -> Iterator[tuple[Any, ...]]:
        for number, block in enumerate(source.blocks(raw)):
            sizes.append(block.size)
            yield source, block, spool / f"{number}.arrow"

    total = sum(path.stat().st_size for path in raw.rglob("*") if path.is_file() and path.suffix != ".gz")
    read = workers.each(parts.read_block, pieces())
    found = False
    for part in bar.over(read, "reading", (sizes[number] for number in count()), total or None):
        found = True
        yield part
    if not found:
        yield parts.write_part([], spool / "0.arrow", Counter())


@dataclass(frozen=True)
class Texts:
    """The chosen documents' words, on disk. `lengths` are whole, the words on disk cut at `longest`.

    A part's file of numbers holds, for its chosen documents in their order, places in its array of `word_of`, which
    hold places in `words`.
    """

    files: list[tuple[Path, Path]]
    starts: Indices
    """Place of a part's first document among all documents, and behind the last one's end."""
    chosen: Indices
    """Places of the documents among all documents, rising."""
    lengths: NDArray[np.int64]
    longest: int
    words: list[str]
    word_of: list[NDArray[np.int32]]

    def with_words(self) -> "Texts":
        """Without the documents that have no word."""
        some = self.lengths > 0
        return replace(self, chosen=self.chosen[some], lengths=self.lengths[some])

    def rows(self, members: Indices) -> list[Rows]:
        """These of the chosen documents, as rows of the parts' files of records."""
        places = self.chosen[members]
        ends = np.searchsorted(places, self.starts)
        return [
            (records, places[ends[part] : ends[part + 1]] - self.starts[part])
            for part, (records, _) in enumerate(self.files)
        ]

    def origin(self, member: int) -> str:
        """File and line of one of the chosen documents."""
        ((path, rows),) = [(path, rows) for path, rows in self.rows(np.array([member])) if len(rows)]
        found: str = parts.column(path, "origin", rows)[0].as_py()
        return found

    def counts(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How often each word stands in the flagged of the chosen documents."""
        counts = np.zeros(len(self.words), np.int64)
        for part, numbers in self._numbers(flags):
            counts[self.word_of[part]] += np.bincount(numbers, minlength=len(self.word_of[part]))
        return counts

    def ids_of_words(self, entries: Sequence[tuple[str, int]]) -> NDArray[np.int32]:
        """For every one of `words` its id; a word that isn't among the entries is `<unk>`, and one spelt so is too."""
        known = {word: index for index, (word, _) in enumerate(entries)}
        return np.array(vocabulary.encode(self.words, known), np.int32)

    def ids(self, members: Indices, ids: NDArray[np.int32]) -> Iterator[corpus.Ids]:
        """The ids of these of the chosen documents, a part at a time."""
        flags = np.zeros(len(self.chosen), np.bool_)
        flags[members] = True
        for part, numbers in self._numbers(flags):
            yield ids[self.word_of[part]][numbers]

    def _numbers(self, flags: NDArray[np.bool_]) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Per part the words of its flagged documents."""
        cut = np.minimum(self.lengths, self.longest)
        ends = np.searchsorted(self.chosen, self.starts)
        for part, (_, path) in enumerate(self.files):
            of_part = slice(ends[part], ends[part + 1])
            yield part, np.compress(np.repeat(flags[of_part], cut[of_part]), np.load(path))


def cut_into_words(read: Sequence[Part], chosen: Indices, text: Text, workers: Workers, bar: Bar) -> Texts:
    """The words of the chosen documents."""
    starts = np.cumsum([0, *map(len, read)])
    files = [(part.path, part.path.with_suffix(".npy")) for part in read]
    found = Texts(files, starts, chosen, np.zeros(0, np.int64), text.max_length, [], [])
    pieces = [
        (path, numbers, rows, text.tokenizer, text.lowercase, text.max_length)
        for (path, rows), (_, numbers) in zip(found.rows(np.arange(len(chosen))), files, strict=True)
    ]
    place: defaultdict[str, int] = defaultdict()
    place.default_factory = place.__len__
    lengths, word_of = [np.zeros(0, np.int64)], []
    cut = workers.each(parts.split_part, pieces)
    for of_part, words in bar.over(cut, "cutting into words", (len(piece[2]) for piece in pieces), len(chosen)):
        lengths.append(of_part)
        word_of.append(np.fromiter(map(place.__getitem__, words), np.int32, len(words)))
    return replace(found, lengths=np.concatenate(lengths), words=list(place), word_of=word_of)


def label_names(documents: Columns, texts: Texts, dataset: str) -> list[str]:
    """The labels in the order of their numbers: by value where all are numbers, else by name.

    Raises UserError where there are fewer than two.
    """
    labels = sorted(documents.names[number] for number in np.unique(documents.labels))
    if len(labels) < 2:
        what = f"every row has the label {labels[0]!r}" if labels else "no row could be used"
        where = texts.origin(0).rpartition(":")[0] if labels else paths.raw(dataset)
        raise UserError(f"data set {dataset}: {where}: {what}; classification needs two labels or more")
    return by_value(labels)


def by_value(labels: list[str]) -> list[str]:
    """Sorted labels in the order of their values where all are numbers, else as they are."""
    try:
        return sorted(labels, key=lambda label: (float(label), label))
    except ValueError:
        return labels


def with_splits(documents: Columns, texts: Texts, shares: Splits | None, dataset: str) -> Columns:
    """The documents, each in a split: upstream's where there is one, else cut as `shares` says.

    Raises UserError where a label of validation or test doesn't occur in training.
    """
    missing = [split for number, split in enumerate(SPLITS) if split != "train" and number not in documents.splits]
    split_of = np.where(documents.splits == NO_SPLIT, SPLITS.index("train"), documents.splits)
    if missing:
        assert shares is not None, "a source without its own splits has shares"
        mine = np.flatnonzero(split_of == SPLITS.index("train"))
        try:
            split_of[mine] = splits.cut(
                documents.rows(mine), {name: getattr(shares, name) for name in missing}, shares.seed
            )
        except UserError as error:
            raise UserError(f"data set {dataset}: {error}") from None
    trained = np.unique(documents.labels[split_of == SPLITS.index("train")])
    for member in np.flatnonzero(~np.isin(documents.labels, trained))[:1].tolist():
        raise UserError(
            f"data set {dataset}: {texts.origin(member)}: label {documents.names[documents.labels[member]]!r} doesn't "
            f"occur in training (there: {', '.join(sorted(documents.names[number] for number in trained))}); correct "
            "it, or add training texts with it"
        )
    return replace(documents, splits=split_of)


class Tally:
    """Ids in pieces, counted as they pass."""

    def __init__(self, pieces: Iterable[corpus.Ids]) -> None:
        self._pieces = pieces
        self.tokens = self.unknown = 0

    def __iter__(self) -> Iterator[corpus.Ids]:
        for piece in self._pieces:
            self.tokens += len(piece)
            self.unknown += int((piece == vocabulary.UNKNOWN_ID).sum())
            yield piece


def describe(ids: Tally, numbers: Indices, labels: list[str], lengths: Indices, max_length: int) -> dict[str, Any]:
    """One split in numbers. `lengths` are those before the cut at `max_length` tokens."""
    counts = np.bincount(numbers, minlength=len(labels))
    return {
        "texts": len(numbers),
        "labels": dict(zip(labels, counts.tolist(), strict=True)),
        "tokens": ids.tokens,
        "unknown_token_share": round(ids.unknown / ids.tokens, 6),
        "truncated": int((lengths > max_length).sum()),
        "length": spread(lengths),
    }
