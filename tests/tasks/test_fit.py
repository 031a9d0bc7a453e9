"""A whole training: what it writes, and that a killed one ends where an unbroken one does."""

import csv
import json
import shutil
import signal
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from safetensors.torch import load_file

from pipeline.errors import UserError
from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.params import READ_BY_TASK, Hardware, Run, Tracking
from pipeline.registry import ATTENTIONS, WITHOUT_LAYERS
from pipeline.state import RunState
from pipeline.tasks import classification
from pipeline.tasks.fit import fit_and_test, timing
from pipeline.tasks.keeper import Keeper
from pipeline.tasks.model_options import model_options
from pipeline.tracking import Tracker


class CopyingKeeper(Keeper):
    """Copies the state after each checkpoint: what a kill at that moment would leave behind."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.copies: list[Path] = []

    def _save(self, trainer: pl.Trainer) -> None:
        super()._save(trainer)
        copy = self.files.folder.with_name(f"{self.files.folder.name}-{len(self.copies)}")
        shutil.copytree(self.files.folder, copy)
        self.copies.append(copy)


@dataclass
class Trained:
    module: classification.ClassificationModule
    keeper: CopyingKeeper
    resumed: bool
    history: str = field(init=False)

    def __post_init__(self) -> None:
        self.history = self.keeper.files.history.read_text()


@dataclass
class Trainer:
    """Trains with everything given but the state's folder."""

    run: Run
    prepared: Path
    embeddings: Path
    hardware: Hardware
    tracking: Tracking

    def __call__(self, folder: Path) -> Trained:
        torch.manual_seed(12345)  # a run must not depend on the random state that it finds
        state = RunState(folder)
        folder.mkdir(exist_ok=True)
        module, data, _ = classification.build(self.run, self.prepared, self.embeddings, self.hardware)
        keeper = CopyingKeeper(
            state, self.run.training, checkpoint_seconds=self.hardware.checkpoint_seconds, log_every_steps=1
        )
        tracker = Tracker(self.tracking, identifier="t", name="t", group="t", job_type="t", config={})
        resumed = fit_and_test(module, data, self.hardware, state, keeper, tracker)
        return Trained(module, keeper, resumed)


@pytest.fixture
def train(run: Run, prepared: Path, embeddings: Path, hardware: Hardware, no_tracking: Tracking) -> Trainer:
    return Trainer(run, prepared, embeddings, hardware, no_tracking)


def assert_same(one: Trained, other: Trained) -> None:
    assert one.history == other.history
    assert one.module.evaluated == other.module.evaluated
    assert one.keeper.curves == other.keeper.curves
    assert one.keeper.best == other.keeper.best
    for name, tensor in one.module.model.state_dict().items():
        assert torch.equal(tensor, other.module.model.state_dict()[name]), name
    for name, tensor in one.module.outputs.items():
        assert torch.equal(tensor, other.module.outputs[name]), name


def test_killed_at_any_batch_it_ends_as_an_unbroken_one(train: Trainer, tmp_path: Path) -> None:
    unbroken = train(tmp_path / "unbroken")
    assert not unbroken.resumed
    # 6 batches an epoch, 3 epochs: after each batch but the last of an epoch, and after each epoch.
    assert len(unbroken.keeper.copies) == 18
    for folder in unbroken.keeper.copies:
        resumed = train(folder)
        assert resumed.resumed
        assert_same(resumed, unbroken)


def test_killed_twice_with_workers(train: Trainer, tmp_path: Path) -> None:
    unbroken = train(tmp_path / "unbroken")
    train.hardware = train.hardware.model_copy(update={"workers": 2})
    once = train(unbroken.keeper.copies[2])
    (tmp_path / "again").mkdir()
    twice = train(once.keeper.copies[7].rename(tmp_path / "again" / "state"))
    assert_same(once, unbroken)
    assert_same(twice, unbroken)


def test_early_stopping_waits_for_patience_and_survives_a_kill(train: Trainer, tmp_path: Path) -> None:
    training = train.run.training.model_copy(update={"max_epochs": 30, "patience": 1, "lr": 0.5})
    train.run = train.run.model_copy(update={"training": training})
    stopped = train(tmp_path / "stopped")
    rows = list(csv.DictReader(stopped.history.splitlines()))
    scores = [float(row["validation_accuracy"]) for row in rows]
    assert len(rows) < 30
    assert scores[-1] <= max(scores[:-1])
    assert stopped.keeper.best["epoch"] == len(rows) - 1
    again = train(stopped.keeper.copies[-1])
    assert again.resumed
    assert_same(again, stopped)


def test_the_tested_weights_are_the_best_and_give_their_validation_metrics_again(
    train: Trainer, tmp_path: Path
) -> None:
    done = train(tmp_path / "done")
    best = done.keeper.best
    rows = [dict(row) for row in csv.DictReader(done.history.splitlines())]
    assert float(rows[int(best["epoch"]) - 1]["validation_accuracy"]) == max(
        float(row["validation_accuracy"]) for row in rows
    )
    _, data, _ = classification.build(train.run, train.prepared, train.embeddings, train.hardware)
    checker = pl.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
    checker.validate(done.module, datamodule=data, verbose=False)
    assert done.module.evaluated == {
        name.removeprefix("validation_"): value for name, value in best.items() if name.startswith("validation_")
    }


@pytest.mark.parametrize(("monitor", "best"), [("accuracy", 2), ("macro_f1", 3), ("loss", 1)])
def test_the_best_epoch_is_the_first_best_of_what_is_monitored(
    train: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, monitor: str, best: int
) -> None:
    scripted = iter([(0.5, 0.5, 0.1), (0.7, 0.4, 0.2), (0.7, 0.8, 0.2), (0.1, 0.1, 0.9)])

    def evaluate(module: classification.ClassificationModule) -> None:
        module._gathered = []
        module.evaluated = dict(zip(("accuracy", "macro_f1", "loss"), next(scripted), strict=True))

    monkeypatch.setattr(classification.ClassificationModule, "on_validation_epoch_end", evaluate)
    training = train.run.training.model_copy(update={"monitor": monitor, "patience": 3})
    train.run = train.run.model_copy(update={"training": training})
    assert train(tmp_path / "done").keeper.best["epoch"] == best


def test_losses_are_means_over_examples(train: Trainer) -> None:
    module, data, _ = classification.build(train.run, train.prepared, train.embeddings, train.hardware)
    module.eval()
    batches = list(data.val_dataloader())
    assert len({len(batch.labels) for batch in batches}) > 1
    for index, batch in enumerate(batches):
        with torch.no_grad():
            module.validation_step(batch, index)
        module.training_step(batch, index)
    module.on_validation_epoch_end()
    with torch.no_grad():
        each = [
            float(torch.nn.functional.cross_entropy(module.model(batch.ids, batch.mask), batch.labels, reduction="sum"))
            for batch in batches
        ]
    expected = sum(each) / sum(len(batch.labels) for batch in batches)
    assert module.evaluated["loss"] == pytest.approx(expected, rel=1e-5)
    assert module.train_loss == pytest.approx(expected, rel=1e-5)


def options_of(run: Run, prepared: Path) -> dict[str, Any]:
    """All options of the run's model as one flat dictionary."""
    info = classification.corpus.read_info(prepared)
    options = asdict(model_options(run, info.vocabulary_size, info.max_length, 5))
    return options | options.pop("mixer")


@pytest.mark.parametrize(
    "changes",
    [
        {"attention": "transformer"},
        {"interaction": "add"},
        {"sharing": "none"},
        {"scoring": "per_head"},
        {"vectors": "frozen"},
    ],
    ids=str,
)
def test_every_key_of_a_variant_reaches_the_model(train: Trainer, changes: dict[str, str]) -> None:
    plain = options_of(train.run, train.prepared)
    variant = train.run.variant.model_copy(update=changes)
    changed = options_of(train.run.model_copy(update={"variant": variant}), train.prepared)
    differing = {key for key in plain if plain[key] != changed[key]}
    assert differing == {"frozen" if "vectors" in changes else next(iter(changes))}
    assert plain | train.run.model.model_dump(exclude={*READ_BY_TASK}) == plain
    assert (plain["vocabulary_size"], plain["max_length"]) == (30, 12)


@pytest.mark.parametrize("attention", [*ATTENTIONS, *WITHOUT_LAYERS])
def test_what_a_run_leaves_rebuilds_its_model(train: Trainer, tmp_path: Path, attention: str) -> None:
    changes: dict[str, str | None] = {"attention": attention}
    if attention != "fastformer":
        changes |= {"interaction": None, "sharing": None, "scoring": None}
    train.run = train.run.model_copy(update={"variant": train.run.variant.model_copy(update=changes)})
    done = train(tmp_path / "done")
    _, data, options = classification.build(train.run, train.prepared, train.embeddings, train.hardware)
    written = json.loads(json.dumps(asdict(options)))
    model = build_classifier(ModelOptions.from_dict(written), classes=2, vectors=None)
    model.load_state_dict(load_file(done.keeper.files.best_weights))
    batch = next(iter(data.test_dataloader()))
    with torch.no_grad():
        assert torch.equal(model.eval()(batch.ids, batch.mask), done.module.model.eval()(batch.ids, batch.mask))


def test_lightnings_environment_variables_change_nothing(
    train: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = train(tmp_path / "usual")
    monkeypatch.setenv("PL_TRAINER_LIMIT_TRAIN_BATCHES", "2")
    monkeypatch.setenv("SLURM_NTASKS", "2")
    assert_same(train(tmp_path / "odd"), usual)


def test_seeds_differ(train: Trainer, tmp_path: Path) -> None:
    first = train(tmp_path / "1")
    train.run = train.run.model_copy(update={"seed": 2})
    assert train(tmp_path / "2").history != first.history


@pytest.mark.parametrize("vectors", ["frozen", "pretrained"])
def test_frozen_vectors_stay_and_others_learn(train: Trainer, tmp_path: Path, vectors: str) -> None:
    variant = train.run.variant.model_copy(update={"vectors": vectors})
    train.run = train.run.model_copy(update={"variant": variant})
    before, _, _ = classification.build(train.run, train.prepared, train.embeddings, train.hardware)
    after = train(tmp_path / "done").module
    same = torch.equal(before.model.embedding.tokens.weight, after.model.embedding.tokens.weight)
    assert same == (vectors == "frozen")


@pytest.mark.parametrize("precision", ["bf16-mixed", "16-mixed"])
def test_half_precision_trains(train: Trainer, tmp_path: Path, precision: str) -> None:
    training = train.run.training.model_copy(update={"precision": precision, "max_epochs": 1})
    train.run = train.run.model_copy(update={"training": training})
    if precision == "16-mixed":
        with pytest.raises(UserError, match="16-mixed needs a CUDA device"):
            train(tmp_path / "refused")
        return
    done = train(tmp_path / "done")
    assert done.module.evaluated["loss"] < 2
    assert done.module.model.output.weight.dtype == torch.float32


def test_a_loss_that_is_not_finite_ends_the_training(train: Trainer, tmp_path: Path) -> None:
    training = train.run.training.model_copy(update={"lr": 1e38})
    train.run = train.run.model_copy(update={"training": training})
    with pytest.raises(UserError, match=r"not finite after epoch 1 .*lower training\.lr"):
        train(tmp_path / "diverged")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_an_error_and_it_can_go_on(
    train: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    unbroken = train(tmp_path / "unbroken")

    def signal_in_second_epoch(_keeper: Keeper, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.current_epoch == 1:
            signal.raise_signal(number)

    monkeypatch.setattr(Keeper, "on_train_batch_start", signal_in_second_epoch)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    with pytest.raises(UserError, match="stopped by a signal; started again, it goes on from"):
        train(tmp_path / "stopped")
    signal.signal(signal.SIGINT, before)  # Lightning ignores further ones after the first
    monkeypatch.undo()
    assert_same(train((tmp_path / "stopped").rename(tmp_path / "again")), unbroken)


def test_a_gpu_that_is_not_there_is_refused(train: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    train.hardware = train.hardware.model_copy(update={"accelerator": "gpu"})
    with pytest.raises(UserError, match="no CUDA device"):
        train(tmp_path / "refused")


def test_timing_counts_the_tokens_of_training(train: Trainer, tmp_path: Path) -> None:
    done = train(tmp_path / "done")
    _, data, _ = classification.build(train.run, train.prepared, train.embeddings, train.hardware)
    lengths = data.train_dataloader().batches.lengths
    assert done.module.tokens_trained == 3 * lengths.sum()
    done.keeper.seconds = {"train": 2.0, "validation": 1.0}
    clocked = timing(done.module, done.keeper, train.hardware, resumed=False)
    assert clocked["tokens_per_second"] == 3 * lengths.sum() / 2.0
    assert clocked["train_seconds"] == 3.0
