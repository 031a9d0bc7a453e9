"""Layers to be measured: every encoder, and Fastformer in its forms, alone and with the feed-forward block."""

import copy
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.operations import Form
from pipeline.models.encoder import EncoderLayer
from pipeline.models.initialisation import initialise
from pipeline.models.options import ModelOptions
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
    mode: Mode
    dtype: torch.dtype
    module: nn.Module
    x: Tensor  # (B, N, D)
    mask: Tensor  # (B, N)

    @property
    def shape(self) -> tuple[int, int]:
        """(B, N)."""
        batch, length = self.mask.shape
        return batch, length

    def work(self) -> None:
        """What is timed: one forward pass, or a forward and a backward pass."""
        if self.mode == "forward":
            with torch.no_grad():
                self.forward()
            return
        out = self.forward()
        # Not ones: LayerNorm's gradient of those is zero.
        torch.autograd.backward([out], [self.x.to(out.dtype)])
        self.module.zero_grad()

    def forward(self) -> Tensor:
        """(B, N, D). Half precision is autocast, as in training."""
        with nullcontext() if self.dtype == torch.float32 else torch.autocast(self.x.device.type, self.dtype):
            # As after an embedding: the gradient goes on below this layer.
            out: Tensor = self.module(self.x.detach().requires_grad_(), self.mask)
            return out


def layers(options: ModelOptions, encoders: Sequence[str]) -> dict[tuple[str, str], nn.Module]:
    """(encoder, form) -> a layer x (B, N, D), mask (B, N) -> (B, N, D); `encoders` are names of registry.ATTENTIONS.

    Fastformer stands there four times: as a layer and as attention alone, each as it is and by its formulas.
    """
    made: dict[tuple[str, str], nn.Module] = {}
    mixer = options.mixer

    def layer(of: nn.Module) -> EncoderLayer:
        return EncoderLayer(of, dim=mixer.dim, feedforward_dim=options.feedforward_dim, dropout=options.dropout)

    for name in encoders:
        made[name, "layer"] = layer(load(ATTENTIONS, name).from_options(mixer))
    made["fastformer", "layer, direct"] = layer(DirectFastformer.from_options(mixer))
    made["fastformer", "attention"] = FastformerAttention.from_options(mixer)
    made["fastformer", "attention, direct"] = DirectFastformer.from_options(mixer)
    for module in made.values():
        torch.manual_seed(1)
        initialise(module, options.init_std)
    return made


def cases(
    made: dict[tuple[str, str], nn.Module],
    *,
    dim: int,
    shapes: Sequence[tuple[int, int]],
    dtypes: Sequence[torch.dtype],
    device: torch.device,
) -> list[Case]:
    """Every layer on batches of each shape (B, N) without padding, forwards alone and with the backward pass.

    Dropout is on in training, and off forwards.
    """
    generator = torch.Generator().manual_seed(1)
    batches = [
        (torch.randn(*shape, dim, generator=generator).to(device), torch.ones(shape, dtype=torch.bool, device=device))
        for shape in shapes
    ]
    found = []
    for (encoder, form), module in made.items():
        # Two modules, since to switch one back and forth would be timed too.
        modules: dict[Mode, nn.Module] = {"forward": copy.deepcopy(module).eval(), "train": module.train()}
        for one in modules.values():
            one.to(device)
        found += [
            Case(encoder, form, mode, dtype, modules[mode], x, mask)
            for x, mask in batches
            for dtype in dtypes
            for mode in modules
        ]
    return found
