"""One training from start, or from where it was killed, to the test of its best weights."""

import logging
import os
import platform
import resource
import sys
import warnings
from importlib.metadata import version
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.plugins.environments.lightning import LightningEnvironment
from safetensors.torch import load_file

from pipeline.device import uses_gpu
from pipeline.errors import UserError
from pipeline.params import NO_GPU_FOR_HALF, Hardware
from pipeline.state import RunState
from pipeline.tasks.base import TaskData, TaskModule
from pipeline.tasks.keeper import Keeper
from pipeline.tracking import Tracker


def trainer(module: TaskModule, hardware: Hardware, keeper: Keeper) -> pl.Trainer:
    """A quiet, repeatable trainer on one device: it draws a progress bar in a terminal only."""
    precision = module.training_params.precision
    if precision == "16-mixed" and not uses_gpu(hardware):
        raise UserError(NO_GPU_FOR_HALF)
    torch.set_num_threads(hardware.threads)
    # Lightning would let them overrule the arguments below, and a cluster's settings make this one task of many.
    for name in [name for name in os.environ if name.startswith("PL_TRAINER_")]:
        del os.environ[name]
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    # The number of workers is the user's choice in `hardware`, and 0 suits memory-mapped ids.
    warnings.filterwarnings("ignore", ".*does not have many workers.*")
    # Lightning's own use of torch, as of 2.6.
    warnings.filterwarnings("ignore", ".*isinstance.treespec, LeafSpec.*")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    return pl.Trainer(
        accelerator="cuda" if uses_gpu(hardware) else "cpu",
        devices=1,
        precision=precision,
        plugins=[LightningEnvironment()],
        max_epochs=module.training_params.max_epochs,
        deterministic="warn",
        callbacks=[keeper],
        logger=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        enable_progress_bar=hardware.draws_bars,
        num_sanity_val_steps=0,
        use_distributed_sampler=False,
    )


def fit_and_test(
    module: TaskModule, data: TaskData, hardware: Hardware, state: RunState, keeper: Keeper, tracker: Tracker
) -> bool:
    """Trains, going on from the state's checkpoint if there is one, and tests the best weights.

    Afterwards `module.outputs` and `module.evaluated` are those of the test split. Returns whether it was resumed.
    Raises UserError when a signal or a loss that isn't finite ends it.
    """
    runner = trainer(module, hardware, keeper)
    resumed = state.checkpoint.exists()
    if resumed:
        kept = torch.load(state.checkpoint, map_location="cpu", weights_only=True)
        keeper.load_state_dict(kept["callbacks"][keeper.state_key])
        module.on_load_checkpoint(kept)
    keeper.tracker = tracker
    keeper.replay()
    try:
        if not keeper.finished:
            runner.fit(module, datamodule=data, ckpt_path=state.checkpoint if resumed else None, weights_only=True)
        module.model.load_state_dict(load_file(state.best_weights))
        runner.test(module, datamodule=data, verbose=False)
    except SystemExit:
        # Lightning's answer to SIGTERM (with exit code 0) and to Ctrl-C.
        raise UserError(f"stopped by a signal; started again, it goes on from {state.checkpoint}") from None
    return resumed


def timing(module: TaskModule, keeper: Keeper, hardware: Hardware, resumed: bool) -> dict[str, Any]:
    """What may differ between two equal runs: seconds, speed, memory, and the machine."""
    cuda = module.device.type == "cuda"
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = (
        torch.cuda.max_memory_allocated() / 2**20 if cuda else kilobytes / (1024 if sys.platform == "linux" else 2**20)
    )
    return {
        "train_seconds": sum(keeper.seconds.values()),
        "tokens_per_second": module.tokens_trained / keeper.seconds["train"],
        "device": torch.cuda.get_device_name() if cuda else "cpu",
        "threads": hardware.threads,
        "peak_memory_mb": peak,
        "resumed": resumed,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {name: version(name) for name in ("torch", "pytorch-lightning", "numpy")}
        | {"python": platform.python_version()},
    }
