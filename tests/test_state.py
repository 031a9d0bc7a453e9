"""Identity, dependencies and the lock of a training's state."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import params, state
from pipeline.errors import UserError


@pytest.fixture
def inputs(workspace: Path) -> Path:
    """The workspace with something in the place of every input of train@review_sentences-fastformer."""
    for dep in state.dependencies(
        Path("dvc.yaml"), "train", {"dataset": "review_sentences", "variant": "fastformer", "seed": "1"}
    ):
        file = workspace / dep if dep.suffix else workspace / dep / "file.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(dep))
    return workspace


def identity(grid: str = "train", variant: str = "fastformer", seed: int = 1) -> str:
    return state.of_run(grid, params.load().run("review_sentences", variant, seed), params.load().hardware).folder.name


@pytest.mark.usefixtures("inputs")
def test_identity_is_the_same_twice_and_names_the_run() -> None:
    first = identity()
    assert first == identity()
    assert first.startswith("train-review_sentences-fastformer-1-")


def test_identity_changes_with_params_and_inputs_and_nothing_else(inputs: Path) -> None:
    before = identity()
    text = Path("params.yaml").read_text()
    Path("params.yaml").write_text(text.replace("workers: 0", "workers: 2").replace("mode: offline", "mode: disabled"))
    assert identity() == before
    for old, new in (("batch_size: 64", "batch_size: 32"), ("threads: 2", "threads: 3")):
        Path("params.yaml").write_text(text.replace(old, new))
        assert identity() != before, new
    Path("params.yaml").write_text(text)
    cached = inputs / "pipeline/tasks/__pycache__/x.pyc"
    cached.parent.mkdir()
    cached.write_text("made by Python")
    assert identity() == before
    (inputs / "pipeline/tasks/file.py").write_text("changed")
    assert identity() != before


def test_dependencies_fill_in_the_matrix_item(root: Path) -> None:
    found = state.dependencies(root / "dvc.yaml", "ablate", {"dataset": "d", "variant": "v", "seed": "3"})
    assert Path("data/prepared/d") in found
    assert Path("data/embeddings/ablations/d/v/vectors.npy") in found


@pytest.mark.usefixtures("inputs")
def test_others_are_states_of_the_same_run_under_other_params() -> None:
    mine = state.of_run("train", params.load().run("review_sentences", "fastformer", 1), params.load().hardware)
    older = mine.folder.with_name(mine.folder.name[:-4] + "0000")
    foreign = mine.folder.with_name("train-review_sentences-fastformer-11-0000")
    for folder in (mine.folder, older, foreign):
        folder.mkdir(parents=True)
    assert state.others(mine) == [older]


def test_a_live_process_keeps_others_out_and_a_dead_one_does_not(tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "state"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from pathlib import Path; from pipeline.state import RunState\n"
            f"with RunState(Path({str(folder)!r})).held():\n    print('held', flush=True); input()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        message = f"process {holder.pid} trains this run already"
        with pytest.raises(UserError, match=message), state.RunState(folder).held():
            pass
    finally:
        holder.kill()
        holder.communicate()
    with state.RunState(folder).held():
        assert state.read_json(folder / "owner.json")["pid"] != holder.pid


def test_the_wandb_id_is_drawn_once_and_discard_removes_everything(tmp_path: Path) -> None:
    kept = state.RunState(tmp_path / "state")
    with kept.held():
        first = kept.tracking_id()
        assert state.RunState(kept.folder).tracking_id() == first
        assert state.RunState(kept.folder).folder.exists()
        kept.discard()
        assert not kept.folder.exists()
