"""Text classification."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import Dataset

from pipeline.metrics.classification import accuracy_and_f1, confusion_matrix
from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.params import SUMMARIZER_KEYS, Hardware, Run
from pipeline.tasks.base import StepResult, TaskData, TaskModule
from pipeline.text import corpus
from pipeline.text.batching import padded


class TextBatch(NamedTuple):
    """B texts, padded to the longest of them, N tokens."""

    ids: Tensor  # (B, N) int64
    mask: Tensor  # (B, N) bool, True = keep
    labels: Tensor  # (B,) int64
    numbers: Tensor  # (B,) int64, the texts' numbers in their split
    tokens: int  # without padding; counted here, since a look at the mask would make a GPU wait


class TextDataset(Dataset[tuple[corpus.Ids, int, int]]):
    """Ids, label number and own number of every text of a split."""

    def __init__(self, texts: corpus.Corpus) -> None:
        self.texts = texts

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> tuple[corpus.Ids, int, int]:
        return self.texts[index], int(self.texts.labels[index]), index


def collate(examples: list[tuple[corpus.Ids, int, int]]) -> TextBatch:
    """Pads texts to the longest of the batch."""
    ids, mask = padded([text for text, _, _ in examples])
    labels, numbers = (torch.tensor([example[i] for example in examples]) for i in (1, 2))
    return TextBatch(torch.from_numpy(ids), torch.from_numpy(mask), labels, numbers, int(mask.sum()))


class ClassificationData(TaskData):
    """The prepared splits of a classification data set."""

    def __init__(self, folder: Path, run: Run, hardware: Hardware) -> None:
        super().__init__(run.training, hardware, run.seed)
        self.folder = folder

    def dataset(self, split: str) -> tuple[Dataset[Any], Any]:
        texts = corpus.read(self.folder, split)
        return TextDataset(texts), texts.lengths

    def collate(self, examples: list[Any]) -> TextBatch:
        return collate(examples)


class ClassificationModule(TaskModule):
    """Cross-entropy; accuracy and macro-F1."""

    def step(self, batch: TextBatch) -> StepResult:
        logits = self.model(batch.ids, batch.mask)
        loss = functional.cross_entropy(logits, batch.labels)
        # log_softmax has its own rule under autocast, so half precision doesn't reach the probabilities.
        outputs = {
            "probability": logits.detach().float().softmax(dim=1),
            "label": batch.labels,
            "number": batch.numbers,
        }
        return StepResult(loss, len(batch.labels), batch.tokens, outputs)

    def metrics(self, outputs: dict[str, Tensor]) -> dict[str, float]:
        probability = outputs["probability"]
        predicted = probability.argmax(dim=1)
        return accuracy_and_f1(confusion_matrix(outputs["label"].numpy(), predicted.numpy(), probability.shape[1]))


def model_options(run: Run, info: corpus.CorpusInfo, vector_dim: int) -> ModelOptions:
    """What the run's model is built from: the values of its variant and of `model`, and the sizes of its data."""
    return ModelOptions.from_flat(
        {
            **run.variant.model_dump(exclude={"vectors", "model", "training"}),
            **run.model.model_dump(exclude=SUMMARIZER_KEYS),
            "vocabulary_size": info.vocabulary_size,
            "vector_dim": vector_dim,
            "max_length": info.max_length,
            "frozen": run.variant.vectors == "frozen",
        }
    )


def build(
    run: Run, prepared: Path, embeddings: Path, hardware: Hardware
) -> tuple[ClassificationModule, ClassificationData, ModelOptions]:
    """The module with its weights drawn from the run's seed, the data, and the model's options."""
    info = corpus.read_info(prepared)
    vectors = np.load(embeddings / "vectors.npy", allow_pickle=False)
    options = model_options(run, info, vectors.shape[1])
    torch.manual_seed(run.seed)
    model = build_classifier(options, classes=len(info.labels), vectors=torch.from_numpy(vectors))
    return ClassificationModule(model, run.training, run.seed), ClassificationData(prepared, run, hardware), options
