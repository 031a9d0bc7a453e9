"""The real DVC graph, end to end at tiny size in temporary clones: what runs, what doesn't, what survives a kill."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parent.parent
RUN = "experiments/runs/own/fastformer/1"
REPEATABLE = ("metrics.json", "history.csv", "predictions.parquet", "best.safetensors", "model.json")
Edit = Callable[[dict[str, Any]], None]


def environment(home: Path) -> dict[str, str]:
    """What a stranger's machine has: no W&B settings, an empty home folder, a git identity for the clone's commits."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WANDB", "DVC"))}
    identity = {
        f"GIT_{who}_{what}": "tester@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}"
    return kept | identity | {"HOME": str(home), "PATH": path, "DVC_NO_ANALYTICS": "1"}


class Clone:
    """A working copy of the repository with a tiny table of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder.parent / "home"
        home.mkdir(exist_ok=True)
        self.environment = environment(home)

    def call(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    def repro(self, *options: str) -> list[str]:
        """Reproduces, and returns the names of the stages that ran."""
        done = self.call("dvc", "repro", *options)
        assert done.returncode == 0, done.stdout
        return running(done.stdout)

    def fails(self, *command: str) -> str:
        """Runs what must fail without a traceback, and returns what it said."""
        done = self.call(*command)
        assert done.returncode != 0, done.stdout
        assert "Traceback" not in done.stdout
        return done.stdout

    def edit(self, change: Edit) -> None:
        yaml = YAML()
        path = self.folder / "params.yaml"
        tree = yaml.load(path)
        change(tree)
        yaml.dump(tree, path)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def copy(self, folder: Path) -> "Clone":
        shutil.copytree(self.folder, folder, symlinks=True)
        return Clone(folder)

    def output(self, name: str) -> bytes:
        return (self.folder / RUN / name).read_bytes()


def running(output: str) -> list[str]:
    prefix = "Running stage '"
    return [line[len(prefix) :].split("'")[0] for line in output.splitlines() if line.startswith(prefix)]


def tiny(tree: dict[str, Any]) -> None:
    tree["datasets"] = ["own"]
    tree["variants"] = ["fastformer"]
    tree["ablations"] = {"datasets": ["own"], "variants": ["add"]}
    tree["text"]["min_count"] = 1
    tree["model"].update(dim=16, heads=2, feedforward_dim=16)
    tree["training"].update(batch_size=8, max_epochs=2)
    tree["vectors"]["pretrained"] = "tiny.txt"
    tree["benchmark"].update(
        lengths=[16, 32], cpu_tokens=64, gpu_tokens=64, layer_seconds=0.01, step_texts=4, step_seconds=0.01
    )
    tree["hardware"].update(checkpoint_seconds=0)


def table() -> str:
    draw = random.Random(0)
    words = {"good": ["great", "fine", "superb"], "bad": ["awful", "poor", "dull"]}
    rows = ["text,label"]
    for number in range(160):
        label = draw.choice(["good", "bad"])
        chosen = draw.choices([*words[label], "the", "film", "plot"], k=draw.randint(2, 9))
        rows.append(f"{' '.join(chosen)} scene{number},{label}")
    return "\n".join(rows) + "\n"


def vector_file() -> str:
    draw = random.Random(1)
    words = ["great", "fine", "superb", "awful", "poor", "dull", "the", "film"]
    return "".join(f"{word} {' '.join(f'{draw.gauss(0, 1):.3f}' for _ in range(6))}\n" for word in words)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which nothing ran yet. Not to be changed: copy it."""
    clone = Clone(tmp_path_factory.mktemp("fresh") / "clone")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.splitlines()):
        # The repository's own results are of its own default graph.
        if (ROOT / name).is_file() and not name.startswith(("experiments/runs/", "dvc.lock")):
            (clone.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone.folder / name)
    clone.edit(tiny)
    clone.write("data/local/own/reviews.csv", table())
    clone.write("data/local/vectors/tiny.txt", vector_file())
    for command in ("git init --quiet", "git add --all", "git commit --quiet --message tiny"):
        assert clone.call(*command.split()).returncode == 0
    return clone


@pytest.fixture(scope="module")
def done(fresh: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which everything ran. Not to be changed: copy it."""
    clone = fresh.copy(tmp_path_factory.mktemp("done") / "clone")
    assert sorted(clone.repro()) == [
        "ablate@own-add-1",
        "baseline@own",
        "benchmark",
        "check",
        "embed@own-fastformer",
        "embed_ablation@own-add",
        "fetch@own",
        "prepare@own",
        "report",
        "train@own-fastformer-1",
        "vectors",
    ]
    return clone


def test_results_are_there_and_a_second_repro_runs_nothing(done: Clone) -> None:
    assert done.repro() == []
    rows = json.loads((done.folder / "experiments/report/results.json").read_text())["rows"]
    assert {row["variant"] for row in rows} == {"majority", "tfidf_logreg", "fastformer", "add"}
    (fastformer,) = [row for row in rows if row["variant"] == "fastformer"]
    assert fastformer["metrics"]["accuracy"]["mean"] > 0.6
    assert fastformer["seeds"] == [1]
    assert not list((done.folder / "experiments/state").iterdir())
    assert len(list((done.folder / "experiments/wandb").glob("*run-*-*"))) == 2
    shown = done.call("python", "-m", "pipeline", "results").stdout
    assert "experiments/report/index.html" in shown
    assert "experiments/wandb" in shown


def test_two_clones_agree_but_for_the_clock(fresh: Clone, done: Clone, tmp_path: Path) -> None:
    other = fresh.copy(tmp_path / "clone")
    other.repro()

    def hashes(clone: Clone) -> dict[str, str]:
        stages = YAML(typ="safe").load((clone.folder / "dvc.lock").read_text())["stages"]
        outs = [out for stage in stages.values() for out in stage["outs"]]
        return {out["path"]: out["md5"] for out in outs}

    mine, others = hashes(done), hashes(other)
    assert mine.keys() == others.keys()
    differing = {path for path in mine if mine[path] != others[path]}
    timed = ("timing.json", "benchmark.json", "benchmark/train.csv", "experiments/report")
    assert all(path.endswith(timed) for path in differing), differing
    assert f"{RUN}/best.safetensors" in mine


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        (lambda tree: tree["tracking"].update(mode="disabled"), {"check"}),
        (lambda tree: tree["hardware"].update(workers=2), {"check"}),
        (
            lambda tree: tree["training"].update(batch_size=16),
            {"check", "train@own-fastformer-1", "ablate@own-add-1", "report"},
        ),
        # The report follows once benchmark.json is another; --dry can't know that it will be.
        (lambda tree: tree["benchmark"].update(lengths=[16]), {"check", "benchmark"}),
        (lambda tree: tree["variant"]["add"].update(sharing="qv"), {"check", "ablate@own-add-1", "report"}),
        (
            lambda tree: tree["variant"]["add"].update(vectors="random"),
            {"check", "embed_ablation@own-add", "ablate@own-add-1", "report"},
        ),
        (lambda tree: tree["data"]["own"]["text"].update(max_length=5), {"check", "prepare@own", "report"}),
        (lambda tree: tree["data"]["review_sentences"]["text"].update(max_length=5), {"check", "report"}),
    ],
    ids=["tracking", "workers", "batch_size", "benchmark", "sharing", "vectors", "max_length", "another_set"],
)
def test_an_edit_makes_stale_what_depends_on_it(done: Clone, tmp_path: Path, change: Edit, stale: set[str]) -> None:
    clone = done.copy(tmp_path / "clone")
    clone.edit(change)
    assert set(clone.repro("--dry")) == stale


def test_a_comment_in_params_makes_nothing_stale(done: Clone, tmp_path: Path) -> None:
    clone = done.copy(tmp_path / "clone")
    path = clone.folder / "params.yaml"
    path.write_text("# a comment\n" + path.read_text())
    assert clone.repro("--dry") == []


def test_editing_the_report_runs_the_report_alone(done: Clone, tmp_path: Path) -> None:
    clone = done.copy(tmp_path / "clone")
    path = clone.folder / "pipeline/stages/report.py"
    path.write_text(path.read_text() + "\n# edited\n")
    assert clone.repro() == ["report"]


def test_the_report_needs_no_benchmark_and_shows_an_old_one(done: Clone, tmp_path: Path) -> None:
    clone = done.copy(tmp_path / "clone")
    results = clone.folder / "experiments/report/results.md"
    assert "16 tokens" in results.read_text().split("## Speed")[1]
    clone.edit(lambda tree: tree["benchmark"].update(lengths=[8]))
    assert clone.call("python", "-m", "pipeline", "report").returncode == 0
    assert "16 tokens" in results.read_text().split("## Speed")[1]
    shutil.rmtree(clone.folder / "experiments/benchmark")
    assert clone.call("python", "-m", "pipeline", "report").returncode == 0
    assert "## Speed" not in results.read_text()


def test_setting_what_is_set_trains_nothing_and_a_mistyped_key_is_refused(done: Clone, tmp_path: Path) -> None:
    clone = done.copy(tmp_path / "clone")
    for command in ("git add --all", "git commit --quiet --message done"):
        clone.call(*command.split())
    same = clone.call("dvc", "exp", "run", "-S", "variant.fastformer.interaction=product")
    assert same.returncode == 0, same.stdout
    assert running(same.stdout) == []
    said = clone.fails("dvc", "exp", "run", "-S", "variant.fastformer.interacton=add")
    assert "interacton" in said


def test_vectors_of_one_variant_retrain_no_other(done: Clone, tmp_path: Path) -> None:
    clone = done.copy(tmp_path / "clone")
    clone.edit(lambda tree: tree["variant"]["add"].update(vectors="word2vec"))
    assert set(clone.repro()) == {"check", "embed_ablation@own-add", "ablate@own-add-1", "report"}


def test_a_value_that_goes_back_trains_nothing(done: Clone, tmp_path: Path) -> None:
    clone = done.copy(tmp_path / "clone")
    clone.edit(lambda tree: tree["variant"]["add"].update(sharing="qv"))
    assert "ablate@own-add-1" in clone.repro("ablate")
    clone.edit(lambda tree: tree["variant"]["add"].update(sharing="qv_layer"))
    assert clone.repro("ablate") == []


def test_killed_in_an_epoch_it_goes_on_and_ends_as_an_unbroken_run(done: Clone, tmp_path: Path) -> None:
    unbroken, killed = (done.copy(tmp_path / name / "clone") for name in ("unbroken", "killed"))
    for clone in (unbroken, killed):
        clone.edit(lambda tree: tree["training"].update(batch_size=2))
    unbroken.repro("train")

    process = subprocess.Popen(
        ["dvc", "repro", "train"],
        cwd=killed.folder,
        env=killed.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    state = killed.folder / "experiments/state"
    try:
        deadline = time.monotonic() + 120
        while not list(state.glob("*/history.csv")):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(0.1)  # into the second epoch
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert list(state.glob("*/last.ckpt"))

    assert killed.repro("train") == ["train@own-fastformer-1"]
    assert json.loads(killed.output("timing.json"))["resumed"] is True
    for name in REPEATABLE:
        assert killed.output(name) == unbroken.output(name), name
    before = set((done.folder / "experiments/wandb").glob("*run-*-*"))
    after = list((killed.folder / "experiments/wandb").glob("*run-*-*"))
    assert len(after) == len(before) + 1
    assert not list(state.iterdir())


def jmars() -> str:
    draw = random.Random(2)
    words = {7: ["great", "fine", "superb"], 2: ["awful", "poor", "dull"]}
    reviews = [
        {"review": f"{' '.join(draw.choices(words[rating], k=6))} scene{number}", "rating": rating}
        for number in range(60)
        for rating in words
    ]
    return json.dumps(reviews)


def test_a_file_put_into_downloads_by_hand_is_verified_and_stays(fresh: Clone, tmp_path: Path) -> None:
    clone = fresh.copy(tmp_path / "clone")
    clone.edit(lambda tree: tree.update(datasets=["imdb"], ablations={"datasets": [], "variants": []}))
    path = clone.folder / "data/downloads/imdb/data.json"
    path.parent.mkdir(parents=True)
    path.write_text("<!DOCTYPE html><title>Sign in</title>")
    said = clone.fails("dvc", "repro", "fetch")
    assert "data/downloads/imdb/data.json: is a web page, not data.json; remove it to have it fetched again" in said
    path.write_text(jmars())
    before = path.stat()
    assert clone.repro("fetch") == ["check", "fetch@imdb"]
    pinned = (clone.folder / "data/checksums.txt").read_text()
    assert pinned.count("  data/downloads/imdb/data.json\n") == 1
    # None of these could fetch it: there is no network to that host here, or another file behind it.
    assert clone.repro("--force", "fetch") == ["check", "fetch@imdb"]
    source = clone.folder / "pipeline/sources/imdb.py"
    source.write_text(source.read_text() + "\n# edited\n")
    assert set(clone.repro("fetch")) == {"check", "fetch@imdb"}
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert (clone.folder / "data/checksums.txt").read_text() == pinned
    path.write_text(jmars().replace("superb", "perfect"))
    said = clone.fails("dvc", "repro", "--force", "fetch")
    assert "which data/checksums.txt has for it since it first came; if upstream has published another one" in said


BAD_TABLES = {
    "empty file": ("", ["reviews.csv", "empty file"]),
    "missing column": ("words,label\na,b\n", ["reviews.csv:1", "no column 'text'", "text_column"]),
    "ragged row": (table() + "one,two,three\n", ["reviews.csv:162", "3 fields"]),
    "one class": ("text,label\n" + "some words,good\n" * 20, ["reviews.csv", "'good'", "two labels"]),
    "rare label": (table() + "some words,odd\n", ["'odd'", "too few"]),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_is_named_and_leaves_nothing_half_written(fresh: Clone, tmp_path: Path, case: str) -> None:
    text, expected = BAD_TABLES[case]
    clone = fresh.copy(tmp_path / "clone")
    clone.write("data/local/own/reviews.csv", text)
    said = clone.fails("dvc", "repro", "prepare")
    for part in expected:
        assert part in said
    assert not (clone.folder / "data/prepared").exists() or not list((clone.folder / "data/prepared").glob("*own*"))


def test_malformed_json_and_unseen_labels_are_named(fresh: Clone, tmp_path: Path) -> None:
    clone = fresh.copy(tmp_path / "clone")
    rows = [json.dumps(dict(zip(("text", "label"), row.split(","), strict=True))) for row in table().splitlines()[1:]]
    clone.write("data/local/own/train.jsonl", "\n".join(rows) + "\n")
    clone.write("data/local/own/test.jsonl", rows[0] + '\n{"text": "x", "label": "unheard"}\n')
    clone.edit(lambda tree: tree["data"]["own"]["source"].update(train="train.jsonl", test="test.jsonl"))
    said = clone.fails("dvc", "repro", "prepare")
    assert "data/local/own/test.jsonl:2" in said
    assert "'unheard'" in said
    clone.write("data/local/own/test.jsonl", rows[0] + '\n{"text": "x", "label"\n')
    said = clone.fails("dvc", "repro", "prepare")
    assert "data/local/own/test.jsonl:2: broken JSON" in said


def test_vectors_of_mixed_size_are_named(done: Clone, tmp_path: Path) -> None:
    clone = done.copy(tmp_path / "clone")
    clone.write("data/local/vectors/tiny.txt", vector_file() + "cold 1 2 3\nwarm 4 5 6\n")
    said = clone.fails("dvc", "repro", "embed")
    assert "tiny.txt:9" in said
    assert "mixed size" in said


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("seeds: [1]", "sedes: [1]", "seeds"),
        ("seeds: [1]", "seeds: [one]", "params.yaml:"),
        ("variants:\n- fastformer", "variants:\n- fastfomer", "did you mean fastformer?"),
        ("lr: 1e-3", "lr: fast", "training.lr"),
        ("datasets:\n- own", "datasets:\n- own\n- ours", "unknown data set 'ours'"),
        ("datasets:\n- own", "datasets: [own", "params.yaml"),
    ],
)
def test_dvc_repro_refuses_bad_params(fresh: Clone, tmp_path: Path, old: str, new: str, expected: str) -> None:
    clone = fresh.copy(tmp_path / "clone")
    text = (clone.folder / "params.yaml").read_text()
    assert old in text
    clone.write("params.yaml", text.replace(old, new, 1))
    assert expected in clone.fails("dvc", "repro")
    assert "params.yaml:" in clone.fails("python", "-m", "pipeline", "check")
