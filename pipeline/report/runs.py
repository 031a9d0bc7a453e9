"""What one training, or the baselines of one data set, left on disk."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.params import BASELINES, Params
from pipeline.report.answers import Answers, read_answers
from pipeline.report.measures import headline

RUN_FILES = ("metrics.json", "history.csv", "predictions.parquet", "timing.json")
BASELINE_FILES = ("metrics.json", "predictions.parquet", "timing.json")


@dataclass(frozen=True)
class Epoch:
    """One line of history.csv; a value that isn't a finite number is None."""

    epoch: int
    train_loss: float | None
    validation_loss: float | None
    validation_score: float | None


@dataclass(frozen=True)
class Run:
    """One training that is there as a whole."""

    grid: str
    dataset: str
    variant: str
    seed: int
    metrics: dict[str, Any]
    timing: dict[str, Any]
    history: list[Epoch]
    answers: Answers


@dataclass(frozen=True)
class Baselines:
    """The answers that need no neural network, by name."""

    metrics: dict[str, dict[str, Any]]
    timing: dict[str, dict[str, Any]]
    answers: dict[str, Answers]


def read_run(task: str, grid: str, dataset: str, variant: str, seed: int) -> Run | None:
    """One training, or None if its folder or one of its files is absent. UserError if a file is damaged."""
    folder = paths.run(grid, dataset, variant, seed)
    if not is_there(folder):
        return None
    with _readable(folder):
        return Run(
            grid=grid,
            dataset=dataset,
            variant=variant,
            seed=seed,
            metrics=read_json(folder / "metrics.json"),
            timing=read_json(folder / "timing.json"),
            history=read_history(folder / "history.csv", headline(task)),
            answers=read_answers(task, folder / "predictions.parquet", None),
        )


def read_baselines(task: str, dataset: str) -> Baselines | None:
    """The baselines of a data set, or None if a file is absent. UserError if one is damaged."""
    folder = paths.baselines(dataset)
    if not all((folder / name).is_file() for name in BASELINE_FILES):
        return None
    with _readable(folder):
        return Baselines(
            metrics=read_json(folder / "metrics.json"),
            timing=read_json(folder / "timing.json"),
            answers={name: read_answers(task, folder / "predictions.parquet", name) for name in BASELINES[task]},
        )


def read_history(path: Path, metric: str) -> list[Epoch]:
    """Every epoch's losses, and `metric` on validation."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Epoch(
                epoch=int(line["epoch"]),
                train_loss=_finite(line["train_loss"]),
                validation_loss=_finite(line["validation_loss"]),
                validation_score=_finite(line[f"validation_{metric}"]),
            )
            for line in csv.DictReader(file)
        ]


def is_there(folder: Path) -> bool:
    """Whether a training's folder is whole."""
    return all((folder / name).is_file() for name in RUN_FILES)


def spanned(params: Params) -> list[Path]:
    """The run folders of all trainings that params.yaml lists."""
    return [paths.run(*key) for key in params.trainings()]


def left_over(params: Params) -> list[str]:
    """Run folders that params.yaml doesn't list, sorted."""
    listed = set(spanned(params))
    there = (folder for grid in paths.GRIDS.values() for folder in grid.glob("*/*/*") if folder.is_dir())
    return sorted(
        folder.as_posix()
        for folder in there
        if folder not in listed and not any(part.startswith(".") for part in folder.parts)
    )


def _finite(text: str) -> float | None:
    value = float(text) if text else float("nan")
    return value if np.isfinite(value) else None


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """What goes wrong with a file's content, as a UserError that names the folder."""
    try:
        yield
    # pyarrow's ArrowInvalid is a ValueError, and its missing column a KeyError or a ValueError too.
    except (ValueError, KeyError, TypeError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{folder}: a file in it is damaged ({what}); delete the folder and run `dvc repro`") from None
