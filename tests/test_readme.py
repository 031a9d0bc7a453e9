"""README.md against the repository: its commands, its paths and its table."""

import re
from pathlib import Path

import pytest
import typer.main

from pipeline import params
from pipeline.__main__ import app


@pytest.fixture
def readme(root: Path) -> str:
    return (root / "README.md").read_text()


def commands(text: str) -> list[str]:
    """Command lines: indented blocks without their comments, and what stands in back quotes."""
    indented = [line.split("  #")[0].strip() for line in text.splitlines() if line.startswith("    ")]
    return indented + re.findall(r"`([^`\n]+)`", text)


def test_make_targets_and_sub_commands_exist(readme: str, root: Path) -> None:
    targets = set(re.findall(r"^(\w+):", (root / "Makefile").read_text(), re.MULTILINE))
    sub_commands = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    made = {line.split()[1] for line in commands(readme) if line.startswith("make ")}
    called = {line.split()[3] for line in commands(readme) if line.startswith("python -m pipeline ")}
    assert {"repro", "test"} <= made <= targets
    assert called
    assert called <= sub_commands


def test_links_and_paths_exist(readme: str, root: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", readme):
        assert (root / link).exists(), link


def test_overrides_name_keys_of_params(readme: str, root: Path) -> None:
    values = params.load(root / "params.yaml").model_dump()
    found = re.findall(r"-S ([\w.]+)=", readme) + re.findall(r"`((?:data|vectors)\.[\w.]+)`", readme)
    assert found
    for path in found:
        node = values
        for key in path.split("."):
            assert key in node, path
            node = node[key]
