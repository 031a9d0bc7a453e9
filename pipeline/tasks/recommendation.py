"""News recommendation: a click among others of its impression that weren't (Wu et al. 2019, NRMS, Section 2.4)."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from torch import Tensor
from torch.nn import functional

from pipeline.errors import UserError
from pipeline.metrics.ranking import ranking
from pipeline.models.news import NewsOptions
from pipeline.models.pretrained import PretrainedTextEncoder
from pipeline.models.recommender import Recommender, RecommenderOptions, build_recommender
from pipeline.params import Hardware, Run, Training
from pipeline.tasks.base import Experiment, StepResult, TaskModule
from pipeline.tasks.model_options import model_options
from pipeline.tasks.news_data import NewsTable, RankBatch, RecommendationData, TrainBatch
from pipeline.tasks.ranker import Ranker
from pipeline.text import impressions, ragged
from pipeline.text.impressions import HISTORIES, RecommendationInfo
from pipeline.text.ragged import Ragged
from pipeline.tracking import Charts

ENCODER = "encoder"
"""The folder of the pretrained news encoder in the prepared data."""

SAMPLES, SHOWN_HISTORY, SHOWN_CANDIDATES = 10, 5, 8
"""Test impressions that W&B shows, and how much of each."""


class RecommendationModule(TaskModule):
    """Softmax over a click and its negatives to train; AUC, MRR and nDCG of whole impressions.

    An evaluation encodes every article once, and every history that a split has once.
    """

    model: Recommender

    def __init__(self, model: Recommender, training: Training, seed: int, table: NewsTable) -> None:
        super().__init__(model, training, seed)
        self.ranker = Ranker(model, table)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        text = self.model.news.text
        slow = list(text.language_model.parameters()) if isinstance(text, PretrainedTextEncoder) else []
        known = {id(parameter) for parameter in slow}
        fast = [one for one in self.parameters() if one.requires_grad and id(one) not in known]
        groups: list[dict[str, Any]] = [{"params": fast}]
        if slow:
            groups.append({"params": slow, "lr": self.training_params.encoder_lr})
        return torch.optim.Adam(groups, lr=self.training_params.lr, fused=True)

    def step(self, batch: TrainBatch) -> StepResult:
        clicks = batch.clicks
        scores = self.model(clicks).masked_fill(~clicks.candidate_mask, float("-inf"))
        loss = functional.cross_entropy(scores, torch.zeros_like(clicks.user))
        return StepResult(loss, len(clicks.user), batch.tokens, {})

    def on_validation_epoch_start(self) -> None:
        self.ranker.encode(self.device)

    def on_test_epoch_start(self) -> None:
        self.ranker.encode(self.device)

    def evaluate(self, batch: RankBatch) -> StepResult:
        scores = self.ranker.scores(batch)
        loss, clicks = click_loss(scores, batch.clicks, batch.sizes)
        outputs = {"score": scores, "click": batch.clicks, "number": batch.impressions, "size": batch.sizes}
        return StepResult(loss, clicks, len(batch.candidates), outputs)

    def metrics(self, outputs: dict[str, Tensor]) -> dict[str, float]:
        self.ranker.forget()
        offsets = np.concatenate([[0], np.cumsum(outputs["size"].numpy())])
        return ranking(outputs["score"].numpy(), outputs["click"].numpy(), offsets).means()


def click_loss(scores: Tensor, clicks: Tensor, sizes: Tensor) -> tuple[Tensor, int]:
    """Mean over clicks of -log softmax of the click among all candidates of its impression that weren't clicked.

    scores, clicks (candidates,), sizes (n,) -> the mean (), 0 where nothing counts, and the number of clicks that
    count: those of impressions with a candidate that wasn't clicked. What training minimises, with all negatives.
    """
    of = torch.repeat_interleave(torch.arange(len(sizes), device=scores.device), sizes)
    others = scores.double().masked_fill(clicks, float("-inf"))
    highest = torch.full((len(sizes),), float("-inf"), dtype=torch.float64, device=scores.device)
    highest = highest.scatter_reduce(0, of, others, "amax")
    known = torch.isfinite(highest)
    shifted = torch.exp(others - highest.masked_fill(~known, 0.0)[of])
    sums = torch.zeros_like(highest).index_add(0, of, shifted)
    counted = clicks & known[of]
    rest = (highest + sums.log())[of[counted]]
    losses = torch.logaddexp(rest, scores[counted].double()) - scores[counted].double()
    return losses.sum() / max(len(losses), 1), len(losses)


def recommender_options(run: Run, info: RecommendationInfo, vector_dim: int) -> RecommenderOptions:
    """What the run's model is built from: the values of its variant and of `model`, and the sizes of its data."""
    return RecommenderOptions(
        text=model_options(run, info.vocabulary_size, info.max_length, vector_dim),
        news=NewsOptions(
            abstracts=info.abstract_length is not None,
            categories=len(info.categories) if run.model.category else 0,
            pretrained=run.variant.news_encoder == "pretrained",
        ),
        user_attention=run.variant.user_attention or run.variant.attention,
        max_history=info.max_history,
    )


def build(
    run: Run, prepared: Path, embeddings: Path, hardware: Hardware
) -> tuple[RecommendationModule, RecommendationData, RecommenderOptions]:
    """The module with its weights drawn from the run's seed, the data, and the model's options."""
    vectors = np.load(embeddings / "vectors.npy", allow_pickle=False)
    info = impressions.read_info(prepared)
    options = recommender_options(run, info, vectors.shape[1])
    if options.news.pretrained and info.news_encoder is None:
        raise UserError(
            f"variant {run.variant_name} reads a pretrained news encoder, and {prepared} was prepared without; name "
            f"one in data.{run.dataset}.source.news_encoder"
        )
    table = NewsTable(prepared, options.news)
    torch.manual_seed(run.seed)
    model = build_recommender(options, vectors=torch.from_numpy(vectors), pretrained=prepared / ENCODER)
    module = RecommendationModule(model, run.training, run.seed, table)
    return module, RecommendationData(prepared, table, run, hardware), options


class RecommendationExperiment(Experiment):
    """A training of a news recommender."""

    PREPARED = impressions.INFO

    def __init__(self, run: Run, prepared: Path, embeddings: Path, hardware: Hardware) -> None:
        self.prepared = prepared
        self.module, self.data, self.options = build(run, prepared, embeddings, hardware)
        words = self.options.text.vocabulary_size * self.options.text.vector_dim
        self.embedding_parameters = 0 if self.options.news.pretrained else words

    def description(self) -> dict[str, Any]:
        return {"task": "recommendation", "model": asdict(self.options)}

    def predictions(self) -> dict[str, Any]:
        outputs = {name: tensor.numpy() for name, tensor in self.module.outputs.items()}
        order = np.argsort(outputs["number"])
        offsets = np.concatenate([[0], np.cumsum(outputs["size"])])
        clicks, scores = (Ragged(outputs[name], offsets).rows(order) for name in ("click", "score"))
        test = impressions.read(self.prepared, "test")

        def lists(rows: Ragged) -> pa.Array:
            return pa.LargeListArray.from_arrays(pa.array(rows.offsets), pa.array(rows.ids))

        return {"id": np.asarray(test.id), "clicks": lists(clicks), "score": lists(scores)}

    def charts(self, predictions: dict[str, Any]) -> Charts:
        """The candidates of the first test impressions, best first, beside the end of the history."""
        titles = pq.read_table(self.prepared / "news.parquet", columns=["title"]).column("title").to_pylist()
        test, histories = impressions.read(self.prepared, "test"), ragged.read(self.prepared, HISTORIES)
        rows = []
        for number in range(min(SAMPLES, len(test))):
            clicks, scores = (predictions[name][number].as_py() for name in ("clicks", "score"))
            read = " | ".join(titles[news] for news in histories[test.history[number]][-SHOWN_HISTORY:][::-1])
            candidates = test.candidates[number]
            ranked = sorted(range(len(scores)), key=lambda place: -scores[place])[:SHOWN_CANDIDATES]
            rows += [[number, read, titles[candidates[i]], float(scores[i]), bool(clicks[i])] for i in ranked]
        return Charts(["impression", "read last", "candidate", "score", "clicked"], rows, None)

    def result(self) -> str:
        evaluated = self.module.evaluated
        return ", ".join(f"{name} {100 * evaluated[name]:.2f}" for name in ("auc", "mrr", "ndcg5", "ndcg10"))
