"""Chance, popularity, and TF-IDF likeness to the history, beside which every recommender stands."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer

from pipeline import paths
from pipeline.files import write_json, writing_folder
from pipeline.metrics.ranking import Ranking, ranking
from pipeline.params import CEILING
from pipeline.text import impressions, ragged
from pipeline.text.impressions import HISTORIES, TITLES, Impressions
from pipeline.text.ragged import Ragged
from pipeline.text.vocabulary import UNKNOWN_ID

SMOOTHINGS = (1, 10, 100)
"""Views with the average share of clicks that every article is given before its own are counted."""

SEED = 1
PORTION = 256
"""Impressions that are scored at a time."""

Scores = NDArray[np.float64]


def run(dataset: str) -> None:
    """Scores of the test impressions' candidates, and how well they rank.

    - `random`: by chance, the same with each call.
    - `popularity`: the smoothed share of a candidate's views before the test that were clicks, validation included,
      since what is popular changes by the day; how smooth is chosen by AUC on validation with the views of training
      alone. News that were never shown have the average.
    - `tfidf`: the cosine of a candidate's title with the mean of the titles in the history; 0 where that is empty.
      Inverse document frequencies are those of the news that training showed.
    - `ceiling`, where the impressions were generated: the true probabilities of the clicks.
    """
    folder = paths.prepared(dataset)
    test, validation = (impressions.read(folder, split) for split in ("test", "validation"))
    started = time.perf_counter()
    popular, smoothing = popularity(folder, validation)
    counted = time.perf_counter()
    likeness = tfidf(folder)
    scores = {
        "random": np.random.default_rng(SEED).random(len(test.candidates.ids)),
        "popularity": popular[test.candidates.ids],
        "tfidf": likeness(test),
    }
    seconds = {"popularity": counted - started, "tfidf": time.perf_counter() - counted}
    if test.chances is not None:
        scores[CEILING] = np.asarray(test.chances)
    measured = {name: measure(test, values) for name, values in scores.items()}
    left_out = measured["random"].left_out
    with writing_folder(paths.baselines(dataset)) as out:
        write_predictions(out / "predictions.parquet", test, scores)
        metrics = {name: one.means() | {"impressions": len(one.impressions)} for name, one in measured.items()}
        write_json(
            out / "metrics.json",
            metrics | {"popularity": metrics["popularity"] | {"smoothing": smoothing}, "left_out": left_out},
        )
        write_json(out / "timing.json", {name: {"train_seconds": taken} for name, taken in seconds.items()})


def measure(split: Impressions, scores: Scores) -> Ranking:
    return ranking(scores, split.labels(), np.asarray(split.candidates.offsets))


def popularity(folder: Path, validation: Impressions) -> tuple[Scores, int]:
    """A score for every article, and the smoothing that ranks validation best; the first of equally good ones."""
    views, clicks = (ragged.read_array(folder / f"news.{name}.npy") for name in ("views", "clicks"))
    shown = validation.candidates.ids

    def auc(smoothing: int) -> float:
        return measure(validation, smoothed(views, clicks, smoothing)[shown]).means()["auc"]

    best = max(SMOOTHINGS, key=auc)
    clicks = clicks + np.bincount(shown[validation.labels()], minlength=len(clicks))
    return smoothed(views + np.bincount(shown, minlength=len(views)), clicks, best), best


def smoothed(views: NDArray[np.int64], clicks: NDArray[np.int64], smoothing: int) -> Scores:
    """Clicks per view, with so many more views of the average share."""
    scores: Scores = (clicks + smoothing * clicks.sum() / views.sum()) / (views + smoothing)
    return scores


def tfidf(folder: Path) -> Callable[[Impressions], Scores]:
    """What scores a split's candidates by the likeness of their titles to those of the history."""
    titles, histories = ragged.read(folder, TITLES), ragged.read(folder, HISTORIES)
    width = impressions.read_info(folder).vocabulary_size
    known = titles.ids > UNKNOWN_ID
    starts = np.concatenate([[0], np.cumsum(known)])[titles.offsets]
    words = csr_matrix((np.ones(starts[-1]), titles.ids[known], starts), shape=(len(titles), width))
    words.sum_duplicates()
    shown = np.flatnonzero(ragged.read_array(folder / "news.views.npy"))
    weighted = TfidfTransformer(sublinear_tf=True).fit(words[shown]).transform(words).tocsr()

    def scores(split: Impressions) -> Scores:
        found = [np.zeros(0)]
        for portion in portions(len(split)):
            rows, place = np.unique(split.history[portion], return_inverse=True)
            profiles = means(weighted, histories.rows(rows))
            shown = split.candidates.rows(np.arange(portion.start, portion.stop))
            found.append(likeness(weighted, shown.ids, profiles, np.repeat(place, shown.lengths)))
        return np.concatenate(found)

    return scores


def portions(length: int) -> Iterator[slice]:
    for start in range(0, length, PORTION):
        yield slice(start, min(start + PORTION, length))


def means(vectors: csr_matrix, rows: Ragged) -> Scores:
    """(rows, width): the mean of each row's vectors, zeros for an empty row."""
    lengths = rows.lengths
    shares = np.repeat(1 / np.maximum(lengths, 1), lengths)
    mean: Scores = (
        csr_matrix((shares, rows.ids, rows.offsets), shape=(len(rows), vectors.shape[0])) @ vectors
    ).toarray()
    return mean


def likeness(vectors: csr_matrix, news: NDArray[np.int32], profiles: Scores, place: NDArray[np.int64]) -> Scores:
    """The cosine of each article's unit vector with the profile at its place; 0 for a profile of zeros."""
    picked = vectors[news]
    of = np.repeat(np.arange(len(news)), np.diff(picked.indptr))
    products = np.bincount(of, weights=picked.data * profiles[place[of], picked.indices], minlength=len(news))
    lengths = np.linalg.norm(profiles, axis=1)[place]
    cosines: Scores = np.divide(products, lengths, out=np.zeros(len(news)), where=lengths > 0)
    return cosines


def write_predictions(path: Path, test: Impressions, scores: dict[str, Scores]) -> None:
    """A row per impression: its id, which candidates were clicked, and the scores of each baseline."""
    offsets = pa.array(test.candidates.offsets)
    columns = {"id": pa.array(test.id), "clicks": pa.LargeListArray.from_arrays(offsets, pa.array(test.labels()))}
    for name, values in scores.items():
        columns[name] = pa.LargeListArray.from_arrays(offsets, pa.array(values.astype(np.float32)))
    pq.write_table(pa.table(columns), path)
