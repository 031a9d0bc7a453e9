"""The products over all tokens that the folded attention is built from, with gradients written by hand.

By hand for two reasons: autograd would keep more (B, N, D) tensors than these gradients need, and would sum the parts
of x's gradient in passes of their own. First derivatives only. A weight is (outputs, inputs), as in nn.Linear. Where
tokens are half precision and all else is wider, the products over tokens are half precision.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional

from pipeline.attention.masking import masked_softmax

CACHED_NUMBERS = 2**19
"""How many numbers of per-text matrices to work on at a time on a CPU, 2 MB in float32. Half or twice does as well; all
texts at once costs a fifth at 64 tokens, and their memory."""


def pool(x: Tensor, scorer: Tensor, bias: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Means of x (B, N, D) over its tokens under the masked softmax of x @ scorer.T.

    scorer (H, D) or (B, H, D) -> means (B, H, D), in the scorer's dtype; the weights (B, H, N), without a gradient;
    and x. Give that x to the next function of this module, or to a matrix product, and to nothing else: its gradient
    is then summed up in place, inside the products of this one. `bias` is the scores' own, which the softmax cancels:
    it gets the zero gradient that it has in the plain formulation.
    """
    pooled, weights, x = _Pool.apply(x, scorer, bias, mask)  # type: ignore[no-untyped-call]
    return pooled, weights, x


class _Pool(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, scorer: Tensor, bias: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows = scorer.to(x.dtype).expand(len(x), -1, -1)
        # (B, H, N), not (B, N, H): the softmax runs along memory, and all products have H long rows.
        weights = masked_softmax(torch.bmm(rows, x.transpose(1, 2)), mask, dim=2)
        ctx.save_for_backward(x, scorer, bias, weights)
        ctx.mark_non_differentiable(weights)
        ctx.set_materialize_grads(False)
        return torch.bmm(weights, x).to(scorer.dtype), weights, x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_pooled: Tensor | None, _: None, grad_x: Tensor | None) -> tuple[Tensor | None, ...]:
        x, scorer, bias, weights = ctx.saved_tensors
        if grad_pooled is None:
            return grad_x, None, None, None
        rows = scorer.to(x.dtype).expand(len(x), -1, -1)
        grad_pooled = grad_pooled.to(x.dtype)
        wide = weights.to(scorer.dtype)
        weighted = wide * torch.bmm(grad_pooled, x.transpose(1, 2))
        grad_scores = (weighted - wide * weighted.sum(2, keepdim=True)).to(x.dtype)
        grad_scorer = torch.bmm(grad_scores, x).to(scorer.dtype)
        if ctx.needs_input_grad[0]:
            left = torch.cat([weights, grad_scores], dim=1).transpose(1, 2)
            right = torch.cat([grad_pooled, rows], dim=1)
            if grad_x is None:
                grad_x = torch.bmm(left, right)
            elif torch.compiler.is_compiling():  # which refuses to change it in place
                grad_x = grad_x.baddbmm(left, right)
            else:  # a later product has just made this gradient, and nobody else holds it
                grad_x = grad_x.baddbmm_(left, right)
        return grad_x, grad_scorer.sum_to_size(scorer.shape), torch.zeros_like(bias), None


def own_slices(means: Tensor, weight: Tensor, weights: Tensor, x: Tensor) -> Tensor:
    """means (B, H, D), weight (D, D) of a map -> (B, D): of the image of each head's mean that head's own slice.

    `weights` (B, H, N) and x (B, N, D) are those of which `pool` made the means: kept by it already, they make them
    again for the gradient. Means of short texts would take as much memory as the tokens.
    """
    out: Tensor = _OwnSlices.apply(means, weight, weights, x)  # type: ignore[no-untyped-call]
    return out


class _OwnSlices(Function):
    @staticmethod
    def forward(ctx: Any, means: Tensor, weight: Tensor, weights: Tensor, x: Tensor) -> Tensor:
        ctx.save_for_backward(weight, weights, x)
        heads = means.shape[1]
        return torch.bmm(means.transpose(0, 1), _by_head(weight, heads).transpose(1, 2)).transpose(0, 1).flatten(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        weight, weights, x = ctx.saved_tensors
        heads = weights.shape[1]
        means = torch.bmm(weights, x).to(weight.dtype)
        by_head = grad.view(len(grad), heads, -1).transpose(0, 1)  # (H, B, D / H)
        grad_means = torch.bmm(by_head, _by_head(weight, heads)).transpose(0, 1)
        grad_weight = torch.bmm(by_head.transpose(1, 2), means.transpose(0, 1))
        return grad_means, grad_weight.flatten(0, 1), None, None


def _by_head(weight: Tensor, heads: int) -> Tensor:
    """(D, D) -> (H, D / H, D): of a map the outputs of each head."""
    return weight.view(heads, -1, weight.shape[1])


def steer(scores: Tensor, vector: Tensor, key: Tensor) -> Tensor:
    """(scores * vector) @ key: scores (H, D), vector (B, D), key (D, D) -> (B, H, D).

    Keeps these three for the gradients, none of which has (B, H, D) numbers: at 32 tokens as many as half of x.
    """
    out: Tensor = _Steer.apply(scores, vector, key)  # type: ignore[no-untyped-call]
    return out


class _Steer(Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, vector: Tensor, key: Tensor) -> Tensor:
        ctx.save_for_backward(scores, vector, key)
        return (scores * vector.unsqueeze(1)) @ key

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
        scores, vector, key = ctx.saved_tensors
        steered = scores * vector.unsqueeze(1)
        grad_key = steered.flatten(0, 1).T @ grad.flatten(0, 1)
        grad_steered = grad @ key.T
        grad_vector = torch.mul(grad_steered, scores, out=steered).sum(1)
        return grad_steered.mul_(vector.unsqueeze(1)).sum(0), grad_vector, grad_key


def gate_by_token(x: Tensor, gate: Tensor, value: Tensor, through: Tensor, past: Tensor, shift: Tensor) -> Tensor:
    """((x @ value.T) * gate) @ through.T + x @ past.T + shift: x (B, N, D), gate and shift (B, D), weights (D, D).

    Three products of N D^2 forwards and six backwards; keeps x and one tensor of its size for the gradients.
    """
    out: Tensor = _GateByToken.apply(x, gate, value, through, past, shift)  # type: ignore[no-untyped-call]
    return out


class _GateByToken(Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, gate: Tensor, value: Tensor, through: Tensor, past: Tensor, shift: Tensor
    ) -> Tensor:
        tokens = x.flatten(0, 1)
        values = (tokens @ value.to(x.dtype).T).view(x.shape)
        ctx.save_for_backward(x, values, gate, value, through, past)
        gated = (values * gate.to(x.dtype).unsqueeze(1)).flatten(0, 1)
        out = (tokens @ past.to(x.dtype).T).addmm_(gated, through.to(x.dtype).T).view(x.shape)
        return out.add_(shift.to(x.dtype).unsqueeze(1))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, values, gate, value, through, past = ctx.saved_tensors
        tokens, flat = x.flatten(0, 1), grad.flatten(0, 1)
        factor = gate.to(x.dtype).unsqueeze(1)
        grad_gated = (flat @ through.to(x.dtype)).view(x.shape)
        product = values * grad_gated
        grad_gate = product.sum(1, dtype=gate.dtype)
        grad_through = flat.T @ torch.mul(values, factor, out=product).flatten(0, 1)
        grad_values = grad_gated.mul_(factor).flatten(0, 1)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = (grad_values @ value.to(x.dtype)).addmm_(flat, past.to(x.dtype)).view(x.shape)
        grad_value, grad_past = grad_values.T @ tokens, flat.T @ tokens
        grad_weights = (g.to(value.dtype) for g in (grad_value, grad_through, grad_past))
        return grad_x, grad_gate, *grad_weights, grad.sum(1, dtype=gate.dtype)


def gate_by_output(x: Tensor, gate: Tensor, query: Tensor, through: Tensor, output: Tensor, shift: Tensor) -> Tensor:
    """`gate_by_token` where value = query and past = output @ query, by one D x D output map per text.

    (x @ query.T) @ (through * gate + output).T + shift: two products of N D^2 forwards and four backwards, and a few
    passes over D^2 numbers per text; keeps x and the queries.
    """
    out: Tensor = _GateByOutput.apply(x, gate, query, through, output, shift)  # type: ignore[no-untyped-call]
    return out


class _GateByOutput(Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, gate: Tensor, query: Tensor, through: Tensor, output: Tensor, shift: Tensor
    ) -> Tensor:
        queries = functional.linear(x, query.to(x.dtype))
        ctx.save_for_backward(x, queries, gate, query, through, output)
        out = torch.empty_like(queries)
        for texts in groups(x):
            maps = torch.addcmul(output, through, gate[texts].unsqueeze(1)).to(x.dtype)
            torch.bmm(queries[texts], maps.transpose(1, 2), out=out[texts])
        return out.add_(shift.to(x.dtype).unsqueeze(1))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, queries, gate, query, through, output = ctx.saved_tensors
        grad_queries, grad_gate = torch.empty_like(queries), torch.empty_like(gate)
        grad_through, grad_output = torch.zeros_like(through), torch.zeros_like(output)
        for texts in groups(x):
            factor = gate[texts].unsqueeze(1)
            maps = torch.addcmul(output, through, factor)
            torch.bmm(grad[texts], maps.to(x.dtype), out=grad_queries[texts])
            grad_maps = torch.bmm(grad[texts].transpose(1, 2), queries[texts]).to(gate.dtype)
            grad_output += grad_maps.sum(0)
            torch.sum(torch.mul(grad_maps, through, out=maps), 1, out=grad_gate[texts])
            grad_through += grad_maps.mul_(factor).sum(0)
        flat = grad_queries.flatten(0, 1)
        grad_x = (flat @ query.to(x.dtype)).view(x.shape) if ctx.needs_input_grad[0] else None
        grad_query = (flat.T @ x.flatten(0, 1)).to(query.dtype)
        return grad_x, grad_gate, grad_query, grad_through, grad_output, grad.sum(1, dtype=gate.dtype)


def groups(x: Tensor) -> Iterator[slice]:
    """The texts of x, few enough at a time on a CPU for their D x D matrices to stay in its cache."""
    batch, _, dim = x.shape
    texts = max(1, CACHED_NUMBERS // dim**2) if x.device.type == "cpu" else batch
    for start in range(0, batch, texts):
        yield slice(start, start + texts)


def gate_by_matrix(x: Tensor, gate: Tensor, value: Tensor, through: Tensor, past: Tensor, shift: Tensor) -> Tensor:
    """`gate_by_token` by one D x D matrix per text, past * x included.

    N D^2 + D^3 forwards and twice that backwards; keeps x and the matrices.
    """
    out: Tensor = _GateByMatrix.apply(x, gate, value, through, past, shift)  # type: ignore[no-untyped-call]
    return out


class _GateByMatrix(Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, gate: Tensor, value: Tensor, through: Tensor, past: Tensor, shift: Tensor
    ) -> Tensor:
        gated = through * gate.unsqueeze(1)  # (B, D, D)
        matrix = (gated @ value).add_(past).to(x.dtype)
        ctx.save_for_backward(x, matrix, gate, value, through)
        return torch.bmm(x, matrix.transpose(1, 2)).add_(shift.to(x.dtype).unsqueeze(1))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, matrix, gate, value, through = ctx.saved_tensors
        grad_x = torch.bmm(grad, matrix) if ctx.needs_input_grad[0] else None
        grad_matrix = torch.bmm(grad.transpose(1, 2), x).to(value.dtype)
        grad_gated = grad_matrix @ value.T
        work = through * gate.unsqueeze(1)
        grad_value = work.flatten(0, 1).T @ grad_matrix.flatten(0, 1)
        grad_gate = torch.mul(grad_gated, through, out=work).sum(1)
        grad_through = grad_gated.mul_(gate.unsqueeze(1)).sum(0)
        return grad_x, grad_gate, grad_value, grad_through, grad_matrix.sum(0), grad.sum(1, dtype=gate.dtype)
