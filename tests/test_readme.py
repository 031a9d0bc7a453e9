"""README.md against the repository: its commands, its paths and its table."""

import re
import subprocess
from pathlib import Path

import pytest
import typer.main
from ruamel.yaml import YAML

from pipeline import params
from pipeline.__main__ import app
from tests.sources.test_remote import FETCHED, remote


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
    found = re.findall(r"-S ([\w.]+)=", readme) + re.findall(r"`((?:data|vectors)\.(?!json`)[\w.]+)`", readme)
    assert found
    for path in found:
        node = values
        for key in path.split("."):
            assert key in node, path
            node = node[key]


def test_every_published_row_has_a_command(readme: str, root: Path) -> None:
    published = YAML(typ="safe").load(root / "experiments/paper.yaml")["classification"]["results"]
    names = {"amazon": "amazon", "imdb": "imdb", "mind": "mind_topics"}
    loaded = params.load(root / "params.yaml")
    table = [line for line in readme.splitlines() if re.match(r"\| `\w+` \| [\d.]+, ", line)]
    shown = {line.split("`")[1]: re.findall(r"([\d.]+), ([\d.]+)", line) for line in table}
    assert set(shown) == set(published["imdb"]) <= set(loaded.variant)
    for variant, figures in shown.items():
        for (dataset, name), (accuracy, macro_f1) in zip(names.items(), figures, strict=True):
            row = published[dataset][variant]
            assert (float(accuracy), float(macro_f1)) == (row["accuracy"], row["macro_f1"])
            assert f"`DATASET={name}`" in readme
            overrides = overrides_of_row(root, name, variant)
            assert overrides["datasets"] == f"[{name}]"
            assert overrides["variants"] == f"[{variant}]"
            assert overrides["vectors.pretrained"] in params.PRETRAINED
            assert (f"data.{name}.text.max_length" in overrides) == (variant == "transformer")


def overrides_of_row(root: Path, *arguments: str) -> dict[str, str]:
    """What `make row` would change in params.yaml."""
    names = ("DATASET", "VARIANT", "SEEDS")
    given = [f"{name}={value}" for name, value in zip(names, arguments, strict=False)]
    made = subprocess.run(["make", "--dry-run", "row", *given], cwd=root, capture_output=True, text=True, check=True)
    return dict(re.findall(r"-S '?([\w.]+)=([^' \n]+)", made.stdout))


@pytest.mark.parametrize(
    ("dataset", "variant", "cut"),
    [("mind", "transformer", False), ("cnn_dailymail", "transformer", True), ("pubmed", "fastformer", False)],
)
def test_rows_of_the_other_tasks_have_one_too(root: Path, dataset: str, variant: str, cut: bool) -> None:
    overrides = overrides_of_row(root, dataset, variant, "1")
    assert overrides["seeds"] == "[1]"
    assert overrides["datasets"] == f"[{dataset}]"
    assert (f"data.{dataset}.text.max_length" in overrides) == cut


def test_the_table_of_data_sets_names_the_files_that_are_fetched(readme: str, root: Path, tmp_path: Path) -> None:
    rows = {line.split("`")[1]: line for line in readme.splitlines() if re.match(r"\| `\w+`.*\|.*\|.*\|.*\|.*\|", line)}
    for dataset, names in FETCHED.items():
        if dataset == "cnn_dailymail":
            names = [*names[:2], "all_{train,val,test}.txt"]
        if dataset != "mind":
            assert all(f"`{name}`" in rows[dataset] for name in names), dataset
        sizes = [file.size for file in remote(root, dataset, tmp_path)]
        if all(sizes):
            assert f" {sum(sizes) / 1e6:.0f} MB |" in rows[dataset]
