"""Fake outputs of the stages that the report reads, below the current folder."""

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.files import write_json
from pipeline.metrics.classification import accuracy_and_f1, confusion_matrix
from pipeline.metrics.ranking import ranking
from pipeline.params import Params
from pipeline.registry import ATTENTIONS

REPOSITORY = Path(__file__).parents[2]
HISTORY = ["epoch", "step", "train_loss", "validation_loss", "validation_accuracy", "validation_macro_f1"]


def params(**lists: Any) -> Params:
    """The repository's params.yaml with other lists; unknown names stand for `own` and for `fastformer`."""
    loaded = pipeline_params.load(REPOSITORY / "params.yaml")
    ablations = loaded.ablations.model_copy(update=lists.pop("ablations", {"datasets": [], "variants": []}))
    changed = loaded.model_copy(update={"ablations": ablations, **lists})
    data = dict.fromkeys(changed.datasets, loaded.data["own"])
    names = [*changed.variants, *ablations.variants]
    variant = {name: loaded.variant.get(name, loaded.variant["fastformer"]) for name in names}
    return changed.model_copy(update={"data": loaded.data | data, "variant": loaded.variant | variant})


def write_paper() -> None:
    """The shipped experiments/paper.yaml."""
    paths.PAPER.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(REPOSITORY / paths.PAPER, paths.PAPER)


def labels_of(names: list[str], texts: int) -> np.ndarray:
    return np.array(names)[np.random.default_rng(5).integers(0, len(names), texts)]


def answers(labels: np.ndarray, names: list[str], accuracy: float, seed: int) -> np.ndarray:
    """Labels of which about `accuracy` are right."""
    draw = np.random.default_rng(seed)
    wrong = np.array(names)[draw.integers(0, len(names), len(labels))]
    return np.where(draw.random(len(labels)) < accuracy, labels, wrong)


def write_predictions(path: Path, labels: np.ndarray, **columns: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = {"id": np.arange(len(labels)), "label": labels.astype(str)}
    pq.write_table(pa.table(table | {name: column.astype(str) for name, column in columns.items()}), path)


def scores(labels: np.ndarray, predicted: np.ndarray, names: list[str]) -> dict[str, float]:
    numbers = {name: number for number, name in enumerate(names)}
    true, guess = (np.array([numbers[name] for name in column.tolist()]) for column in (labels, predicted))
    return accuracy_and_f1(confusion_matrix(true, guess, len(names)))


def write_run(
    grid: str,
    dataset: str,
    variant: str,
    seed: int,
    labels: np.ndarray,
    predicted: np.ndarray,
    names: list[str],
    epochs: int = 3,
    **timing: Any,
) -> Path:
    folder = paths.run(grid, dataset, variant, seed)
    write_predictions(folder / "predictions.parquet", labels, predicted=predicted)
    score = scores(labels, predicted, names)
    write_json(
        folder / "metrics.json",
        score | {"loss": 0.5, "best_epoch": epochs, "epochs": epochs, "steps": 90, "parameters": 1234567},
    )
    with (folder / "history.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HISTORY)
        for epoch in range(1, epochs + 1):
            gap = 0.9 ** (epoch + seed % 3)
            shown = score["accuracy"] * (1 - gap / 5)
            writer.writerow(
                [epoch, epoch * 30, gap * (1.3 - score["accuracy"]), gap * 0.8 + 0.02 * epoch, shown, shown]
            )
    write_json(
        folder / "timing.json",
        {
            "train_seconds": 95.0,
            "tokens_per_second": 40321.5,
            "device": "cpu",
            "threads": 2,
            "peak_memory_mb": 812.4,
            "resumed": 0,
            "wandb_run": f"experiments/wandb/offline-run-20250101_000000-{variant}{seed}",
            "machine": "test machine",
            "versions": {},
            **timing,
        },
    )
    return folder


def write_baselines(dataset: str, labels: np.ndarray, predicted: np.ndarray, names: list[str]) -> Path:
    folder = paths.baselines(dataset)
    columns = {"majority": np.full_like(labels, names[0]), "tfidf_logreg": predicted}
    write_predictions(folder / "predictions.parquet", labels, **columns)
    metrics: dict[str, Any] = {name: scores(labels, column, names) for name, column in columns.items()}
    metrics["tfidf_logreg"] |= {"c": 1.0, "parameters": 54321}
    write_json(folder / "metrics.json", metrics)
    write_json(folder / "timing.json", {"tfidf_logreg": {"train_seconds": 1.5}})
    return folder


def write_data_report(dataset: str, names: list[str]) -> None:
    split = {
        "texts": 1000,
        "labels": {name: 1000 // len(names) for name in names},
        "tokens": 20000,
        "unknown_token_share": 0.0123,
        "truncated": 4,
        "length": {"min": 1, "median": 18.0, "mean": 20.13, "p95": 44.0, "max": 171},
    }
    write_json(
        paths.prepared(dataset) / "report.json",
        {
            "rows": 3010,
            "skipped": {"no text": 7, "no tokens": 3},
            "texts": 3000,
            "repeated_texts": {"within_a_split": 2, "across_splits": 1},
            "vocabulary": {"words": 8000, "word_types_in_training": 12000},
            "splits": {"train": split, "validation": split, "test": split},
        },
    )


def write_clicks_world(chosen: Params, dataset: str, impressions: int = 60) -> None:
    """All that `chosen` spans of a data set of impressions; the first variant is the best."""
    write_paper()
    draw = np.random.default_rng(4)
    clicks = [draw.permutation([True, False, False, True, False][:size]) for size in draw.integers(2, 6, impressions)]

    def scores(quality: float, seed: int) -> list[np.ndarray]:
        own = np.random.default_rng(seed)
        return [(row * quality + own.normal(size=len(row))).astype(np.float32) for row in clicks]

    def write(folder: Path, columns: dict[str, list[np.ndarray]]) -> dict[str, dict[str, float]]:
        folder.mkdir(parents=True, exist_ok=True)
        ids = {"id": np.arange(impressions) + 7, "clicks": [row.tolist() for row in clicks]}
        lists = {name: [row.tolist() for row in rows] for name, rows in columns.items()}
        pq.write_table(pa.table(ids | lists), folder / "predictions.parquet")
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in clicks])])
        flat = np.concatenate(clicks)
        return {name: ranking(np.concatenate(rows), flat, offsets).means() for name, rows in columns.items()}

    names = {"random": 0.0, "popularity": 0.3, "tfidf": 0.6, "ceiling": 3.0}
    folder = paths.baselines(dataset)
    metrics = write(folder, {name: scores(quality, 50) for name, quality in names.items()})
    write_json(folder / "metrics.json", metrics | {"left_out": {"none clicked": 0}})
    write_json(folder / "timing.json", {"tfidf": {"train_seconds": 0.4}})
    for number, variant in enumerate(chosen.variants):
        write_coverage("train", dataset, variant)
        for seed in chosen.seeds:
            folder = paths.run("train", dataset, variant, seed)
            measured = write(folder, {"score": scores(1.2 - 0.3 * number, 10 * number + seed)})["score"]
            progress = {"loss": 2.5, "best_epoch": 1, "epochs": 1, "steps": 30, "parameters": 1000}
            write_json(folder / "metrics.json", measured | progress)
            line = f"1,30,1.5,2.6,{measured['auc']}"
            (folder / "history.csv").write_text(f"epoch,step,train_loss,validation_loss,validation_auc\n{line}\n")
            write_json(folder / "timing.json", {"train_seconds": 60.0, "tokens_per_second": 500.0, "machine": "test"})
    write_json(paths.prepared(dataset) / "report.json", clicks_report(impressions))


def clicks_report(impressions: int) -> dict[str, Any]:
    split = {
        "rows": impressions + 1,
        "skipped": {"all clicked": 1},
        "unranked": {},
        "impressions": impressions,
        "users": 20,
        "clicks": 70,
        "candidates": 240,
        "empty_histories": 3,
        "truncated_histories": 2,
        "candidates_per_impression": {"mean": 3.5},
        "history": {"mean": 12.25},
        "share_of_new_candidates": 0.5,
    }
    return {
        "news": {"news": 90, "in_training": 80, "categories": {"sports": 50, "health": 40}},
        "vocabulary": {"words": 300},
        "users": 25,
        "splits": {name: split | {"from": f"the {name} days"} for name in ("train", "validation", "test")},
    }


def write_coverage(grid: str, dataset: str, variant: str, vectors: str = "pretrained") -> None:
    report: dict[str, Any] = {"vectors": vectors, "dim": 50}
    if vectors == "pretrained":
        found = {"types": 0.961, "tokens": 0.9934, "missing_words": 312}
        report |= {"file": "glove.6B.50d.txt", "coverage": found, "neighbours": {"king": ["queen", "prince", "lord"]}}
    write_json(paths.embeddings(grid, dataset, variant) / "coverage.json", report)


SPEED_LENGTHS = (128, 512, 2048)


def speed() -> dict[str, Any]:
    """A benchmark.json in which encoder n takes 1 + n / 2 times as long as Fastformer, and training twice that."""
    common = {"device": "cpu", "dtype": "float32", "threads": 2, "spread": 0.04, "repeats": 5}
    rows = [
        {
            "encoder": encoder,
            "form": form,
            "length": length,
            "batch": 2048 // length,
            "mode": mode,
            "seconds": 0.002048 * (1 + number / 2) * (2 if mode == "train" else 1),
            "peak_bytes": 3_000_000,
            "saved_bytes": 2_000_000 if mode == "train" else 0,
            "operations": 2048 * 100_000,
            **common,
        }
        for form in ("layer", "layer, direct")
        for number, encoder in enumerate(ATTENTIONS if form == "layer" else ["fastformer"])
        for length in SPEED_LENGTHS
        for mode in ("forward", "train")
    ]
    ratio = {"encoder": "fastformer", "of": "layer, direct", "to": "layer", "length": 512, "mode": "train"}
    machine = {"processor": "Test <processor>", "device": "cpu", "threads": 2, "torch": "2.13.0", "cores": 2}
    return {
        "machine": machine | {"product_operations_per_second": {"float32": 100e9}},
        "rows": rows,
        "parts": {
            "step, official recipe": {"attention": 0.3, "backward": 0.6, "optimizer": 0.1},
            "step": {"attention": 0.02, "backward": 0.06, "optimizer": 0.02},
        },
        "ratios": [ratio | {"dtype": "float32", "ratio": 1.75, "low": 1.7, "high": 1.8, "pairs": 5}],
    }


def write_speed(**changed: Any) -> Path:
    path = paths.BENCHMARK / "benchmark.json"
    write_json(path, speed() | changed)
    return path


def write_world(chosen: Params, names: list[str], texts: int = 200, epochs: int = 3) -> None:
    """All that `chosen` spans, whole: the first variant is the best, the last ablation the worst."""
    write_paper()
    for dataset in chosen.datasets:
        labels = labels_of(names, texts)
        write_baselines(dataset, labels, answers(labels, names, 0.6, 99), names)
        write_data_report(dataset, names)
        ablations = chosen.ablations.variants if dataset in chosen.ablations.datasets else []
        for grid, variants in (("train", chosen.variants), ("ablate", ablations)):
            for number, variant in enumerate(variants):
                write_coverage(grid, dataset, variant, "random" if variant.startswith("random") else "pretrained")
                for seed in chosen.seeds:
                    predicted = answers(labels, names, 0.85 - 0.04 * number, 10 * number + seed)
                    write_run(grid, dataset, variant, seed, labels, predicted, names, epochs)
