"""Plain full attention with a matrix of who sees whom, which the sparse mixers are compared with."""

import random
from collections.abc import Callable
from typing import TypeVar

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

Mixer = TypeVar("Mixer", bound=nn.Module)
Reference = Callable[[Tensor, list[bool]], Tensor]
"""One text: x (N, D), mask -> (N, D)."""


def draw_mask(length: int, share: float, seed: int) -> list[bool]:
    """Of a text of `length` positions that keeps `share` of them, with holes anywhere."""
    generator = random.Random(seed)
    return [generator.random() < share for _ in range(length)]


MASKS = st.lists(
    st.builds(draw_mask, st.integers(1, 75), st.sampled_from([0.0, 0.5, 0.9, 1.0]), st.integers(0, 999)),
    min_size=1,
    max_size=3,
)
"""Of a batch, for `batch_of`."""


def spread(mixer: Mixer) -> Mixer:
    """The mixer in float64, with weights and biases large enough that no term is lost in rounding."""
    generator = torch.Generator().manual_seed(1)
    for parameter in mixer.parameters():
        nn.init.normal_(parameter, std=0.4, generator=generator)
    return mixer.double()


def batch_of(masks: list[list[bool]], dim: int) -> tuple[Tensor, Tensor]:
    """x (B, N, dim) float64 and mask (B, N), padded to the longest."""
    length = max(len(mask) for mask in masks)
    mask = torch.tensor([mask + [False] * (length - len(mask)) for mask in masks])
    generator = torch.Generator().manual_seed(length)
    return torch.randn(len(masks), length, dim, dtype=torch.float64, generator=generator), mask


def attention(query: Tensor, key: Tensor, value: Tensor, allowed: list[list[bool]], heads: int) -> Tensor:
    """query (N, D), key and value (M, D), allowed N lists of M -> (N, D); zeros for a query that sees nothing."""
    outputs = []
    size = query.shape[1] // heads
    for place, seen in enumerate(allowed):
        keys = [other for other, is_seen in enumerate(seen) if is_seen]
        parts = []
        for head in range(heads):
            own = slice(head * size, (head + 1) * size)
            scores = key[keys, own] @ query[place, own] / size**0.5
            parts.append(scores.softmax(0) @ value[keys, own])
        outputs.append(torch.cat(parts))
    return torch.stack(outputs)


def assert_follows(mixer: nn.Module, reference: Reference, x: Tensor, mask: Tensor) -> None:
    """Equal outputs at kept positions, and equal gradients of the input and of every parameter."""
    weight = torch.randn(x.shape, dtype=x.dtype, generator=torch.Generator().manual_seed(2))
    names = ["x", *(name for name, _ in mixer.named_parameters())]
    results = []
    for dense in (False, True):
        leaf = x.clone().requires_grad_()
        if dense:
            out = torch.stack([reference(row, kept.tolist()) for row, kept in zip(leaf, mask, strict=True)])
        else:
            out = mixer(leaf, mask)
        loss = (out * weight)[mask].sum()
        gradients = torch.autograd.grad(loss, [leaf, *mixer.parameters()], allow_unused=True, materialize_grads=True)
        results.append((out[mask], gradients))
    (actual, actual_gradients), (expected, expected_gradients) = results
    torch.testing.assert_close(actual, expected, atol=1e-10, rtol=1e-10)
    for name, gradient, wanted in zip(names, actual_gradients, expected_gradients, strict=True):
        torch.testing.assert_close(gradient, wanted, atol=1e-10, rtol=1e-10, msg=lambda text, name=name: name + text)
