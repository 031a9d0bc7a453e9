"""A recommender's training and evaluation, against plain ones."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from pipeline.metrics.ranking import ranking
from pipeline.models.recommender import ClickBatch
from pipeline.params import Hardware, Run, Tracking
from pipeline.registry import ATTENTIONS, WITHOUT_LAYERS
from pipeline.section import merged
from pipeline.state import RunState
from pipeline.tasks import recommendation
from pipeline.tasks.fit import fit_and_test
from pipeline.tasks.recommendation import RecommendationExperiment, RecommendationModule, click_loss
from pipeline.text import impressions, ragged
from pipeline.text.impressions import HISTORIES
from pipeline.tracking import Tracker
from tests.tasks import clicks
from tests.tasks.test_fit import CopyingKeeper

Builder = Callable[..., RecommendationModule]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clicks")
    clicks.write(made)
    return made


@pytest.fixture(scope="module")
def with_abstracts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("abstracts")
    clicks.write(made, abstracts=True)
    return made


@pytest.fixture(scope="module")
def values(shipped: Any) -> Run:
    run = shipped.run("newsroom_clicks", "fastformer", 1)
    model = run.model.model_copy(update={"dim": 8, "heads": 2, "feedforward_dim": 8})
    training = run.training.model_copy(update={"batch_size": 16, "max_epochs": 3, "lr": 0.01})
    return merged(run, run.model_copy(update={"model": model, "training": training}))


@pytest.fixture
def build(values: Run, embeddings: Path, hardware: Hardware) -> Builder:
    def made(folder: Path, *, model: dict[str, Any] | None = None, **variant: Any) -> RecommendationModule:
        attention = variant.get("attention", "fastformer")
        if attention != "fastformer" and variant.get("user_attention") != "fastformer":
            variant |= {"interaction": None, "sharing": None, "scoring": None}
        changed = values.model_copy(
            update={
                "variant": values.variant.model_copy(update=variant),
                "model": values.model.model_copy(update=model or {}),
            }
        )
        module, _, _ = recommendation.build(changed, folder, embeddings, hardware)
        return module.eval()

    return made


def direct(module: RecommendationModule, folder: Path, split: str) -> Iterator[Tensor]:
    """The scores of each impression by itself, by the model's own `forward`."""
    found, histories = impressions.read(folder, split), ragged.read(folder, HISTORIES)
    for number in range(len(found)):
        history = histories[found.history[number]]
        candidates = found.candidates[number]
        slots = max(len(history), 1)
        batch = ClickBatch(
            news=module.ranker.table.news(np.concatenate([history, candidates])),
            history=torch.arange(slots)[None],
            history_mask=torch.full((1, slots), len(history) > 0),
            user=torch.zeros(1, dtype=torch.int64),
            candidates=torch.arange(len(history), len(history) + len(candidates))[None],
            candidate_mask=torch.ones(1, len(candidates), dtype=torch.bool),
        )
        yield module.model(batch)[0]


@torch.no_grad()
def ranked(
    module: RecommendationModule, folder: Path, values: Run, hardware: Hardware, split: str
) -> dict[int, Tensor]:
    """Scores by impression, as an evaluation makes them."""
    data = recommendation.RecommendationData(folder, module.ranker.table, values, hardware)
    module.ranker.encode(torch.device("cpu"))
    found: dict[int, Tensor] = {}
    for batch in data.rank_loader(impressions.read(folder, split)):
        parts = module.ranker.scores(batch).split(batch.sizes.tolist())
        found |= dict(zip(batch.impressions.tolist(), parts, strict=True))
    return found


@pytest.mark.parametrize("attention", [*ATTENTIONS, *WITHOUT_LAYERS])
def test_cached_evaluation_gives_the_scores_of_direct_evaluation(
    build: Builder, folder: Path, values: Run, hardware: Hardware, attention: str
) -> None:
    module = build(folder, attention=attention)
    cached = ranked(module, folder, values, hardware, "test")
    with torch.no_grad():
        for number, scores in enumerate(direct(module, folder, "test")):
            torch.testing.assert_close(cached[number], scores, atol=1e-5, rtol=1e-5)
    assert len(cached) == clicks.SIZES["test"]


@pytest.mark.parametrize(
    "changes",
    [
        {"user_attention": "transformer"},
        {"attention": "transformer", "user_attention": "fastformer"},
        {"user_attention": "mean"},
        {"attention": "mean", "user_attention": "none"},
        {"model": {"positions": True, "layer_norm": True}},
        {"model": {"category": True}},
        {"model": {"feedforward": False, "residual": False}},
    ],
    ids=str,
)
def test_cached_evaluation_with_other_parts(
    build: Builder, with_abstracts: Path, values: Run, hardware: Hardware, changes: dict[str, Any]
) -> None:
    module = build(with_abstracts, **changes)
    cached = ranked(module, with_abstracts, values, hardware, "validation")
    with torch.no_grad():
        for number, scores in enumerate(direct(module, with_abstracts, "validation")):
            torch.testing.assert_close(cached[number], scores, atol=1e-5, rtol=1e-5)


def test_an_evaluation_encodes_each_article_and_each_history_once(
    build: Builder, folder: Path, values: Run, hardware: Hardware, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.tasks.news_data.HISTORIES_AT_A_TIME", 4)
    module = build(folder)
    encoded: dict[str, int] = {"news": 0, "user": 0}
    module.model.news.register_forward_hook(lambda _m, _i, out: encoded.update(news=encoded["news"] + len(out)))
    module.model.user.register_forward_hook(lambda _m, _i, out: encoded.update(user=encoded["user"] + len(out)))
    ranked(module, folder, values, hardware, "test")
    assert encoded == {"news": clicks.NEWS, "user": len(set(impressions.read(folder, "test").history.tolist()))}


def test_metrics_are_those_of_the_ranking(build: Builder, folder: Path, values: Run, hardware: Hardware) -> None:
    module = build(folder)
    data = recommendation.RecommendationData(folder, module.ranker.table, values, hardware)
    module.on_validation_epoch_start()
    with torch.no_grad():
        for index, batch in enumerate(data.val_dataloader()):
            module.validation_step(batch, index)
    module.on_validation_epoch_end()
    found = impressions.read(folder, "validation")
    scores = torch.cat(list(direct(module, folder, "validation"))).detach().numpy()
    expected = ranking(scores, found.labels(), np.asarray(found.candidates.offsets)).means()
    assert {name: module.evaluated[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    each = []
    for row, clicked in zip(
        np.split(scores.astype(np.float64), found.candidates.offsets[1:-1]),
        np.split(found.labels(), found.candidates.offsets[1:-1]),
        strict=True,
    ):
        others = np.exp(row[~clicked]).sum()
        each += [-np.log(np.exp(score) / (np.exp(score) + others)) for score in row[clicked]]
    assert module.evaluated["loss"] == pytest.approx(np.mean(each), rel=1e-5)
    assert module.ranker.news is None


def test_the_loss_of_clicks_without_others_counts_nothing() -> None:
    scores, sizes = torch.tensor([1.0, 2.0, 3.0, 0.0]), torch.tensor([2, 0, 2])
    loss, counted = click_loss(scores, torch.tensor([True, True, True, False]), sizes)
    assert (float(loss), counted) == (pytest.approx(np.log1p(np.exp(-3.0))), 1)
    assert click_loss(scores, torch.ones(4, dtype=torch.bool), sizes)[1] == 0


def test_a_killed_training_ends_as_an_unbroken_one_with_workers_too(
    values: Run, folder: Path, embeddings: Path, hardware: Hardware, no_tracking: Tracking, tmp_path: Path
) -> None:
    def train(where: Path, workers: int) -> tuple[RecommendationModule, CopyingKeeper]:
        where.mkdir(exist_ok=True)
        used = hardware.model_copy(update={"workers": workers})
        module, data, _ = recommendation.build(values, folder, embeddings, used)
        keeper = CopyingKeeper(RunState(where), values.training, checkpoint_seconds=0, log_every_steps=1)
        tracker = Tracker(no_tracking, identifier="t", name="t", group="t", job_type="t", config={})
        fit_and_test(module, data, used, keeper.files, keeper, tracker)
        return module, keeper

    unbroken, keeper = train(tmp_path / "unbroken", 0)
    assert unbroken.evaluated["auc"] > 0.6
    for number, workers in ((1, 0), (len(keeper.copies) // 2, 2), (len(keeper.copies) - 2, 0)):
        resumed, again = train(shutil.copytree(keeper.copies[number], tmp_path / f"killed-{number}"), workers)
        assert resumed.evaluated == unbroken.evaluated
        assert again.curves == keeper.curves
        for name, tensor in unbroken.model.state_dict().items():
            assert torch.equal(tensor, resumed.model.state_dict()[name]), name


def test_predictions_stand_in_the_order_of_the_split(
    values: Run, folder: Path, embeddings: Path, hardware: Hardware
) -> None:
    made = RecommendationExperiment(values, folder, embeddings, hardware)
    module = made.module.eval()
    module.on_test_epoch_start()
    with torch.no_grad():
        for index, batch in enumerate(made.data.test_dataloader()):
            module.test_step(batch, index)
        module.on_test_epoch_end()
        predictions = made.predictions()
        found = impressions.read(folder, "test")
        assert predictions["id"].tolist() == found.id.tolist()
        assert np.concatenate(predictions["clicks"].to_pylist()).tolist() == found.labels().tolist()
        assert isinstance(module, RecommendationModule)
        for scores, expected in zip(predictions["score"].to_pylist(), direct(module, folder, "test"), strict=True):
            np.testing.assert_allclose(scores, expected.numpy(), atol=1e-5)
    shown = made.charts(predictions)
    assert all(len(row) == len(shown.columns) for row in shown.samples)
    assert shown.confusion is None
    assert made.result().startswith("auc ")
    assert made.description()["model"]["max_history"] == clicks.MAX_HISTORY
