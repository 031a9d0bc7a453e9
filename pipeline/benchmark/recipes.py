"""A training step of ours beside one of the official recipe: the same model, sizes, texts and batch size.

The official notebook (github.com/wuch15/Fastformer, Fastformer.ipynb at 84cc859) pads every text to the longest that
is allowed, computes the attention by its formulas, dropout by torch's module, and updates all of the word table with
plain Adam.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.fastformer import FastformerAttention
from pipeline.benchmark.layers import DirectFastformer
from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.text.batching import POOL_BATCHES, LengthBatchSampler

VOCABULARY, VECTOR_DIM, CLASSES = 60_000, 300, 5
MEAN_LENGTH, LONGEST = 133, 512
"""Of Amazon's Electronics reviews in the paper: its Tables 1 and 9."""

SPREAD = 0.85
"""Standard deviation of the logarithm of a length; reviews have long tails."""

MEDIAN_LENGTH = 97
"""With SPREAD and the cut at LONGEST, lengths have a mean of MEAN_LENGTH."""

BATCHES = 5
"""Batches of ours that are timed: POOL_BATCHES, sorted by length, are cut into this many equal parts, and of each the
batch is taken that is as wide as the part on average: widths have a long tail, for which the middle is too narrow."""


class Batch(NamedTuple):
    """B texts, padded to N tokens."""

    ids: Tensor  # (B, N) int64
    mask: Tensor  # (B, N) bool, True = keep
    labels: Tensor  # (B,) int64


@dataclass(frozen=True)
class Recipe:
    """A model in training, its optimizer, and the batches that `run` trains on in turn."""

    name: str
    model: nn.Module
    optimizer: torch.optim.Optimizer
    batches: list[Batch]

    def run(self) -> None:
        """A step per batch."""
        for batch in self.batches:
            self.step(batch)

    def step(self, batch: Batch) -> None:
        """Forwards, backwards and the optimizer."""
        torch.autograd.backward([loss(self.model, batch)])
        self.optimizer.step()
        self.optimizer.zero_grad()


def loss(model: nn.Module, batch: Batch) -> Tensor:
    """Cross-entropy, a scalar."""
    return functional.cross_entropy(model(batch.ids, batch.mask), batch.labels)


def recipes(options: ModelOptions, *, batch_size: int, device: torch.device) -> list[Recipe]:
    """The official recipe and ours, in this order, for a model of these options."""
    drawn = lengths(batch_size * POOL_BATCHES)
    batches = list(LengthBatchSampler(drawn, batch_size, seed=1))
    widths = np.array([drawn[batch].max() for batch in batches])
    parts = np.array_split(np.argsort(widths, kind="stable"), BATCHES)
    timed = [batches[part[np.argmin(abs(widths[part] - widths[part].mean()))]] for part in parts]
    any_texts = np.random.default_rng(2).permutation(len(drawn))[:batch_size].tolist()
    return [
        _recipe("step, official recipe", options, [drawn[any_texts]], official=True, device=device),
        _recipe("step", options, [drawn[batch] for batch in timed], official=False, device=device),
    ]


def lengths(texts: int) -> NDArray[np.int64]:
    """Lengths in tokens with a long tail, cut at LONGEST."""
    drawn = np.random.default_rng(1).lognormal(np.log(MEDIAN_LENGTH), SPREAD, texts)
    return np.clip(drawn, 1, LONGEST).astype(np.int64)


def _recipe(
    name: str, options: ModelOptions, batches: list[NDArray[np.int64]], *, official: bool, device: torch.device
) -> Recipe:
    torch.manual_seed(1)
    model = build_classifier(options, classes=CLASSES, vectors=None).to(device).train()
    if official:
        compute_plainly(model)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    words = options.vocabulary_size
    made = [make_batch(one, LONGEST if official else int(one.max()), words, device) for one in batches]
    return Recipe(name, model, optimizer, made)


def compute_plainly(model: nn.Module) -> None:
    """Has every Fastformer attention in the model computed by its formulas, and dropout by torch, from now on."""
    for module in model.modules():
        if isinstance(module, FastformerAttention):
            module.__class__ = DirectFastformer
        elif isinstance(module, nn.Dropout):
            module.__class__ = nn.Dropout


def make_batch(lengths: NDArray[np.int64], width: int, words: int, device: torch.device) -> Batch:
    """Texts of random words out of `words`, padded to `width`, on which they don't depend."""
    draw = np.random.default_rng(3)
    labels = draw.integers(CLASSES, size=len(lengths))
    mask = np.arange(width) < lengths[:, None]
    ids = np.zeros(mask.shape, dtype=np.int64)
    # Frequent words are frequent: Zipf's law decides how many rows of the table a batch touches.
    ids[mask] = np.minimum(draw.zipf(1.2, int(lengths.sum())) + 1, words - 1)
    return Batch(*(torch.from_numpy(one).to(device) for one in (ids, mask, labels)))
