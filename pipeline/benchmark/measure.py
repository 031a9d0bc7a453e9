"""Time, memory and operations of a piece of work, measured for several pieces in one process."""

import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count

Work = Callable[[], None]

LEAST_REPEATS = 3


def interleaved_seconds(works: Sequence[Work], device: torch.device, *, budget: float) -> list[list[float]]:
    """Seconds of every repeat of every work; repeat n of one stands beside repeat n of the others.

    All works run once as a warm-up, then in rounds, each in an order of its own, until `budget` seconds are used; at
    least LEAST_REPEATS rounds. What slows the machine down for a while slows all of them, and what a work leaves in the
    caches meets now this one and now that one.
    """
    for work in works:
        work()
    seconds: list[list[float]] = [[] for _ in works]
    order = np.random.default_rng(1)
    started = time.perf_counter()
    rounds = 0
    while rounds < LEAST_REPEATS or time.perf_counter() - started < budget:
        for number in order.permutation(len(works)):
            seconds[number].append(_seconds(works[number], device))
        rounds += 1
    return seconds


def _seconds(work: Work, device: torch.device) -> float:
    wait(device)
    started = time.perf_counter()
    work()
    wait(device)
    return time.perf_counter() - started


def wait(device: torch.device) -> None:
    """Until all work on the device is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def saved_bytes(forward: Callable[[], Tensor], parameters: Sequence[Tensor]) -> int:
    """Bytes of what autograd keeps for the backward pass of `forward`, each storage once, parameters left out."""
    known = {parameter.untyped_storage().data_ptr() for parameter in parameters}
    kept: dict[int, int] = {}
    alive: list[Tensor] = []  # a storage that was freed might lend its address to another one

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage.nbytes()
            alive.append(tensor)
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        forward()
    return sum(kept.values())


def peak_bytes(work: Work, device: torch.device) -> int:
    """The most memory that `work` holds at one time beyond what was there before it."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        work()
        wait(device)
        return torch.cuda.max_memory_allocated(device) - before
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # else it prints two lines each time
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        work()
    held = highest = 0
    for event in sorted(_memory_events(profiler), key=lambda event: event.start_ns()):
        held += event.nbytes()
        highest = max(highest, held)
    return highest


def _memory_events(profiler: profile) -> list[Any]:
    results: Any = profiler.profiler and profiler.profiler.kineto_results
    return [event for event in results.events() if event.name() == "[memory]"]


def operations(work: Work) -> int:
    """Multiply-adds of the matrix products that `work` does, backward passes included if it has any.

    torch counts them as it runs; element-wise work and softmaxes aren't counted.
    """
    with FlopCounterMode(display=False, custom_mapping=_UNKNOWN_TO_TORCH) as counter:
        work()
    return int(counter.get_total_flops()) // 2


def _attention(query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    return int(sdpa_flop_count(query, key, value))  # type: ignore[no-untyped-call]


def _attention_backward(gradient: Any, query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    return int(sdpa_backward_flop_count(gradient, query, key, value))  # type: ignore[no-untyped-call]


def _added(_: Any, left: Sequence[int], right: Sequence[int], *__: Any, **___: Any) -> int:
    return 2 * math.prod(left) * right[-1]


_UNKNOWN_TO_TORCH = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward,
    torch.ops.aten.addmm_: _added,
    torch.ops.aten.baddbmm_: _added,
}
"""Operator -> its FLOPs out of its arguments' shapes: torch's counter has the GPU's fused attention alone, and no
product that is added in place."""
