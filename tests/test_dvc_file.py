"""dvc.yaml against the code: what a stage imports is among its deps, and the paths are those of pipeline/paths.py."""

from pathlib import Path
from typing import Any

import grimp
import pytest
from ruamel.yaml import YAML

from pipeline import paths

NO_DEPS = {
    "pipeline",
    # Ground that every stage stands on: what a stage reads through it is in the stage's own params, deps and outs.
    "pipeline.params",
    "pipeline.section",
    "pipeline.registry",
    "pipeline.paths",
    "pipeline.files",
    "pipeline.errors",
    "pipeline.attention.options",
    # Nothing that W&B does changes a result.
    "pipeline.tracking",
}

MODULE_OF = {"ablate": "train", "embed_ablation": "embed"}


@pytest.fixture(scope="module")
def stages() -> dict[str, Any]:
    root = Path(__file__).parent.parent
    return YAML(typ="safe").load((root / "dvc.yaml").read_text())["stages"]


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("pipeline", cache_dir=None)


def file_of(module: str) -> Path:
    root = Path(__file__).parent.parent
    path = root / module.replace(".", "/")
    found = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return found.relative_to(root)


def test_every_stage_depends_on_what_it_imports(stages: dict[str, Any], imports: grimp.ImportGraph) -> None:
    for name, stage in stages.items():
        module = f"pipeline.stages.{MODULE_OF.get(name, name)}"
        deps = [Path(dep) for dep in stage["deps"]]
        needed = {module} | imports.find_upstream_modules(module)
        lacking = {
            file_of(imported).as_posix()
            for imported in needed - NO_DEPS
            if not any(dep == file_of(imported) or dep in file_of(imported).parents for dep in deps)
            # A folder's __init__.py holds a docstring and nothing else, as the next test makes sure.
            and file_of(imported).name != "__init__.py"
        }
        assert not lacking, f"stage {name} imports these and doesn't depend on them"


def test_packages_hold_only_a_docstring(root: Path) -> None:
    for init in (root / "pipeline").rglob("__init__.py"):
        text = init.read_text().strip()
        assert not text or (text.startswith('"""') and text.count('"""') == 2 and text.endswith('"""')), init


def test_no_stage_depends_on_code_that_it_does_not_import(stages: dict[str, Any], imports: grimp.ImportGraph) -> None:
    for name, stage in stages.items():
        module = f"pipeline.stages.{MODULE_OF.get(name, name)}"
        needed = {file_of(m) for m in {module} | imports.find_upstream_modules(module)}
        for dep in map(Path, stage["deps"]):
            if dep.parts[0] == "pipeline" and dep != Path("pipeline/sources"):  # readers are found by name
                assert any(dep == file or dep in file.parents for file in needed), f"stage {name}: {dep}"


def outs(stage: dict[str, Any]) -> set[str]:
    entries = [*stage["outs"], *stage.get("plots", [])]
    return {next(iter(entry)) if isinstance(entry, dict) else entry for entry in entries}


def test_outputs_lie_where_the_code_writes_them(stages: dict[str, Any]) -> None:
    d, v, s = "${item.dataset}", "${item.variant}", "${item.seed}"
    files = ("metrics.json", "predictions.parquet", "best.safetensors", "model.json", "timing.json", "history.csv")
    expected = {
        "check": {paths.CHECK},
        "fetch": {paths.raw(d)},
        "vectors": {paths.VECTORS},
        "prepare": {paths.prepared(d)},
        "baseline": {paths.baselines(d) / name for name in ("metrics.json", "predictions.parquet", "timing.json")},
        "embed": {paths.embeddings("train", d, v)},
        "embed_ablation": {paths.embeddings("ablate", d, v)},
        "train": {paths.run("train", d, v, s) / name for name in files},  # type: ignore[arg-type]
        "ablate": {paths.run("ablate", d, v, s) / name for name in files},  # type: ignore[arg-type]
        "benchmark": {paths.BENCHMARK / name for name in ("benchmark.json", "train.csv")},
        "report": {paths.REPORT},
    }
    assert {name: outs(stage) for name, stage in stages.items()} == {
        name: {path.as_posix() for path in made} for name, made in expected.items()
    }


def test_no_stage_depends_on_tracking_or_hardware(stages: dict[str, Any]) -> None:
    for name, stage in stages.items():
        sections = {str(param).split(".")[0] for param in stage.get("params", [])}
        assert not {"tracking", "hardware"} & sections, name


def test_train_and_ablate_differ_in_their_folders_alone(stages: dict[str, Any]) -> None:
    train, ablate = stages["train"], stages["ablate"]
    assert train["params"] == ablate["params"]
    assert [dep.replace("/runs/", "/ablations/") for dep in train["deps"]] == ablate["deps"]
    assert {out.replace("/runs/", "/ablations/") for out in outs(train)} == outs(ablate)
    assert ablate["cmd"] == f"{train['cmd']} --grid ablate"
