"""Layers to be measured: every encoder, and Fastformer in its forms, alone and with the feed-forward block."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.operations import Form
from pipeline.attention.options import MixerOptions
from pipeline.benchmark.measure import Work
from pipeline.models.encoder import EncoderLayer
from pipeline.models.initialisation import initialise
from pipeline.registry import ATTENTIONS, load

Mode = Literal["forward", "train"]


class DirectFastformer(FastformerAttention):
    """Fastformer's attention by its formulas at every length."""

    def form(self, batch: int, length: int) -> Form:
        return "direct"


@dataclass(frozen=True)
class Case:
    """One row of the benchmark before it is measured. `form` tells apart what `encoder` names in common."""

    encoder: str
    form: str
    length: int
    batch: int
    mode: Mode
    dtype: torch.dtype
    work: Work
    forward: Callable[[], Tensor]
    parameters: Sequence[Tensor]


def layers(
    options: MixerOptions, *, feedforward_dim: int, dropout: float, init_std: float
) -> dict[tuple[str, str], nn.Module]:
    """(encoder, form) -> a layer x (B, N, D), mask (B, N) -> (B, N, D), every mixer of the registry once.

    Fastformer stands there four times: as a layer and as attention alone, each as it is and by its formulas.
    """
    made: dict[tuple[str, str], nn.Module] = {}

    def layer(mixer: nn.Module) -> EncoderLayer:
        return EncoderLayer(
            mixer,
            dim=options.dim,
            feedforward_dim=feedforward_dim,
            dropout=dropout,
        )

    for name in ATTENTIONS:
        made[name, "layer"] = layer(load(ATTENTIONS, name).from_options(options))
    made["fastformer", "layer, direct"] = layer(DirectFastformer.from_options(options))
    made["fastformer", "attention"] = FastformerAttention.from_options(options)
    made["fastformer", "attention, direct"] = DirectFastformer.from_options(options)
    for module in made.values():
        torch.manual_seed(1)
        initialise(module, init_std)
    return made


def cases(
    made: dict[tuple[str, str], nn.Module],
    *,
    dim: int,
    shapes: Sequence[tuple[int, int]],
    dtypes: Sequence[torch.dtype],
    device: torch.device,
) -> Iterator[Case]:
    """Every layer on batches of each shape (B, N) without padding, forwards alone and with the backward pass.

    Half precision is autocast, as in training. Dropout is on in training, and off forwards.
    """
    for (encoder, form), module in made.items():
        module.to(device)
        for batch, length in shapes:
            generator = torch.Generator().manual_seed(length)
            x = torch.randn(batch, length, dim, generator=generator).to(device)
            mask = torch.ones(batch, length, dtype=torch.bool, device=device)
            for dtype in dtypes:
                forward = partial(_forward, module, x, mask, dtype)
                works: dict[Mode, Work] = {
                    "forward": partial(_infer, module, forward),
                    "train": partial(_train, module, forward),
                }
                for mode, work in works.items():
                    yield Case(encoder, form, length, batch, mode, dtype, work, forward, list(module.parameters()))


def _forward(module: nn.Module, x: Tensor, mask: Tensor, dtype: torch.dtype) -> Tensor:
    with nullcontext() if dtype == torch.float32 else torch.autocast(x.device.type, dtype):
        # As after an embedding: the gradient goes on below this layer.
        out: Tensor = module(x.detach().requires_grad_(), mask)
        return out


def _infer(module: nn.Module, forward: Callable[[], Tensor]) -> None:
    module.eval()
    with torch.no_grad():
        forward()


def _train(module: nn.Module, forward: Callable[[], Tensor]) -> None:
    module.train()
    out = forward()
    torch.autograd.backward([out], [torch.ones_like(out)])
    module.zero_grad()
