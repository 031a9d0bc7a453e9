"""Prepared impressions as batches: clicks with sampled negatives to train on, whole impressions to rank."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from pipeline.models.news import News, NewsOptions, Texts
from pipeline.models.recommender import ClickBatch
from pipeline.params import Hardware, Run
from pipeline.tasks.base import TaskData
from pipeline.tasks.loader import ResumableLoader
from pipeline.text import impressions, ragged
from pipeline.text.batching import LengthBatchSampler, groups_of_like_length, padded
from pipeline.text.impressions import ABSTRACTS, HISTORIES, TITLES, Impressions
from pipeline.text.ragged import Ragged

HISTORIES_AT_A_TIME = 512
"""Different histories whose impressions are ranked together."""

Key = tuple[int, int]
"""Epoch, and the number of a clicked candidate of training."""


class TrainBatch(NamedTuple):
    """What one step reads; `tokens` are those of the different news in it."""

    clicks: ClickBatch
    tokens: int


class RankBatch(NamedTuple):
    """n impressions of U different histories of up to N news; news have their numbers in the whole data set.

    `clicks` (candidates,) bool is empty where there are none.
    """

    impressions: Tensor  # (n,) int64, numbers in their split
    history: Tensor  # (U, N) int64
    history_mask: Tensor  # (U, N) bool, True = keep
    user: Tensor  # (n,) int64, rows of `history`
    sizes: Tensor  # (n,) int64, candidates of each
    candidates: Tensor  # (candidates,) int64
    clicks: Tensor


class NewsTable:
    """All prepared news, of which it makes model input."""

    def __init__(self, folder: Path, options: NewsOptions) -> None:
        name_of = impressions.pieces_of if options.pretrained else str
        self.titles = ragged.read(folder, name_of(TITLES))
        self.abstracts = ragged.read(folder, name_of(ABSTRACTS)) if options.abstracts else None
        self.categories = ragged.read_array(folder / "news.category.npy") if options.categories else None

    def __len__(self) -> int:
        return len(self.titles)

    def news(self, numbers: NDArray[np.integer]) -> News:
        """These articles, in this order."""
        return News(
            titles=texts(self.titles, numbers),
            abstracts=None if self.abstracts is None else texts(self.abstracts, numbers),
            categories=None if self.categories is None else torch.from_numpy(self.categories[numbers].astype(np.int64)),
        )

    def tokens(self, numbers: NDArray[np.integer]) -> int:
        """How many tokens these articles have."""
        several = [self.titles] if self.abstracts is None else [self.titles, self.abstracts]
        return sum(int(table.lengths_of(numbers).sum()) for table in several)

    def portions(self, tokens: int) -> Iterator[NDArray[np.int64]]:
        """All numbers, in portions whose titles have so many tokens, those of like length together."""
        yield from groups_of_like_length(self.titles.lengths, tokens)


def texts(table: Ragged, numbers: NDArray[np.integer]) -> Texts:
    """These rows as groups of like length."""
    rows = table.rows(numbers)
    groups = groups_of_like_length(rows.lengths)
    place = np.empty(len(rows), dtype=np.int64)
    place[np.concatenate(groups)] = np.arange(len(rows))
    padded_groups = [padded([rows[i] for i in group]) for group in groups]
    return Texts(
        [(torch.from_numpy(ids), torch.from_numpy(mask)) for ids, mask in padded_groups], torch.from_numpy(place)
    )


class ClickDataset(Dataset[TrainBatch]):
    """Every clicked candidate of training. Batches are made as a whole, so that its news are encoded once.

    The `negatives` others are drawn without replacement out of those of the same impression that weren't clicked, by
    seed, epoch and the batch's first number, so that workers change nothing; where there are fewer, all are taken.
    """

    def __init__(self, split: Impressions, table: NewsTable, histories: Ragged, negatives: int, seed: int) -> None:
        self.split = split
        self.table = table
        self.histories = histories
        self.negatives = negatives
        self.seed = seed
        self.clicked = np.flatnonzero(split.labels())
        offsets = np.asarray(split.candidates.offsets)
        self.impression = np.searchsorted(offsets, self.clicked, side="right") - 1

    def __len__(self) -> int:
        return len(self.clicked)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of the history beside each click."""
        return self.histories.lengths[self.split.history[self.impression]]

    def __getitems__(self, keys: list[Key]) -> TrainBatch:
        epoch, first = keys[0]
        numbers = np.array([number for _, number in keys])
        impression, clicked = self.impression[numbers], self.split.candidates.ids[self.clicked[numbers]]
        negatives, mask = self._negatives(impression, np.random.default_rng((self.seed, epoch, first)))
        rows, user = np.unique(self.split.history[impression], return_inverse=True)
        histories = self.histories.rows(rows)
        shown = np.concatenate([clicked[:, None], negatives], axis=1)
        news, local = np.unique(np.concatenate([histories.ids, shown.ravel()]), return_inverse=True)
        cut = len(histories.ids)
        history, history_mask = padded_rows(Ragged(local[:cut], histories.offsets))
        batch = ClickBatch(
            news=self.table.news(news),
            history=history,
            history_mask=history_mask,
            user=torch.from_numpy(user),
            candidates=torch.from_numpy(local[cut:].reshape(shown.shape)),
            candidate_mask=torch.from_numpy(np.concatenate([np.ones((len(keys), 1), dtype=bool), mask], axis=1)),
        )
        return TrainBatch(batch, self.table.tokens(news))

    def _negatives(
        self, impression: NDArray[np.int64], draw: np.random.Generator
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """(B, K) news and mask (B, K): negatives of each impression."""
        shown = self.split.candidates.rows(impression)
        clicks = self.split.labels()[self.split.candidates.places(impression)]
        of = np.repeat(np.arange(len(shown)), shown.lengths)
        # Sorted by random keys within each impression, the clicked ones behind: the first K are the draw.
        order = np.lexsort((draw.random(len(clicks)) + clicks, of))
        there = shown.lengths - np.bincount(of[clicks], minlength=len(shown))
        places = np.arange(self.negatives)
        mask = places < there[:, None]
        return shown.ids[order[np.where(mask, shown.offsets[:-1, None] + places, 0)]], mask


class EpochSampler(LengthBatchSampler):
    """Batches of keys: every number with its epoch, of which the draw of negatives depends."""

    def __iter__(self) -> Iterator[Any]:
        for batch in super().__iter__():
            yield [(self.epoch, number) for number in batch]


class RankDataset(Dataset[RankBatch]):
    """All impressions of a split, those with one history together, histories of like length together."""

    def __init__(self, split: Impressions, histories: Ragged) -> None:
        self.split = split
        self.histories = histories
        lengths = histories.lengths[split.history]
        self.order = np.lexsort((split.history, lengths))
        of = split.history[self.order]
        changes = np.flatnonzero(np.diff(of, prepend=-1))
        self.starts = np.append(changes[::HISTORIES_AT_A_TIME], len(of))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> RankBatch:
        numbers = self.order[self.starts[index] : self.starts[index + 1]]
        rows, user = np.unique(self.split.history[numbers], return_inverse=True)
        history, mask = padded_rows(self.histories.rows(rows))
        candidates = self.split.candidates.rows(numbers)
        clicks = np.zeros(0, dtype=bool)
        if self.split.clicks is not None:
            clicks = self.split.clicks[self.split.candidates.places(numbers)]
        return RankBatch(
            impressions=torch.from_numpy(numbers),
            history=history,
            history_mask=mask,
            user=torch.from_numpy(user),
            sizes=torch.from_numpy(candidates.lengths),
            candidates=torch.from_numpy(candidates.ids.astype(np.int64)),
            clicks=torch.from_numpy(clicks),
        )


def padded_rows(rows: Ragged) -> tuple[Tensor, Tensor]:
    """Rows as (U, N) int64 and a mask."""
    ids, mask = padded([rows[i] for i in range(len(rows))])
    return torch.from_numpy(ids), torch.from_numpy(mask)


class RecommendationData(TaskData):
    """The prepared splits of a recommendation data set."""

    def __init__(self, folder: Path, table: NewsTable, run: Run, hardware: Hardware) -> None:
        super().__init__(run.training, hardware, run.seed)
        self.folder = folder
        self.table = table
        self.negatives = run.training.negatives
        self.histories = ragged.read(folder, HISTORIES)

    def train_dataloader(self) -> ResumableLoader:
        train = impressions.read(self.folder, "train")
        clicks = ClickDataset(train, self.table, self.histories, self.negatives, self.seed)
        return self.resumable(clicks, EpochSampler(clicks.lengths, self.batch_size, self.seed), as_it_is)

    def rank_loader(self, split: Impressions) -> DataLoader[RankBatch]:
        """Every impression of the split, in batches."""
        return DataLoader(
            RankDataset(split, self.histories),
            batch_size=None,
            collate_fn=as_it_is,
            num_workers=self.hardware.workers,
            pin_memory=self.pin_memory,
        )

    def val_dataloader(self) -> DataLoader[RankBatch]:
        return self.rank_loader(impressions.read(self.folder, "validation"))

    def test_dataloader(self) -> DataLoader[RankBatch]:
        return self.rank_loader(impressions.read(self.folder, "test"))


def as_it_is(batch: Any) -> Any:
    """The data sets make whole batches."""
    return batch
