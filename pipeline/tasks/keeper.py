"""The callback that keeps what a run must not lose (history, best weights, checkpoints, curves) and stops early."""

import csv
import math
import time
from typing import Any

import pytorch_lightning as pl
from safetensors.torch import save_file

from pipeline.errors import UserError
from pipeline.files import writing
from pipeline.params import Training
from pipeline.state import RunState
from pipeline.tasks.base import TaskModule
from pipeline.tracking import Tracker


class Keeper(pl.Callback):
    """Writes into the run's state folder; what it knows itself travels in Lightning's checkpoint."""

    def __init__(self, state: RunState, training: Training, *, checkpoint_seconds: float, log_every_steps: int) -> None:
        self.files = state
        self.training = training
        self.checkpoint_seconds = checkpoint_seconds
        self.log_every_steps = log_every_steps
        self.tracker: Tracker | None = None
        self.history: list[dict[str, float]] = []
        self.curves: list[tuple[int, dict[str, float]]] = []
        self.best: dict[str, float] = {}
        self.finished = False
        self.seconds = {"train": 0.0, "validation": 0.0}
        self._clock = self._saved = time.perf_counter()

    def state_dict(self) -> dict[str, Any]:
        names = ("history", "curves", "best", "finished", "seconds")
        return {name: getattr(self, name) for name in names}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for name, value in state_dict.items():
            setattr(self, name, value)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self._clock = self._saved = time.perf_counter()

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        assert isinstance(pl_module, TaskModule)
        if trainer.global_step % self.log_every_steps == 0:
            self._log(
                trainer.global_step, {"train/loss": float(pl_module.last_loss), "epoch": trainer.current_epoch + 1}
            )
        # The last batch of an epoch is saved at the epoch's end, when it has been validated.
        due = time.perf_counter() - self._saved >= self.checkpoint_seconds
        if due and batch_idx + 1 < trainer.num_training_batches:
            self._save(trainer)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self._tick("train")

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        assert isinstance(pl_module, TaskModule)
        self._tick("validation")
        if not (math.isfinite(pl_module.train_loss) and math.isfinite(pl_module.evaluated["loss"])):
            raise UserError(
                f"the loss is not finite after epoch {trainer.current_epoch + 1} (training {pl_module.train_loss}, "
                f"validation {pl_module.evaluated['loss']}); lower training.lr ({self.training.lr}), or train with "
                "precision 32-true"
            )
        validation = {f"validation_{name}": value for name, value in pl_module.evaluated.items()}
        row = {
            "epoch": trainer.current_epoch + 1,
            "step": trainer.global_step,
            "train_loss": pl_module.train_loss,
            **validation,
        }
        self.history.append(row)
        self._write_history()
        curves = {f"validation/{name}": value for name, value in pl_module.evaluated.items()}
        self._log(trainer.global_step, {**curves, "train/epoch_loss": pl_module.train_loss, "epoch": row["epoch"]})
        if not self.best or self._score(row) > self._score(self.best):
            self.best = row
            # `contiguous`, since safetensors refuses views; shared layers are stored once by the model itself.
            weights = {name: tensor.contiguous() for name, tensor in pl_module.model.state_dict().items()}
            with writing(self.files.best_weights) as partial:
                save_file(weights, partial)
        waited = row["epoch"] - self.best["epoch"]
        self.finished = waited >= self.training.patience or row["epoch"] >= self.training.max_epochs
        trainer.should_stop = self.finished

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self._save(trainer)

    def replay(self) -> None:
        """Gives the tracker the curves so far, which a resumed run writes anew."""
        if self.tracker:
            for step, values in self.curves:
                self.tracker.log(step, values)

    def _score(self, row: dict[str, float]) -> float:
        value = row[f"validation_{self.training.monitor}"]
        return -value if self.training.monitor == "loss" else value

    def _log(self, step: int, values: dict[str, float]) -> None:
        self.curves.append((step, values))
        if self.tracker:
            self.tracker.log(step, values)

    def _save(self, trainer: pl.Trainer) -> None:
        self._tick("train")
        with writing(self.files.checkpoint) as partial:
            trainer.save_checkpoint(partial)
        self._saved = time.perf_counter()

    def _tick(self, kind: str) -> None:
        now = time.perf_counter()
        self.seconds[kind] += now - self._clock
        self._clock = now

    def _write_history(self) -> None:
        with writing(self.files.history) as partial, partial.open("w", newline="") as file:
            table = csv.DictWriter(file, list(self.history[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(self.history)
