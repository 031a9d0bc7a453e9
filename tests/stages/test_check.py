"""Stage `check`, and what the light stages import."""

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from pipeline import paths
from pipeline.errors import UserError
from pipeline.params import load
from pipeline.preflight import downloads, machine
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


Tree = dict[str, Any]
Fault = Callable[[Tree], None]


def choose(tree: Tree, *datasets: str) -> None:
    tree["datasets"] = list(datasets)
    tree["ablations"] = {"datasets": [], "variants": []}


def put(folder: str, name: str, content: bytes) -> None:
    path = paths.downloads(folder) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def no_licence(tree: Tree) -> None:
    choose(tree, "mind_topics")


def no_room(tree: Tree) -> None:
    choose(tree, "amazon")


def wrong_hash(tree: Tree) -> None:
    choose(tree, "ag_news")
    put("ag_news", "train.csv", b'"1","a","b"\n')


def web_page(tree: Tree) -> None:
    choose(tree, "imdb")
    put("imdb", "data.json", b"<!DOCTYPE html><title>Sign in</title>")


def other_than_before(tree: Tree) -> None:
    choose(tree, "imdb")
    put("imdb", "data.json", b"[]")
    paths.checksums().write_text(f"{'0' * 64}  data/downloads/imdb/data.json\n")


def half_an_archive(tree: Tree) -> None:
    tree["vectors"]["pretrained"] = "glove.6B.300d"
    put("vectors", "glove.6B.zip", b"PK\x03\x04")


def no_gpu(tree: Tree) -> None:
    tree["hardware"]["accelerator"] = "gpu"


def half_precision(tree: Tree) -> None:
    tree["data"]["newsroom_topics"]["training"]["precision"] = "16-mixed"


def no_key(tree: Tree) -> None:
    tree["tracking"]["mode"] = "online"


def no_table(tree: Tree) -> None:
    choose(tree, "own")


def no_column(tree: Tree) -> None:
    choose(tree, "own")
    tree["data"]["own"]["source"]["train"] = "reviews.jsonl"
    tree["data"]["own"]["source"]["label_column"] = "stars"
    own.write("reviews.jsonl", own.reviews())


def not_as_published(tree: Tree) -> None:
    choose(tree, "ag_news")
    for name in ("train.csv", "test.csv"):
        paths.local("ag_news").mkdir(parents=True, exist_ok=True)
        (paths.local("ag_news") / name).write_text('"9","a","b"\n')


def no_vectors(tree: Tree) -> None:
    tree["vectors"]["pretrained"] = "mine.txt"


def unknown_vectors(tree: Tree) -> None:
    tree["vectors"]["pretrained"] = "glove.840B.300"


def too_long(tree: Tree) -> None:
    tree["data"]["newsroom_topics"]["text"]["max_length"] = 100_000


def no_encoder(tree: Tree) -> None:
    choose(tree, "pubmed")
    tree["variants"] = ["fastformer", "mean"]


def odd_heads(tree: Tree) -> None:
    tree["data"]["newsroom_ratings"]["model"]["heads"] = 7


def misspelt_set(tree: Tree) -> None:
    choose(tree, "amazn")


FAULTS: dict[Fault, str] = {
    no_licence: "data set mind_topics: MIND is for non-commercial research only; read its licence (https://github.com/",
    no_room: "at least 991.7 MB are needed for downloads and what is unpacked of them, 700.0 MB are free; make room",
    wrong_hash: "data/downloads/ag_news/train.csv: has md5 ",
    web_page: "data/downloads/imdb/data.json: is a web page, not data.json; remove it to have it fetched again",
    other_than_before: f"not {'0' * 64}, which data/checksums.txt has for it since it first came",
    half_an_archive: "data/downloads/vectors/glove.6B.zip: has 4 bytes, not the 862,182,613 that were published; rem",
    no_gpu: "hardware.accelerator is gpu, but there is no CUDA device for torch; set it to auto or cpu",
    half_precision: "newsroom_topics, fastformer: training.precision 16-mixed needs a CUDA device; take bf16-mixed or",
    no_key: "tracking.mode is online, but no key for W&B is here; call `wandb login`, or set it to offline",
    no_table: "data set own: data/local/own/reviews.csv: no such file; `python -m pipeline link own FILE`",
    no_column: "reviews.jsonl:1: no column 'stars'; it has text, label; set label_column to one of these",
    not_as_published: "data set ag_news: data/local/ag_news/train.csv:1: class '9'; legal: 1, 2, 3, 4",
    no_vectors: "data/local/vectors/mine.txt: no such file; copy or link your vectors there",
    unknown_vectors: "vectors.pretrained: unknown vectors 'glove.840B.300'",
    too_long: "data.newsroom_topics.text.max_length: should be less than or equal to 65536, not 100000",
    no_encoder: "variants: attention mean of variant mean has no layers for a decoder to read, so that pubmed can't",
    odd_heads: "data.newsroom_ratings.model.heads: heads 7 doesn't divide dim 64; 8 does",
    misspelt_set: "datasets.0: unknown data set 'amazn'; legal: ",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_each_planted_fault_is_caught(workspace: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    free = 700_000_000 if fault is no_room else 100_000_000_000
    monkeypatch.setattr(downloads.shutil, "disk_usage", lambda _: type("Usage", (), {"free": free}))
    monkeypatch.setattr(machine, "has_gpu", lambda: False)
    monkeypatch.setattr(machine, "knows_wandb", lambda: False)
    yaml = YAML()
    tree = yaml.load(workspace / "params.yaml")
    paths.checksums().parent.mkdir()
    fault(tree)
    yaml.dump(tree, workspace / "params.yaml")
    with pytest.raises(UserError) as caught:
        check.run(load())
    assert FAULTS[fault] in str(caught.value)
    assert not paths.CHECK.exists()


@pytest.mark.usefixtures("workspace")
def test_no_git_identity_is_a_note(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(check, "has_git_identity", lambda: False)
    check.run(load())
    assert "note: `dvc exp run` needs a git identity" in capsys.readouterr().out


def test_the_plan_waits_for_no_large_file(workspace: Path, root: Path) -> None:
    yaml = YAML()
    tree = yaml.load(workspace / "params.yaml")
    choose(tree, "amazon", "imdb", "imdb_maas", "ag_news", "mind_topics")
    tree["data"]["mind_topics"]["source"]["accept_licence"] = True
    tree["vectors"]["pretrained"] = "glove.840B.300d"
    yaml.dump(tree, workspace / "params.yaml")
    # Of the right size, which is more than can be read in two seconds; a sparse file, which takes no room.
    put("vectors", "glove.840B.300d.zip", b"PK\x03\x04")
    with (paths.downloads("vectors") / "glove.840B.300d.zip").open("r+b") as file:
        file.truncate(2_176_768_927)
    command = [sys.executable, "-c", "from pipeline.__main__ import main; main()", "check"]
    environment = {"PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=workspace, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "here: data/downloads/vectors/glove.840B.300d.zip, not read yet" in done.stdout
    assert done.stdout.count("\nto fetch: ") == 7
    assert "\nto fetch in all: 663.9 MB and 3 file(s) of unknown size\n" in done.stdout
