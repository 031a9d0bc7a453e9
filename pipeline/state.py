"""A training's identity, and the state from which a killed one goes on.

The state is no output of DVC, which deletes outputs before a stage runs; it lies in experiments/state/<identity> of the
user's own checkout and goes when the run's outputs are written.
"""

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
from ruamel.yaml import YAML

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json, sha256, write_json, write_text
from pipeline.params import Hardware, Run

STALE_LOCK_SECONDS = 30.0
"""The workers of a killed training notice within seconds that it is gone; until then they hold its lock."""


class RunState:
    """The folder of one identity: newest checkpoint, best weights, partial history, W&B id, lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoint = folder / "last.ckpt"
        self.best_weights = folder / "best.safetensors"
        self.history = folder / "history.csv"
        self._tracking_id = folder / "wandb_id"
        self._owner = folder / "owner.json"

    def tracking_id(self) -> str:
        """The id of the W&B run, drawn once and kept."""
        if not self._tracking_id.exists():
            write_text(self._tracking_id, secrets.token_hex(4))
        return self._tracking_id.read_text()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the state for this process. UserError naming the process that trains this very run already."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(self.folder / "lock")
        owner = read_json(self._owner) if self._owner.exists() else {}
        try:
            lock.acquire(timeout=0 if _alive(owner.get("pid")) else STALE_LOCK_SECONDS)
        except filelock.Timeout:
            raise UserError(
                f"{self.folder}: process {owner.get('pid', 'unknown')} trains this run already; wait for it, "
                f"or stop it (`kill {owner.get('pid', 'PID')}`) and start again: the run goes on where it was"
            ) from None
        try:
            write_json(self._owner, {"pid": os.getpid()})
            yield
        finally:
            lock.release()

    def discard(self) -> None:
        """Removes the state, when the outputs are written: whole at once, so that a kill leaves no half of it."""
        going = self.folder.with_name(f".{self.folder.name}.{os.getpid()}")
        self.folder.rename(going)
        shutil.rmtree(going)


def of_run(grid: str, run: Run, hardware: Hardware, dvc_file: Path = Path("dvc.yaml")) -> RunState:
    """The state that belongs to the run's identity: its grid, data set, variant and seed, params and input files.

    Threads and accelerator, on which the last digits depend, belong to it too.
    """
    item = {"dataset": run.dataset, "variant": run.variant_name, "seed": str(run.seed)}
    values = run.model_dump() | hardware.model_dump(include={"threads", "accelerator"})
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for dependency in dependencies(dvc_file, grid, item):
        for path, content in file_hashes(dependency):
            digest.update(f"{path} {content}\n".encode())
    name = f"{grid}-{run.dataset}-{run.variant_name}-{run.seed}-{digest.hexdigest()[:16]}"
    return RunState(paths.state() / name)


def others(state: RunState) -> list[Path]:
    """States of the same run under other params or inputs, which this one doesn't use."""
    stem = state.folder.name.rpartition("-")[0]
    return sorted(path for path in state.folder.parent.glob(f"{stem}-*") if path != state.folder)


def dependencies(dvc_file: Path, stage: str, item: dict[str, str]) -> list[Path]:
    """The files and folders that dvc.yaml lists as `deps` of a stage, for one item of its matrix."""
    stages = YAML(typ="safe").load(dvc_file.read_text(encoding="utf-8"))["stages"]
    fill = re.compile(r"\$\{item\.(\w+)\}")
    return [Path(fill.sub(lambda match: item[match[1]], text)) for text in stages[stage]["deps"]]


def file_hashes(path: Path) -> Iterator[tuple[str, str]]:
    """Path and sha256 of a file, or of every file of a folder, without what Python itself leaves there."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file() and "__pycache__" not in file.parts:
            yield file.as_posix(), sha256(file)


def _alive(pid: int | None) -> bool:
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
