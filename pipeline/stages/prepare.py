"""Stage `prepare`: splits, vocabulary, encoded data and a report on them, in data/prepared/<data set>."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import write_json, writing_folder
from pipeline.params import Params
from pipeline.preparation import recommendation, summarization
from pipeline.section import Splits
from pipeline.sources import selection, splits
from pipeline.sources.base import SPLITS, Document
from pipeline.sources.chosen import source_of
from pipeline.text import corpus, vocabulary
from pipeline.text.tokenizer import tokenizer

RECORDS = pa.schema([(name, pa.string()) for name in ("origin", "text", "label", "best")])


def run(params: Params, dataset: str) -> None:
    if params.data[dataset].source.task == "recommendation":
        recommendation.prepare(params, dataset)
        return
    if params.data[dataset].source.task == "summarization":
        summarization.prepare(params, dataset)
        return
    options, text = params.data[dataset].source, params.text_of(dataset)
    unread: Counter[str] = Counter()
    unused: Counter[str] = Counter()
    tally = selection.Tally()
    read = tally.of(source_of(params, dataset).read(paths.raw(dataset), unread))
    selected = selection.select(read, options, unused)
    split_words = tokenizer(text.tokenizer, lowercase=text.lowercase)
    documents: list[Document] = []
    words: list[list[str]] = []
    for document in selected:
        if tokens := split_words(document.text):
            documents.append(document)
            words.append(tokens)
        else:
            unused["no tokens"] += 1
    for split in SPLITS[1:]:
        if getattr(options, split, None) is not None and all(document.split != split for document in documents):
            raise UserError(f"data set {dataset}: no text of the file for {split} can be used; name another, or null")
    labels = label_names(documents, dataset)
    documents = with_splits(documents, getattr(options, "splits", None), dataset)

    lengths = [len(tokens) for tokens in words]
    words = [tokens[: text.max_length] for tokens in words]
    of_split = {split: [i for i, d in enumerate(documents) if d.split == split] for split in SPLITS}
    entries = vocabulary.build(
        (words[i] for i in of_split["train"]), min_count=text.min_count, max_words=text.max_words
    )
    ids = {word: index for index, (word, _) in enumerate(entries)}
    numbers = {label: number for number, label in enumerate(labels)}

    report: dict[str, Any] = {
        "rows": tally.records + unread.total(),
        "skipped": dict(sorted((unread + unused).items())),
        "cleaned": dict(sorted(tally.cleaned.items())),
        "texts": len(documents),
        "repeated_texts": selection.repeated(documents),
        "vocabulary": {
            "words": len(entries) - len(vocabulary.SPECIALS),
            "word_types_in_training": types(words[i] for i in of_split["train"]),
        },
        "splits": {},
    }
    with writing_folder(paths.prepared(dataset)) as folder:
        vocabulary.write(folder / "vocabulary.json", entries)
        corpus.write_info(
            folder,
            corpus.CorpusInfo(labels, len(entries), text.max_length, text.tokenizer, text.lowercase),
        )
        for split, members in of_split.items():
            encoded = corpus.write(
                folder,
                split,
                (vocabulary.encode(words[i], ids) for i in members),
                [numbers[documents[i].label] for i in members],
            )
            write_records(folder / f"{split}.parquet", [documents[i] for i in members])
            report["splits"][split] = describe(
                encoded, labels, np.array([lengths[i] for i in members]), text.max_length
            )
        write_json(folder / "report.json", report)


def label_names(documents: Sequence[Document], dataset: str) -> list[str]:
    """The labels in the order of their numbers: by value where all are numbers, else by name.

    Raises UserError where there are fewer than two.
    """
    labels = sorted({document.label for document in documents})
    if len(labels) < 2:
        what = f"every row has the label {labels[0]!r}" if labels else "no row could be used"
        where = documents[0].origin.rpartition(":")[0] if documents else paths.raw(dataset)
        raise UserError(f"data set {dataset}: {where}: {what}; classification needs two labels or more")
    try:
        return sorted(labels, key=lambda label: (float(label), label))
    except ValueError:
        return labels


def with_splits(documents: Sequence[Document], shares: Splits | None, dataset: str) -> list[Document]:
    """The documents, each in a split: upstream's where there is one, else cut as `shares` says.

    Raises UserError where a label of validation or test doesn't occur in training.
    """
    given = {document.split for document in documents}
    missing = [split for split in SPLITS[1:] if split not in given]
    names = [document.split or "train" for document in documents]
    if missing:
        assert shares is not None, "a source without its own splits has shares"
        mine = [index for index, name in enumerate(names) if name == "train"]
        try:
            cut = splits.cut(
                [documents[i] for i in mine], {name: getattr(shares, name) for name in missing}, shares.seed
            )
        except UserError as error:
            raise UserError(f"data set {dataset}: {error}") from None
        for index, name in zip(mine, cut, strict=True):
            names[index] = name
    done = [replace(document, split=name) for document, name in zip(documents, names, strict=True)]
    trained = {document.label for document in done if document.split == "train"}
    for document in done:
        if document.label not in trained:
            raise UserError(
                f"data set {dataset}: {document.origin}: label {document.label!r} doesn't occur in training "
                f"(there: {', '.join(sorted(trained))}); correct it, or add training texts with it"
            )
    return done


def types(texts: Any) -> int:
    """The number of different words."""
    return len({word for text in texts for word in text})


def write_records(path: Path, documents: Sequence[Document]) -> None:
    columns = {name: [getattr(document, name) for document in documents] for name in RECORDS.names}
    pq.write_table(pa.table(columns, schema=RECORDS), path)


def describe(encoded: corpus.Corpus, labels: list[str], lengths: Any, max_length: int) -> dict[str, Any]:
    """One split in numbers. `lengths` are those before the cut at `max_length` tokens."""
    counts = np.bincount(encoded.labels, minlength=len(labels))
    return {
        "texts": len(encoded),
        "labels": dict(zip(labels, counts.tolist(), strict=True)),
        "tokens": len(encoded.ids),
        "unknown_token_share": round(float(np.mean(encoded.ids == vocabulary.UNKNOWN_ID)), 6),
        "truncated": int((lengths > max_length).sum()),
        "length": {
            "min": int(lengths.min()),
            "median": float(np.median(lengths)),
            "mean": round(float(lengths.mean()), 2),
            "p95": float(np.percentile(lengths, 95)),
            "max": int(lengths.max()),
        },
    }
