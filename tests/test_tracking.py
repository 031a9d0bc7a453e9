"""W&B runs as they lie on disk, read back with W&B's own viewer."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from pipeline import params, tracking
from pipeline.tracking import STEP, Charts, Confusion, Tracker


@pytest.fixture
def options(workspace: Path) -> params.Tracking:  # noqa: ARG001
    return params.load().tracking


def start(options: params.Tracking, identifier: str = "abcd1234") -> Tracker:
    config = {"model": {"dim": 8}, "seed": 1}
    names = {"name": "set/variant/1", "group": "train set", "job_type": "train"}
    return Tracker(options, identifier=identifier, config=config, **names)


def finish(tracker: Tracker) -> None:
    tracker.finish(
        {"test/accuracy": 0.75},
        Charts(["text", "label"], [["a text", "bad"]], Confusion(["bad", "good"], [0, 1, 1, 0], [0, 1, 0, 0])),
    )


def inspect(folder: str, *options: str) -> str:
    command = [sys.executable, "-m", "wandb", "leet", "inspect", *options, folder]
    return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def runs(workspace: Path) -> list[Path]:
    return sorted((workspace / "experiments/wandb").glob("*run-*"))


def history(folder: str) -> list[dict[str, Any]]:
    """What was logged, as {key: value} per row, without W&B's own keys."""
    records = [json.loads(line) for line in inspect(folder, "--json").splitlines()]
    text = [json.dumps(record) for record in records if record.get("type") == "history"]
    return [json.loads(line) for line in text]


def test_a_run_holds_config_curves_and_summary_and_a_resumed_one_leaves_one_folder(
    options: params.Tracking, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    killed = start(options)
    killed.log(10, {"train/loss": 0.9})
    (left,) = runs(workspace)
    killed._run.finish()
    start(options, "another1")._run.finish()

    resumed = start(options)
    for step, loss in ((10, 0.9), (20, 0.5)):
        resumed.log(step, {"train/loss": loss})
    finish(resumed)

    (folder,) = [run for run in runs(workspace) if "another1" not in run.name]
    assert folder != left
    assert "abcd1234" in folder.name
    assert resumed.folder == folder.relative_to(workspace).as_posix()
    assert len(runs(workspace)) == 2
    summary = json.loads(inspect(str(folder), "--summary", "--json"))
    shown = json.dumps(summary)
    assert '"test/accuracy": 0.75' in shown
    assert "set/variant/1" in shown
    assert "dim" in shown
    rows = json.dumps(history(str(folder)))
    assert STEP in rows
    assert rows.count("train/loss") == 2
    media = {file.name.split("_table")[0] for file in (folder / "files/media/table/test").iterdir()}
    assert "confusion_matrix" in media


def test_disabled_tracking_writes_nothing(options: params.Tracking, workspace: Path) -> None:
    tracker = start(options.model_copy(update={"mode": "disabled"}))
    tracker.log(1, {"train/loss": 1.0})
    finish(tracker)
    assert tracker.folder is None
    assert not (workspace / "experiments").exists()


def test_online_writes_offline_and_uploads_from_a_process_of_its_own(
    options: params.Tracking, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(tracking, "start_sync", synced.append)
    tracker = start(options.model_copy(update={"mode": "online"}))
    finish(tracker)
    assert synced == runs(workspace)
    assert synced[0].name.startswith("offline-run-")


def test_an_upload_that_fails_says_so_in_its_log_and_nowhere_else(
    options: params.Tracking, workspace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(workspace))
    tracker = start(options)
    finish(tracker)
    (folder,) = runs(workspace)
    capfd.readouterr()
    tracking.start_sync(folder)
    psutil.Process(int((folder / "sync.pid").read_text())).wait(timeout=60)
    assert "API key" in (folder / "sync.log").read_text()
    assert capfd.readouterr().err == ""


def test_a_killed_trainings_upload_is_ended_and_no_other_process(tmp_path: Path) -> None:
    nothing_there, of_another, mine = (tmp_path / name for name in "abc")
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    upload, other = subprocess.Popen([*sleeper, str(mine)]), subprocess.Popen(sleeper)
    for folder, process in ((of_another, other), (mine, upload)):
        folder.mkdir()
        (folder / "sync.pid").write_text(str(process.pid))
    try:
        for folder in (nothing_there, of_another, mine):
            tracking.stop_sync(folder)
        assert upload.wait(timeout=10) != 0
        assert other.poll() is None
    finally:
        for process in (upload, other):
            process.kill()
            process.wait()
