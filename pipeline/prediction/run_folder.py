"""A run's folder as `train` or `ablate` wrote it: .../<data set>/<variant>/<seed>."""

from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json, require
from pipeline.text import vocabulary

FILES = ("model.json", "best.safetensors")
RUN = "experiments/runs/<data set>/<variant>/<seed>"


def read_built(folder: Path) -> dict[str, Any]:
    """What model.json says. UserError where a file of the run is missing."""
    for name in FILES:
        if not (folder / name).is_file():
            raise UserError(f"{folder / name}: no such file; name a run's folder, {RUN}")
    built: dict[str, Any] = read_json(folder / FILES[0])
    return built


def read_weights(folder: Path) -> dict[str, Tensor]:
    """The best weights. UserError where the file is damaged."""
    try:
        return load_file(folder / FILES[1])
    except SafetensorError as error:
        raise UserError(
            f"{folder / FILES[1]}: damaged ({error}); delete the run's folder and call `dvc repro`"
        ) from None


def read_words(folder: Path, vocabulary_size: int) -> list[str]:
    """The words of the run's data, in the order of their ids.

    UserError where the data were prepared anew since, with another number of words than the model knows.
    """
    prepared = require(paths.prepared(folder.resolve().parts[-3]) / "vocabulary.json")
    words = [word for word, _ in vocabulary.read(prepared)]
    if len(words) != vocabulary_size:
        raise UserError(
            f"{prepared}: has {len(words):,} words, and the model of {folder} knows {vocabulary_size:,}; `dvc repro` "
            "trains it on the data as they are now"
        )
    return words
