"""Weights & Biases: a run is always written offline; uploading is a process beside the training, never in its way."""

import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pipeline import paths
from pipeline.files import root
from pipeline.params import Tracking

STEP = "trainer/global_step"
"""The one axis of all curves."""


class Tracker:
    """One W&B run in experiments/wandb. After a resume its rows so far are written anew, and the old folder goes."""

    def __init__(
        self, options: Tracking, *, name: str, group: str, job_type: str, config: dict[str, Any], kept: dict[str, Any]
    ) -> None:
        self.kept = kept
        self._run: Any = None
        if options.mode == "disabled":
            return
        folder = paths.wandb()
        # W&B stages tables there until they are uploaded: inside the checkout, not in the home folder.
        os.environ.setdefault("WANDB_DATA_DIR", str(folder / "wandb" / "internal"))
        os.environ.setdefault("WANDB_CACHE_DIR", str(folder / "wandb" / "internal"))
        import wandb

        identifier = kept.get("id") or secrets.token_hex(4)
        old = kept.get("folder")
        self._run = wandb.init(
            mode="offline",
            dir=folder,
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
        self.kept = {"id": identifier, "folder": str(Path(self._run.dir).parent)}
        if old and old != self.kept["folder"]:
            shutil.rmtree(old, ignore_errors=True)
        if options.mode == "online":
            _sync(Path(self.kept["folder"]))

    @property
    def folder(self) -> str | None:
        """The run's folder, relative to the repository's root; None where tracking is disabled."""
        return Path(self.kept["folder"]).relative_to(root()).as_posix() if self._run else None

    def log(self, step: int, values: dict[str, float]) -> None:
        """A point of the curves."""
        if self._run:
            self._run.log({STEP: step, **values})

    def finish(
        self,
        *,
        summary: dict[str, float],
        labels: list[str],
        true: list[int],
        predicted: list[int],
        samples: tuple[list[str | int], list[list[Any]]],
    ) -> None:
        """Test metrics into the summary, a confusion matrix and a table of sample predictions; closes the run."""
        if not self._run:
            return
        import wandb

        confusion = wandb.plot.confusion_matrix(y_true=true, preds=predicted, class_names=labels)
        columns, rows = samples
        self._run.log({"test/confusion_matrix": confusion, "test/samples": wandb.Table(columns=columns, data=rows)})
        self._run.summary.update(summary)
        self._run.finish()


def _sync(folder: Path) -> None:
    """Starts the upload of a run that is being written, in a process of its own that outlives this one."""
    with (folder / "sync.log").open("ab") as log:
        subprocess.Popen(
            [sys.executable, "-m", "wandb", "beta", "sync", "--live", "--yes", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
