"""Stage `check`, and what the light stages import."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.params import load
from pipeline.stages import check
from tests.stages import own


def test_the_shipped_params_are_good_and_the_answer_is_always_the_same(workspace: Path) -> None:
    check.run(load())
    first = (workspace / paths.CHECK).read_bytes()
    own.write("reviews.jsonl", own.reviews())
    check.run(own.params(vectors=load().vectors.model_dump()))
    assert (workspace / paths.CHECK).read_bytes() == first


@pytest.mark.usefixtures("workspace")
def test_all_that_is_missing_is_told_in_one_go() -> None:
    with pytest.raises(UserError) as caught:
        check.run(own.params())
    table, vectors = str(caught.value).splitlines()
    assert table.startswith("data set own: data/local/own/reviews.jsonl: no such file; `python -m pipeline link own")
    assert vectors.startswith("data/local/vectors/tiny.txt: no such file; copy or link your vectors there")
    assert not paths.CHECK.exists()


@pytest.mark.usefixtures("workspace")
def test_only_the_chosen_data_sets_are_checked() -> None:
    assert "own" in load().data
    check.run(load())
    assert paths.CHECK.exists()


@pytest.mark.usefixtures("workspace")
def test_own_vectors_that_are_there_are_good() -> None:
    own.write("reviews.jsonl", own.reviews())
    paths.local("vectors").mkdir(parents=True)
    (paths.local("vectors") / "tiny.txt").write_text("a 0.5 1.5\n")
    check.run(own.params())
    assert paths.CHECK.exists()


@pytest.mark.usefixtures("workspace")
def test_a_wrong_column_is_seen_before_time_is_spent() -> None:
    own.write("reviews.jsonl", own.reviews())
    with pytest.raises(UserError, match=r"data set own: .*reviews\.jsonl:1: no column 'stars'; it has text, label"):
        check.run(own.params(source={"label_column": "stars"}))


def test_the_stages_without_a_network_import_no_torch(root: Path) -> None:
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = [contract for contract in contracts if contract["type"] == "forbidden"]
    modules = contract["source_modules"]
    assert {f"pipeline.stages.{name}" for name in ("check", "fetch", "vectors", "embed", "baseline")} <= set(modules)
    forbidden = set(contract["forbidden_modules"])
    assert {"torch", "pytorch_lightning", "wandb"} <= forbidden
    code = f"import sys, {', '.join(modules)}; bad = {forbidden} & set(sys.modules); sys.exit(str(bad) if bad else 0)"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
