"""The hand-written gradients against autograd's and against finite differences."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from pipeline.attention import token_products
from pipeline.attention.masking import masked_softmax
from pipeline.attention.token_products import gate_by_matrix, gate_by_output, gate_by_token, own_slices, pool, steer

B, N, D, H = 3, 5, 4, 2
MASK = torch.tensor([[True, True, False, True, True], [True, True, False, False, False], [False] * 5])


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).requires_grad_()


def plain_pool(x: Tensor, scorer: Tensor, bias: Tensor, mask: Tensor) -> Tensor:
    weights = masked_softmax(x @ scorer.transpose(-1, -2) + bias, mask, dim=1)
    return weights.transpose(1, 2) @ x


def plain_gate(x: Tensor, gate: Tensor, value: Tensor, through: Tensor, past: Tensor, shift: Tensor) -> Tensor:
    return ((x @ value.T) * gate.unsqueeze(1)) @ through.T + x @ past.T + shift.unsqueeze(1)


def gate_inputs() -> tuple[Tensor, ...]:
    shapes = ((B, N, D), (B, D), (D, D), (D, D), (D, D), (B, D))
    return tuple(numbers(*shape, seed=seed) for seed, shape in enumerate(shapes))


@pytest.mark.parametrize("scorer_shape", [(H, D), (B, H, D)])
def test_pool_and_its_gradients(scorer_shape: tuple[int, ...]) -> None:
    x, scorer, bias = numbers(B, N, D), numbers(*scorer_shape, seed=1), numbers(H, seed=2)

    def through_both(x: Tensor, scorer: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        means, _, threaded = pool(x, scorer, bias, MASK)
        return means, (threaded.square() * 3).sin()

    means, weights, same = pool(x, scorer, bias, MASK)
    torch.testing.assert_close(means, plain_pool(x, scorer, bias, MASK))
    assert torch.equal(same, x)
    assert (weights.sum(2) - MASK.any(1, keepdim=True).double()).abs().max() < 1e-12
    assert not weights.requires_grad
    assert torch.autograd.gradcheck(through_both, (x, scorer, bias))


def test_pooling_twice_sums_all_parts_of_the_gradient() -> None:
    x, first, second, bias = numbers(B, N, D), numbers(H, D, seed=1), numbers(B, H, D, seed=2), numbers(H, seed=3)

    def threaded(x: Tensor, first: Tensor, second: Tensor) -> Tensor:
        one, _, x = pool(x, first, bias, MASK)
        two, _, x = pool(x, second * one, bias, MASK)
        return two.sum() + (x * x).sum()

    def plain(x: Tensor, first: Tensor, second: Tensor) -> Tensor:
        one = plain_pool(x, first, bias, MASK)
        return plain_pool(x, second * one, bias, MASK).sum() + (x * x).sum()

    actual = torch.autograd.grad(threaded(x, first, second), (x, first, second))
    torch.testing.assert_close(actual, torch.autograd.grad(plain(x, first, second), (x, first, second)))


def test_pool_where_only_one_of_its_results_is_used() -> None:
    x, scorer, bias = numbers(B, N, D), numbers(H, D, seed=1), numbers(H, seed=2)
    means, _, _ = pool(x, scorer, bias, MASK)
    expected = torch.autograd.grad(plain_pool(x, scorer, bias, MASK).square().sum(), (x, scorer))
    torch.testing.assert_close(torch.autograd.grad(means.square().sum(), (x, scorer)), expected)
    _, _, same = pool(x, scorer, bias, MASK)
    torch.testing.assert_close(torch.autograd.grad(same.square().sum(), x)[0], 2 * x)


def test_without_a_gradient_of_x_there_is_one_of_the_scorer() -> None:
    x, scorer, bias = numbers(B, N, D).detach(), numbers(H, D, seed=1), numbers(H, seed=2)
    means, _, _ = pool(x, scorer, bias, MASK)
    expected = torch.autograd.grad(plain_pool(x, scorer, bias, MASK).square().sum(), scorer)
    torch.testing.assert_close(torch.autograd.grad(means.square().sum(), scorer), expected)


@pytest.mark.parametrize("gate", [gate_by_token, gate_by_matrix])
def test_gates_and_their_gradients(gate: Callable[..., Tensor]) -> None:
    inputs = gate_inputs()
    torch.testing.assert_close(gate(*inputs), plain_gate(*inputs))
    assert torch.autograd.gradcheck(gate, inputs)
    weight = numbers(B, N, D, seed=9)
    actual = torch.autograd.grad((gate(*inputs) * weight).sum(), inputs)
    torch.testing.assert_close(actual, torch.autograd.grad((plain_gate(*inputs) * weight).sum(), inputs))


@pytest.mark.parametrize("numbers_at_a_time", [1, 2 * D * D, 2**19])
def test_gate_by_output_at_any_number_of_texts_at_a_time(
    numbers_at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_products, "CACHED_NUMBERS", numbers_at_a_time)
    x, gate, query, through, output, shift = gate_inputs()
    expected = plain_gate(x, gate, query, through, output @ query, shift)
    torch.testing.assert_close(gate_by_output(x, gate, query, through, output, shift), expected)
    assert torch.autograd.gradcheck(gate_by_output, (x, gate, query, through, output, shift))


@pytest.mark.parametrize("gate", [gate_by_token, gate_by_output, gate_by_matrix])
def test_gates_without_a_gradient_of_x(gate: Callable[..., Tensor]) -> None:
    x, *rest = gate_inputs()
    expected = torch.autograd.grad(gate(x, *rest).square().sum(), rest)
    torch.testing.assert_close(torch.autograd.grad(gate(x.detach(), *rest).square().sum(), rest), expected)


def test_steer_and_its_gradients() -> None:
    scores, vector, key = numbers(H, D), numbers(B, D, seed=1), numbers(D, D, seed=2)
    torch.testing.assert_close(steer(scores, vector, key), (scores * vector.unsqueeze(1)) @ key)
    assert torch.autograd.gradcheck(steer, (scores, vector, key))


def test_own_slices_and_its_gradients() -> None:
    weight = numbers(D, D, seed=1)
    weights, x = torch.softmax(numbers(B, H, N, seed=2), dim=2).detach(), numbers(B, N, D, seed=3).detach()
    means = (weights @ x).requires_grad_()
    images = (means @ weight.T).unflatten(2, (H, D // H))  # (B, H, H, D / H)
    expected = torch.stack([images[:, head, head] for head in range(H)], dim=1).flatten(1)
    torch.testing.assert_close(own_slices(means, weight, weights, x), expected)

    def of_drawn(means: Tensor, weight: Tensor) -> Tensor:
        return own_slices(means, weight, weights, x)

    assert torch.autograd.gradcheck(of_drawn, (means, weight))
