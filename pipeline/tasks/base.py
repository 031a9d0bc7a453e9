"""What the Lightning modules and data modules of all tasks share."""

from abc import abstractmethod
from typing import Any, NamedTuple

import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from pipeline.params import Hardware, Training
from pipeline.tasks.loader import ResumableLoader
from pipeline.text.batching import LengthBatchSampler, TokenBatchSampler


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
        self._gathered.append(self.step(batch))

    def test_step(self, batch: Any, batch_idx: int) -> None:
        self._gathered.append(self.step(batch))

    def on_validation_epoch_end(self) -> None:
        self._evaluate()

    def on_test_epoch_end(self) -> None:
        self._evaluate()

    def _evaluate(self) -> None:
        gathered, self._gathered = self._gathered, []
        names = gathered[0].outputs
        self.outputs = {name: torch.cat([result.outputs[name] for result in gathered]).cpu() for name in names}
        examples = sum(result.examples for result in gathered)
        loss = sum(float(result.loss) * result.examples for result in gathered) / examples
        self.evaluated = {"loss": loss, **self.metrics(self.outputs)}

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
    """Loaders over the prepared splits; a task adds its data sets and how examples become a batch."""

    def __init__(self, training: Training, hardware: Hardware, seed: int) -> None:
        super().__init__()
        self.batch_size = training.batch_size
        self.batch_tokens = training.batch_tokens
        self.hardware = hardware
        self.seed = seed

    @abstractmethod
    def dataset(self, split: str) -> tuple[Dataset[Any], Any]:
        """The examples of a split, and their lengths (an array of int64), by which they are batched."""

    @abstractmethod
    def collate(self, examples: list[Any]) -> Any:
        """Examples to a batch."""

    def loader(self, split: str, *, shuffle: bool) -> ResumableLoader:
        """Batches of a split; shuffled anew each epoch, or sorted by length."""
        dataset, lengths = self.dataset(split)
        seed = self.seed if shuffle else None
        sampler = LengthBatchSampler(lengths, self.batch_size, seed)
        if self.batch_tokens is not None:
            sampler = TokenBatchSampler(lengths, self.batch_size, self.batch_tokens, seed)
        pin_memory = self.hardware.accelerator != "cpu" and torch.cuda.is_available()
        return ResumableLoader(dataset, sampler, self.collate, self.hardware.workers, pin_memory)

    def train_dataloader(self) -> ResumableLoader:
        return self.loader("train", shuffle=True)

    def val_dataloader(self) -> ResumableLoader:
        return self.loader("validation", shuffle=False)

    def test_dataloader(self) -> ResumableLoader:
        return self.loader("test", shuffle=False)
