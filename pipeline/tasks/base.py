"""What the Lightning modules and data modules of all tasks share."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from pipeline.params import Hardware, Run, Training
from pipeline.tasks.loader import ResumableLoader
from pipeline.text.batching import LengthBatchSampler
from pipeline.tracking import Charts


class StepResult(NamedTuple):
    """What a task makes of one batch."""

    loss: Tensor  # (), the mean over the batch
    examples: int
    tokens: int
    outputs: dict[str, Tensor]  # each (examples, ...), gathered over a whole evaluation


class TaskModule(pl.LightningModule):
    """Training and evaluation of `model`; a task adds `step` and `metrics`.

    After an evaluation, `evaluated` holds its metrics and `outputs` what `step` gave, concatenated.
    """

    def __init__(self, model: nn.Module, training: Training, seed: int) -> None:
        super().__init__()
        self.model = model
        self.training_params = training
        self.seed = seed
        self.evaluated: dict[str, float] = {}
        self.outputs: dict[str, Tensor] = {}
        self.tokens_trained = 0
        self.last_loss = torch.zeros(())
        self._loss_sum = torch.zeros((), dtype=torch.float64)  # follows the losses to their device
        self._examples = 0
        self._gathered: list[StepResult] = []

    @abstractmethod
    def step(self, batch: Any) -> StepResult:
        """Loss and outputs of one batch."""

    def evaluate(self, batch: Any) -> StepResult:
        """The same of a batch of an evaluation, where that has batches of another kind."""
        return self.step(batch)

    @abstractmethod
    def metrics(self, outputs: dict[str, Tensor]) -> dict[str, float]:
        """The task's metrics over a whole split."""

    def configure_optimizers(self) -> torch.optim.Optimizer:
        trained = [parameter for parameter in self.parameters() if parameter.requires_grad]
        return torch.optim.Adam(trained, lr=self.training_params.lr, fused=True)

    def on_train_epoch_start(self) -> None:
        self._loss_sum = torch.zeros((), dtype=torch.float64)
        self._examples = 0

    def on_train_batch_start(self, batch: Any, batch_idx: int) -> None:
        # Lightning restores no random state. Drawn from the step alone, dropout is the same after a resume.
        # Not torch.manual_seed: without a GPU it keeps a stack trace per call for the day that one is found.
        seed = self.seed * 1_000_003 + self.global_step
        torch.default_generator.manual_seed(seed)
        if self.device.type == "cuda":
            torch.cuda.manual_seed(seed)

    def training_step(self, batch: Any, batch_idx: int) -> Tensor:
        result = self.step(batch)
        self.last_loss = result.loss.detach()
        self._loss_sum = self._loss_sum.to(self.device) + self.last_loss.double() * result.examples
        self._examples += result.examples
        self.tokens_trained += result.tokens
        return result.loss

    @property
    def train_loss(self) -> float:
        """Mean loss over the examples of this epoch so far."""
        return float(self._loss_sum / self._examples)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self._gathered.append(self.evaluate(batch))

    def test_step(self, batch: Any, batch_idx: int) -> None:
        self._gathered.append(self.evaluate(batch))

    def on_validation_epoch_end(self) -> None:
        self._evaluate()

    def on_test_epoch_end(self) -> None:
        self._evaluate()

    def _evaluate(self) -> None:
        gathered, self._gathered = self._gathered, []
        names = gathered[0].outputs
        self.outputs = {name: torch.cat([result.outputs[name] for result in gathered]).cpu() for name in names}
        metrics = self.metrics(self.outputs)
        examples = sum(result.examples for result in gathered)
        loss = sum(float(result.loss) * result.examples for result in gathered) / examples
        self.evaluated = {"loss": loss, **metrics}

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["task"] = {
            "loss_sum": self._loss_sum.cpu(),
            "examples": self._examples,
            "tokens_trained": self.tokens_trained,
        }

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        task = checkpoint["task"]
        self._loss_sum, self._examples = task["loss_sum"], task["examples"]
        self.tokens_trained = task["tokens_trained"]


class TaskData(pl.LightningDataModule):
    """Loaders over the prepared splits; a task says what is in them."""

    def __init__(self, training: Training, hardware: Hardware, seed: int) -> None:
        super().__init__()
        self.batch_size = training.batch_size
        self.hardware = hardware
        self.seed = seed
        self.pin_memory = hardware.accelerator != "cpu" and torch.cuda.is_available()

    def resumable(
        self, dataset: Dataset[Any], sampler: LengthBatchSampler, collate: Callable[[list[Any]], Any]
    ) -> ResumableLoader:
        """A loader that goes on where a killed run was."""
        return ResumableLoader(dataset, sampler, collate, self.hardware.workers, self.pin_memory)

    @abstractmethod
    def train_dataloader(self) -> ResumableLoader:
        """Shuffled anew each epoch, by seed and epoch."""

    @abstractmethod
    def val_dataloader(self) -> DataLoader[Any]:
        """The whole of validation."""

    @abstractmethod
    def test_dataloader(self) -> DataLoader[Any]:
        """The whole of test."""


class SplitData(TaskData):
    """The prepared splits of a task whose splits are batched alike."""

    def __init__(self, folder: Path, run: Run, hardware: Hardware) -> None:
        super().__init__(run.training, hardware, run.seed)
        self.folder = folder

    @abstractmethod
    def loader(self, split: str, seed: int | None) -> ResumableLoader:
        """Batches of a split; shuffled anew each epoch with a seed, else sorted by length."""

    def train_dataloader(self) -> ResumableLoader:
        return self.loader("train", self.seed)

    def val_dataloader(self) -> ResumableLoader:
        return self.loader("validation", None)

    def test_dataloader(self) -> ResumableLoader:
        return self.loader("test", None)


class Experiment(ABC):
    """One run's module with its weights drawn from the seed, its data, and what is left of it when it is done."""

    PREPARED: ClassVar[str]
    """The file by which data prepared for the task are known."""

    module: TaskModule
    data: TaskData
    embedding_parameters: int

    @abstractmethod
    def __init__(self, run: Run, prepared: Path, embeddings: Path, hardware: Hardware) -> None:
        """Out of a run's values, its data's folder and that of its word vectors."""

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """For model.json: the task, and all that the model is rebuilt from."""

    @abstractmethod
    def predictions(self) -> dict[str, Any]:
        """For predictions.parquet: columns with a row per test example, in their order. After the test."""

    @abstractmethod
    def charts(self, predictions: dict[str, Any]) -> Charts:
        """For W&B."""

    @abstractmethod
    def result(self) -> str:
        """The test's headline, for the terminal."""
