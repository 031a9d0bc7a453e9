"""Which texts share a batch."""

import numpy as np
import pytest

from pipeline.text.batching import LengthBatchSampler, TokenBatchSampler, groups_of_like_length, padded

LENGTHS = np.random.default_rng(1).geometric(0.05, size=10_007)


def sampler(seed: int | None = 3, epoch: int = 0, size: int = 32, lengths: np.ndarray = LENGTHS) -> LengthBatchSampler:
    made = LengthBatchSampler(lengths, size, seed)
    made.set_epoch(epoch)
    return made


def padding_share(batches: list[list[int]]) -> float:
    cells = sum(len(batch) * LENGTHS[batch].max() for batch in batches)
    return float(1 - LENGTHS.sum() / cells)


@pytest.mark.parametrize("seed", [None, 0, 3])
@pytest.mark.parametrize("size", [1, 32, 20_000])
def test_every_text_is_in_one_batch(seed: int | None, size: int) -> None:
    made = sampler(seed, size=size)
    batches = list(made)
    assert len(batches) == len(made) == -(-len(LENGTHS) // size)
    assert sorted(i for batch in batches for i in batch) == list(range(len(LENGTHS)))
    assert all(len(batch) <= size for batch in batches)


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    first = list(sampler(seed=3, epoch=1))
    np.random.default_rng().random()
    assert list(sampler(seed=3, epoch=1)) == first
    assert list(sampler(seed=3, epoch=2)) != first
    assert list(sampler(seed=4, epoch=1)) != first


def test_an_epoch_differs_in_who_shares_a_batch_not_only_in_order() -> None:
    first, second = ({frozenset(batch) for batch in sampler(epoch=epoch)} for epoch in (0, 1))
    assert len(first & second) < len(first) / 10


def test_without_a_seed_the_order_is_by_length_in_every_epoch() -> None:
    batches = list(sampler(seed=None))
    in_order = LENGTHS[[i for batch in batches for i in batch]]
    assert (np.diff(in_order) >= 0).all()
    assert list(sampler(seed=None, epoch=5)) == batches


@pytest.mark.parametrize("skip", [0, 1, 300, 313, 400])
def test_skipped_batches_are_the_first_ones(skip: int) -> None:
    whole, rest = list(sampler(epoch=2)), sampler(epoch=2)
    rest.skip = skip
    assert list(rest) == whole[skip:]


def test_texts_of_like_length_share_a_batch() -> None:
    order = np.random.default_rng(1).permutation(len(LENGTHS))
    random_batches = [order[start : start + 32].tolist() for start in range(0, len(order), 32)]
    shuffled, by_length = padding_share(list(sampler())), padding_share(list(sampler(seed=None)))
    assert by_length < shuffled < 0.25 * padding_share(random_batches)


def test_batches_of_label_sorted_texts_hold_both_labels() -> None:
    labels = np.repeat([0, 1], [5000, 5007])
    shares = [float(labels[batch].mean()) for batch in sampler(size=64) if len(batch) == 64]
    assert len(shares) >= 150
    assert min(shares) > 0.2
    assert max(shares) < 0.8


def test_long_and_short_batches_are_mixed_over_an_epoch() -> None:
    means = np.array([LENGTHS[batch].mean() for batch in sampler(lengths=LENGTHS[:1600])])
    assert abs(np.corrcoef(means, np.arange(50))[0, 1]) < 0.3


def test_no_texts_have_no_batches() -> None:
    empty = np.zeros(0, dtype=np.int64)
    assert list(sampler(lengths=empty)) == list(sampler(seed=None, lengths=empty)) == []


def test_lightning_finds_the_epochs_setter() -> None:
    made = sampler()
    made.sampler.set_epoch(7)
    assert made.epoch == 7


def test_texts_are_padded_to_the_longest() -> None:
    ids, mask = padded([np.array(text, dtype=np.int32) for text in ([5, 3], [], [7, 7, 2])])
    assert ids.tolist() == [[5, 3, 0], [0, 0, 0], [7, 7, 2]]
    assert mask.tolist() == [[True, True, False], [False] * 3, [True] * 3]
    assert (ids.dtype, mask.dtype) == (np.int64, np.bool_)


@pytest.mark.parametrize("most_tokens", [None, 7, 500])
def test_groups_of_like_length_hold_every_text_once_with_little_padding(most_tokens: int | None) -> None:
    groups = groups_of_like_length(LENGTHS, most_tokens)
    assert sorted(i for group in groups for i in group.tolist()) == list(range(len(LENGTHS)))
    longest = [int(LENGTHS[group].max()) for group in groups]
    assert longest == sorted(longest)
    for group, most in zip(groups, longest, strict=True):
        assert LENGTHS[group].min() >= 0.75 * most
        assert most_tokens is None or len(group) == 1 or len(group) * most <= most_tokens


def test_texts_without_tokens_are_a_group_of_their_own_width() -> None:
    (group,) = groups_of_like_length(np.zeros(3, dtype=np.int64))
    assert group.tolist() == [0, 1, 2]
    ids, mask = padded([np.zeros(0, dtype=np.int32)] * 3)
    assert (ids.shape, mask.any()) == ((3, 1), False)


def budgeted(seed: int | None = 3, epoch: int = 0, size: int = 32, tokens: int = 400) -> TokenBatchSampler:
    made = TokenBatchSampler(LENGTHS, size, tokens, seed)
    made.set_epoch(epoch)
    return made


@pytest.mark.parametrize("seed", [None, 0, 3])
@pytest.mark.parametrize(("size", "tokens"), [(1, 400), (32, 400), (32, 10), (20_000, 3000), (8, 10**9)])
def test_a_batch_keeps_to_its_budget(seed: int | None, size: int, tokens: int) -> None:
    made = budgeted(seed, size=size, tokens=tokens)
    batches = list(made)
    assert len(batches) == len(made)
    assert sorted(i for batch in batches for i in batch) == list(range(len(LENGTHS)))
    assert all(len(batch) <= size for batch in batches)
    assert all(len(batch) == 1 or len(batch) * LENGTHS[batch].max() <= tokens for batch in batches)


def test_epochs_have_as_many_batches_in_another_order() -> None:
    first, again, other, seeded = (list(budgeted(*args)) for args in ((3, 0), (3, 0), (3, 1), (4, 0)))
    assert first == again
    assert len(first) == len(other) == len(seeded)
    assert other != first != seeded
    assert {tuple(sorted(batch)) for batch in first} != {tuple(sorted(batch)) for batch in other}
    resumed = budgeted()
    resumed.skip = 5
    assert list(resumed) == first[5:]


def test_budgets_leave_little_padding() -> None:
    assert padding_share(list(budgeted())) < 0.12
    assert len(budgeted()) < 1.25 * LENGTHS.sum() / 400


def test_no_texts_have_no_budgeted_batches() -> None:
    made = TokenBatchSampler(np.zeros(0, dtype=np.int64), 4, 10, 1)
    assert len(made) == len(list(made)) == 0
