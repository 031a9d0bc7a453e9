"""The folder that a training left."""

from pathlib import Path

from pipeline.errors import UserError
from pipeline.files import read_json

RUN = "experiments/runs/<data set>/<variant>/<seed>"


def task_of(folder: Path) -> str:
    """What the run's model is for. Raises UserError where a file that tells or holds it is missing."""
    for name in ("model.json", "best.safetensors"):
        if not (folder / name).is_file():
            raise UserError(f"{folder / name}: no such file; name a run's folder, {RUN}")
    task: str = read_json(folder / "model.json")["task"]
    return task
