"""Where the time of a training step goes."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from pipeline.attention.fastformer import FastformerAttention
from pipeline.benchmark.measure import wait
from pipeline.benchmark.recipes import Recipe, loss
from pipeline.models.embedding import TextEmbedding
from pipeline.models.encoder import EncoderLayer
from pipeline.models.pooling import AdditivePooling

PART_OF: dict[type[nn.Module], str] = {
    TextEmbedding: "embedding",
    FastformerAttention: "attention",
    EncoderLayer: "feed-forward and residuals",  # what is left of a layer
    nn.LayerNorm: "LayerNorm and dropout",
    nn.Dropout: "LayerNorm and dropout",
    AdditivePooling: "pooling",
}
REST = "output map and loss"


class Stopwatch:
    """Seconds by part; while a part runs inside another, the outer one's time stands still."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = 0.0

    def start(self, part: str) -> None:
        self._charge()
        self._running.append(part)

    def stop(self) -> None:
        self._charge()
        self._running.pop()

    def _charge(self) -> None:
        wait(self.device)
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    @contextmanager
    def running(self, part: str) -> Iterator[None]:
        self.start(part)
        yield
        self.stop()


def seconds_by_part(recipe: Recipe, device: torch.device) -> dict[str, float]:
    """Part -> seconds per step, forwards by module, then the backward pass and the optimizer; of one run.

    The recipe has run before: nothing here is a warm-up.
    """
    watch = Stopwatch(device)
    with _watched(recipe.model, watch):
        for batch in recipe.batches:
            with watch.running(REST):
                value = loss(recipe.model, batch)
            with watch.running("backward"):
                torch.autograd.backward([value])
            with watch.running("optimizer"):
                recipe.optimizer.step()
                recipe.optimizer.zero_grad()
    return {part: seconds / len(recipe.batches) for part, seconds in watch.seconds.items()}


@contextmanager
def _watched(model: nn.Module, watch: Stopwatch) -> Iterator[None]:
    handles = []
    for module in model.modules():
        for kind, part in PART_OF.items():
            if isinstance(module, kind):
                handles.append(module.register_forward_pre_hook(lambda *_, part=part: watch.start(part)))
                handles.append(module.register_forward_hook(lambda *_: watch.stop()))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
