"""What the tests that compare a mixer with a plain reference share."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from pipeline.attention.options import MixerOptions

DIM, HEADS = 12, 3
SIZES = [(1, 1), (2, 2), (2, 7), (1, 33)]
"""(B, N) at which outputs and gradients are compared."""


def options(**changes: object) -> MixerOptions:
    """Small sizes that fit each other."""
    values: dict[str, object] = {
        "dim": DIM,
        "heads": HEADS,
        "max_length": 40,
        "window": 8,
        "global_tokens": 8,
        "random_tokens": 8,
        "block_length": 4,
        "pooling_window": 16,
        "projection_dim": 5,
        "bucket_length": 8,
        "hash_rounds": 2,
    }
    return MixerOptions(**(values | changes))  # type: ignore[arg-type]


def drawn(mixer: nn.Module, seed: int = 1, std: float = 0.4) -> nn.Module:
    """The mixer in float64 and eval mode, with weights and biases large enough that no term is lost in rounding."""
    generator = torch.Generator().manual_seed(seed)
    mixer = mixer.double().eval()
    for parameter in mixer.parameters():
        nn.init.normal_(parameter, std=std, generator=generator)
    return mixer


def odd_mask(batch: int, length: int) -> Tensor:
    """Every row keeps some tokens, with holes in the middle as well as padding at the end."""
    generator = torch.Generator().manual_seed(length)
    mask = torch.rand(batch, length, generator=generator) < 0.6
    mask[torch.arange(batch), torch.randint(length, (batch,), generator=generator)] = True
    return mask


def gradients(mixer: nn.Module, x: Tensor, out: Tensor) -> dict[str, Tensor]:
    """Gradients of sum(out) by the input and every parameter; zeros where one has no part in `out`."""
    names = ["x", *dict(mixer.named_parameters())]
    found = torch.autograd.grad(out.sum(), [x, *mixer.parameters()], allow_unused=True, materialize_grads=True)
    return dict(zip(names, found, strict=True))


Reference = Callable[[list[Tensor], list[int]], list[Tensor]]
"""A text's kept tokens, each (D,), and their positions -> what the mixer makes of each, (D,)."""


def assert_equals_reference(mixer: nn.Module, reference: Reference, batch: int, length: int) -> None:
    """Outputs at kept positions, and gradients by the input and by every parameter, in float64."""
    generator = torch.Generator().manual_seed(100 * batch + length)
    x = torch.randn(batch, length, DIM, dtype=torch.float64, generator=generator, requires_grad=True)
    weight = torch.randn(batch, length, DIM, dtype=torch.float64, generator=generator)
    mask = odd_mask(batch, length)
    out = mixer(x, mask)[mask]
    positions = [mask[row].nonzero().flatten().tolist() for row in range(batch)]
    texts = [reference([x[row, position] for position in kept], kept) for row, kept in enumerate(positions)]
    expected = torch.stack([vector for text in texts for vector in text])
    torch.testing.assert_close(out, expected, atol=1e-10, rtol=1e-10)
    actual, wanted = (gradients(mixer, x, each * weight[mask]) for each in (out, expected))
    for name, gradient in actual.items():
        torch.testing.assert_close(gradient, wanted[name], atol=1e-9, rtol=1e-9, msg=f"gradient of {name}")


def apply_linear(linear: nn.Linear, vector: Tensor) -> Tensor:
    return linear.weight @ vector + linear.bias


def heads_of(vector: Tensor) -> list[Tensor]:
    return list(vector.chunk(HEADS))


def attend(query: Tensor, keys: list[Tensor], values: list[Tensor]) -> Tensor:
    """Softmax attention of one query of one head, written out."""
    exponentials = [(query @ key / math.sqrt(len(query))).exp() for key in keys]
    total = sum(exponentials, torch.zeros((), dtype=torch.float64))
    weighted = [weight / total * value for weight, value in zip(exponentials, values, strict=True)]
    return torch.stack(weighted).sum(0)
