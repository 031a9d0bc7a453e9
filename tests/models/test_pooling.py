"""Both poolings against their formulas, and against the mask rule."""

import pytest
import torch
from torch import Tensor

from pipeline.models.pooling import AdditivePooling, MeanPooling

DIM = 6


def make(dtype: torch.dtype = torch.float64) -> AdditivePooling:
    torch.manual_seed(2)
    return AdditivePooling(DIM).to(dtype)


def reference(pooling: AdditivePooling, tokens: list[Tensor]) -> Tensor:
    """softmax of w2 tanh(W1 x + b1) + b2 over the tokens, written out."""
    exponentials = []
    for token in tokens:
        hidden = torch.tanh(pooling.hidden.weight @ token + pooling.hidden.bias)
        exponentials.append((pooling.score.weight[0] @ hidden + pooling.score.bias[0]).exp())
    weights = [exponential / torch.stack(exponentials).sum() for exponential in exponentials]
    return torch.stack([weight * token for weight, token in zip(weights, tokens, strict=True)]).sum(0)


@pytest.mark.parametrize("length", [1, 7, 33])
def test_output_and_gradients_equal_the_reference(length: int) -> None:
    pooling = make()
    x = torch.randn(1, length, DIM, dtype=torch.float64, requires_grad=True)
    mask = torch.arange(length).unsqueeze(0) % 3 != 1
    parts = [x, *pooling.parameters()]
    actual = pooling(x, mask)[0]
    expected = reference(pooling, [x[0, position] for position in range(length) if mask[0, position]])
    torch.testing.assert_close(actual, expected, atol=1e-12, rtol=0)
    actual_gradients = torch.autograd.grad(actual.square().sum(), parts)
    expected_gradients = torch.autograd.grad(expected.square().sum(), parts)
    for one, other in zip(actual_gradients, expected_gradients, strict=True):
        torch.testing.assert_close(one, other, atol=1e-12, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_row_without_tokens_pools_to_zeros(dtype: torch.dtype) -> None:
    pooling = make(dtype)
    x = torch.randn(2, 5, DIM, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[False] * 5, [True] * 3 + [False] * 2])
    pooled = pooling(x, mask)
    assert pooled.dtype == dtype
    assert (pooled[0] == 0).all()
    pooled.sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
    assert (x.grad[0] == 0).all()
    for parameter in pooling.parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()


@pytest.mark.parametrize("junk", [1e9, float("nan")])
def test_padding_reaches_nothing(junk: float) -> None:
    pooling = make(torch.float32)
    x = torch.randn(2, 5, DIM)
    mask = torch.tensor([[True, False, True, True, False], [True] * 3 + [False] * 2])
    junked = x.masked_fill(~mask.unsqueeze(-1), junk).requires_grad_()
    pooled = pooling(junked, mask)
    assert torch.equal(pooled, pooling(x, mask))
    pooled.sum().backward()
    for tensor in (junked, *pooling.parameters()):
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()


def test_large_scores_dont_overflow() -> None:
    pooling = make(torch.float32)
    with torch.no_grad():
        pooling.score.weight.fill_(1e4)
    assert pooling(torch.randn(1, 5, DIM), torch.ones(1, 5, dtype=torch.bool)).isfinite().all()


@pytest.mark.parametrize("junk", [0.0, 1e9, float("nan")])
def test_the_mean_is_that_of_the_kept_tokens(junk: float) -> None:
    x = torch.randn(3, 5, DIM, dtype=torch.float64)
    mask = torch.tensor([[True, False, True, True, False], [True] + [False] * 4, [False] * 5])
    filled = x.masked_fill(~mask.unsqueeze(-1), junk).requires_grad_()
    pooled = MeanPooling()(filled, mask)
    torch.testing.assert_close(pooled, torch.stack([x[0, [0, 2, 3]].mean(0), x[1, 0], torch.zeros(DIM).double()]))
    pooled.sum().backward()
    assert filled.grad is not None
    expected = mask / mask.sum(1, keepdim=True).clamp_min(1)
    torch.testing.assert_close(filled.grad, expected.double().unsqueeze(-1).expand_as(x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_mean_of_a_long_text_doesnt_overflow_in_half_precision(dtype: torch.dtype) -> None:
    pooled = MeanPooling()(torch.full((1, 3000, 2), 100.0, dtype=dtype), torch.ones(1, 3000, dtype=torch.bool))
    assert pooled.dtype == dtype
    assert pooled.tolist() == [[100, 100]]
