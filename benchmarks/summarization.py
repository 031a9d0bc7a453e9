"""What kept keys and values gain in writing summaries, and what processes gain in scoring them.

    python -m benchmarks.summarization

Two ratios, each with the range of five rounds in which both ways take turns; the outputs are compared as well.
"""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import Any

import torch
from torch import Tensor

from pipeline import params
from pipeline.generation.search import SearchOptions, search
from pipeline.generation.writing import MARKS, Continuations
from pipeline.metrics import rouge
from pipeline.models.summarizer import Memory, Summarizer, SummarizerOptions, build_summarizer
from pipeline.tasks.model_options import model_options

ROUNDS = 5
TEXTS, SOURCE, WRITTEN, BEAM = 8, 512, 100, 5
VOCABULARY = 20_000
PAIRS = 4000


class Anew:
    """A Step of search.py that keeps no keys and values, but reads all that is written again for each word."""

    def __init__(self, model: Summarizer, memory: Memory, own_words: int) -> None:
        self.model, self.memory, self.own_words = model, memory, own_words
        self.written: Tensor | None = None

    def __call__(self, words: Tensor, rows: Tensor | None) -> Tensor:
        before = self.written[rows] if self.written is not None else torch.empty(len(words), 0, dtype=torch.int64)
        self.written = torch.cat([before, words[:, None]], dim=1)
        hidden, _ = self.model.decode(self.memory, self.written)
        return self.model.log_probabilities(self.memory, hidden[:, -1:], self.own_words)[:, 0]


def alternated(first: Callable[[], Any], second: Callable[[], Any]) -> list[float]:
    """How many times as long the first takes, in each round."""
    found = []
    for _ in range(ROUNDS):
        taken = []
        for work in (first, second):
            started = time.perf_counter()
            work()
            taken.append(time.perf_counter() - started)
        found.append(taken[0] / taken[1])
    return found


@torch.inference_mode()
def decoding() -> list[float]:
    """Both ways to write 100 words with a beam of 5, with the sizes of the paper's CNN/DailyMail row."""
    run = params.load().run("cnn_dailymail", "fastformer", 1)
    text = replace(model_options(run, VOCABULARY, SOURCE, run.model.dim), init_std=0.3)
    options = SummarizerOptions(
        text=text, decoder_layers=run.model.decoder_layers, summary_length=WRITTEN, copy_words=True
    )
    torch.manual_seed(1)
    model = build_summarizer(options, vectors=None).eval()
    memory = model.encode(torch.randint(5, VOCABULARY, (TEXTS, SOURCE)), torch.ones(TEXTS, SOURCE, dtype=torch.bool))
    wanted = SearchOptions(beam=BEAM, length_penalty=1.0, min_length=WRITTEN, max_length=WRITTEN, block_trigrams=False)

    def write(kind: type[Anew] | type[Continuations]) -> list[list[int]]:
        return search(kind(model, memory, 0), TEXTS, wanted, MARKS, torch.device("cpu"))

    assert write(Anew) == write(Continuations)
    return alternated(lambda: write(Anew), lambda: write(Continuations))


def scoring() -> list[float]:
    """ROUGE by one process and by two."""
    draw = random.Random(1)
    words = [f"{draw.choice('bcdfgh')}{draw.choice('aeiou')}{draw.choice('lmnrst')}ing" for _ in range(60)]
    texts = [[" ".join(draw.choices(words, k=20)) for _ in range(3)] for _ in range(2 * PAIRS)]

    def score(processes: int) -> Any:
        return rouge.f_measures(texts[:PAIRS], texts[PAIRS:], processes=processes)

    assert (score(1) == score(2)).all()  # the processes are started now
    return alternated(lambda: score(1), lambda: score(2))


def main() -> None:
    torch.set_num_threads(1)
    for name, found in (
        (f"writing {WRITTEN} words, beam {BEAM}: without over with kept keys and values", decoding()),
        (f"ROUGE of {PAIRS:,} pairs: one process over two", scoring()),
    ):
        print(f"{name}: {median(found):.1f} ({min(found):.1f} to {max(found):.1f})")


if __name__ == "__main__":
    main()
