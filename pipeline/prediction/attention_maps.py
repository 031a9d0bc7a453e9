"""Which tokens Fastformer's layers look at, recorded while a text passes through a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from torch import Tensor, nn

from pipeline.attention.fastformer import FastformerAttention


class Maps(NamedTuple):
    """The weights of one layer, (B, N, H) each: Equations 3 and 5 of arXiv 2108.09084."""

    alpha: Tensor  # what each token gives to the global query
    beta: Tensor  # to the global key


@contextmanager
def recorded(model: nn.Module) -> Iterator[list[Maps]]:
    """Yields a list that every forward pass inside lengthens by the maps of each Fastformer layer, in their order.

    A layer that is applied twice, as with sharing qv_layer, stands there twice. Outside nothing is recorded or slowed.
    """
    found: list[Maps] = []

    def record(module: nn.Module, inputs: tuple[Tensor, Tensor]) -> None:
        assert isinstance(module, FastformerAttention)
        found.append(Maps(*module.weights(*inputs)))

    mixers = [module for module in model.modules() if isinstance(module, FastformerAttention)]
    handles = [module.register_forward_pre_hook(record) for module in mixers]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()
