"""Reading what runs left on disk."""

from pathlib import Path

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.report import runs
from pipeline.report.answers import read_answers
from tests.report import fake

NAMES = ["bad", "good"]


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def one_run(**timing: object) -> Path:
    labels = fake.labels_of(NAMES, 20)
    return fake.write_run("train", "films", "fastformer", 1, labels, labels, NAMES, **timing)


def test_a_whole_run_is_read() -> None:
    one_run()
    run = runs.read_run("classification", "train", "films", "fastformer", 1)
    assert run is not None
    assert run.metrics["accuracy"] == 1
    assert run.answers.values.sum() == 20
    assert [epoch.epoch for epoch in run.history] == [1, 2, 3]


@pytest.mark.parametrize("name", runs.RUN_FILES)
def test_a_run_without_one_of_its_files_is_missing(name: str) -> None:
    (one_run() / name).unlink()
    assert runs.read_run("classification", "train", "films", "fastformer", 1) is None


@pytest.mark.parametrize("name", runs.RUN_FILES)
def test_a_damaged_file_names_the_folder_and_the_remedy(name: str) -> None:
    folder = one_run()
    (folder / name).write_bytes(b"half of a fi")
    if name == "history.csv":
        (folder / name).write_text("epoch,train_loss\none,two\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"{folder}.*dvc repro"):
        runs.read_run("classification", "train", "films", "fastformer", 1)


def test_a_loss_that_is_not_finite_is_a_gap(tmp_path: Path) -> None:
    file = tmp_path / "history.csv"
    file.write_text(",".join(fake.HISTORY) + "\n1,30,nan,inf,0.5,0.5\n2,60,,0.25,0.5,0.5\n", encoding="utf-8")
    first, second = runs.read_history(file, "accuracy")
    assert (first.train_loss, first.validation_loss, first.validation_score) == (None, None, 0.5)
    assert (second.train_loss, second.validation_loss) == (None, 0.25)


def test_null_and_numbers_stay_labels_as_they_are_written() -> None:
    names = ["null", "NA", "1", "01"]
    labels = fake.labels_of(names, 40)
    fake.write_predictions(Path("predictions.parquet"), labels, predicted=labels)
    answers = read_answers("classification", Path("predictions.parquet"), None)
    assert set(answers.truth.tolist()) == set(names)


def test_baselines_without_their_folder_are_none() -> None:
    assert runs.read_baselines("classification", "films") is None


def test_left_over_folders_are_those_that_params_does_not_span() -> None:
    chosen = fake.params(
        datasets=["films"], variants=["fastformer"], seeds=[1], ablations={"datasets": ["films"], "variants": ["add"]}
    )
    for grid, variant, seed in (("train", "fastformer", 1), ("train", "fastformer", 2), ("ablate", "add", 1)):
        paths.run(grid, "films", variant, seed).mkdir(parents=True)
    paths.run("train", "old", "fastformer", 1).mkdir(parents=True)
    paths.run("ablate", "films", "fastformer", 1).mkdir(parents=True)
    Path("experiments/runs/films/fastformer/.3.part").mkdir()
    assert runs.left_over(chosen) == [
        "experiments/ablations/films/fastformer/1",
        "experiments/runs/films/fastformer/2",
        "experiments/runs/old/fastformer/1",
    ]
