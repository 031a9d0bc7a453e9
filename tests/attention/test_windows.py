"""Cutting into chunks, and what the mixers built on windows or buckets share: their memory and their counts."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from pipeline.attention.bigbird import BigBirdAttention
from pipeline.attention.longformer import LongformerAttention
from pipeline.attention.options import MixerOptions
from pipeline.attention.poolingformer import PoolingformerAttention
from pipeline.attention.reformer import ReformerAttention
from pipeline.attention.windows import attend, band, chunked, surroundings, visible_with_first, with_first
from tests.attention import dense

MIXERS = (LongformerAttention, BigBirdAttention, PoolingformerAttention, ReformerAttention)


def options(dim: int = 16, heads: int = 2) -> MixerOptions:
    """Table 9's, for IMDB."""
    return MixerOptions(
        dim=dim,
        heads=heads,
        max_length=1024,
        window=8,
        global_tokens=8,
        random_tokens=8,
        block_length=4,
        pooling_window=64,
        projection_dim=16,
        bucket_length=64,
        hash_rounds=4,
    )


def test_chunks_begin_anywhere_and_end_in_zeros() -> None:
    x = torch.arange(1, 8).view(1, 7, 1)
    assert chunked(x, 3, 3).flatten(1).tolist() == [[1, 2, 3, 4, 5, 6, 7, 0, 0]]
    assert chunked(x, 2, 3, start=-2).flatten(1).tolist() == [[0, 0, 1, 2, 3, 4]]
    assert chunked(x, 1, 2, start=4).flatten(1).tolist() == [[5, 6]]


@pytest.mark.parametrize("halo", [0, 1, 3, 4, 11])
def test_surroundings_are_what_stands_around_a_chunk(halo: int) -> None:
    x = torch.arange(1, 8).view(1, 7, 1)
    around = surroundings(x, 3, 3, halo).squeeze(-1)[0].tolist()
    for chunk, found in enumerate(around):
        places = range(3 * chunk - halo, 3 * chunk + 3 + halo)
        assert found == [place + 1 if 0 <= place < 7 else 0 for place in places]


def test_no_token_is_seen_twice() -> None:
    mask = torch.ones(1, 40, dtype=torch.bool)
    visible = visible_with_first(mask, 3, 5, band(8, 4, 4, mask.device))
    places = with_first(torch.arange(40).view(1, 40), 3, 5, 8, 4)
    for query in range(40):
        chunk = query // 8
        seen = places[0, chunk][visible[0, chunk, query % 8]].tolist()
        assert sorted(seen) == sorted({0, 1, 2} | set(range(max(query - 4, 0), min(query + 5, 40))))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_attention_is_finite_where_nothing_is_visible(dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(1, 2, 4, 6, dtype=dtype, requires_grad=True) for _ in range(3))
    nothing = torch.zeros(1, 2, 4, 4, dtype=torch.bool)
    out = attend(query, key, value, nothing, torch.zeros(1, 2, 4, dtype=torch.bool), 2)
    out.sum().backward()
    for tensor in (out, query.grad, key.grad, value.grad):
        assert tensor is not None
        assert tensor.isfinite().all()


class Largest(TorchDispatchMode):
    """The most elements of a tensor that any operation returned."""

    elements = 0

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, Tensor):
                self.elements = max(self.elements, tensor.numel())
        return result


@pytest.mark.parametrize("mixer_class", MIXERS)
def test_no_tensor_grows_faster_than_the_text(mixer_class: Any) -> None:
    mixer = mixer_class.from_options(options(dim=4, heads=1))
    largest = []
    for length in (2048, 4096):
        x = torch.randn(1, length, 4, requires_grad=True)
        with Largest() as seen:
            mixer(x, torch.ones(1, length, dtype=torch.bool)).sum().backward()
        largest.append(seen.elements)
    assert largest[0] <= 2048 * 300 < 2048 * 2048 / 6
    assert largest[1] <= 2 * largest[0]


@pytest.mark.parametrize("mixer_class", MIXERS)
@pytest.mark.parametrize(("batch", "length"), [(1, 5), (3, 64), (2, 131), (1, 300)])
def test_operations_are_those_that_torch_counts(mixer_class: Any, batch: int, length: int) -> None:
    mixer: nn.Module = mixer_class.from_options(options())
    counter = FlopCounterMode(display=False)
    # The fused kernel of CPUs isn't counted, the plain one is.
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:
        mixer(torch.randn(batch, length, 16), torch.ones(batch, length, dtype=torch.bool))
    assert counter.get_total_flops() == 2 * mixer.operations(batch, length)  # type: ignore[operator]


@pytest.mark.parametrize("mixer_class", MIXERS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_half_precision_and_empty_texts_are_finite(mixer_class: Any, dtype: torch.dtype) -> None:
    mixer = mixer_class.from_options(options()).to(dtype)
    x = (30 * torch.randn(3, 150, 16)).to(dtype).requires_grad_()
    mask = torch.rand(3, 150, generator=torch.Generator().manual_seed(0)) < torch.tensor([[0.5], [1.0], [0.0]])
    out = mixer(x, mask)
    assert out.dtype == dtype
    assert out.isfinite().all()
    out.mean().backward()
    for tensor in (x, *mixer.parameters()):
        assert tensor.grad.isfinite().all()


@pytest.mark.parametrize("mixer_class", MIXERS)
@pytest.mark.parametrize("junk", [1e9, float("nan"), float("inf")])
def test_junk_and_longer_padding_change_no_output_and_no_gradient(mixer_class: Any, junk: float) -> None:
    mixer = dense.spread(mixer_class.from_options(options())).eval()
    x, mask = dense.batch_of([dense.draw_mask(130, 0.8, 0), dense.draw_mask(70, 1.0, 0)], 16)
    results = []
    for padded, filling in ((130, 0.0), (290, junk)):
        longer = torch.full((2, padded, 16), filling, dtype=x.dtype)
        longer[:, :130] = x.masked_fill(~mask.unsqueeze(2), filling)
        longer.requires_grad_()
        kept = torch.zeros(2, padded, dtype=torch.bool)
        kept[:, :130] = mask
        out = mixer(longer, kept)
        assert out.isfinite().all()
        gradients = torch.autograd.grad(out[kept].square().sum(), [longer, *mixer.parameters()])
        results.append([out[kept], gradients[0][:, :130], *gradients[1:]])
    for expected, actual in zip(*results, strict=True):
        torch.testing.assert_close(actual, expected, atol=1e-9, rtol=1e-9)
