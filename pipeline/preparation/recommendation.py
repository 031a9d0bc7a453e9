"""News and impressions as ids in memory-mapped files, with a report that accounts for every row.

Impressions are streamed: what is held of them is a number for each user and a digest for each different history.
"""

import hashlib
import shutil
from array import array
from collections import Counter
from contextlib import ExitStack
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from tokenizers import Tokenizer

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import Closing, write_json, writing_folder
from pipeline.params import Params, Text
from pipeline.preparation.spread import spread_of_counts
from pipeline.sources import news_encoder
from pipeline.sources.base import SPLITS
from pipeline.sources.chosen import recommendation_source_of
from pipeline.sources.mind_behaviors import DAY, day_name
from pipeline.sources.mind_news import News
from pipeline.sources.recommendation import UNLABELLED, Impression, RecommendationOptions, RecommendationSource
from pipeline.text import impressions, ragged, vocabulary
from pipeline.text.impressions import ABSTRACTS, HISTORIES, TITLES, ImpressionWriter, RecommendationInfo
from pipeline.text.ragged import RaggedWriter
from pipeline.text.tokenizer import tokenizer

RECORDS = pa.schema([(name, pa.string()) for name in ("id", "category", "subcategory", "title", "abstract")])
PORTION = 1 << 22
"""Candidates that are counted at a time."""

MANY_CLICKS = 6


class Table:
    """All news in the order of their numbers, their words cut to the lengths that are encoded."""

    def __init__(
        self,
        source: RecommendationSource[Any],
        raw: Path,
        text: Text,
        abstract_length: int | None,
        skipped: Counter[str],
    ) -> None:
        split_words = tokenizer(text.tokenizer, lowercase=text.lowercase)
        self.news: list[News] = []
        self.cleaned: Counter[str] = Counter()
        names = [TITLES, ABSTRACTS] if abstract_length else [TITLES]
        self.words: dict[str, list[list[str]]] = {name: [] for name in names}
        self.lengths: dict[str, list[int]] = {name: [] for name in self.words}
        longest = {TITLES: text.max_length, ABSTRACTS: abstract_length}
        known: dict[str, str] = {}  # one object for each word, however often it stands in texts
        for news, changes in source.news(raw, skipped):
            self.news.append(news)
            self.cleaned.update(changes)
            for name, words in self.words.items():
                tokens = split_words(news.title if name == TITLES else news.abstract)
                self.lengths[name].append(len(tokens))
                words.append([known.setdefault(token, token) for token in tokens[: longest[name]]])
        self.numbers = {news.id: number for number, news in enumerate(self.news)}


class Histories(Closing):
    """The different histories, each written once and numbered; number 0 is the empty one."""

    def __init__(self, folder: Path, numbers: dict[str, int], max_history: int) -> None:
        self._writer = RaggedWriter(folder, HISTORIES)
        self._numbers = numbers
        self._max_history = max_history
        self._rows: dict[bytes, int] = {}
        self._places: dict[bytes, int] = {}
        self._row_of, self._known = array("i"), array("i")
        self.row_of(())

    def close(self) -> None:
        self._writer.close()

    def row_of(self, history: tuple[str, ...]) -> tuple[int, int]:
        """The number of a history, of which the newest are kept, and how many of its news are known."""
        # 16 bytes for a history: what is remembered of millions must fit into memory.
        digest = hashlib.blake2b(" ".join(history).encode(), digest_size=16).digest()
        place = self._places.get(digest)
        if place is None:
            place = self._places[digest] = len(self._row_of)
            numbers = [self._numbers[news] for news in history if news in self._numbers]
            kept = numbers[-self._max_history :]
            key = hashlib.blake2b(np.array(kept, dtype=np.int32).tobytes(), digest_size=16).digest()
            if key not in self._rows:
                self._rows[key] = len(self._rows)
                self._writer.append(kept)
            self._row_of.append(self._rows[key])
            self._known.append(len(numbers))
        return self._row_of[place], self._known[place]


class Split:
    """One split as it is written, and its counts."""

    def __init__(self, name: str, writer: ImpressionWriter) -> None:
        self.name = name
        self.writer = writer
        self.rows = 0
        self.skipped: Counter[str] = Counter()
        self.counts: Counter[str] = Counter(
            dict.fromkeys(
                (
                    "history_entries",
                    "unknown_history_entries",
                    "empty_histories",
                    "histories_without_known_news",
                    "histories_with_repeats",
                    "truncated_histories",
                    "candidates",
                    "unknown_candidates",
                    "clicks",
                    "single_candidates",
                    "repeated_candidates",
                    "candidates_in_history",
                ),
                0,
            )
        )
        self.unranked: Counter[str] = Counter()
        self.clicks: Counter[int] = Counter()
        self.history_lengths: Counter[int] = Counter()
        self.sizes: Counter[int] = Counter()
        self.days: Counter[int] = Counter()

    def count(self, impression: Impression, known: int, max_history: int) -> None:
        """Counts an impression as it stands in the file; of its history, `known` news exist."""
        length, size = len(impression.history), len(impression.candidates)
        self.rows += 1
        self.days[impression.time // DAY] += 1
        self.history_lengths[length] += 1
        self.sizes[size] += 1
        if impression.clicks is not None:
            self.clicks[sum(impression.clicks)] += 1
        self.counts.update(
            {
                "history_entries": length,
                "unknown_history_entries": length - known,
                "empty_histories": not length,
                "histories_without_known_news": bool(length and not known),
                "histories_with_repeats": len(set(impression.history)) < length,
                "truncated_histories": known > max_history,
                "candidates": size,
                "clicks": sum(impression.clicks or ()),
                "single_candidates": size == 1,
                "repeated_candidates": len(set(impression.candidates)) < size,
                "candidates_in_history": not set(impression.history).isdisjoint(impression.candidates),
            }
        )


def prepare(params: Params, dataset: str) -> None:
    """Writes data/prepared/<data set>. UserError where a split has nothing that can be used."""
    options, text = params.data[dataset].source, params.text_of(dataset)
    assert isinstance(options, RecommendationOptions), "a source for recommendation has their options"
    source, raw = recommendation_source_of(params, dataset), paths.raw(dataset)
    skipped: Counter[str] = Counter()
    table = Table(source, raw, text, options.abstract_length, skipped)
    origins = source.splits(raw)
    with writing_folder(paths.prepared(dataset)) as folder:
        splits, users = write_impressions(source, raw, folder, table, options.max_history, list(origins))
        for split in (*SPLITS, *(name for name in origins if name == UNLABELLED)):
            if not splits[split].writer.length:
                reasons = ", ".join(f"{reason}: {count:,}" for reason, count in splits[split].skipped.items())
                raise UserError(
                    f"data set {dataset}: no impression for {split} ({origins[split]}) can be used "
                    f"({reasons or 'there is none'}); link whole files of MIND"
                )
        if UNLABELLED in splits:
            require_single_ids(impressions.read(folder, UNLABELLED), dataset, origins[UNLABELLED])
        shown = count_training(folder, len(table.news))
        trained = (shown["views"] > 0) | shown["read"]
        entries = vocabulary.build(
            (words for texts in table.words.values() for words, used in zip(texts, trained, strict=True) if used),
            min_count=text.min_count,
            max_words=text.max_words,
        )
        vocabulary.write(folder / "vocabulary.json", entries)
        write_news(folder, table, {word: index for index, (word, _) in enumerate(entries)}, shown)
        pieces = write_pieces(raw, folder, table, text.max_length, options)
        categories, subcategories = (
            write_categories(folder, name, [getattr(news, name) for news in table.news])
            for name in ("category", "subcategory")
        )
        info = RecommendationInfo(
            news=len(table.news),
            categories=categories,
            subcategories=subcategories,
            vocabulary_size=len(entries),
            max_length=text.max_length,
            abstract_length=options.abstract_length,
            max_history=options.max_history,
            news_encoder=options.news_encoder.pretrained if options.news_encoder else None,
            tokenizer=text.tokenizer,
            lowercase=text.lowercase,
            splits={name: split.writer.length for name, split in splits.items()},
        )
        impressions.write_info(folder, info)
        report = {
            "task": "recommendation",
            "news": describe_news(table, skipped, trained, info) | pieces,
            "vocabulary": {"words": len(entries) - len(vocabulary.SPECIALS)},
            "users": users,
            "histories": len(ragged.read(folder, HISTORIES)),
            "splits": {
                name: describe(split, origins[name], impressions.read(folder, name), shown["views"])
                for name, split in splits.items()
            },
        }
        write_json(folder / "report.json", report)


def write_impressions(
    source: RecommendationSource[Any], raw: Path, folder: Path, table: Table, max_history: int, names: list[str]
) -> tuple[dict[str, Split], int]:
    """Writes every impression; its split's counts, and the number of users.

    News that no file has are left out of histories and candidates, and counted. Of the training impressions, only those
    with a clicked candidate and one that isn't are kept; the other splits keep all, so that their metrics are those of
    whole files. UserError for an unlabelled impression whose candidates can't all be ranked.
    """
    numbers, users = table.numbers, dict[str, int]()
    with ExitStack() as stack:
        histories = stack.enter_context(Histories(folder, numbers, max_history))
        splits: dict[str, Split] = {}
        for impression in source.read(raw, Counter()):
            name = impression.split
            if name not in splits:
                given = {"clicks": impression.clicks is not None, "chances": impression.chances is not None}
                splits[name] = Split(name, stack.enter_context(ImpressionWriter(folder, name, **given)))
            split = splits[name]
            row, known = histories.row_of(impression.history)
            split.count(impression, known, max_history)
            candidates = [numbers.get(news, -1) for news in impression.candidates]
            clicks, chances = list(impression.clicks or ()), list(impression.chances or ())
            if lost := candidates.count(-1):
                if impression.clicks is None:
                    raise UserError(
                        f"{impression.origin}: candidate {impression.candidates[candidates.index(-1)]} isn't in "
                        "news.tsv, but a submission must rank it; link the file as published"
                    )
                split.counts["unknown_candidates"] += lost
                known_ones = [number >= 0 for number in candidates]
                candidates = list(compress(candidates, known_ones))
                clicks, chances = list(compress(clicks, known_ones)), list(compress(chances, known_ones))
            if impression.clicks is not None and (reason := unranked(clicks)):
                if name == "train":
                    split.skipped[reason] += 1
                    continue
                split.unranked[reason] += 1
            split.writer.append(
                candidates,
                clicks,
                chances,
                id=impression.id,
                time=impression.time,
                user=users.setdefault(impression.user, len(users)),
                history=row,
            )
        for name in names:
            if name not in splits:
                labelled = {"clicks": name != UNLABELLED, "chances": False}
                splits[name] = Split(name, stack.enter_context(ImpressionWriter(folder, name, **labelled)))
    return {name: splits[name] for name in names}, len(users)


def unranked(clicks: list[bool]) -> str | None:
    """Why nothing can be learned from an impression, nor measured on it; None where something can."""
    if not clicks:
        return "no candidates"
    return None if any(clicks) and not all(clicks) else "all clicked" if clicks[0] else "none clicked"


def require_single_ids(unlabelled: impressions.Impressions, dataset: str, origin: str) -> None:
    """Raises UserError where an impression id repeats: a submission has one line for each."""
    ids, counts = np.unique(unlabelled.id, return_counts=True)
    if (counts > 1).any():
        raise UserError(
            f"data set {dataset}: impression id {ids[counts > 1][0]} stands twice in {origin.partition(',')[0]}; a "
            "submission has one line for each id, link the file as published"
        )


def count_training(folder: Path, news: int) -> dict[str, NDArray[Any]]:
    """Per article, in training: `views` and `clicks` as a candidate, and whether it is `read` in a history."""
    train, histories = impressions.read(folder, "train"), ragged.read(folder, HISTORIES)
    counts = {name: np.zeros(news, dtype=np.int64) for name in ("views", "clicks")}
    for start in range(0, len(train.candidates.ids), PORTION):
        portion = slice(start, start + PORTION)
        shown = train.candidates.ids[portion]
        counts["views"] += np.bincount(shown, minlength=news)
        counts["clicks"] += np.bincount(shown[train.labels()[portion]], minlength=news)
    read = np.zeros(news, dtype=bool)
    read[histories.rows(np.unique(train.history)).ids] = True
    return counts | {"read": read}


def write_news(folder: Path, table: Table, ids: dict[str, int], shown: dict[str, NDArray[Any]]) -> None:
    """Encoded texts, the counts of training, and the texts themselves."""
    for name, texts in table.words.items():
        with RaggedWriter(folder, name) as writer:
            for words in texts:
                writer.append(vocabulary.encode(words, ids))
    for name in ("views", "clicks"):
        np.save(folder / f"news.{name}.npy", shown[name])
    columns = {name: [getattr(news, name) for news in table.news] for name in RECORDS.names}
    pq.write_table(pa.table(columns, schema=RECORDS), folder / "news.parquet")


def write_pieces(
    raw: Path, folder: Path, table: Table, max_length: int, options: RecommendationOptions
) -> dict[str, dict[str, Any]]:
    """Copies the pretrained news encoder, and writes texts as its own tokenizer cuts them; for the report, lengths."""
    if options.news_encoder is None:
        return {}
    shutil.copytree(raw / news_encoder.FOLDER, folder / news_encoder.FOLDER)
    cut = Tokenizer.from_file(str(folder / news_encoder.FOLDER / news_encoder.TOKENIZER))
    cut.no_padding()
    described = {}
    for name, longest in ((TITLES, max_length), (ABSTRACTS, options.abstract_length)):
        if longest is None:
            continue
        texts = [news.title if name == TITLES else news.abstract for news in table.news]
        cut.no_truncation()
        lengths = Counter(len(encoded.ids) for encoded in cut.encode_batch_fast(texts))
        cut.enable_truncation(longest)
        with RaggedWriter(folder, impressions.pieces_of(name)) as writer:
            for encoded in cut.encode_batch_fast(texts):
                writer.append(encoded.ids)
        described[name] = {
            "truncated": sum(count for length, count in lengths.items() if length > longest),
            "length": spread_of_counts(lengths),
        }
    return {"pieces": described}


def write_categories(folder: Path, name: str, values: list[str]) -> list[str]:
    """Writes the number of every article's category; the names in the order of their numbers, of all splits alike."""
    names, numbers = np.unique(np.array(values, dtype=object), return_inverse=True)
    np.save(folder / f"news.{name}.npy", numbers.astype(np.int32))
    return [str(one) for one in names]


def describe_news(
    table: Table, skipped: Counter[str], trained: NDArray[np.bool_], info: RecommendationInfo
) -> dict[str, Any]:
    """The news in numbers; lengths are those before the cut."""
    longest = {TITLES: info.max_length, ABSTRACTS: info.abstract_length}
    return {
        "rows": len(table.news) + skipped.total(),
        "skipped": dict(sorted(skipped.items())),
        "cleaned": dict(sorted(table.cleaned.items())),
        "news": len(table.news),
        "in_training": int(trained.sum()),
        "without_title": sum(not news.title for news in table.news),
        "without_abstract": sum(not news.abstract for news in table.news),
        "categories": dict(sorted(Counter(news.category for news in table.news).items())),
        "subcategories": len(info.subcategories),
        "texts": {
            name: {
                "truncated": sum(length > (longest[name] or 0) for length in lengths),
                "length": spread_of_counts(Counter(lengths)),
            }
            for name, lengths in table.lengths.items()
        },
    }


def describe(split: Split, origin: str, written: impressions.Impressions, views: NDArray[np.int64]) -> dict[str, Any]:
    """One split in numbers: of the file's rows, but for `impressions`, `unranked` and the share of what is new."""
    candidates = written.candidates.ids
    new = sum(int((views[candidates[i : i + PORTION]] == 0).sum()) for i in range(0, len(candidates), PORTION))
    described: dict[str, Any] = {
        "from": origin,
        "rows": split.rows,
        "skipped": dict(sorted(split.skipped.items())),
        "impressions": split.writer.length,
        "unranked": dict(sorted(split.unranked.items())),
        "users": len(np.unique(written.user)),
        "repeated_ids": len(written) - len(np.unique(written.id)),
        "days": {day_name(day): count for day, count in sorted(split.days.items())},
        **{name: int(count) for name, count in split.counts.items()},
        "history": spread_of_counts(split.history_lengths),
        "candidates_per_impression": spread_of_counts(split.sizes),
        "share_of_new_candidates": round(new / len(candidates), 6) if len(candidates) else 0.0,
    }
    if written.clicks is not None:
        few = {str(number): split.clicks[number] for number in range(MANY_CLICKS)}
        many = sum(count for number, count in split.clicks.items() if number >= MANY_CLICKS)
        described["clicks_per_impression"] = few | {f"{MANY_CLICKS} or more": many}
    return described
