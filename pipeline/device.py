"""Where torch runs."""

import torch

from pipeline.errors import UserError
from pipeline.params import NO_GPU, Hardware


def uses_gpu(hardware: Hardware) -> bool:
    """Whether to run on a CUDA device: `auto` takes one if it is there. UserError if `gpu` asks for one in vain."""
    there = torch.cuda.is_available()
    if hardware.accelerator == "gpu" and not there:
        raise UserError(NO_GPU)
    return there and hardware.accelerator != "cpu"
