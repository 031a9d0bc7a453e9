"""Stages `train` and `ablate`: one variant, one seed, trained and tested in one W&B run."""

import shutil
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import paths
from pipeline import state as states
from pipeline.files import require, write_json, writing
from pipeline.params import Params, Run
from pipeline.tasks.base import Experiment
from pipeline.tasks.classification import ClassificationExperiment
from pipeline.tasks.fit import fit_and_test, timing
from pipeline.tasks.keeper import Keeper
from pipeline.tasks.recommendation import RecommendationExperiment
from pipeline.tasks.summarization import SummarizationExperiment
from pipeline.tracking import Tracker

EXPERIMENTS: dict[str, type[Experiment]] = {
    "classification": ClassificationExperiment,
    "recommendation": RecommendationExperiment,
    "summarization": SummarizationExperiment,
}
"""By the task of a data set's source."""


def run(params: Params, dataset: str, variant: str, seed: int, grid: str) -> None:
    """Trains and writes the run's outputs. UserError if another process trains this very run."""
    values = params.run(dataset, variant, seed)
    experiment = EXPERIMENTS[params.task_of(dataset)]
    prepared = (paths.prepared(dataset) / experiment.PREPARED, paths.embeddings(grid, dataset, variant) / "vectors.npy")
    for path in prepared:
        require(path)
    state = states.of_run(grid, values, params.hardware)
    title = f"{dataset}/{variant}/{seed}"
    with state.held():
        for other in states.others(state):
            print(f"{title}: {other} belongs to other params or inputs; delete it if they won't come back")
        train(params, values, experiment, state, grid, title)
        state.discard()


def train(
    params: Params, values: Run, experiment: type[Experiment], state: states.RunState, grid: str, title: str
) -> None:
    prepared = paths.prepared(values.dataset)
    embeddings = paths.embeddings(grid, values.dataset, values.variant_name)
    made = experiment(values, prepared, embeddings, params.hardware)
    module = made.module
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
    resumed = fit_and_test(module, made.data, params.hardware, state, keeper, tracker)

    predictions = made.predictions()
    counts = {
        "parameters": sum(parameter.numel() for parameter in module.model.parameters()),
        "embedding_parameters": made.embedding_parameters,
    }
    best = {name: value for name, value in keeper.best.items() if name.startswith("validation_")}
    last = keeper.history[-1]
    progress = {"best_epoch": keeper.best["epoch"], "epochs": last["epoch"], "steps": last["step"]}

    summary = {f"test/{name}": value for name, value in module.evaluated.items()} | progress | counts
    tracker.finish(summary, made.charts(predictions))
    out = paths.run(grid, values.dataset, values.variant_name, values.seed)
    out.mkdir(parents=True, exist_ok=True)
    with writing(out / "history.csv") as partial:
        shutil.copyfile(state.history, partial)
    with writing(out / "best.safetensors") as partial:
        shutil.copyfile(state.best_weights, partial)
    with writing(out / "predictions.parquet") as partial:
        pq.write_table(pa.table(predictions), partial)
    write_json(out / "model.json", made.description())
    write_json(out / "metrics.json", module.evaluated | best | progress | counts)
    clocked = timing(module, keeper, params.hardware, resumed)
    write_json(out / "timing.json", clocked | {"wandb_run": tracker.folder})
    print(
        f"{title}: {made.result()}; best epoch {progress['best_epoch']} of {progress['epochs']}; "
        f"{clocked['train_seconds']:.0f} s"
    )


def config(params: Params, values: Run, grid: str) -> dict[str, Any]:
    """All that the run is made of, for W&B: merged values and the data set's own."""
    data = {"source": params.data[values.dataset].source, "text": params.text_of(values.dataset)}
    rest = {"vectors": params.vectors, "hardware": params.hardware}
    sections = {name: section.model_dump() for name, section in (data | rest).items()}
    return values.model_dump(exclude_unset=True) | sections | {"grid": grid}
