"""Mixers with large weights, masks with holes, and what a backward pass leaves."""

import itertools
from collections.abc import Callable

import torch
from torch import Tensor, nn

from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.options import Interaction, Scoring, Sharing

DIM, HEADS = 12, 3
INTERACTIONS: tuple[Interaction, ...] = ("product", "add", "concat")
SHARED: tuple[tuple[Sharing, Scoring], ...] = (
    ("none", "full"),
    ("none", "per_head"),
    ("qv", "full"),
    ("qv", "per_head"),
    ("qv_head", "per_head"),
)
Variant = tuple[Interaction, Sharing, Scoring]
VARIANTS: list[Variant] = [(interaction, *shared) for interaction, shared in itertools.product(INTERACTIONS, SHARED)]
PLAIN: Variant = ("product", "qv", "full")


def make(
    variant: Variant = PLAIN, dtype: torch.dtype = torch.float64, dim: int = DIM, heads: int = HEADS
) -> FastformerAttention:
    """A mixer with weights and biases large enough that no term is lost in rounding."""
    torch.manual_seed(1)
    interaction, sharing, scoring = variant
    mixer = FastformerAttention(dim, heads, interaction=interaction, sharing=sharing, scoring=scoring)
    for parameter in mixer.parameters():
        nn.init.normal_(parameter, std=1.4 / dim**0.5)
    return mixer.to(dtype)


def odd_mask(batch: int, length: int) -> Tensor:
    """Every row keeps some tokens, with holes in the middle as well as padding at the end."""
    generator = torch.Generator().manual_seed(length)
    mask = torch.rand(batch, length, generator=generator) < 0.6
    mask[torch.arange(batch), torch.randint(length, (batch,), generator=generator)] = True
    return mask


def gradients(mixer: nn.Module, x: Tensor) -> dict[str, Tensor]:
    """Gradients of the input and of every parameter, which are reset."""
    assert x.grad is not None
    found = {"x": x.grad}
    for name, parameter in mixer.named_parameters():
        assert parameter.grad is not None, name
        found[name] = parameter.grad
        parameter.grad = None
    x.grad = None
    return found


def results(mixer: nn.Module, mix: Callable[[Tensor, Tensor], Tensor], x: Tensor, mask: Tensor) -> dict[str, Tensor]:
    """Output and gradients of mix(x, mask); the loss weighs the outputs of kept tokens alone."""
    weight = torch.randn(x.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    x = x.clone().requires_grad_()
    out = mix(x, mask)
    (out.double() * weight)[mask].sum().backward()
    return {"out": out.detach()[mask], **gradients(mixer, x)}
