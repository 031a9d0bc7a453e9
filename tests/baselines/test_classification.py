"""Majority label, and logistic regression on TF-IDF, through the stage `baseline`."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline import paths
from pipeline.baselines import classification
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.metrics.classification import accuracy_and_f1, confusion_matrix
from pipeline.stages import baseline
from tests.stages import own


@pytest.fixture(autouse=True)
def in_workspace(workspace: Path) -> Path:
    return workspace


def run(rows: list[tuple[str | None, str | None]], **changes: Any) -> Path:
    own.write("reviews.jsonl", rows)
    own.prepared(own.params(**changes))
    baseline.run("own")
    return paths.baselines("own")


def test_it_learns_what_can_be_separated() -> None:
    folder = run(own.reviews(60))
    metrics = read_json(folder / "metrics.json")
    assert metrics["majority"]["accuracy"] == 0.5
    assert metrics["tfidf_logreg"]["accuracy"] == metrics["tfidf_logreg"]["macro_f1"] == 1.0
    assert metrics["tfidf_logreg"]["c"] in classification.INVERSE_PENALTIES
    assert metrics["tfidf_logreg"]["parameters"] > 2
    assert read_json(folder / "timing.json")["tfidf_logreg"]["train_seconds"] > 0


def test_the_test_split_teaches_it_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[int] = []
    score = classification.LogisticRegression.score

    def recorded(model: Any, features: Any, labels: Any) -> float:
        scored.append(len(labels))
        return float(score(model, features, labels))

    monkeypatch.setattr(classification.LogisticRegression, "score", recorded)
    shares = {"splits": {"validation": 0.1, "test": 0.3, "seed": 1}}
    before = read_json(run(own.reviews(60), source=shares) / "metrics.json")
    prepared = paths.prepared("own")
    sizes = {split: len(np.load(prepared / f"{split}.labels.npy")) for split in ("validation", "test")}
    assert sizes["validation"] != sizes["test"]
    assert scored == [sizes["validation"]] * len(classification.INVERSE_PENALTIES)

    table = pq.read_table(prepared / "test.parquet")
    texts = pa.array(["words that only these texts have"] * len(table))
    pq.write_table(table.set_column(table.schema.get_field_index("text"), "text", texts), prepared / "test.parquet")
    majority = int(np.bincount(np.load(prepared / "train.labels.npy")).argmax())
    np.save(prepared / "test.labels.npy", np.full(sizes["test"], 1 - majority))
    baseline.run("own")
    after = read_json(paths.baselines("own") / "metrics.json")
    assert after["majority"]["accuracy"] == 0
    assert after["tfidf_logreg"]["parameters"] == before["tfidf_logreg"]["parameters"]


def test_majority_is_the_most_frequent_training_label() -> None:
    rows = own.reviews(40) + [(f"a strange film {i}", "odd") for i in range(60)]
    metrics = read_json(run(rows) / "metrics.json")
    assert metrics["majority"] == pytest.approx({"accuracy": 0.6, "macro_f1": 0.25})


def test_predictions_give_the_metrics() -> None:
    folder = run(own.reviews(60))
    table = pq.read_table(folder / "predictions.parquet").to_pydict()
    records = pq.read_table(paths.prepared("own") / "test.parquet").to_pydict()
    assert table["id"] == list(range(len(records["label"])))
    assert table["label"] == records["label"]
    names = ["bad", "good"]
    numbers = {name: np.array([names.index(label) for label in column]) for name, column in list(table.items())[1:]}
    metrics = read_json(folder / "metrics.json")
    for name in ("majority", "tfidf_logreg"):
        scores = accuracy_and_f1(confusion_matrix(numbers["label"], numbers[name], 2))
        assert {key: metrics[name][key] for key in scores} == scores


def test_it_sees_a_text_as_long_as_the_models_do() -> None:
    words = {"good": "fine", "bad": "poor"}
    rows: list[tuple[str | None, str | None]] = [
        (f"film number {i} {words[label]}", label) for i in range(30) for label in words
    ]
    assert read_json(run(rows) / "metrics.json")["tfidf_logreg"]["accuracy"] == 1.0
    cut = read_json(run(rows, text={"max_length": 3}) / "metrics.json")
    assert cut["tfidf_logreg"]["accuracy"] < 0.8


def test_twice_gives_the_same_metrics_and_predictions() -> None:
    first = own.hashes(run(own.reviews()))
    second = own.hashes(run(own.reviews()))
    assert sorted(first) == ["metrics.json", "predictions.parquet", "timing.json"]
    assert all(first[name] == second[name] for name in ("metrics.json", "predictions.parquet"))


def test_texts_without_a_common_word_are_refused() -> None:
    rows: list[tuple[str | None, str | None]] = [(f"word{i}", label) for i, label in enumerate(["good", "bad"] * 20)]
    with pytest.raises(UserError, match=r"^data set own: no word stands in two training texts .*; add texts$"):
        run(rows)
    assert not paths.baselines("own").exists()


def test_generated_texts_have_a_ceiling_and_others_have_none() -> None:
    folder = run(own.reviews(60))
    assert "ceiling" not in read_json(folder / "metrics.json")
    prepared = paths.prepared("own")
    table = pq.read_table(prepared / "test.parquet")
    labels = table.column("label").to_pylist()
    best = [labels[0], *labels[1:]]
    best[0] = next(label for label in labels if label != labels[0])
    for answers, expected in ((best, 1 - 1 / len(labels)), ([*best[1:], "no label of this set"], None)):
        column = pa.array(answers, pa.string())
        pq.write_table(
            table.set_column(table.schema.get_field_index("best"), "best", column), prepared / "test.parquet"
        )
        baseline.run("own")
        metrics = read_json(folder / "metrics.json")
        assert metrics.get("ceiling", {}).get("accuracy") == (pytest.approx(expected) if expected else None)
