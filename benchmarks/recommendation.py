"""How fast news recommendation trains and is evaluated, beside its plain forms: python -m benchmarks.recommendation.

Made-up data with MIND's statistics: 65,000 news with titles of 11 words on average and at most 30, histories of 32
clicks on average and at most 50, and a popularity so skewed that a batch of 64 clicks has 2.5 slots for each
different article (2.6 in MIND's sample). The paper's sizes: dim 256, 16 heads, one layer, 40,000 words x 300.

- A training step, beside the per-slot form: every slot of every history (50) and every candidate is encoded, padded to
  30 words. Both have the same weights and the same loss, which is checked first with dropout off.
- An evaluation of 70,000 impressions with 37 candidates, beside a loop over impressions that encodes the history and
  the candidates of each and measures them with scikit-learn; and beside a loop that is given the news' vectors. The
  loops run on a part of the impressions, and their time is scaled.

Medians of interleaved rounds in one process.
"""

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import ndcg_score, roc_auc_score
from torch.nn import functional

from pipeline import params
from pipeline.attention.options import MixerOptions
from pipeline.metrics.ranking import ranking
from pipeline.models.news import NewsOptions
from pipeline.models.options import ModelOptions
from pipeline.models.recommender import ClickBatch, Recommender, RecommenderOptions, build_recommender
from pipeline.tasks.news_data import ClickDataset, NewsTable, RankDataset
from pipeline.tasks.ranker import Ranker
from pipeline.text import impressions, ragged
from pipeline.text.batching import LengthBatchSampler
from pipeline.text.impressions import HISTORIES, TITLES, Impressions, ImpressionWriter
from pipeline.text.ragged import Ragged, RaggedWriter

NEWS, WORDS, LONGEST, MAX_HISTORY, USERS = 65_000, 40_000, 30, 50, 50_000
TRAIN, TEST, CANDIDATES = 20_000, 70_000, 37
BATCH, NEGATIVES = 64, 4
ROUNDS, LOOPED = 9, 60


def main() -> None:
    torch.set_num_threads(params.load().hardware.threads)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        table = NewsTable(folder, NewsOptions(abstracts=False, categories=0, pretrained=False))
        histories = ragged.read(folder, HISTORIES)
        training(table, histories, impressions.read(folder, "train"))
        evaluation(table, histories, impressions.read(folder, "test"))
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"most memory of this process: {gigabytes:.1f} GB")


def write(folder: Path) -> None:
    """The made-up data, in the prepared format."""
    draw = np.random.default_rng(1)
    # Zipf-like popularity, its exponent such that slots and different news of a batch have MIND's ratio.
    chance = 1 / np.arange(1, NEWS + 1) ** 1.10
    chance = draw.permutation(chance / chance.sum())

    def news(count: int) -> NDArray[np.int64]:
        return np.searchsorted(np.cumsum(chance), draw.random(count)).clip(max=NEWS - 1)

    word_chance = np.cumsum(1 / np.arange(1, WORDS - 1))
    with RaggedWriter(folder, TITLES) as writer:
        for length in draw.binomial(LONGEST, 11 / LONGEST, NEWS).clip(min=1):
            words = 2 + np.searchsorted(word_chance, draw.random(length) * word_chance[-1])
            writer.append(words.clip(max=WORDS - 1).tolist())
    with RaggedWriter(folder, HISTORIES) as writer:
        for length in draw.beta(1.1, 0.62, USERS) * MAX_HISTORY:
            writer.append(news(round(length)).tolist())
    for split, count in (("train", TRAIN), ("test", TEST)):
        with ImpressionWriter(folder, split, clicks=True, chances=False) as writer:
            users = draw.permutation(count) % USERS
            for number, user in enumerate(users.tolist()):
                clicks = np.arange(CANDIDATES) == draw.integers(CANDIDATES)
                columns = {"id": number, "time": 0, "user": user, "history": user}
                writer.append(news(CANDIDATES).tolist(), clicks.tolist(), [], **columns)


def model(dropout: float) -> Recommender:
    mixer = MixerOptions(
        dim=256,
        heads=16,
        max_length=LONGEST,
        interaction="product",
        sharing="qv_layer",
        scoring="full",
        **dict.fromkeys(("window", "global_tokens", "random_tokens", "bucket_length", "hash_rounds"), 8),
        block_length=4,
        pooling_window=64,
        projection_dim=16,
    )
    text = ModelOptions(
        attention="fastformer",
        vocabulary_size=WORDS,
        vector_dim=300,
        frozen=False,
        layers=1,
        feedforward_dim=256,
        dropout=dropout,
        init_std=0.1,
        positions=False,
        feedforward=True,
        residual=True,
        layer_norm=False,
        recompute=False,
        mixer=mixer,
    )
    options = RecommenderOptions(
        text=text,
        news=NewsOptions(abstracts=False, categories=0, pretrained=False),
        user_attention="fastformer",
        max_history=MAX_HISTORY,
    )
    torch.manual_seed(1)
    return build_recommender(options, pretrained=Path())


def per_slot(built: Recommender, batch: ClickBatch, titles: torch.Tensor) -> torch.Tensor:
    """The scores (B, C) of a batch whose every slot is encoded, padded to the longest title and history there is.

    `titles` (news of the batch, LONGEST) holds padded ids.
    """
    histories = torch.zeros(len(batch.user), MAX_HISTORY, dtype=torch.int64)
    mask = torch.zeros(len(batch.user), MAX_HISTORY, dtype=torch.bool)
    longest = batch.history.shape[1]
    histories[:, :longest], mask[:, :longest] = batch.history[batch.user], batch.history_mask[batch.user]
    slots = torch.cat([histories, batch.candidates], dim=1)
    ids = titles[slots].flatten(0, 1)
    news = built.news.text(ids, ids != 0).unflatten(0, slots.shape)
    users = built.user(news[:, :MAX_HISTORY], mask)
    return (users.unsqueeze(1) * news[:, MAX_HISTORY:]).sum(dim=-1)


def padded_titles(batch: ClickBatch) -> torch.Tensor:
    groups = [functional.pad(ids, (0, LONGEST - ids.shape[1])) for ids, _ in batch.news.titles.groups]
    return torch.cat(groups)[batch.news.titles.place]


def loss_of(scores: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(scores, torch.zeros(len(scores), dtype=torch.int64))


def training(table: NewsTable, histories: Ragged, train: Impressions) -> None:
    clicks = ClickDataset(train, table, histories, NEGATIVES, seed=1)
    sampler = LengthBatchSampler(clicks.lengths, BATCH, seed=1)
    batches = [
        clicks.__getitems__([(0, i) for i in numbers]) for numbers, _ in zip(sampler, range(ROUNDS), strict=False)
    ]
    slots = [int(one.clicks.history_mask[one.clicks.user].sum()) + one.clicks.candidates.numel() for one in batches]
    different = [len(one.clicks.news.titles.place) for one in batches]
    print(f"slots per different news in a batch of {BATCH}: {sum(slots) / sum(different):.2f}")

    plain = model(0.0)
    for one in batches[:2]:
        with torch.no_grad():
            ours, theirs = loss_of(plain(one.clicks)), loss_of(per_slot(plain, one.clicks, padded_titles(one.clicks)))
        print(f"loss {float(ours):.8f}, per slot {float(theirs):.8f}, difference {abs(float(ours - theirs)):.1e}")

    built = model(0.2).train()
    optimizer = torch.optim.Adam(built.parameters(), lr=1e-4, fused=True)

    def step(scores: Callable[[], torch.Tensor]) -> float:
        started = time.perf_counter()
        optimizer.zero_grad()
        loss_of(scores()).backward()
        optimizer.step()
        return time.perf_counter() - started

    times: dict[str, list[float]] = {"ours": [], "per slot": []}
    for one in batches:
        titles = padded_titles(one.clicks)
        times["ours"].append(step(lambda one=one: built(one.clicks)))
        times["per slot"].append(step(lambda one=one, titles=titles: per_slot(built, one.clicks, titles)))
    report("training step", times, 1000, "ms")


def evaluation(table: NewsTable, histories: Ragged, test: Impressions) -> None:
    built = model(0.2).eval()
    ranker = Ranker(built, table)
    looped = np.random.default_rng(2).choice(len(test), LOOPED * ROUNDS, replace=False).reshape(ROUNDS, LOOPED)
    times: dict[str, list[float]] = {"ours": [], "loop": [], "loop with the news' vectors": []}
    with torch.inference_mode():
        for numbers in looped[:3]:
            started = time.perf_counter()
            ranker.encode(torch.device("cpu"))
            encoded = time.perf_counter()
            batches = RankDataset(test, histories)
            scores = np.zeros(len(test.candidates.ids), dtype=np.float32)
            for number in range(len(batches)):
                batch = batches[number]
                scores[test.candidates.places(batch.impressions.numpy())] = ranker.scores(batch).numpy()
            scored = time.perf_counter()
            mine = ranking(scores, test.labels(), np.asarray(test.candidates.offsets))
            ended = time.perf_counter()
            print(
                f"evaluation: news {encoded - started:.1f} s, histories and scores {scored - encoded:.1f} s, metrics "
                f"{ended - scored:.2f} s"
            )
            times["ours"].append(ended - started)
            vectors = ranker.news
            assert vectors is not None
            for name, given in (("loop", None), ("loop with the news' vectors", vectors)):
                started = time.perf_counter()
                found = [alone(built, table, histories, test, number, given) for number in numbers.tolist()]
                times[name].append((time.perf_counter() - started) * len(test) / LOOPED)
            expected = mine.values["auc"][np.searchsorted(mine.impressions, numbers)]
            worst = np.abs(np.array([auc for auc, _, _, _ in found]) - expected).max()
            print(f"greatest difference of an impression's AUC from the loop's: {worst:.1e}")
    report(f"evaluation of {len(test):,} impressions", times, 1, "s")


def alone(
    built: Recommender,
    table: NewsTable,
    histories: Ragged,
    test: Impressions,
    number: int,
    vectors: torch.Tensor | None,
) -> tuple[float, float, float, float]:
    """AUC, MRR, nDCG@5 and @10 of one impression, by itself."""
    history, candidates = histories[test.history[number]], test.candidates[number]
    read, shown = (
        built.news(table.news(some)) if vectors is None and len(some) else
        torch.zeros(0, 256) if vectors is None else vectors[torch.from_numpy(some.astype(np.int64))]
        for some in (history, candidates)
    )  # fmt: skip
    if not len(read):
        read = torch.zeros(1, 256)
    user = built.user(read[None], torch.full((1, len(read)), len(history) > 0))
    scores = (shown @ user[0]).numpy()
    start = test.candidates.offsets[number]
    clicks = test.labels()[start : start + len(candidates)]
    order = np.argsort(-scores, kind="stable")
    ranks = np.flatnonzero(clicks[order]) + 1
    gains, given = clicks[None].astype(float), scores[None]
    return (
        float(roc_auc_score(clicks, scores)),
        float((1 / ranks).mean()),
        float(ndcg_score(gains, given, k=5)),
        float(ndcg_score(gains, given, k=10)),
    )


def report(title: str, times: dict[str, list[float]], scale: float, unit: str) -> None:
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        ratios = [one / ours for one, ours in zip(times[name], times["ours"], strict=True)]
        spread = f"{min(ratios):.1f} to {max(ratios):.1f} in {len(ratios)} rounds"
        print(f"{title}, {name}: {scale * median:,.1f} {unit}, {median / medians['ours']:.1f} times ours ({spread})")


if __name__ == "__main__":
    sys.exit(main())
