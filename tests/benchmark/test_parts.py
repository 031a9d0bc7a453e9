"""The parts of a training step: each second is one part's, and nothing is left on the model."""

import time

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from pipeline.benchmark import parts
from pipeline.benchmark.parts import PART_OF, REST, Stopwatch, seconds_by_part
from pipeline.benchmark.recipes import VOCABULARY, Recipe, make_batch
from pipeline.models.embedding import TextEmbedding

CPU = torch.device("cpu")


class Clock:
    """Stands for the module `time`."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


def test_an_outer_parts_time_stands_still_while_an_inner_one_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(parts, "time", clock)
    watch = Stopwatch(CPU)
    clock.now = 100  # before anything runs
    with watch.running("outer"):
        clock.now += 1
        with watch.running("inner"):
            clock.now += 10
        clock.now += 2
    clock.now += 1000
    with watch.running("inner"):
        clock.now += 20
    assert watch.seconds == {"outer": 3, "inner": 30}


class Slow(nn.Module):
    """An embedding with a LayerNorm in it, then 20 ms of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = TextEmbedding(
            vocabulary_size=60_000, vector_dim=4, vectors=None, frozen=False, max_length=8, dim=4, dropout=0.1
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        time.sleep(0.02)
        return self.embedding(ids).mean(1)


def test_a_step_is_divided_without_a_rest_and_the_hooks_go() -> None:
    model = Slow()
    batches = [make_batch(np.array([3, 8]), 8, VOCABULARY, CPU)] * 2
    recipe = Recipe(
        "step", model, torch.optim.Adam(model.parameters()), [b._replace(labels=b.labels % 4) for b in batches]
    )
    recipe.run()
    started = time.perf_counter()
    found = seconds_by_part(recipe, CPU)
    taken = (time.perf_counter() - started) / len(batches)
    assert set(found) == {"embedding", "LayerNorm and dropout", REST, "backward", "optimizer"}
    assert found[REST] >= 0.02
    assert found["embedding"] < 0.02
    assert sum(found.values()) == pytest.approx(taken, rel=0.3)
    for module in model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks


def test_no_kind_of_module_is_of_two_parts() -> None:
    kinds = list(PART_OF)
    assert not [(one, other) for one in kinds for other in kinds if one is not other and issubclass(one, other)]
