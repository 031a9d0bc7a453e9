"""Dropout whose random numbers cost a CPU little.

torch draws a number per element one after the other on one core: of a training step at the paper's sizes on two cores
that was a quarter. Sixteen bits decide as well as fifty-three do, so that one draw of torch's generator serves four
elements.
"""

import torch
from torch import Tensor, nn

LEVELS = 2**16


class Dropout(nn.Dropout):
    """x of any shape -> x; in training each element is zero with probability p, and the others are divided by 1 - p.

    Srivastava et al. 2014 (jmlr.org/papers/v15/srivastava14a.html). On a CPU p is rounded to a multiple of 1 / LEVELS
    below 1, and what stays is divided by what the rounded p leaves, so that the mean is x's exactly. Elsewhere it is
    torch's own. Repeatable by `torch.manual_seed`. Raises ValueError if p isn't from 0 to 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """x -> x of the same shape and dtype."""
        if not self.training or input.device.type != "cpu":
            return super().forward(input)
        dropped = min(round(self.p * LEVELS), LEVELS - 1)
        if dropped == 0:
            return input
        kept = random_levels(input.numel()).view(input.shape) >= dropped - LEVELS // 2
        return input * kept.to(input.dtype).mul_(LEVELS / (LEVELS - dropped))


def random_levels(count: int) -> Tensor:
    """(count,) int16, each of its LEVELS values as likely as any other."""
    draws = torch.empty(-(-count // 4), dtype=torch.int64)
    return draws.random_(torch.iinfo(torch.int64).min, None).view(torch.int16)[:count]
