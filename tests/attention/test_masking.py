"""The mask rule: nothing in a padded position reaches a result or a gradient."""

import pytest
import torch

from pipeline.attention.masking import masked_softmax, zero_padding

MASK = torch.tensor([[True, True, False, True], [False, False, False, False], [True, False, False, False]])
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


@pytest.mark.parametrize("junk", [1e9, float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("trailing", [(), (5,), (2, 3)])
def test_zero_padding_stops_values_and_gradients(junk: float, trailing: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    x = torch.randn(3, 4, *trailing)
    x[~MASK] = junk
    x.requires_grad_()
    zeroed = zero_padding(x, MASK)
    assert torch.equal(zeroed[MASK], x[MASK])
    assert (zeroed[~MASK] == 0).all()
    torch.autograd.backward(zeroed.square().sum())
    assert x.grad is not None
    assert torch.equal(x.grad[MASK], 2 * x.detach()[MASK])
    assert (x.grad[~MASK] == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_are_a_softmax_over_the_kept_tokens(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    scores = torch.randn(3, 4, 2, dtype=dtype)
    weights = masked_softmax(scores, MASK, dim=1)
    assert weights.dtype == dtype
    assert (weights[~MASK] == 0).all()
    assert (weights[1] == 0).all()
    tolerance = {torch.float16: 1e-3, torch.bfloat16: 8e-3}.get(dtype, 1e-6)
    torch.testing.assert_close(weights[0, MASK[0]], scores[0, MASK[0]].softmax(0), atol=tolerance, rtol=0)
    torch.testing.assert_close(weights.double().sum(1)[[0, 2]], torch.ones(2, 2).double(), atol=tolerance, rtol=0)


@pytest.mark.parametrize("dim", [-1, 3])
def test_tokens_may_lie_along_any_dimension(dim: int) -> None:
    torch.manual_seed(0)
    scores = torch.randn(3, 2, 5, 4)
    moved = masked_softmax(scores.transpose(1, 3), MASK, dim=1).transpose(1, 3)
    torch.testing.assert_close(masked_softmax(scores, MASK, dim=dim), moved)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("junk", [1e4, -1e4, float("nan"), float("inf"), float("-inf")])
def test_padded_scores_reach_no_gradient(dtype: torch.dtype, junk: float) -> None:
    torch.manual_seed(0)
    clean = torch.randn(3, 4, 2, dtype=dtype)
    target = torch.randn(3, 4, 2, dtype=dtype)
    gradients = []
    for filled in (clean, clean.masked_fill(~MASK.unsqueeze(-1), junk)):
        scores = filled.clone().requires_grad_()
        torch.autograd.backward((masked_softmax(scores, MASK, dim=1) * target).sum())
        assert scores.grad is not None
        gradients.append(scores.grad)
    assert gradients[1].isfinite().all()
    assert (gradients[1][~MASK] == 0).all()
    assert torch.equal(gradients[0], gradients[1])


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_without_tokens_makes_no_nan_on_the_way(dtype: torch.dtype) -> None:
    scores = torch.ones(1, 3, dtype=dtype, requires_grad=True)
    with torch.autograd.detect_anomaly(check_nan=True):
        weights = masked_softmax(scores, torch.zeros(1, 3, dtype=torch.bool), dim=1)
        torch.autograd.backward(weights.sum())
    assert scores.grad is not None
    assert (scores.grad == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_lowest_score_of_half_precision_still_outweighs_padding(dtype: torch.dtype) -> None:
    lowest = torch.finfo(dtype).min
    weights = masked_softmax(torch.full((1, 4), lowest, dtype=dtype), torch.tensor([[True] + [False] * 3]), dim=1)
    assert weights.tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_low_scores_outweigh_padding(dtype: torch.dtype) -> None:
    scores = torch.full((1, 4), -6e4, dtype=dtype)
    weights = masked_softmax(scores, torch.tensor([[True, True, False, False]]), dim=1)
    assert weights.tolist() == [[0.5, 0.5, 0.0, 0.0]]
