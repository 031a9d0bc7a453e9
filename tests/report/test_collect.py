"""The rows of results.json, against numbers worked out here."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.metrics.bootstrap import interval
from pipeline.params import Params
from pipeline.report import rows
from pipeline.report.collect import collect, headline
from pipeline.report.rows import Row
from pipeline.report.significance import paired_randomization
from tests.report import fake

NAMES = ["bad", "good"]
SEEDS = [1, 2, 3]


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    chosen = fake.params(
        datasets=["films", "books"],
        variants=["fastformer", "frozen_vectors"],
        seeds=SEEDS,
        ablations={"datasets": ["films"], "variants": ["add", "random_vectors"]},
    )
    fake.write_world(chosen, NAMES)
    return chosen


def row_of(chosen: Params, dataset: str, variant: str) -> Row:
    (row,) = (row for row in collect(chosen).rows if (row["dataset"], row["variant"]) == (dataset, variant))
    return row


def test_the_rows_are_baselines_then_variants_then_ablations(chosen: Params) -> None:
    assert [(row["dataset"], row["kind"], row["variant"]) for row in collect(chosen).rows] == [
        ("films", "baseline", "majority"),
        ("films", "baseline", "tfidf_logreg"),
        ("films", "variant", "fastformer"),
        ("films", "variant", "frozen_vectors"),
        ("films", "ablation", "add"),
        ("films", "ablation", "random_vectors"),
        ("books", "baseline", "majority"),
        ("books", "baseline", "tfidf_logreg"),
        ("books", "variant", "fastformer"),
        ("books", "variant", "frozen_vectors"),
    ]


def test_mean_and_sample_deviation_are_those_of_the_seeds(chosen: Params) -> None:
    row = row_of(chosen, "films", "fastformer")
    labels = fake.labels_of(NAMES, 200)
    values = [float((fake.answers(labels, NAMES, 0.85, seed) == labels).mean()) for seed in SEEDS]
    accuracy = row["metrics"]["accuracy"]
    assert accuracy["values"] == pytest.approx(values)
    assert accuracy["mean"] == pytest.approx(sum(values) / 3)
    assert accuracy["std"] == pytest.approx(np.sqrt(sum((value - sum(values) / 3) ** 2 for value in values) / 2))
    assert (row["seeds"], row["missing_seeds"], row["parameters"]) == (SEEDS, [], 1234567)
    assert row["tokens_per_second"] == 40321.5


def test_one_value_has_no_deviation() -> None:
    assert rows.measure([0.5]) == {"mean": 0.5, "std": None, "values": [0.5]}


def test_p_is_against_the_text_baseline_and_for_ablations_against_the_first_variant(chosen: Params) -> None:
    labels = fake.labels_of(NAMES, 200)

    def hits(accuracy: float, number: int) -> np.ndarray:
        runs = [fake.answers(labels, NAMES, accuracy, 10 * number + seed) == labels for seed in SEEDS]
        return np.mean(runs, axis=0)

    baseline = (fake.answers(labels, NAMES, 0.6, 99) == labels).astype(float)
    against_baseline = paired_randomization(hits(0.85, 0), baseline)
    assert row_of(chosen, "films", "fastformer")["p_value"] == {"against": "tfidf_logreg", "value": against_baseline}
    against_first = paired_randomization(hits(0.81, 1), hits(0.85, 0))
    assert row_of(chosen, "films", "random_vectors")["p_value"] == {"against": "fastformer", "value": against_first}
    assert row_of(chosen, "films", "majority")["p_value"] is None


def test_intervals_are_those_of_values_averaged_over_seeds(chosen: Params) -> None:
    labels = fake.labels_of(NAMES, 200)
    hits = np.mean([fake.answers(labels, NAMES, 0.85, seed) == labels for seed in SEEDS], axis=0)
    row = row_of(chosen, "films", "fastformer")
    assert row["interval"] == interval(hits)
    assert row["interval"][0] < row["metrics"]["accuracy"]["mean"] < row["interval"][1]
    baseline = row_of(chosen, "films", "tfidf_logreg")
    assert baseline["interval"] == interval((fake.answers(labels, NAMES, 0.6, 99) == labels).astype(float))
    shutil.rmtree(paths.baselines("films"))
    assert row_of(chosen, "films", "tfidf_logreg")["interval"] is None


def test_p_needs_the_row_that_it_is_against(chosen: Params) -> None:
    shutil.rmtree(paths.baselines("films"))
    shutil.rmtree("experiments/runs/books/fastformer")
    assert row_of(chosen, "films", "fastformer")["p_value"] is None
    assert row_of(chosen, "films", "majority")["metrics"] == {}
    shutil.rmtree("experiments/runs/films/fastformer")
    assert row_of(chosen, "films", "add")["p_value"] is None


def test_a_missing_seed_is_named_and_the_others_count(chosen: Params) -> None:
    shutil.rmtree(paths.run("train", "films", "fastformer", 2))
    row = row_of(chosen, "films", "fastformer")
    assert (row["seeds"], row["missing_seeds"]) == ([1, 3], [2])
    assert len(row["metrics"]["accuracy"]["values"]) == 2


def test_a_row_without_runs_has_no_metrics(chosen: Params) -> None:
    shutil.rmtree("experiments/runs/films/frozen_vectors")
    row = row_of(chosen, "films", "frozen_vectors")
    assert (row["metrics"], row["seeds"], row["missing_seeds"]) == ({}, [], SEEDS)
    assert (row["parameters"], row["train_seconds"], row["p_value"]) == (None, None, None)


def test_nothing_there_at_all_is_a_report_of_missing_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fake.write_paper()
    collected = collect(fake.params(datasets=["films"], variants=["fastformer"], seeds=[1]))
    assert [row["metrics"] for row in collected.rows] == [{}, {}, {}]


@pytest.mark.parametrize("grid, variant", [("train", "frozen_vectors"), ("ablate", "add")])
def test_predictions_for_other_labels_are_stale(chosen: Params, grid: str, variant: str) -> None:
    labels = fake.labels_of(NAMES, 200)[::-1]
    folder = fake.write_run(grid, "films", variant, 3, labels, labels, NAMES)
    with pytest.raises(UserError, match=rf"{folder}/predictions.parquet: its test split differs.*dvc repro"):
        collect(chosen)


def test_predictions_for_fewer_texts_are_stale_without_baselines_too(chosen: Params) -> None:
    shutil.rmtree(paths.baselines("films"))
    labels = fake.labels_of(NAMES, 199)
    fake.write_run("train", "films", "fastformer", 3, labels, labels, NAMES)
    with pytest.raises(UserError, match=r"fastformer/3/predictions.parquet.*fastformer/1/predictions.parquet"):
        collect(chosen)


def test_headline_has_a_file_per_row_and_leaves_out_what_is_missing(chosen: Params) -> None:
    shutil.rmtree("experiments/runs/books/fastformer")
    values = headline(collect(chosen))
    assert list(values) == [
        "majority",
        "tfidf_logreg",
        "fastformer",
        "frozen_vectors",
        "ablation.add",
        "ablation.random_vectors",
    ]
    assert list(values["fastformer"]) == ["films"]
    assert list(values["frozen_vectors"]) == ["films", "books"]
    accuracy = row_of(chosen, "films", "fastformer")["metrics"]["accuracy"]["mean"]
    assert values["fastformer"]["films"] == pytest.approx(accuracy, abs=1e-6)


def test_equal_coverage_reports_are_one(chosen: Params) -> None:
    films, books = collect(chosen).datasets
    assert [(one.report["vectors"], one.variants) for one in films.coverage] == [
        ("pretrained", ["fastformer", "frozen_vectors", "add"]),
        ("random", ["random_vectors"]),
    ]
    assert [one.variants for one in books.coverage] == [["fastformer", "frozen_vectors"]]
