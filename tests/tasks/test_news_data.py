"""Batches of clicks, against the impressions that they come from."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.models.news import NewsOptions, Texts
from pipeline.tasks.news_data import ClickDataset, EpochSampler, NewsTable, RankDataset, texts
from pipeline.text import impressions, ragged
from pipeline.text.impressions import HISTORIES
from pipeline.text.ragged import Ragged
from tests.tasks import clicks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clicks")
    clicks.write(made)
    return made


def dataset(folder: Path, negatives: int = 3, seed: int = 1) -> ClickDataset:
    table = NewsTable(folder, NewsOptions(abstracts=False, categories=0, pretrained=False))
    return ClickDataset(impressions.read(folder, "train"), table, ragged.read(folder, HISTORIES), negatives, seed)


def rows_of(news: Texts) -> list[list[int]]:
    """The ids of every text, in its order."""
    every = [ids[i][mask[i]].tolist() for ids, mask in news.groups for i in range(len(ids))]
    return [every[place] for place in news.place.tolist()]


def test_every_click_stands_once_beside_others_of_its_impression(folder: Path) -> None:
    data = dataset(folder)
    train, histories = data.split, data.histories
    assert len(data) == train.labels().sum()
    batch = data.__getitems__([(0, number) for number in range(len(data))]).clicks
    titles = rows_of(batch.news.titles)
    assert len({tuple(title) for title in titles}) == len(titles)
    for number in range(len(data)):
        impression = data.impression[number]
        shown, clicked = train.candidates[impression], train.labels()[slice(*train.candidates.offsets[impression:][:2])]
        mask = batch.candidate_mask[number]
        own = [titles[news] for news in batch.candidates[number][mask].tolist()]
        assert own[0] == data.table.titles[train.candidates.ids[data.clicked[number]]].tolist()
        others = [data.table.titles[news].tolist() for news in shown[~clicked]]
        assert len(own) - 1 == min(3, len(others))
        assert not Counter(map(tuple, own[1:])) - Counter(map(tuple, others))
        row = batch.user[number]
        read = [titles[news] for news in batch.history[row][batch.history_mask[row]].tolist()]
        assert read == [data.table.titles[news].tolist() for news in histories[train.history[impression]]]


def test_negatives_depend_on_seed_and_epoch_alone(folder: Path) -> None:
    def drawn(seed: int, epoch: int) -> list[list[list[int]]]:
        data = dataset(folder, seed=seed)
        batches = (data.__getitems__([(epoch, n) for n in range(start, start + 16)]).clicks for start in (0, 16))
        return [[rows_of(batch.news.titles)[i] for i in batch.candidates.flatten().tolist()] for batch in batches]

    assert drawn(1, 0) == drawn(1, 0)
    assert drawn(1, 0) != drawn(1, 1)
    assert drawn(1, 0) != drawn(2, 0)


def test_each_other_candidate_is_drawn_as_often(folder: Path) -> None:
    data = dataset(folder, negatives=1)
    impression = int(np.argmax(data.split.candidates.lengths))
    drawn = Counter[int]()
    for seed in range(2000):
        negatives, mask = data._negatives(np.array([impression]), np.random.default_rng(seed))
        assert mask.all()
        drawn[int(negatives[0, 0])] += 1
    labels = Ragged(data.split.labels(), data.split.candidates.offsets)[impression]
    others = data.split.candidates[impression][~labels].tolist()
    assert set(drawn) == set(others)
    assert max(drawn.values()) < 1.25 * 2000 / len(others)


def test_a_batch_knows_the_tokens_of_its_different_news(folder: Path) -> None:
    batch = dataset(folder).__getitems__([(0, 3), (0, 4)])
    assert batch.tokens == sum(int(mask.sum()) for _, mask in batch.clicks.news.titles.groups)


def test_keys_carry_the_epoch() -> None:
    sampler = EpochSampler(np.arange(1, 8), 3, seed=1)
    sampler.set_epoch(5)
    keys = [key for batch in sampler for key in batch]
    assert sorted(keys) == [(5, number) for number in range(7)]


def test_texts_come_back_in_their_order() -> None:
    rows = [[5, 6, 7], [], [8], [9, 10], [1] * 9]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    table = Ragged(np.array([word for row in rows for word in row], dtype=np.int32), offsets)
    numbers = np.array([4, 0, 1, 3, 0])
    assert rows_of(texts(table, numbers)) == [rows[number] for number in numbers]
    assert texts(table, numbers).has_tokens().tolist() == [True, True, False, True, True]


def test_ranking_reads_every_impression_once_and_no_history_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.tasks.news_data.HISTORIES_AT_A_TIME", 3)
    test, histories = impressions.read(folder, "test"), ragged.read(folder, HISTORIES)
    data = RankDataset(test, histories)
    seen: list[int] = []
    read: list[tuple[int, ...]] = []
    for batch in (data[index] for index in range(len(data))):
        seen += batch.impressions.tolist()
        read += [tuple(row[mask].tolist()) for row, mask in zip(batch.history, batch.history_mask, strict=True)]
        starts = torch.cumsum(batch.sizes, 0) - batch.sizes
        for number, start, size in zip(batch.impressions.tolist(), starts.tolist(), batch.sizes.tolist(), strict=True):
            assert batch.candidates[start : start + size].tolist() == test.candidates[number].tolist()
        assert len(batch.clicks) == len(batch.candidates)
    assert sorted(seen) == list(range(len(test)))
    assert len(read) == len(set(test.history.tolist()))
    assert sorted(set(read)) == sorted({tuple(histories[row].tolist()) for row in test.history})
