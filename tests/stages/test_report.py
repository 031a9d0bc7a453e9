"""Stage `report`: its files, whole or as they were before."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.params import Params
from pipeline.stages import report
from tests.report import fake


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    chosen = fake.params(
        datasets=["films"],
        variants=["fastformer"],
        seeds=[1, 2],
        ablations={"datasets": ["films"], "variants": ["add", "fastformer"]},
    )
    fake.write_world(chosen, ["bad", "good"])
    return chosen


def files() -> dict[str, str]:
    return {
        path.relative_to(paths.REPORT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(paths.REPORT.rglob("*"))
        if path.is_file()
    }


def test_all_files_are_written_and_the_same_twice(chosen: Params) -> None:
    report.run(chosen)
    first = files()
    assert list(first) == [
        "index.html",
        "metrics/ablation.add.json",
        "metrics/ablation.fastformer.json",
        "metrics/fastformer.json",
        "metrics/majority.json",
        "metrics/tfidf_logreg.json",
        "results.json",
        "results.md",
    ]
    report.run(chosen)
    assert files() == first


def test_a_name_in_both_grids_is_two_rows(chosen: Params) -> None:
    report.run(chosen)
    rows = [row for row in read_json(paths.REPORT / "results.json")["rows"] if row["variant"] == "fastformer"]
    assert [row["kind"] for row in rows] == ["variant", "ablation"]
    means = [row["metrics"]["accuracy"]["mean"] for row in rows]
    assert read_json(paths.REPORT / "metrics/fastformer.json") == {"films": pytest.approx(means[0], abs=1e-6)}
    assert read_json(paths.REPORT / "metrics/ablation.fastformer.json") == {"films": pytest.approx(means[1], abs=1e-6)}


def test_the_page_holds_plotly(chosen: Params) -> None:
    report.run(chosen)
    assert (paths.REPORT / "index.html").stat().st_size > 3_000_000


def test_an_error_leaves_the_last_report_as_it_was(chosen: Params) -> None:
    report.run(chosen)
    before = files()
    labels = fake.labels_of(["bad", "good"], 7)
    fake.write_run("train", "films", "fastformer", 2, labels, labels, ["bad", "good"])
    with pytest.raises(UserError):
        report.run(chosen)
    assert files() == before


def test_neither_torch_nor_wandb_nor_sklearn_is_imported() -> None:
    code = "import sys, pipeline.stages.report, pipeline.report.show; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=fake.REPOSITORY, capture_output=True, text=True, check=True)
    assert not {"torch", "pytorch_lightning", "wandb", "sklearn"} & set(done.stdout.split())
