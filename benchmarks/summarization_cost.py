"""What the paper's two summarization rows need: operations, memory and, as an estimate, hours.

    python -m benchmarks.summarization_cost

Operations and memory are counted here on random ids; the hours on a GPU are those operations over a rate that is
assumed, and no more than an estimate.
"""

from dataclasses import replace
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor

from pipeline import params
from pipeline.benchmark import measure
from pipeline.models.summarizer import Summarizer, build_summarizer
from pipeline.params import Run
from pipeline.sources.summarization import SummarizationOptions
from pipeline.tasks.summarization import summarizer_options
from pipeline.text.articles import SummarizationInfo

CPU = torch.device("cpu")
VECTOR_DIM = 300
TEXTS = 4
"""Articles of a batch on which operations and seconds are taken."""

SECONDS = 5
"""Of measuring steps."""

SMALL, LARGE = 1, 2
"""Sizes of batches at the greatest length, whose difference is what one more article takes."""

V100_RATE = 15.7e12 / 2 / 4
"""Multiply-adds per second: a quarter of what NVIDIA's data sheet says of a V100 in float32 (15.7 TFLOPS)."""


class Size(NamedTuple):
    """Articles for training and mean words of article and summary, of the paper's Table 3."""

    articles: int
    source: int
    target: int


SIZES = {"cnn_dailymail": Size(287_100, 781, 56), "pubmed": Size(108_500, 3016, 203)}


class Step:
    """Forwards, backwards and Adam on so many random articles and summaries of these lengths."""

    def __init__(self, model: Summarizer, texts: int, source: int, target: int, vocabulary: int) -> None:
        self.model = model.train()
        self.optimizer = torch.optim.Adam(model.parameters(), fused=True)
        self.ids = torch.randint(5, vocabulary, (texts, source))
        self.target = torch.randint(5, vocabulary, (texts, target))

    def __call__(self) -> None:
        torch.autograd.backward([self._loss()])
        self.optimizer.step()
        self.optimizer.zero_grad()

    def _loss(self) -> Tensor:
        memory = self.model.encode(self.ids, torch.ones_like(self.ids, dtype=torch.bool))
        hidden, _ = self.model.decode(memory, self.target)
        return self.model.losses(memory, hidden, self.target, label_smoothing=0.0).mean()


def summarizer(run: Run, sizes: SummarizationInfo, *, recompute: bool) -> Summarizer:
    """The model of this run, for data of these sizes."""
    options = summarizer_options(run, sizes, VECTOR_DIM)
    torch.manual_seed(1)
    return build_summarizer(replace(options, text=replace(options.text, recompute=recompute)), vectors=None)


def memory_of_batch(run: Run, sizes: SummarizationInfo, *, recompute: bool) -> float:
    """GiB that a step on a whole batch of the longest articles holds beyond the model, by two small batches."""
    model = summarizer(run, sizes, recompute=recompute)
    small, large = (
        measure.peak_bytes(Step(model, texts, sizes.max_length, sizes.summary_length, sizes.vocabulary_size), CPU)
        for texts in (SMALL, LARGE)
    )
    per_text = (large - small) / (LARGE - SMALL)
    return (small + per_text * (run.training.batch_size - SMALL)) / 2**30


def main() -> None:
    torch.set_num_threads(2)
    chosen = params.load()
    for dataset, size in SIZES.items():
        run, source, text = chosen.run(dataset, "fastformer", 1), chosen.data[dataset].source, chosen.text_of(dataset)
        assert isinstance(source, SummarizationOptions) and text.max_words, "the paper's rows have a largest vocabulary"
        sizes = SummarizationInfo(
            vocabulary_size=text.max_words,
            max_length=text.max_length,
            summary_length=source.summary_length,
            tokenizer=text.tokenizer,
            lowercase=text.lowercase,
            splits={"train": size.articles},
        )
        step = Step(summarizer(run, sizes, recompute=False), TEXTS, size.source, size.target, sizes.vocabulary_size)
        (seconds,) = measure.interleaved_seconds([step], CPU, budget=SECONDS)
        operations, taken = measure.operations(step) / TEXTS, median(seconds) / TEXTS
        trained = size.articles * run.training.max_epochs
        print(
            f"{dataset}: {size.articles:,} articles, {run.training.max_epochs} epochs, batch {run.training.batch_size}"
        )
        print(f"  a step: {operations / 1e9:.1f} billion multiply-adds and {taken * 1000:.0f} ms per article here")
        print(f"  in all: {operations * trained:.2g} multiply-adds; {taken * trained / 3600:,.0f} hours here")
        print(f"  estimate, V100 at a quarter of its peak: {operations * trained / V100_RATE / 3600:.1f} hours")
        for recompute in (False, True):
            held = memory_of_batch(run, sizes, recompute=recompute)
            print(f"  memory of a batch of {sizes.max_length:,} tokens each, recompute {recompute}: {held:.1f} GiB")


if __name__ == "__main__":
    main()
