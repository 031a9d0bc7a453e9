"""The one mask rule: a mask is (B, N) bool, True = keep; what stands at a False reaches no result and no gradient."""

import torch
from torch import Tensor

from pipeline.attention.precision import at_least_float32


def zero_padding(x: Tensor, mask: Tensor) -> Tensor:
    """x (B, N, ...) with zeros where mask (B, N) is False.

    Filled, not multiplied: NaN * 0 is NaN, while a filled NaN is gone from the result and from the gradient.
    """
    return x.masked_fill(~mask.view(*mask.shape, *[1] * (x.dim() - mask.dim())), 0.0)


def masked_softmax(scores: Tensor, mask: Tensor, dim: int) -> Tensor:
    """Softmax of scores (B, ..., N at `dim`, ...) over the tokens that mask (B, N) keeps; shape and dtype of scores.

    Weights of padding are exactly 0; a row without any token gets zeros. Half precision is computed in float32.
    """
    shape = [1] * scores.dim()
    shape[0], shape[dim] = mask.shape
    padding = ~mask.view(shape)
    wide = at_least_float32(scores)
    # Not -inf: a row without tokens would pass through NaN, and anomaly detection would stop there.
    filled = wide.masked_fill(padding, torch.finfo(wide.dtype).min)
    return filled.softmax(dim).masked_fill(padding, 0.0).to(scores.dtype)
