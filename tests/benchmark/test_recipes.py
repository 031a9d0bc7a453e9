"""Both recipes train the same model on the same texts; what differs is how."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import Adam

from pipeline import params
from pipeline.attention.fastformer import FastformerAttention
from pipeline.benchmark import recipes as module
from pipeline.benchmark.layers import DirectFastformer
from pipeline.benchmark.recipes import BATCHES, LONGEST, MEAN_LENGTH, Recipe, lengths, loss, make_batch, recipes
from pipeline.models.dropout import Dropout
from pipeline.stages.benchmark import options
from pipeline.text.batching import POOL_BATCHES, LengthBatchSampler

CPU = torch.device("cpu")
TEXTS = 6
WORDS = 50


@pytest.fixture
def both() -> list[Recipe]:
    loaded = params.load()
    small = loaded.model_copy(update={"model": loaded.model.model_copy(update={"dim": 16, "heads": 2})})
    tiny = replace(options(small, LONGEST), vocabulary_size=WORDS, vector_dim=6, feedforward_dim=16)
    return recipes(tiny, batch_size=TEXTS, device=CPU)


def test_the_same_weights_and_texts_give_the_same_loss_at_either_width(both: list[Recipe]) -> None:
    official, ours = (one.model.eval() for one in both)
    assert official.state_dict().keys() == ours.state_dict().keys()
    drawn = lengths(TEXTS)
    wide, narrow = (make_batch(drawn, width, WORDS, CPU) for width in (LONGEST, int(drawn.max())))
    assert wide[0].shape == (TEXTS, LONGEST)
    assert torch.equal(wide[0][:, : narrow[0].shape[1]], narrow[0])
    with torch.no_grad():
        losses = [float(loss(official, wide)), float(loss(ours, narrow)), float(loss(ours, wide))]
    assert losses == pytest.approx([losses[0]] * 3, abs=1e-6)


def test_only_the_official_recipe_computes_plainly_pads_to_the_longest_and_has_plain_adam(both: list[Recipe]) -> None:
    official, ours = both
    for recipe, kind, dropout in ((official, DirectFastformer, nn.Dropout), (ours, FastformerAttention, Dropout)):
        mixers = [part for part in recipe.model.modules() if isinstance(part, FastformerAttention)]
        assert len(mixers) == 2
        assert {type(mixer) for mixer in mixers} == {kind}
        assert isinstance(recipe.optimizer, Adam)
        assert sum(len(group["params"]) for group in recipe.optimizer.param_groups) == len(
            list(recipe.model.parameters())
        )
        assert {type(part) for part in recipe.model.modules() if isinstance(part, nn.Dropout)} == {dropout}
    assert [one.optimizer.defaults["fused"] for one in both] == [None, True]
    assert [tuple(ids.shape) for ids, _, _ in official.batches] == [(TEXTS, LONGEST)]
    widths = [ids.shape[1] for ids, _, _ in ours.batches]
    assert len(widths) == BATCHES
    assert widths == sorted(set(widths))
    for _, mask, _ in ours.batches:
        assert mask.sum(1).max() == mask.shape[1]


def test_a_run_trains_and_leaves_no_gradient(both: list[Recipe]) -> None:
    for recipe in both:
        before = [parameter.detach().clone() for parameter in recipe.model.parameters()]
        recipe.run()
        assert recipe.model.training
        assert all(parameter.grad is None for parameter in recipe.model.parameters())
        after = list(recipe.model.parameters())
        assert all(not torch.equal(one, other) for one, other in zip(before, after, strict=True) if one.dim() > 1)


def test_lengths_are_those_of_the_papers_reviews() -> None:
    drawn = lengths(64 * POOL_BATCHES)
    assert drawn.min() >= 1
    assert drawn.max() == LONGEST
    assert drawn.mean() == pytest.approx(MEAN_LENGTH, rel=0.02)
    assert np.median(drawn) < 0.8 * drawn.mean()


def test_the_timed_batches_are_as_wide_as_an_epochs_on_average(both: list[Recipe]) -> None:
    drawn = lengths(TEXTS * POOL_BATCHES)
    every = [int(drawn[batch].max()) for batch in LengthBatchSampler(drawn, TEXTS, seed=1)]
    timed = [ids.shape[1] for ids, _, _ in both[1].batches]
    assert np.mean(timed) == pytest.approx(np.mean(every), rel=0.03)


def test_padding_has_the_padding_id_and_every_word_is_known() -> None:
    ids, mask, labels = make_batch(np.array([1, 5, 3]), 8, WORDS, CPU)
    assert mask.sum(1).tolist() == [1, 5, 3]
    assert (ids[~mask] == 0).all()
    assert (ids[mask] >= 2).all()
    assert (ids < WORDS).all()
    assert ((labels >= 0) & (labels < module.CLASSES)).all()
