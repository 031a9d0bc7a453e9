"""Fixtures that all tests share."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from pipeline import params
from pipeline.params import Hardware, Params, Tracking

ROOT = Path(__file__).parent.parent
VECTORS = 30
"""Words of the small vocabularies that `embeddings` has rows for."""


@pytest.fixture
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the shipped params.yaml and dvc.yaml, made the current one and DVC's root."""
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="session")
def shipped() -> Params:
    return params.load(ROOT / "params.yaml")


@pytest.fixture(scope="session")
def hardware(shipped: Params) -> Hardware:
    """CPU, a checkpoint after every batch."""
    changes = {"accelerator": "cpu", "checkpoint_seconds": 0, "progress": "never"}
    return shipped.hardware.model_copy(update=changes)


@pytest.fixture(scope="session")
def no_tracking(shipped: Params) -> Tracking:
    return shipped.tracking.model_copy(update={"mode": "disabled"})


@pytest.fixture(scope="session")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("embeddings")
    np.save(folder / "vectors.npy", np.random.default_rng(1).normal(size=(VECTORS, 5)).astype(np.float32))
    return folder
