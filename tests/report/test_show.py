"""`python -m pipeline results`."""

import re
from pathlib import Path

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import write_json
from pipeline.params import Params
from pipeline.report.collect import collect
from pipeline.report.show import show
from tests.report import fake


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    chosen = fake.params(
        datasets=["films", "books"],
        variants=["fastformer", "frozen_vectors"],
        seeds=[1, 2, 3],
        ablations={"datasets": ["films"], "variants": ["add", "random_vectors"]},
    )
    fake.write_world(chosen, ["bad", "good"])
    return chosen


def written(chosen: Params) -> None:
    write_json(paths.REPORT / "results.json", {"rows": collect(chosen).rows})
    (paths.REPORT / "index.html").touch()
    (paths.wandb() / "wandb").mkdir()


def test_what_is_not_there_yet_is_not_named(chosen: Params, capsys: pytest.CaptureFixture[str]) -> None:
    written(chosen)
    (paths.REPORT / "index.html").unlink()
    (paths.wandb() / "wandb").rmdir()
    show(chosen)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["Report page: not there yet; `dvc repro` makes it", "W&B runs: none yet"]


def test_in_a_pipe_it_is_plain_narrow_text(chosen: Params, capsys: pytest.CaptureFixture[str]) -> None:
    paths_of_missing = paths.run("train", "films", "frozen_vectors", 2) / "metrics.json"
    paths_of_missing.unlink()
    written(chosen)
    show(chosen)
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "films: ablations of fastformer" in lines
    assert any(line.startswith("random_vectors ") for line in lines)
    assert any(line.startswith("frozen_vectors ") and line.endswith("1 3 (2 missing)") for line in lines)
    assert lines[-2] == "Report page: experiments/report/index.html"
    assert "wandb leet experiments/wandb" in lines[-1]


@pytest.mark.parametrize("columns, left_out", [(120, []), (100, ["95 %"]), (80, ["95 %", "parameters", "tokens/s"])])
def test_a_narrow_terminal_leaves_columns_out_and_folds_no_name(
    chosen: Params,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: int,
    left_out: list[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("FORCE_COLOR", "1")
    written(chosen)
    show(chosen)
    text = re.sub("\x1b[^m]*m", "", capsys.readouterr().out)
    assert "random_vectors" in text and "tfidf_logreg" in text
    assert [name for name in ("95 %", "parameters", "tokens/s", "minutes", "macro-F1") if name not in text] == left_out


def test_disabled_tracking_is_said(chosen: Params, capsys: pytest.CaptureFixture[str]) -> None:
    written(chosen)
    tracking = chosen.tracking.model_copy(update={"mode": "disabled"})
    show(chosen.model_copy(update={"tracking": tracking}))
    assert "W&B runs: none, tracking.mode in params.yaml is disabled" in capsys.readouterr().out


def test_without_results_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"^experiments/report/results.json: not there yet; run `dvc repro`$"):
        show(fake.params())
