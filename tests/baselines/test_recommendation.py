"""Chance, popularity, TF-IDF and the ceiling, each against its definition written out."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.baselines import recommendation
from pipeline.files import read_json
from pipeline.metrics.ranking import METRICS
from pipeline.params import Params
from pipeline.stages import baseline, fetch, prepare
from pipeline.text import impressions, ragged
from tests.sources import mind_files
from tests.stages import own


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small generated set with its baselines; not to be changed."""
    folder = tmp_path_factory.mktemp("done")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("DVC_ROOT", str(folder))
        values = pipeline_params.load(own.REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
        values["data"]["newsroom_clicks"]["source"] |= {"news": 1500, "readers": 200, "impressions": 300}
        params = Params.model_validate(values)
        fetch.run(params, "newsroom_clicks")
        prepare.run(params, "newsroom_clicks")
        baseline.run("newsroom_clicks")
    return folder


def predictions(done: Path) -> dict[str, Any]:
    path = done / paths.baselines("newsroom_clicks") / "predictions.parquet"
    table: dict[str, Any] = pq.read_table(path).to_pydict()
    return table


def test_rows_stand_in_the_order_of_what_they_may_know(done: Path) -> None:
    metrics = read_json(done / paths.baselines("newsroom_clicks") / "metrics.json")
    assert list(metrics) == ["random", "popularity", "tfidf", "ceiling", "left_out"]
    auc = [metrics[name]["auc"] for name in ("random", "popularity", "tfidf", "ceiling")]
    assert auc == sorted(auc)
    assert abs(auc[0] - 0.5) < 0.04
    assert all(set(METRICS) <= metrics[name].keys() for name in ("random", "popularity", "tfidf", "ceiling"))
    assert metrics["left_out"] == {"no candidates": 0, "none clicked": 0, "all clicked": 0}
    timing = read_json(done / paths.baselines("newsroom_clicks") / "timing.json")
    assert all(timing[name]["train_seconds"] > 0 for name in ("popularity", "tfidf"))


def test_predictions_are_scores_of_the_test_candidates(done: Path) -> None:
    test = impressions.read(done / paths.prepared("newsroom_clicks"), "test")
    table = predictions(done)
    assert table["id"] == test.id.tolist()
    assert [len(row) for row in table["clicks"]] == test.candidates.lengths.tolist()
    assert np.concatenate(table["clicks"]).tolist() == test.labels().tolist()
    assert test.chances is not None
    np.testing.assert_array_equal(np.concatenate(table["ceiling"]), test.chances.astype(np.float32))


def test_popularity_is_the_smoothed_share_of_all_earlier_views(done: Path) -> None:
    folder = done / paths.prepared("newsroom_clicks")
    views, clicks = Counter[int](), Counter[int]()
    for split in ("train", "validation"):
        found = impressions.read(folder, split)
        views.update(found.candidates.ids.tolist())
        clicks.update(found.candidates.ids[found.labels()].tolist())
    average = clicks.total() / views.total()
    smoothing = read_json(done / paths.baselines("newsroom_clicks") / "metrics.json")["popularity"]["smoothing"]
    assert smoothing in recommendation.SMOOTHINGS
    shown = impressions.read(folder, "test").candidates.ids.tolist()
    expected = [(clicks[one] + smoothing * average) / (views[one] + smoothing) for one in shown]
    np.testing.assert_allclose(np.concatenate(predictions(done)["popularity"]), expected, rtol=1e-6)
    assert 0 in [views[one] for one in shown]


def test_tfidf_is_the_cosine_with_the_mean_of_the_history(done: Path) -> None:
    folder = done / paths.prepared("newsroom_clicks")
    titles, histories = ragged.read(folder, "titles"), ragged.read(folder, "histories")
    texts = [Counter(word for word in titles[n].tolist() if word > 1) for n in range(len(titles))]
    shown = np.flatnonzero(np.load(folder / "news.views.npy"))
    in_texts = Counter(word for n in shown for word in texts[n])
    vectors = np.zeros((len(titles), impressions.read_info(folder).vocabulary_size))
    for row, text in zip(vectors, texts, strict=True):
        for word, count in text.items():
            row[word] = (1 + math.log(count)) * (1 + math.log((1 + len(shown)) / (1 + in_texts[word])))
        row /= math.sqrt(row @ row) or 1
    # The newcomers among the readers have no history on the validation day.
    validation = impressions.read(folder, "validation")
    scores = np.split(recommendation.tfidf(folder)(validation), validation.candidates.offsets[1:-1])
    for i in range(len(validation)):
        history = histories[validation.history[i]]
        profile = vectors[history].mean(axis=0) if len(history) else np.zeros(vectors.shape[1])
        expected = vectors[validation.candidates[i]] @ profile / (math.sqrt(profile @ profile) or 1)
        np.testing.assert_allclose(scores[i], expected, rtol=0, atol=1e-12)
    assert 0 in histories.lengths[validation.history]
    test = recommendation.tfidf(folder)(impressions.read(folder, "test"))
    np.testing.assert_array_equal(np.concatenate(predictions(done)["tfidf"]), test.astype(np.float32))


def test_portions_change_nothing(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = done / paths.prepared("newsroom_clicks")
    test = impressions.read(folder, "test")
    whole = recommendation.tfidf(folder)(test)
    monkeypatch.setattr(recommendation, "PORTION", 7)
    np.testing.assert_allclose(recommendation.tfidf(folder)(test), whole, rtol=0, atol=1e-12)


def test_twice_gives_the_same_files(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(done)
    first = own.hashes(paths.baselines("newsroom_clicks"))
    baseline.run("newsroom_clicks")
    second = own.hashes(paths.baselines("newsroom_clicks"))
    assert all(first[name] == second[name] for name in ("metrics.json", "predictions.parquet"))


@pytest.mark.usefixtures("workspace")
def test_what_cannot_be_ranked_is_counted_and_real_clicks_have_no_ceiling() -> None:
    values = pipeline_params.load().model_dump(exclude_unset=True)
    values["data"]["mind"]["source"] |= {"train": "train", "test": "dev"}
    params = Params.model_validate(values)
    mind_files.write(paths.local("mind"))
    fetch.run(params, "mind")
    prepare.run(params, "mind")
    baseline.run("mind")
    metrics = read_json(paths.baselines("mind") / "metrics.json")
    assert list(metrics) == ["random", "popularity", "tfidf", "left_out"]
    assert metrics["left_out"] == {"no candidates": 0, "none clicked": 0, "all clicked": 1}
    assert metrics["tfidf"]["impressions"] == 1
