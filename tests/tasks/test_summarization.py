"""Training a summarizer: what a loss is a mean of, what is written when, and that a killed training goes on."""

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.metrics import rouge
from pipeline.params import Hardware, Params, Run, Tracking
from pipeline.stages import fetch, prepare
from pipeline.state import RunState
from pipeline.tasks import summarization
from pipeline.tasks.fit import fit_and_test
from pipeline.text import articles
from pipeline.text.articles import BEGIN_ID
from pipeline.tracking import Tracker
from tests.stages import own
from tests.tasks.test_fit import CopyingKeeper

DATASET = "newsroom_briefs"
NUMBERS = {"train": 30, "validation": 12, "test": 9}


@dataclass
class Trained:
    module: summarization.SummarizationModule
    keeper: CopyingKeeper


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("done")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("DVC_ROOT", str(folder))
        values = pipeline_params.load(own.REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
        values["data"][DATASET]["source"] |= {"articles": NUMBERS, "summary_length": 12}
        params = Params.model_validate(values)
        fetch.run(params, DATASET)
        prepare.run(params, DATASET)
    return folder / paths.prepared(DATASET)


@pytest.fixture(scope="module")
def vectors(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("embeddings")
    size = articles.read_info(prepared).vocabulary_size
    np.save(folder / "vectors.npy", np.random.default_rng(1).normal(size=(size, 6)).astype(np.float32))
    return folder


@pytest.fixture(scope="module")
def values(shipped: Params) -> Run:
    """A tiny model with dropout and smoothing, two epochs of a few batches, summaries of five articles after each."""
    run = shipped.run(DATASET, "fastformer", 1)
    model = run.model.model_copy(update={"dim": 8, "heads": 2, "feedforward_dim": 8, "dropout": 0.2, "beam": 2})
    training = run.training.model_copy(
        update={
            "batch_size": 8,
            "batch_tokens": 1500,
            "max_epochs": 2,
            "lr": 0.01,
            "label_smoothing": 0.1,
            "validation_summaries": 5,
        }
    )
    return run.model_copy(update={"model": model, "training": training})


def trained(
    folder: Path, values: Run, prepared: Path, vectors: Path, hardware: Hardware, tracking: Tracking
) -> Trained:
    torch.manual_seed(12345)  # a run must not depend on the random state that it finds
    folder.mkdir(exist_ok=True)
    module, data, _ = summarization.build(values, prepared, vectors, hardware)
    keeper = CopyingKeeper(RunState(folder), values.training, checkpoint_seconds=0, log_every_steps=1)
    tracker = Tracker(tracking, identifier="t", name="t", group="t", job_type="t", config={})
    fit_and_test(module, data, hardware, RunState(folder), keeper, tracker)
    return Trained(module, keeper)


@pytest.fixture(scope="module")
def done(
    tmp_path_factory: pytest.TempPathFactory,
    values: Run,
    prepared: Path,
    vectors: Path,
    hardware: Hardware,
    no_tracking: Tracking,
) -> Trained:
    return trained(tmp_path_factory.mktemp("runs") / "done", values, prepared, vectors, hardware, no_tracking)


def test_a_batch_is_padded_articles_and_shifted_summaries() -> None:
    examples = [
        (np.array([5, 6, 7], np.int32), np.array([8, 3], np.int32), 4),
        (np.array([5], np.int32), np.array([3], np.int32), 0),
    ]
    batch = summarization.collate(examples)
    assert batch.ids.tolist() == [[5, 6, 7], [5, 0, 0]]
    assert batch.before.tolist() == [[BEGIN_ID, 8], [BEGIN_ID, 3]]
    assert batch.target.tolist() == [[8, 3], [3, 0]]
    assert batch.target_mask.tolist() == [[True, True], [True, False]]
    assert batch.numbers.tolist() == [4, 0]
    assert (batch.tokens, batch.words) == (7, 3)


def test_losses_are_means_over_words_without_smoothing(
    values: Run, prepared: Path, vectors: Path, hardware: Hardware
) -> None:
    module, data, _ = summarization.build(values, prepared, vectors, hardware)
    batches = list(data.val_dataloader())
    module.train()
    smoothed = module.step(batches[0])
    module.eval()
    total = words = 0.0
    for batch in batches:
        result = module.step(batch)
        memory = module.model.encode(batch.ids, batch.mask)
        hidden, _ = module.model.decode(memory, batch.before)
        losses = module.model.losses(memory, hidden, batch.target, label_smoothing=0.0)[batch.target_mask]
        assert result.loss.item() == pytest.approx(losses.mean().item(), rel=1e-5)
        assert result.examples == len(losses)
        total, words = total + losses.sum().item(), words + len(losses)
    assert words == len(articles.read(prepared, "validation").target.ids)
    assert smoothed.loss.item() != pytest.approx(module.step(batches[0]).loss.item(), rel=1e-3)


def test_a_test_writes_every_summary(done: Trained, prepared: Path) -> None:
    module, records = done.module, articles.read_records(prepared, "test")
    assert len(module.summaries) == len(module.scores) == NUMBERS["test"]
    expected = rouge.f_measures(records.summary, module.summaries, processes=1)
    assert np.array_equal(module.scores, expected)
    assert set(module.evaluated) == {
        "loss",
        *rouge.ROUGES,
        *(f"{one}_{end}" for one in rouge.ROUGES for end in ("low", "high")),
    }
    assert module.evaluated["rouge_2"] == pytest.approx(expected[:, 1].mean())


def test_an_experiment_says_what_it_wrote(
    tmp_path: Path, values: Run, prepared: Path, vectors: Path, hardware: Hardware, no_tracking: Tracking, done: Trained
) -> None:
    made = summarization.SummarizationExperiment(values, prepared, vectors, hardware)
    keeper = CopyingKeeper(RunState(tmp_path), values.training, checkpoint_seconds=600, log_every_steps=1)
    tracker = Tracker(no_tracking, identifier="t", name="t", group="t", job_type="t", config={})
    fit_and_test(made.module, made.data, hardware, RunState(tmp_path), keeper, tracker)
    predictions, records = made.predictions(), articles.read_records(prepared, "test")
    assert predictions["id"].tolist() == list(range(NUMBERS["test"]))
    assert predictions["reference"].to_pylist() == records.summary
    assert predictions["summary"].to_pylist() == made.module.summaries == done.module.summaries
    assert predictions["rouge_2"].mean() == pytest.approx(made.module.evaluated["rouge_2"])
    charts = made.charts(predictions)
    assert [row[0] for row in charts.samples] == records.body
    described = json.loads(json.dumps(made.description()))
    assert described["task"] == "summarization"
    assert described["rouge"] == rouge.protocol()
    assert described["search"]["beam"] == 2
    assert made.result().startswith("test rouge_1 ")


def test_a_validation_measures_a_sample(done: Trained) -> None:
    assert [list(row) for row in done.keeper.history] == 2 * [
        ["epoch", "step", "train_loss", "validation_loss", *(f"validation_{name}" for name in rouge.ROUGES)]
    ]
    assert all(math.isfinite(value) for row in done.keeper.history for value in row.values())


def test_the_sample_is_the_same_whatever_the_batches(
    values: Run, prepared: Path, vectors: Path, hardware: Hardware, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summarization.SummarizationModule, "split", "validation")
    found = []
    for size in (1, 12):
        training = values.training.model_copy(update={"batch_size": size, "batch_tokens": None})
        module, data, _ = summarization.build(
            values.model_copy(update={"training": training}), prepared, vectors, hardware
        )
        module.eval()
        outputs = [module.written(batch) for batch in data.val_dataloader()]
        joined = {name: torch.cat([one[name] for one in outputs]) for name in ("number", "summary")}
        module.metrics(joined)
        assert joined["number"].sort().values.tolist() == articles.fixed_sample(NUMBERS["validation"], 5)
        found.append(module.summaries)
    assert found[0] == found[1]


def test_a_killed_training_ends_where_an_unbroken_one_does(
    done: Trained, tmp_path: Path, values: Run, prepared: Path, vectors: Path, hardware: Hardware, no_tracking: Tracking
) -> None:
    copies = done.keeper.copies
    assert len(copies) > 4
    for copy in (copies[1], copies[len(copies) // 2 + 1]):
        again = trained(shutil.copytree(copy, tmp_path / copy.name), values, prepared, vectors, hardware, no_tracking)
        assert again.keeper.history == done.keeper.history
        assert again.module.summaries == done.module.summaries
        assert again.module.evaluated == done.module.evaluated
        weights, expected = (load_file(one.keeper.files.best_weights) for one in (again, done))
        assert all(torch.equal(weights[name], expected[name]) for name in expected)


def test_values_of_params_reach_the_model_and_the_search(values: Run, prepared: Path) -> None:
    info = articles.read_info(prepared)
    model = values.model.model_copy(
        update={
            "decoder_layers": 3,
            "copy_words": False,
            "length_penalty": 0.5,
            "min_summary": 4,
            "block_trigrams": True,
        }
    )
    run = values.model_copy(update={"model": model})
    options, search = summarization.summarizer_options(run, info, 6), summarization.search_options(run, info)
    assert (options.decoder_layers, options.copy_words, options.summary_length) == (3, False, 12)
    assert (options.text.vocabulary_size, options.text.vector_dim) == (info.vocabulary_size, 6)
    assert (search.beam, search.length_penalty, search.min_length, search.max_length) == (2, 0.5, 4, 12)
    assert search.block_trigrams
