"""Weights & Biases: a run is always written offline; uploading is a process beside the training, never in its way."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from pipeline import paths
from pipeline.files import root
from pipeline.params import Tracking

STEP = "trainer/global_step"
"""The one axis of all curves."""


class Confusion(NamedTuple):
    """Numbers of true and predicted labels per test text."""

    labels: list[str]
    true: list[int]
    predicted: list[int]


class Charts(NamedTuple):
    """What a finished run shows beside its metrics: a table of samples, and where there are labels a confusion."""

    columns: list[str]
    samples: list[list[Any]]
    confusion: Confusion | None


class Tracker:
    """One W&B run in experiments/wandb. After a resume its rows so far are written anew, and the old folder goes."""

    def __init__(
        self, options: Tracking, *, identifier: str, name: str, group: str, job_type: str, config: dict[str, Any]
    ) -> None:
        self._run: Any = None
        if options.mode == "disabled":
            return
        parent = paths.wandb()
        parent.mkdir(parents=True, exist_ok=True)
        # W&B stages tables there until they are uploaded: inside the checkout, not in the home folder.
        os.environ.setdefault("WANDB_DATA_DIR", str(parent / "wandb" / "internal"))
        os.environ.setdefault("WANDB_CACHE_DIR", str(parent / "wandb" / "internal"))
        import wandb

        older = set((parent / "wandb").glob(f"*run-*-{identifier}*"))
        self._run = wandb.init(
            mode="offline",
            dir=parent,
            id=identifier,
            project=options.project,
            entity=options.entity,
            name=name,
            group=group,
            job_type=job_type,
            config=config,
            settings=wandb.Settings(silent=True, console="off"),
        )
        self._run.define_metric(STEP)
        self._run.define_metric("*", step_metric=STEP)
        self._path = Path(self._run.dir).parent
        for folder in older:
            stop_sync(folder)
            shutil.rmtree(folder)
        if options.mode == "online":
            start_sync(self._path)

    @property
    def folder(self) -> str | None:
        """The run's folder, relative to the repository's root; None where tracking is disabled."""
        return self._path.relative_to(root()).as_posix() if self._run else None

    def log(self, step: int, values: dict[str, float]) -> None:
        """A point of the curves."""
        if self._run:
            self._run.log({STEP: step, **values})

    def finish(self, summary: dict[str, float], charts: Charts) -> None:
        """Test metrics into the summary, a table of sample predictions and a confusion matrix; closes the run."""
        if not self._run:
            return
        import wandb

        shown: dict[str, Any] = {"test/samples": wandb.Table(columns=list(charts.columns), data=charts.samples)}
        if charts.confusion is not None:
            labels, true, predicted = charts.confusion
            matrix = wandb.plot.confusion_matrix(y_true=true, preds=predicted, class_names=labels)
            shown["test/confusion_matrix"] = matrix
        self._run.log(shown)
        self._run.summary.update(summary)
        self._run.finish()


def start_sync(folder: Path) -> None:
    """Starts the upload of a run that is being written, in a process of its own that outlives this one."""
    log_file = folder / "sync.log"
    print(f"W&B: {folder.name} is uploaded while it is written; how that goes stands in {log_file}")
    with log_file.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "wandb", "beta", "sync", "--live", "--yes", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    (folder / "sync.pid").write_text(str(process.pid))


def stop_sync(folder: Path) -> None:
    """Ends the upload that a killed training left behind: it would wait forever for the end of that folder's run."""
    pid_file = folder / "sync.pid"
    if not pid_file.exists() or not psutil.pid_exists(pid := int(pid_file.read_text())):
        return
    process = psutil.Process(pid)
    # Another process may have got the number since.
    if str(folder) in process.cmdline():
        process.terminate()
