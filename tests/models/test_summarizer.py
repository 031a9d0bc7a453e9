"""The summarizer with every encoder: causal, the same with and without what it keeps, blind to padding."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pipeline.generation.search import SearchOptions
from pipeline.generation.writing import Continuations, summaries
from pipeline.models.decoder import KeysAndValues
from pipeline.models.summarizer import Summarizer, SummarizerOptions, build_summarizer
from pipeline.registry import ATTENTIONS, WITHOUT_LAYERS
from pipeline.text.articles import BEGIN_ID, END_ID
from tests.models.small import NO_FASTFORMER, VALUES, options_of

VOCABULARY = VALUES["vocabulary_size"]
OWN = 3
LONGEST = 12


def options(attention: str = "fastformer", *, copy: bool = True, **changes: Any) -> SummarizerOptions:
    of_mixer = {} if attention == "fastformer" else NO_FASTFORMER
    # Weights as small as the shipped ones would make all words alike.
    text = options_of(attention=attention, init_std=0.3, **of_mixer, **changes)
    return SummarizerOptions(text=text, decoder_layers=2, summary_length=LONGEST, copy_words=copy)


def summarizer(attention: str = "fastformer", *, copy: bool = True, **changes: Any) -> Summarizer:
    torch.manual_seed(1)
    return build_summarizer(options(attention, copy=copy, **changes), vectors=None).eval()


def texts(batch: int, length: int = 9) -> tuple[Tensor, Tensor]:
    """Ids, some of them an article's own, and a mask whose first row is full and whose others end earlier."""
    draw = torch.Generator().manual_seed(batch)
    ids = torch.randint(5, VOCABULARY + OWN, (batch, length), generator=draw)
    lengths = torch.randint(1, length + 1, (batch,), generator=draw)
    lengths[0] = length
    mask = torch.arange(length) < lengths[:, None]
    return ids.masked_fill(~mask, 0), mask


def written(batch: int, length: int = LONGEST) -> Tensor:
    draw = torch.Generator().manual_seed(100 + batch)
    ids = torch.randint(5, VOCABULARY + OWN, (batch, length), generator=draw)
    ids[:, 0] = BEGIN_ID
    return ids


def full(model: Summarizer, ids: Tensor, mask: Tensor, before: Tensor) -> Tensor:
    memory = model.encode(ids, mask)
    hidden, _ = model.decode(memory, before)
    return model.log_probabilities(memory, hidden, OWN)


every_encoder = pytest.mark.parametrize("attention", ATTENTIONS)
copying = pytest.mark.parametrize("copy", [True, False])


@every_encoder
@copying
def test_what_comes_later_changes_nothing_before(attention: str, copy: bool) -> None:
    model, (ids, mask), before = summarizer(attention, copy=copy), texts(3), written(3)
    told = full(model, ids, mask, before)
    for place in (1, 5, LONGEST - 1):
        changed = before.clone()
        changed[:, place:] = (changed[:, place:] + 1) % VOCABULARY
        assert torch.equal(full(model, ids, mask, changed)[:, :place], told[:, :place])
        assert not torch.allclose(full(model, ids, mask, changed)[:, place:], told[:, place:])


@every_encoder
@copying
@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("beam", [1, 5])
def test_step_by_step_is_the_whole(attention: str, copy: bool, batch: int, beam: int) -> None:
    model, (ids, mask) = summarizer(attention, copy=copy), texts(batch)
    before = written(batch * beam)
    repeated = full(model, ids.repeat_interleave(beam, 0), mask.repeat_interleave(beam, 0), before)
    torch.testing.assert_close(full(model, ids, mask, before), repeated, rtol=0, atol=1e-5)
    step = Continuations(model, model.encode(ids, mask), OWN)
    rows = torch.arange(batch * beam)
    for place in range(LONGEST):
        told = step(before[:, place], rows if place else None)
        torch.testing.assert_close(told, repeated[:, place], rtol=0, atol=1e-5)


@pytest.mark.parametrize("batch", [1, 7])
def test_hypotheses_may_change_places_at_each_step(batch: int) -> None:
    model, (ids, mask), beam = summarizer(), texts(batch), 5
    step, draw = Continuations(model, model.encode(ids, mask), OWN), torch.Generator().manual_seed(1)
    before = torch.full((batch, 1), BEGIN_ID)
    told = step(before[:, 0], None)
    for _ in range(LONGEST - 1):
        each = len(before) // batch
        rows = (torch.randint(each, (batch, beam), generator=draw) + each * torch.arange(batch)[:, None]).flatten()
        words = torch.randint(5, VOCABULARY + OWN, (batch * beam,), generator=draw)
        before = torch.cat([before[rows], words[:, None]], dim=1)
        told = step(words, rows)
    torch.testing.assert_close(told, full(model, ids, mask, before)[:, -1], rtol=0, atol=1e-5)


@every_encoder
def test_padding_of_a_text_changes_nothing(attention: str) -> None:
    model, before = summarizer(attention), written(4)
    ids, mask = texts(4)
    told = full(model, ids, mask, before)
    more = functional.pad(ids, (0, 4), value=7), functional.pad(mask, (0, 4))
    torch.testing.assert_close(full(model, *more, before), told, rtol=0, atol=1e-5)
    other = ids.masked_fill(~mask, VOCABULARY + 1)
    torch.testing.assert_close(full(model, other, mask, before), told, rtol=0, atol=1e-5)


def test_a_text_without_tokens_is_finite() -> None:
    model, before = summarizer(), written(2)
    ids, mask = texts(2)
    mask[1] = False
    assert full(model, ids, mask, before).logsumexp(2).isfinite().all()


@every_encoder
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_computing_again_gives_the_same_gradients(attention: str, dropout: float) -> None:
    ids, mask = texts(3)
    before, found = written(3), []
    for recompute in (False, True):
        model = summarizer(attention, dropout=dropout, recompute=recompute).train()
        torch.manual_seed(2)
        memory = model.encode(ids, mask)
        hidden, _ = model.decode(memory, before)
        loss = model.losses(memory, hidden, before, label_smoothing=0.0)[:, 1:].mean()
        loss.backward()
        found.append([loss.detach(), *(part.grad for part in model.parameters())])
    for kept, again in zip(*found, strict=True):
        assert (kept is None and again is None) or torch.equal(kept, again)


@copying
def test_probabilities_sum_to_one(copy: bool) -> None:
    model, (ids, mask) = summarizer(copy=copy), texts(4)
    told = full(model, ids, mask, written(8))
    assert told.shape == (8, LONGEST, VOCABULARY + OWN)
    torch.testing.assert_close(told.logsumexp(2), torch.zeros(8, LONGEST), rtol=0, atol=1e-5)


def test_only_words_of_its_own_text_can_be_copied() -> None:
    model, (ids, mask) = summarizer(), texts(4)
    told = full(model, ids, mask, written(4))
    for row in range(4):
        own = set(ids[row][mask[row]].tolist())
        for word in range(VOCABULARY, VOCABULARY + OWN):
            assert told[row, :, word].isfinite().all() == (word in own)
    without = full(summarizer(copy=False), ids, mask, written(4))
    assert without[:, :, VOCABULARY:].isneginf().all()


@copying
def test_losses_are_of_those_probabilities(copy: bool) -> None:
    model, (ids, mask), before = summarizer(copy=copy), texts(4), written(4)
    memory = model.encode(ids, mask)
    hidden, _ = model.decode(memory, before)
    # A target is of the vocabulary, or one of the text's own words.
    target = ids[:, :1].expand(-1, LONGEST).clone()
    target[:, ::2] = 9
    known = target < VOCABULARY if not copy else torch.ones_like(target, dtype=torch.bool)
    told = model.log_probabilities(memory, hidden, OWN).gather(2, target[:, :, None]).squeeze(2)
    losses = model.losses(memory, hidden, target, label_smoothing=0.0)
    torch.testing.assert_close(losses[known], -told[known])


def test_label_smoothing_is_torchs_without_copying() -> None:
    model, (ids, mask), before = summarizer(copy=False), texts(4), written(4) % VOCABULARY
    memory = model.encode(ids, mask)
    hidden, _ = model.decode(memory, before)
    losses = model.losses(memory, hidden, before, label_smoothing=0.1)
    expected = functional.cross_entropy(
        model.logits(hidden).transpose(1, 2), before, reduction="none", label_smoothing=0.1
    )
    torch.testing.assert_close(losses, expected)


def test_a_word_that_is_nowhere_has_a_loss_and_no_gradient_that_is_not_finite() -> None:
    model, (ids, mask), before = summarizer().train(), texts(2), written(2)
    ids = ids.clamp_max(VOCABULARY - 1)
    memory = model.encode(ids, mask)
    hidden, _ = model.decode(memory, before)
    losses = model.losses(memory, hidden, torch.full((2, LONGEST), VOCABULARY), label_smoothing=0.0)
    assert losses.isfinite().all()
    losses.sum().backward()
    assert all(part.grad.isfinite().all() for part in model.parameters() if part.grad is not None)


def test_one_table_of_words_serves_all() -> None:
    model = summarizer()
    tables = [name for name, part in model.named_parameters() if part.shape[0] == VOCABULARY and part.dim() == 2]
    assert tables == ["embedding.tokens.weight"]
    mask = torch.ones(1, 1, dtype=torch.bool)
    own, unknown = (model.encode(torch.tensor([[number]]), mask).states for number in (VOCABULARY + 1, 1))
    assert torch.equal(own, unknown)


def test_too_long_a_summary_is_refused() -> None:
    model, (ids, mask) = summarizer(), texts(1)
    with pytest.raises(ValueError, match="a text of 13 tokens is longer than max_length 12"):
        model.decode(model.encode(ids, mask), written(1, LONGEST + 1))


@pytest.mark.parametrize("attention", WITHOUT_LAYERS)
def test_a_model_without_layers_has_no_encoder(attention: str) -> None:
    with pytest.raises(ValueError, match=f"attention {attention} has no encoder for a decoder to read"):
        summarizer(attention)


def test_a_decoder_needs_a_layer() -> None:
    with pytest.raises(ValueError, match="at least 1 layer, not 0"):
        build_summarizer(replace(options(), decoder_layers=0), vectors=None)


@pytest.mark.parametrize("beam", [1, 4])
def test_summaries_do_not_depend_on_the_batch(beam: int) -> None:
    model, (ids, mask) = summarizer(), texts(7)
    search = SearchOptions(beam=beam, length_penalty=1.0, min_length=2, max_length=LONGEST, block_trigrams=True)
    together = summaries(model, ids, mask, search)
    assert len({tuple(one) for one in together}) > 1
    for row, found in enumerate(together):
        kept = mask[row : row + 1]
        alone = ids[row : row + 1, : int(kept.sum())]
        assert summaries(model, alone, kept[:, : int(kept.sum())], search) == [found]
        assert all(number in alone for number in found if number >= VOCABULARY)
        assert END_ID not in found[:-1]


def test_past_rows_are_those_of_the_hypotheses() -> None:
    keys = torch.arange(6.0).view(3, 1, 2, 1)
    past = KeysAndValues(keys, -keys).rows(torch.tensor([2, 0, 2]))
    assert past.keys[:, 0, 0, 0].tolist() == [4, 0, 4]
    assert past.values[:, 0, 1, 0].tolist() == [-5, -1, -5]
