"""The raw files of a test module's own generated source."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def raw(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the module's `source()` fetches."""
    path = tmp_path_factory.mktemp("raw")
    request.module.source().fetch(path, path, path)
    return path
