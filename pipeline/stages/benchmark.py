"""Stage `benchmark`: time and memory of every encoder's layer against length, in experiments/benchmark."""

import csv
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pipeline import paths
from pipeline.benchmark import machine, measure
from pipeline.benchmark.layers import Case, cases, layers
from pipeline.benchmark.parts import seconds_by_part
from pipeline.benchmark.recipes import LONGEST, VECTOR_DIM, VOCABULARY, Recipe, loss, recipes
from pipeline.device import uses_gpu
from pipeline.files import write_json, writing_folder
from pipeline.models.options import ModelOptions
from pipeline.params import READ_BY_TASK, Params

PAIRS = (
    ("fastformer", "attention, direct", "attention"),
    ("fastformer", "layer, direct", "layer"),
    ("fastformer", "step, official recipe", "step"),
)
"""Encoder, slower form, faster form: how often the second goes into the first is a row of `ratios`."""

ALIKE = ("length", "mode", "dtype")
"""What two rows must have in common to be compared."""

RESAMPLES = 2000


def run(params: Params) -> None:
    torch.set_num_threads(params.hardware.threads)
    device = torch.device("cuda" if uses_gpu(params.hardware) else "cpu")
    dtypes = [getattr(torch, name) for name in params.benchmark.dtypes]
    known = recipes(options(params, LONGEST), batch_size=params.benchmark.step_texts, device=device)
    measured = measure_layers(params, device, dtypes) + measure_recipes(known, device, params.benchmark.step_seconds)
    facts = {"device": device.type, "threads": torch.get_num_threads()}
    rows = [row | facts for row, _ in measured]
    found = {
        "machine": machine.describe(device, dtypes),
        "rows": rows,
        "ratios": ratios(measured),
        "parts": {recipe.name: seconds_by_part(recipe, device) for recipe in known},
    }
    with writing_folder(paths.BENCHMARK) as folder:
        write_json(folder / "benchmark.json", found)
        write_curves(folder / "train.csv", rows)


Measured = list[tuple[dict[str, Any], list[float]]]
"""Rows without what they have in common, each with the seconds of all repeats."""


def measure_layers(params: Params, device: torch.device, dtypes: Sequence[torch.dtype]) -> Measured:
    """The chosen encoders at every length, tokens per batch held constant."""
    wanted = params.benchmark
    tokens = wanted.gpu_tokens if device.type == "cuda" else wanted.cpu_tokens
    made = layers(options(params, max(wanted.lengths)), wanted.encoders)
    shapes = [(max(1, tokens // length), length) for length in wanted.lengths]
    every = cases(made, dim=params.model.dim, shapes=shapes, dtypes=dtypes, device=device)
    seconds = measure.interleaved_seconds([case.work for case in every], device, budget=wanted.layer_seconds)
    return [
        (
            {
                **summary(case.encoder, case.form, *case.shape, case.mode, case.dtype, times),
                "peak_bytes": measure.peak_bytes(case.work, device),
                "saved_bytes": saved_bytes(case),
                "operations": measure.operations(case.work),
            },
            times,
        )
        for case, times in zip(every, seconds, strict=True)
    ]


def saved_bytes(case: Case) -> int:
    """Bytes kept for the backward pass, 0 where there is none."""
    return measure.saved_bytes(case.forward, list(case.module.parameters())) if case.mode == "train" else 0


def measure_recipes(known: Sequence[Recipe], device: torch.device, budget: float) -> Measured:
    """Training steps: seconds and operations a mean over the batches of a recipe, bytes those of the longest."""
    seconds = measure.interleaved_seconds([one.run for one in known], device, budget=budget)
    found: Measured = []
    for recipe, times in zip(known, seconds, strict=True):
        per_step = [one / len(recipe.batches) for one in times]
        texts = len(recipe.batches[0].ids)
        longest = max(recipe.batches, key=lambda batch: batch.ids.shape[1])
        row = summary("fastformer", recipe.name, texts, LONGEST, "train", torch.float32, per_step)
        row |= {
            "peak_bytes": measure.peak_bytes(partial(recipe.step, longest), device),
            "saved_bytes": measure.saved_bytes(partial(loss, recipe.model, longest), list(recipe.model.parameters())),
            "operations": measure.operations(recipe.run) // len(recipe.batches),
        }
        found.append((row, per_step))
    return found


def options(params: Params, longest: int) -> ModelOptions:
    """The sizes that `model` names, all parts in, with Fastformer as the official code has it."""
    return ModelOptions.from_flat(
        {
            **params.model.model_dump(exclude={*READ_BY_TASK}),
            "attention": "fastformer",
            "interaction": "product",
            "sharing": "qv",
            "scoring": "full",
            "max_length": longest,
            "vocabulary_size": VOCABULARY,
            "vector_dim": VECTOR_DIM,
            "frozen": False,
            "positions": True,
            "feedforward": True,
            "residual": True,
            "layer_norm": True,
        }
    )


def summary(
    encoder: str, form: str, batch: int, length: int, mode: str, dtype: torch.dtype, seconds: Sequence[float]
) -> dict[str, Any]:
    """A row's names, its median, and the distance of the quartiles as a share of the median."""
    low, median, high = np.percentile(seconds, (25, 50, 75))
    return {
        "encoder": encoder,
        "form": form,
        "length": length,
        "batch": batch,
        "mode": mode,
        "dtype": machine.name_of(dtype),
        "seconds": float(median),
        "spread": float((high - low) / median),
        "repeats": len(seconds),
    }


def ratios(measured: Measured) -> list[dict[str, Any]]:
    """How many times as fast one form is as another: the median over pairs of one round, and its 95 % interval."""
    found = []
    seconds_of = {tuple(row[key] for key in ("encoder", "form", *ALIKE)): seconds for row, seconds in measured}
    for encoder, slow, fast in PAIRS:
        for row, seconds in measured:
            if (row["encoder"], row["form"]) != (encoder, fast):
                continue
            alike = {key: row[key] for key in ALIKE}
            quotients = np.array(seconds_of[encoder, slow, *alike.values()]) / np.array(seconds)
            draw = np.random.default_rng(1)
            medians = np.median(draw.choice(quotients, (RESAMPLES, len(quotients))), axis=1)
            low, high = np.percentile(medians, (2.5, 97.5))
            found.append(
                {
                    "encoder": encoder,
                    "of": slow,
                    "to": fast,
                    **alike,
                    "ratio": float(np.median(quotients)),
                    "low": float(low),
                    "high": float(high),
                    "pairs": len(quotients),
                }
            )
    return found


def write_curves(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """For `dvc plots`: length, and a column per encoder with microseconds per token of a layer in training."""
    chosen = [
        row for row in rows if row["form"] == "layer" and row["mode"] == "train" and row["dtype"] == rows[0]["dtype"]
    ]
    encoders = list(dict.fromkeys(row["encoder"] for row in chosen))
    of = {(row["encoder"], row["length"]): 1e6 * row["seconds"] / (row["batch"] * row["length"]) for row in chosen}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["length", *encoders])
        for length in dict.fromkeys(row["length"] for row in chosen):
            writer.writerow([length, *(f"{of[encoder, length]:.6g}" for encoder in encoders)])
