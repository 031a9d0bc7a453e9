"""Summarization."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import Dataset

from pipeline.generation.search import SearchOptions
from pipeline.generation.writing import summaries
from pipeline.metrics import rouge
from pipeline.models.summarizer import Summarizer, SummarizerOptions, build_summarizer
from pipeline.params import Hardware, Run, Training
from pipeline.tasks.base import Experiment, SplitData, StepResult, TaskModule
from pipeline.tasks.loader import ResumableLoader
from pipeline.tasks.model_options import model_options
from pipeline.text import articles, vocabulary
from pipeline.text.articles import BEGIN_ID, SummarizationInfo
from pipeline.text.batching import LengthBatchSampler, TokenBatchSampler, padded
from pipeline.text.corpus import Ids
from pipeline.text.tokenizer import joined
from pipeline.text.vocabulary import PAD_ID
from pipeline.tracking import Charts

SAMPLES, SHOWN_CHARACTERS = 50, 2000
"""Test articles that W&B shows, and how much of each."""


class SummaryBatch(NamedTuple):
    """B articles, padded to the longest of them, N tokens, with their summaries, T tokens at most."""

    ids: Tensor  # (B, N) int64
    mask: Tensor  # (B, N) bool, True = keep
    before: Tensor  # (B, T) int64, what stands before each token of the summary
    target: Tensor  # (B, T) int64
    target_mask: Tensor  # (B, T) bool, True = keep
    numbers: Tensor  # (B,) int64, the articles' numbers in their split
    tokens: int  # of articles and summaries, without padding
    words: int  # of summaries, without padding


class ArticleDataset(Dataset[tuple[Ids, Ids, int]]):
    """Ids, ids of the summary and own number of every article of a split."""

    def __init__(self, split: articles.Articles) -> None:
        self.split = split

    def __len__(self) -> int:
        return len(self.split)

    def __getitem__(self, index: int) -> tuple[Ids, Ids, int]:
        return self.split.source[index], self.split.target[index], index


def collate(examples: list[tuple[Ids, Ids, int]]) -> SummaryBatch:
    """Pads articles and summaries to the longest of the batch."""
    ids, mask = map(torch.from_numpy, padded([text for text, _, _ in examples]))
    target, target_mask = map(torch.from_numpy, padded([summary for _, summary, _ in examples]))
    before = functional.pad(target[:, :-1], (1, 0), value=BEGIN_ID)
    numbers = torch.tensor([number for _, _, number in examples])
    words = int(target_mask.sum())
    return SummaryBatch(ids, mask, before, target, target_mask, numbers, int(mask.sum()) + words, words)


class SummarizationData(SplitData):
    """The prepared splits of a data set for summarization, batched by the lengths of articles."""

    def __init__(self, folder: Path, run: Run, hardware: Hardware) -> None:
        super().__init__(folder, run, hardware)
        self.batch_tokens = run.training.batch_tokens

    def loader(self, split: str, seed: int | None) -> ResumableLoader:
        read = articles.read(self.folder, split)
        lengths = read.source.lengths
        sampler = LengthBatchSampler(lengths, self.batch_size, seed)
        if self.batch_tokens is not None:
            sampler = TokenBatchSampler(lengths, self.batch_size, self.batch_tokens, seed)
        return self.resumable(ArticleDataset(read), sampler, collate)


class Texts:
    """What ids of one split spell, and what they are measured against."""

    def __init__(self, folder: Path, split: str) -> None:
        self.words = [word for word, _ in vocabulary.read(folder / "vocabulary.json")]
        self.records = articles.read_records(folder, split)

    def summary(self, number: int, ids: list[int]) -> list[str]:
        """The sentences that ids spell for the article of that number."""
        return [joined(words) for words in articles.words_of(ids, self.words, self.records.unknown[number])]


class SummarizationModule(TaskModule):
    """Cross-entropy of each token after the true ones before it; ROUGE of what the model writes by itself.

    After a test, `summaries` are those of all its articles, in their order, and `scores` (articles, ROUGEs) theirs;
    after a validation only those of a fixed sample, written by the likeliest words.
    """

    model: Summarizer

    def __init__(
        self, model: Summarizer, training: Training, seed: int, folder: Path, search: SearchOptions, processes: int
    ) -> None:
        super().__init__(model, training, seed)
        self.folder = folder
        self.search = search
        self.processes = processes
        self.summaries: list[list[str]] = []
        self.scores = np.zeros((0, len(rouge.ROUGES)))
        self._texts: dict[str, Texts] = {}

    def step(self, batch: SummaryBatch) -> StepResult:
        memory = self.model.encode(batch.ids, batch.mask)
        hidden, _ = self.model.decode(memory, batch.before)
        losses = self.model.losses(memory, hidden, batch.target, label_smoothing=self.smoothing)
        loss = losses.masked_fill(~batch.target_mask, 0.0).sum() / batch.words
        # The mean is one over words, so they are what it is weighted by over a whole split.
        return StepResult(loss, batch.words, batch.tokens, {})

    def evaluate(self, batch: SummaryBatch) -> StepResult:
        return self.step(batch)._replace(outputs=self.written(batch))

    @property
    def smoothing(self) -> float:
        """Label smoothing is for training; what is measured is the likelihood."""
        return self.training_params.label_smoothing if self.training else 0.0

    def written(self, batch: SummaryBatch) -> dict[str, Tensor]:
        """The ids of summaries, padded to the longest that there can be, and the numbers of their articles."""
        search, chosen = self.search, torch.ones_like(batch.numbers, dtype=torch.bool)
        if self.split == "validation":
            search = replace(search, beam=1)
            sample = articles.fixed_sample(
                len(self.texts(self.split).records.body), self.training_params.validation_summaries
            )
            chosen = torch.isin(batch.numbers, torch.tensor(sample, device=batch.numbers.device))
        width = self.search.max_length
        rows = summaries(self.model, batch.ids[chosen], batch.mask[chosen], search) if chosen.any() else []
        ids = torch.tensor([row + [PAD_ID] * (width - len(row)) for row in rows], dtype=torch.int64)
        return {"number": batch.numbers[chosen].cpu(), "summary": ids.view(-1, width)}

    def metrics(self, outputs: dict[str, Tensor]) -> dict[str, float]:
        order = outputs["number"].argsort()
        numbers = outputs["number"][order].tolist()
        texts = self.texts(self.split)
        self.summaries = [
            texts.summary(number, ids) for number, ids in zip(numbers, outputs["summary"][order].tolist(), strict=True)
        ]
        references = [texts.records.summary[number] for number in numbers]
        self.scores = rouge.f_measures(references, self.summaries, processes=self.processes)
        measured = rouge.means(self.scores)
        # An interval of a sample of validation is of no use to anyone.
        return measured if self.split == "test" else {name: measured[name] for name in rouge.ROUGES}

    @property
    def split(self) -> str:
        """The split that is being evaluated."""
        return "test" if self.trainer.testing else "validation"

    def texts(self, split: str) -> Texts:
        """Those of a split, read once."""
        if split not in self._texts:
            self._texts[split] = Texts(self.folder, split)
        return self._texts[split]


def summarizer_options(run: Run, info: SummarizationInfo, vector_dim: int) -> SummarizerOptions:
    """What the run's model is built from: the values of its variant and of `model`, and the sizes of its data."""
    text = model_options(run, info.vocabulary_size, info.max_length, vector_dim)
    return SummarizerOptions(
        text=text,
        decoder_layers=run.model.decoder_layers,
        summary_length=info.summary_length,
        copy_words=run.model.copy_words,
    )


def search_options(run: Run, info: SummarizationInfo) -> SearchOptions:
    """How the run's summaries are searched for."""
    return SearchOptions(
        beam=run.model.beam,
        length_penalty=run.model.length_penalty,
        min_length=run.model.min_summary,
        max_length=info.summary_length,
        block_trigrams=run.model.block_trigrams,
    )


def build(
    run: Run, prepared: Path, embeddings: Path, hardware: Hardware
) -> tuple[SummarizationModule, SummarizationData, SummarizerOptions]:
    """The module with its weights drawn from the run's seed, the data, and the model's options."""
    info = articles.read_info(prepared)
    vectors = np.load(embeddings / "vectors.npy", allow_pickle=False)
    options = summarizer_options(run, info, vectors.shape[1])
    torch.manual_seed(run.seed)
    model = build_summarizer(options, vectors=torch.from_numpy(vectors))
    search = search_options(run, info)
    module = SummarizationModule(model, run.training, run.seed, prepared, search, hardware.threads)
    return module, SummarizationData(prepared, run, hardware), options


class SummarizationExperiment(Experiment):
    """A training of a summarizer."""

    PREPARED = articles.INFO

    module: SummarizationModule

    def __init__(self, run: Run, prepared: Path, embeddings: Path, hardware: Hardware) -> None:
        self.prepared = prepared
        self.module, self.data, self.options = build(run, prepared, embeddings, hardware)
        self.embedding_parameters = self.options.text.vocabulary_size * self.options.text.vector_dim

    def description(self) -> dict[str, Any]:
        info = articles.read_info(self.prepared)
        return {
            "task": "summarization",
            "text": {"tokenizer": info.tokenizer, "lowercase": info.lowercase},
            "model": asdict(self.options),
            "search": asdict(self.module.search),
            "rouge": rouge.protocol(),
        }

    def predictions(self) -> dict[str, Any]:
        """Ids, references and summaries, and the ROUGE of each."""
        records = self.module.texts("test").records
        return {
            "id": np.arange(len(records.body)),
            "reference": pa.array(records.summary, pa.list_(pa.string())),
            "summary": pa.array(self.module.summaries, pa.list_(pa.string())),
            **{name: self.module.scores[:, column] for column, name in enumerate(rouge.ROUGES)},
        }

    def charts(self, predictions: dict[str, Any]) -> Charts:
        """The first test articles with what is to be written, what was, and how alike the two are."""
        records = self.module.texts("test").records
        rows = [
            [
                body[:SHOWN_CHARACTERS],
                "\n".join(records.summary[number]),
                "\n".join(self.module.summaries[number]),
                float(predictions["rouge_2"][number]),
            ]
            for number, body in enumerate(records.body[:SAMPLES])
        ]
        return Charts(["article", "reference", "summary", "rouge_2"], rows, None)

    def result(self) -> str:
        evaluated = self.module.evaluated
        return "test " + ", ".join(f"{name} {100 * evaluated[name]:.2f}" for name in rouge.ROUGES)
