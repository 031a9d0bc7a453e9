"""What the paper's two summarization rows need: operations, memory and, as an estimate, hours.

    python -m benchmarks.summarization_cost

Operations and memory are counted here on random ids; the hours on a GPU are those operations over a rate that is
assumed, and no more than an estimate.
"""

import time
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor

from pipeline import params
from pipeline.benchmark import measure
from pipeline.models.summarizer import Summarizer, build_summarizer
from pipeline.params import Run
from pipeline.tasks.model_options import model_options
from pipeline.tasks.summarization import SummarizerOptions

CPU = torch.device("cpu")
VECTOR_DIM = 300
TEXTS = 4
"""Articles of a batch on which operations and seconds are taken."""

SMALL, LARGE = 1, 2
"""Sizes of batches at the greatest length, whose difference is what one more article takes."""

V100_RATE = 15.7e12 / 2 / 4
"""Multiply-adds per second: a quarter of what NVIDIA's data sheet says of a V100 in float32 (15.7 TFLOPS)."""


class Size(NamedTuple):
    """Articles for training and mean words of article and summary, of the paper's Tables 2 and 3."""

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
        loss: Tensor = self._loss()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.optimizer.zero_grad()

    def _loss(self) -> Tensor:
        memory = self.model.encode(self.ids, torch.ones_like(self.ids, dtype=torch.bool))
        hidden, _ = self.model.decode(memory, self.target)
        return self.model.losses(memory, hidden, self.target, label_smoothing=0.0).mean()


def summarizer(run: Run, vocabulary: int, source: int, target: int, *, recompute: bool) -> Summarizer:
    """The model of this run, for these lengths."""
    changed = run.model_copy(update={"model": run.model.model_copy(update={"recompute": recompute})})
    text = model_options(changed, vocabulary, source, VECTOR_DIM)
    torch.manual_seed(1)
    return build_summarizer(
        SummarizerOptions(
            text=text,
            decoder_layers=run.model.decoder_layers,
            summary_length=target,
            copy_words=run.model.copy_words,
        ),
        vectors=None,
    )


def memory_of_batch(run: Run, vocabulary: int, source: int, target: int, *, recompute: bool) -> float:
    """GiB that a step on a whole batch of the longest articles holds beyond the model, by two small batches."""
    model = summarizer(run, vocabulary, source, target, recompute=recompute)
    small, large = (measure.peak_bytes(Step(model, texts, source, target, vocabulary), CPU) for texts in (SMALL, LARGE))
    per_text = (large - small) / (LARGE - SMALL)
    return (small + per_text * (run.training.batch_size - SMALL)) / 2**30


def main() -> None:
    torch.set_num_threads(2)
    chosen = params.load()
    for dataset, size in SIZES.items():
        run, data = chosen.run(dataset, "fastformer", 1), chosen.data[dataset]
        text = chosen.text_of(dataset)
        longest, summary, words = text.max_length, data.source.summary_length, text.max_words or 0
        model = summarizer(run, words, longest, summary, recompute=False)
        step = Step(model, TEXTS, size.source, size.target, words)
        step()
        seconds = []
        for _ in range(5):
            started = time.perf_counter()
            step()
            seconds.append((time.perf_counter() - started) / TEXTS)
        operations, taken = measure.operations(step) / TEXTS, median(seconds)
        trained = size.articles * run.training.max_epochs
        print(
            f"{dataset}: {size.articles:,} articles, {run.training.max_epochs} epochs, batch {run.training.batch_size}"
        )
        print(f"  a step: {operations / 1e9:.1f} billion multiply-adds and {taken * 1000:.0f} ms per article here")
        print(f"  in all: {operations * trained:.2g} multiply-adds; {taken * trained / 3600:,.0f} hours here")
        print(f"  estimate, V100 at a quarter of its peak: {operations * trained / V100_RATE / 3600:.1f} hours")
        for recompute in (False, True):
            held = memory_of_batch(run, words, longest, summary, recompute=recompute)
            print(f"  memory of a batch of {longest:,} tokens each, recompute {recompute}: {held:.1f} GiB")


if __name__ == "__main__":
    main()
