"""Stage `embed`: the word vectors that a variant starts from, one row per word of the vocabulary, and their coverage.

One folder per data set and variant, since a DVC matrix can't look up a variant's kind of vectors in a path; editing
the vectors of one variant makes that variant's trainings stale and no others.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline import paths
from pipeline.embeddings import vector_files, vectors
from pipeline.errors import UserError
from pipeline.files import require, write_json, writing_folder
from pipeline.params import Params
from pipeline.text import articles, corpus, impressions, ragged, vocabulary

NEIGHBOURS_OF = 5
"""Words whose nearest neighbours are written down: rows that were mixed up show at a glance."""


def run(params: Params, dataset: str, variant: str, grid: str) -> None:
    options, kind = params.vectors, params.variant[variant].vectors
    prepared = paths.prepared(dataset)
    entries = vocabulary.read(require(prepared / "vocabulary.json"))
    words = [word for word, _ in entries]
    specials = len(articles.WRITTEN_SPECIALS if articles.is_prepared(prepared) else vocabulary.SPECIALS)
    report: dict[str, Any] = {"vectors": kind}
    try:
        if kind in ("pretrained", "frozen"):
            (file,) = (path for path in require(paths.VECTORS).iterdir() if path.suffix != ".npy")
            member = paths.vector_file(options.pretrained)[1] or f"{options.pretrained}.txt"
            found = vector_files.read_rows(file, words, case=options.case, member=member)
            report |= {
                "file": file.name,
                "coverage": coverage(entries[specials:], found, specials),
                "read": read_report(found),
            }
            if options.case != "exact":
                report["words_by_case"] = dict(sorted(Counter(found.cases.values()).items()))
            matrix = vectors.pretrained_matrix(found, len(words), options.seed)
        elif kind == "random":
            matrix = vectors.random_matrix(len(words), options.random.dim, options.random.std, options.seed)
        else:
            texts = [[words[i] for i in text] for text in training_texts(prepared)]
            matrix = vectors.word2vec_matrix(texts, words, seed=options.seed, **options.word2vec.model_dump())
    except UserError as error:
        raise UserError(f"data set {dataset}, variant {variant}: {error}") from None
    report["dim"] = matrix.shape[1]
    if kind != "random":
        report["neighbours"] = neighbours(words, matrix, specials)
    with writing_folder(paths.embeddings(grid, dataset, variant)) as folder:
        np.save(folder / "vectors.npy", matrix)
        write_json(folder / "coverage.json", report)


def training_texts(prepared: Path) -> Iterator[NDArray[np.int32]]:
    """The ids of every training text: in recommendation of the titles that training shows or has in a history, in
    summarization of articles and summaries, whose own words are `<unk>`.
    """
    if articles.is_prepared(prepared):
        size, train_articles = articles.read_info(prepared).vocabulary_size, articles.read(prepared, "train")
        for rows in (train_articles.source, train_articles.target):
            yield from (np.where(rows[i] < size, rows[i], vocabulary.UNKNOWN_ID) for i in range(len(rows)))
        return
    if not impressions.is_prepared(prepared):
        train = corpus.read(prepared, "train")
        yield from (train[number] for number in range(len(train)))
        return
    titles = ragged.read(prepared, impressions.TITLES)
    yield from (titles[number] for number in impressions.news_of(prepared, "train"))


def coverage(entries: list[tuple[str, int]], found: vector_files.FileRows, first: int) -> dict[str, float]:
    """Shares of the vocabulary's words, whose ids begin at `first`, and of their training tokens that the file has."""
    counts = np.array([count for _, count in entries])
    has = np.array([first + number in found.rows for number in range(len(entries))], dtype=bool)
    return {
        "types": round(float(has.mean()), 6) if len(has) else 0.0,
        "tokens": round(float(counts[has].sum() / max(counts.sum(), 1)), 6),
        "missing_words": int((~has).sum()),
    }


def read_report(found: vector_files.FileRows) -> dict[str, Any]:
    """What was met in the vector file."""
    return {
        "lines": found.lines,
        "header": found.header,
        "repeated_words": found.duplicates,
        "skipped_lines": len(found.wrong_size),
        "skipped_line_numbers": found.wrong_size[:10],
    }


def neighbours(words: list[str], matrix: vectors.Matrix, first: int) -> dict[str, list[str]]:
    """The three nearest words of a few that are neither very frequent nor rare; specials stand before `first`."""
    keyed = vectors.keyed_vectors(words, matrix)
    known = words[first:]
    chosen = [word for word in known[len(known) // 50 :] if word.isalpha()][:NEIGHBOURS_OF]
    return {word: [near for near, _ in keyed.most_similar(word, topn=3)] for word in chosen}
