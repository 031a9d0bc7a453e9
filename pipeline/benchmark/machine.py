"""The machine that a benchmark ran on, and how fast it multiplies matrices."""

import os
import platform
import statistics
from pathlib import Path
from typing import Any

import torch

from pipeline.benchmark.measure import interleaved_seconds

SIDE = 2048
PEAK_SECONDS = 1.0


def describe(device: torch.device, dtypes: list[torch.dtype]) -> dict[str, Any]:
    """Processor, device, threads, versions, and multiply-adds per second of a large product in each dtype."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "product_operations_per_second": {name_of(dtype): _peak(device, dtype) for dtype in dtypes},
    }


def name_of(dtype: torch.dtype) -> str:
    """`float32` for torch.float32."""
    return str(dtype).removeprefix("torch.")


def _peak(device: torch.device, dtype: torch.dtype) -> float:
    left, right = (torch.randn(SIDE, SIDE, device=device).to(dtype) for _ in range(2))

    def work() -> None:
        torch.mm(left, right)

    (seconds,) = interleaved_seconds([work], device, budget=PEAK_SECONDS)
    return float(SIDE**3 / statistics.median(seconds))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, None) or platform.processor() or platform.machine()
