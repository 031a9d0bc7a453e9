"""What params.yaml asks of the machine, and what earlier trainings took."""

from pathlib import Path
from typing import Any

import pytest

from pipeline import paths
from pipeline.files import write_json
from pipeline.preflight import machine
from tests.stages import own


class Driver:
    """CUDA's driver with so many devices."""

    def __init__(self, devices: int) -> None:
        self.devices = devices

    def cuInit(self, flags: int) -> int:  # noqa: N802
        return 0

    def cuDeviceGetCount(self, count: Any) -> int:  # noqa: N802
        count._obj.value = self.devices
        return 0


@pytest.mark.parametrize(
    ("build", "devices", "expected"),
    [
        ("2.13.0+cpu", 1, False),
        ("2.13.0+cu130", 1, True),
        ("2.13.0", 2, True),
        ("2.13.0", 0, False),
        ("2.13.0", None, False),
        ("2.13.0+rocm7", None, True),
    ],
)
def test_a_gpu_is_one_for_which_torch_is_built_and_that_is_there(
    monkeypatch: pytest.MonkeyPatch, build: str, devices: int | None, expected: bool
) -> None:
    def driver(name: str) -> Driver:
        if devices is None:
            raise OSError(name)
        return Driver(devices)

    monkeypatch.setattr(machine, "version", lambda _: build)
    monkeypatch.setattr(machine.ctypes, "CDLL", driver)
    assert machine.has_gpu() is expected


def test_it_agrees_with_torch_on_this_machine() -> None:
    import torch

    assert machine.has_gpu() == torch.cuda.is_available()


@pytest.mark.parametrize(
    ("variables", "netrc", "expected"),
    [
        ({}, "", False),
        ({}, "machine example.org login user password word\n", False),
        ({}, "machine api.wandb.ai login user password word\n", True),
        ({"WANDB_BASE_URL": "https://example.org"}, "machine api.wandb.ai login user password word\n", False),
        ({"WANDB_BASE_URL": "https://example.org"}, "machine example.org login user password word\n", True),
        ({"WANDB_API_KEY": "x"}, "", True),
    ],
)
def test_a_key_for_wandb_is_looked_for_where_wandb_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], netrc: str, expected: bool
) -> None:
    (tmp_path / "netrc").write_text(netrc)
    (tmp_path / "netrc").chmod(0o600)
    for name in ("WANDB_API_KEY", "WANDB_IDENTITY_TOKEN_FILE", "WANDB_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert machine.knows_wandb() is expected


@pytest.mark.usefixtures("workspace")
def test_earlier_trainings_are_the_estimate() -> None:
    params = own.params(variants=["random", "frozen"], seeds=[1, 2])
    assert machine.earlier(params) is None
    for seed, memory in ((1, 800.4), (2, 900.6)):
        timing = {"train_seconds": 90.0, "peak_memory_mb": memory}
        write_json(paths.run("train", "own", "random", seed) / "timing.json", timing)
    assert machine.earlier(params) == (
        "2 of 4 trainings have results here, which took 3.0 minutes together and at most 901 MB of memory each"
    )
