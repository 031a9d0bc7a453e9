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

from pipeline.metrics.ranking import ranking
from pipeline.models.news import NewsOptions
from pipeline.models.recommender import Recommender, RecommenderOptions, build_recommender
from pipeline.params import Hardware, Run, Training
from pipeline.tasks.base import Experiment, StepResult, TaskModule
from pipeline.tasks.model_options import model_options
from pipeline.tasks.news_data import NewsTable, RankBatch, RecommendationData, TrainBatch
from pipeline.text import impressions, ragged
from pipeline.text.impressions import HISTORIES, RecommendationInfo
from pipeline.text.ragged import Ragged
from pipeline.tracking import Charts

NEWS_TOKENS = 16_384
"""Tokens of titles that are encoded at a time for an evaluation."""

CANDIDATES_AT_A_TIME = 32_768

SAMPLES, SHOWN_HISTORY, SHOWN_CANDIDATES = 10, 5, 8
"""Test impressions that W&B shows, and how much of each."""


class RecommendationModule(TaskModule):
    """Softmax over a click and its negatives to train; AUC, MRR and nDCG of whole impressions.

    An evaluation encodes every article once, and every history that a split has once.
    """

    model: Recommender

    def __init__(self, model: Recommender, training: Training, seed: int, table: NewsTable) -> None:
        super().__init__(model, training, seed)
        self.table = table
        self.news_vectors: Tensor | None = None

    def step(self, batch: TrainBatch) -> StepResult:
        clicks = batch.clicks
        scores = self.model(clicks).masked_fill(~clicks.candidate_mask, float("-inf"))
        loss = functional.cross_entropy(scores, torch.zeros_like(clicks.user))
        return StepResult(loss, len(clicks.user), batch.tokens, {})

    def on_validation_epoch_start(self) -> None:
        self.encode_news()

    def on_test_epoch_start(self) -> None:
        self.encode_news()

    def encode_news(self) -> None:
        """Keeps the vectors (news, D) of all articles for `scores`. The model must be in evaluation mode."""
        vectors: Tensor | None = None
        for numbers in self.table.portions(NEWS_TOKENS):
            encoded = self.model.news(self.transfer_batch_to_device(self.table.news(numbers), self.device, 0))
            if vectors is None:
                vectors = encoded.new_empty(len(self.table), encoded.shape[1])
            vectors[torch.from_numpy(numbers).to(self.device)] = encoded
        self.news_vectors = vectors

    def scores(self, batch: RankBatch) -> Tensor:
        """(candidates,) float32, of whole impressions; `encode_news` comes before."""
        news = self.news_vectors
        assert news is not None
        users = self.model.user(news[batch.history], batch.history_mask)[batch.user]
        of = torch.repeat_interleave(torch.arange(len(batch.sizes), device=users.device), batch.sizes)
        parts = zip(*(torch.split(each, CANDIDATES_AT_A_TIME) for each in (batch.candidates, of)), strict=True)
        return torch.cat([(news[some] * users[rows]).sum(dim=-1, dtype=torch.float32) for some, rows in parts])

    def evaluate(self, batch: RankBatch) -> StepResult:
        scores = self.scores(batch)
        loss, clicks = click_loss(scores, batch.clicks, batch.sizes)
        outputs = {"score": scores, "click": batch.clicks, "number": batch.impressions, "size": batch.sizes}
        return StepResult(loss, clicks, len(batch.candidates), outputs)

    def metrics(self, outputs: dict[str, Tensor]) -> dict[str, float]:
        self.news_vectors = None
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
            abstracts=info.abstract_length is not None, categories=len(info.categories) if run.model.category else 0
        ),
        user_attention=run.variant.user_attention or run.variant.attention,
        max_history=info.max_history,
    )


def build(
    run: Run, prepared: Path, embeddings: Path, hardware: Hardware
) -> tuple[RecommendationModule, RecommendationData, RecommenderOptions]:
    """The module with its weights drawn from the run's seed, the data, and the model's options."""
    vectors = np.load(embeddings / "vectors.npy", allow_pickle=False)
    options = recommender_options(run, impressions.read_info(prepared), vectors.shape[1])
    table = NewsTable(prepared, options.news)
    torch.manual_seed(run.seed)
    model = build_recommender(options, vectors=torch.from_numpy(vectors))
    module = RecommendationModule(model, run.training, run.seed, table)
    return module, RecommendationData(prepared, table, run, hardware), options


class RecommendationExperiment(Experiment):
    """A training of a news recommender."""

    PREPARED = impressions.INFO

    def __init__(self, run: Run, prepared: Path, embeddings: Path, hardware: Hardware) -> None:
        self.prepared = prepared
        self.module, self.data, self.options = build(run, prepared, embeddings, hardware)
        self.embedding_parameters = self.options.text.vocabulary_size * self.options.text.vector_dim

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
