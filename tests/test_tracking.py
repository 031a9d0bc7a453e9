"""W&B runs as they lie on disk, read back with W&B's own viewer."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline import params, tracking
from pipeline.tracking import STEP, Tracker


@pytest.fixture
def options(workspace: Path) -> params.Tracking:  # noqa: ARG001
    return params.load().tracking


def start(options: params.Tracking, kept: dict[str, Any]) -> Tracker:
    config = {"model": {"dim": 8}, "seed": 1}
    return Tracker(options, name="set/variant/1", group="train set", job_type="train", config=config, kept=kept)


def finish(tracker: Tracker) -> None:
    tracker.finish(
        summary={"test/accuracy": 0.75},
        labels=["bad", "good"],
        true=[0, 1, 1, 0],
        predicted=[0, 1, 0, 0],
        samples=(["text", "label"], [["a text", "bad"]]),
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
    killed = start(options, {})
    killed.log(10, {"train/loss": 0.9})
    kept = killed.kept
    assert [folder.as_posix() for folder in runs(workspace)] == [kept["folder"]]
    killed._run.finish()

    resumed = start(options, kept)
    assert resumed.kept["id"] == kept["id"]
    for step, loss in ((10, 0.9), (20, 0.5)):
        resumed.log(step, {"train/loss": loss})
    finish(resumed)

    (folder,) = runs(workspace)
    assert folder.name.endswith(kept["id"])
    assert resumed.folder == folder.relative_to(workspace).as_posix()
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
    tracker = start(options.model_copy(update={"mode": "disabled"}), {})
    tracker.log(1, {"train/loss": 1.0})
    finish(tracker)
    assert tracker.folder is None
    assert not (workspace / "experiments").exists()


def test_online_writes_offline_and_uploads_from_a_process_of_its_own(
    options: params.Tracking, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(tracking, "_sync", synced.append)
    tracker = start(options.model_copy(update={"mode": "online"}), {})
    finish(tracker)
    assert synced == runs(workspace)
    assert synced[0].name.startswith("offline-run-")
