"""Which dtype to compute in where half precision isn't enough."""

import torch
from torch import Tensor


def at_least_float32(x: Tensor) -> Tensor:
    """x, in float32 where it is half precision."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
