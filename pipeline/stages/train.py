"""Stages `train` and `ablate`: one variant, one seed, trained and tested in one W&B run."""

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import paths
from pipeline import state as states
from pipeline.files import require, write_json, writing
from pipeline.params import Params, Run
from pipeline.tasks import classification
from pipeline.tasks.fit import fit_and_test, timing
from pipeline.tasks.keeper import Keeper
from pipeline.text import corpus
from pipeline.tracking import Tracker

SAMPLES = 50


def run(params: Params, dataset: str, variant: str, seed: int, grid: str) -> None:
    """Trains and writes the run's outputs. UserError if another process trains this very run."""
    values = params.run(dataset, variant, seed)
    for path in (paths.prepared(dataset) / "corpus.json", paths.embeddings(grid, dataset, variant) / "vectors.npy"):
        require(path)
    state = states.of_run(grid, values, params.hardware)
    title = f"{dataset}/{variant}/{seed}"
    with state.held():
        for other in states.others(state):
            print(f"{title}: {other} belongs to other params or inputs; delete it if they won't come back")
        train(params, values, state, grid, title)
        state.discard()


def train(params: Params, values: Run, state: states.RunState, grid: str, title: str) -> None:
    prepared = paths.prepared(values.dataset)
    embeddings = paths.embeddings(grid, values.dataset, values.variant_name)
    info = corpus.read_info(prepared)
    module, data, options = classification.build(values, prepared, embeddings, params.hardware)
    keeper = Keeper(
        state,
        values.training,
        checkpoint_seconds=params.hardware.checkpoint_seconds,
        log_every_steps=params.tracking.log_every_steps,
    )
    tracker = Tracker(
        params.tracking,
        identifier=state.tracking_id(),
        name=title,
        group=f"{grid} {values.dataset}",
        job_type=grid,
        config=config(params, values, grid),
    )
    if state.checkpoint.exists():
        print(f"{title}: goes on from {state.checkpoint}")
    resumed = fit_and_test(module, data, params.hardware, state, keeper, tracker)

    order = module.outputs["number"].argsort()
    probability, true = (module.outputs[name][order].numpy() for name in ("probability", "label"))
    predicted = probability.argmax(axis=1)
    names = np.array(info.labels, dtype=object)  # numpy's own text drops a NUL at the end
    predictions = {
        "id": np.arange(len(true)),
        "label": names[true],
        "predicted": names[predicted],
        "probability": list(probability),
    }
    counts = {
        "parameters": sum(parameter.numel() for parameter in module.model.parameters()),
        "embedding_parameters": options.vocabulary_size * options.vector_dim,
    }
    best = {name: value for name, value in keeper.best.items() if name.startswith("validation_")}
    last = keeper.history[-1]
    progress = {"best_epoch": keeper.best["epoch"], "epochs": last["epoch"], "steps": last["step"]}

    tracker.finish(
        summary={f"test/{name}": value for name, value in module.evaluated.items()} | progress | counts,
        labels=info.labels,
        true=true.tolist(),
        predicted=predicted.tolist(),
        samples=sample_rows(prepared, predictions),
    )
    out = paths.run(grid, values.dataset, values.variant_name, values.seed)
    out.mkdir(parents=True, exist_ok=True)
    with writing(out / "history.csv") as partial:
        shutil.copyfile(state.history, partial)
    with writing(out / "best.safetensors") as partial:
        shutil.copyfile(state.best_weights, partial)
    with writing(out / "predictions.parquet") as partial:
        pq.write_table(pa.table(predictions), partial)
    text = {"tokenizer": info.tokenizer, "lowercase": info.lowercase}
    built = {"task": "classification", "labels": info.labels, "text": text, "model": asdict(options)}
    write_json(out / "model.json", built)
    write_json(out / "metrics.json", module.evaluated | best | progress | counts)
    clocked = timing(module, keeper, params.hardware, resumed)
    write_json(out / "timing.json", clocked | {"wandb_run": tracker.folder})
    accuracy, f1 = module.evaluated["accuracy"], module.evaluated["macro_f1"]
    print(
        f"{title}: test accuracy {accuracy:.2%}, macro-F1 {f1:.2%}; best epoch {progress['best_epoch']} of "
        f"{progress['epochs']}; {clocked['train_seconds']:.0f} s"
    )


def config(params: Params, values: Run, grid: str) -> dict[str, Any]:
    """All that the run is made of, for W&B: merged values and the data set's own."""
    data = {"source": params.data[values.dataset].source, "text": params.text_of(values.dataset)}
    rest = {"vectors": params.vectors, "hardware": params.hardware}
    sections = {name: section.model_dump() for name, section in (data | rest).items()}
    return values.model_dump(exclude_unset=True) | sections | {"grid": grid}


def sample_rows(prepared: Path, predictions: dict[str, Any]) -> tuple[list[str | int], list[list[Any]]]:
    """Columns and rows of test texts for W&B: the first ones, and the mistakes made with the greatest confidence."""
    texts = pq.read_table(prepared / "test.parquet").column("text").to_pylist()
    wrong = predictions["label"] != predictions["predicted"]
    confidence = np.array([row.max() for row in predictions["probability"]])
    mistakes = np.argsort(-np.where(wrong, confidence, -1), kind="stable")[: min(SAMPLES // 2, int(wrong.sum()))]
    chosen = [*range(min(SAMPLES // 2, len(texts))), *mistakes.tolist()]
    rows = [
        [texts[i], str(predictions["label"][i]), str(predictions["predicted"][i]), float(confidence[i])] for i in chosen
    ]
    return ["text", "label", "predicted", "confidence"], rows
