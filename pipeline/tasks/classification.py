"""Text classification."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import Dataset

from pipeline.metrics.classification import accuracy_and_f1, confusion_matrix
from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.params import Hardware, Run
from pipeline.tasks.base import Experiment, SplitData, StepResult, TaskModule
from pipeline.tasks.loader import ResumableLoader
from pipeline.tasks.model_options import model_options
from pipeline.text import corpus
from pipeline.text.batching import LengthBatchSampler, padded
from pipeline.tracking import Charts, Confusion

SAMPLES = 50
"""Test texts that W&B shows."""


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


class ClassificationData(SplitData):
    """The prepared splits of a classification data set."""

    def loader(self, split: str, seed: int | None) -> ResumableLoader:
        texts = corpus.read(self.folder, split)
        sampler = LengthBatchSampler(texts.lengths, self.batch_size, seed)
        return self.resumable(TextDataset(texts), sampler, collate)


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


def build(
    run: Run, prepared: Path, embeddings: Path, hardware: Hardware
) -> tuple[ClassificationModule, ClassificationData, ModelOptions]:
    """The module with its weights drawn from the run's seed, the data, and the model's options."""
    info = corpus.read_info(prepared)
    vectors = np.load(embeddings / "vectors.npy", allow_pickle=False)
    options = model_options(run, info.vocabulary_size, info.max_length, vectors.shape[1])
    torch.manual_seed(run.seed)
    model = build_classifier(options, classes=len(info.labels), vectors=torch.from_numpy(vectors))
    return ClassificationModule(model, run.training, run.seed), ClassificationData(prepared, run, hardware), options


class ClassificationExperiment(Experiment):
    """A training of a text classifier."""

    PREPARED = corpus.INFO

    def __init__(self, run: Run, prepared: Path, embeddings: Path, hardware: Hardware) -> None:
        self.prepared = prepared
        self.info = corpus.read_info(prepared)
        self.module, self.data, self.options = build(run, prepared, embeddings, hardware)
        self.embedding_parameters = self.options.vocabulary_size * self.options.vector_dim

    def description(self) -> dict[str, Any]:
        text = {"tokenizer": self.info.tokenizer, "lowercase": self.info.lowercase}
        return {"task": "classification", "labels": self.info.labels, "text": text, "model": asdict(self.options)}

    def predictions(self) -> dict[str, Any]:
        order = self.module.outputs["number"].argsort()
        probability, true = (self.module.outputs[name][order].numpy() for name in ("probability", "label"))
        names = np.array(self.info.labels, dtype=object)  # numpy's own text drops a NUL at the end
        return {
            "id": np.arange(len(true)),
            "label": names[true],
            "predicted": names[probability.argmax(axis=1)],
            "probability": list(probability),
        }

    def charts(self, predictions: dict[str, Any]) -> Charts:
        """The first test texts, and the mistakes made with the greatest confidence."""
        texts = pq.read_table(self.prepared / "test.parquet").column("text").to_pylist()
        wrong = predictions["label"] != predictions["predicted"]
        confidence = np.array([row.max() for row in predictions["probability"]])
        mistakes = np.argsort(-np.where(wrong, confidence, -1), kind="stable")[: min(SAMPLES // 2, int(wrong.sum()))]
        chosen = [*range(min(SAMPLES // 2, len(texts))), *mistakes.tolist()]
        rows = [
            [texts[i], str(predictions["label"][i]), str(predictions["predicted"][i]), float(confidence[i])]
            for i in chosen
        ]
        numbers = {label: number for number, label in enumerate(self.info.labels)}
        true, predicted = ([numbers[label] for label in predictions[name]] for name in ("label", "predicted"))
        columns = ["text", "label", "predicted", "confidence"]
        return Charts(columns, rows, Confusion(self.info.labels, true, predicted))

    def result(self) -> str:
        accuracy, f1 = (self.module.evaluated[name] for name in ("accuracy", "macro_f1"))
        return f"test accuracy {accuracy:.2%}, macro-F1 {f1:.2%}"
