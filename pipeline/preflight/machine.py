"""What params.yaml asks of this machine: a GPU, a key for W&B, and what earlier trainings took here."""

import ctypes
import os
import sys
from collections.abc import Iterator
from importlib.metadata import version

from requests.utils import get_netrc_auth

from pipeline import paths
from pipeline.files import read_json
from pipeline.params import NO_GPU, NO_GPU_FOR_HALF, Params

DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
BUILDS_WITHOUT_CUDA = ("+cpu",)
BUILDS_FOR_OTHERS = ("+rocm", "+xpu")
"""torch's builds for accelerators whose driver isn't CUDA's: whether there is one shows in training alone."""


def missing(params: Params) -> Iterator[str]:
    """Sentences about what the machine lacks, as the stage that needs it would say."""
    if params.hardware.accelerator == "gpu" and not has_gpu():
        yield NO_GPU
    elif not has_gpu() or params.hardware.accelerator == "cpu":
        halves = {f"{run.dataset}, {run.variant_name}" for run in params.runs() if run.training.precision == "16-mixed"}
        for where in sorted(halves):
            yield f"{where}: {NO_GPU_FOR_HALF}"
    if params.tracking.mode == "online" and not knows_wandb():
        yield "tracking.mode is online, but no key for W&B is here; call `wandb login`, or set it to offline"


def has_gpu() -> bool:
    """Whether torch will find a CUDA device, by its build and by the driver; torch itself takes seconds to load."""
    build = version("torch")
    if any(name in build for name in BUILDS_WITHOUT_CUDA):
        return False
    if any(name in build for name in BUILDS_FOR_OTHERS):
        return True
    try:
        driver = ctypes.CDLL(DRIVER)
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def knows_wandb() -> bool:
    """Whether W&B's own ways of finding a key lead to one, which is not looked at."""
    if os.environ.get("WANDB_API_KEY") or os.environ.get("WANDB_IDENTITY_TOKEN_FILE"):
        return True
    return get_netrc_auth(os.environ.get("WANDB_BASE_URL") or "https://api.wandb.ai") is not None


def earlier(params: Params) -> str | None:
    """A line on what the same trainings took here before, the one honest estimate; None where none ran."""
    files = [paths.run(*key) / "timing.json" for key in params.trainings()]
    timings = [read_json(file) for file in files if file.is_file()]
    if not timings:
        return None
    minutes = sum(timing["train_seconds"] for timing in timings) / 60
    memory = max(timing["peak_memory_mb"] for timing in timings)
    return (
        f"{len(timings)} of {len(files)} trainings have results here, which took {minutes:.1f} minutes together and at "
        f"most {memory:,.0f} MB of memory each"
    )
