"""What the scores of a recommender may depend on, and what not."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pipeline.models.news import News, NewsOptions, Texts
from pipeline.models.recommender import ClickBatch, Recommender, RecommenderOptions, build_recommender
from pipeline.registry import ATTENTIONS, WITHOUT_LAYERS
from tests.models.small import NO_FASTFORMER, options_of

NEWS, LONGEST, HISTORY = 6, 5, 4


def build(attention: str = "fastformer", user_attention: str | None = None, **news: Any) -> Recommender:
    fastformer = "fastformer" in (attention, user_attention or attention)
    options = RecommenderOptions(
        text=options_of(attention=attention, dropout=0.5, init_std=0.3, **({} if fastformer else NO_FASTFORMER)),
        news=NewsOptions(**({"abstracts": False, "categories": 0, "pretrained": False} | news)),
        user_attention=user_attention or attention,
        max_history=16,
    )
    torch.manual_seed(2)
    return build_recommender(options, pretrained=Path()).eval()


def texts(seed: int) -> Texts:
    """Two groups, in another order than the texts; the last text is empty."""
    draw = torch.Generator().manual_seed(seed)
    ids = torch.randint(2, 30, (NEWS, LONGEST), generator=draw)
    mask = torch.arange(LONGEST) < torch.tensor([2, 2, 1, 5, 4, 0])[:, None]
    return Texts([(ids[:3, :2], mask[:3, :2]), (ids[3:], mask[3:])], torch.tensor([3, 0, 4, 1, 2, 5]))


def batch(news: News | None = None) -> ClickBatch:
    return ClickBatch(
        news=news or News(texts(1), None, None),
        history=torch.tensor([[0, 1, 2, 3], [4, 1, 0, 0], [0, 0, 0, 0]]),
        history_mask=torch.tensor([[True] * 4, [True, True, False, False], [False] * 4]),
        user=torch.tensor([0, 1, 1, 2]),
        candidates=torch.tensor([[5, 0, 1], [2, 3, 4], [3, 1, 0], [1, 2, 3]]),
        candidate_mask=torch.tensor([[True] * 3, [True, True, False], [True] * 3, [True] * 3]),
    )


def longer_history(given: ClickBatch) -> ClickBatch:
    more = (3, 7)
    return given._replace(
        history=torch.cat([given.history, torch.full(more, 3)], dim=1),
        history_mask=torch.cat([given.history_mask, torch.zeros(more, dtype=torch.bool)], dim=1),
    )


def longer_titles(given: ClickBatch) -> ClickBatch:
    groups = [
        (functional.pad(ids, (0, 6), value=9), functional.pad(mask, (0, 6))) for ids, mask in given.news.titles[0]
    ]
    return given._replace(news=given.news._replace(titles=Texts(groups, given.news.titles.place)))


def more_candidates(given: ClickBatch) -> ClickBatch:
    return given._replace(
        candidates=functional.pad(given.candidates, (0, 5), value=4),
        candidate_mask=functional.pad(given.candidate_mask, (0, 5)),
    )


def one_group(given: ClickBatch) -> ClickBatch:
    """The titles in their own order, padded alike."""
    flat = [
        (functional.pad(ids, (0, 5 - ids.shape[1])), functional.pad(mask, (0, 5 - mask.shape[1])))
        for ids, mask in given.news.titles[0]
    ]
    place = given.news.titles.place
    ids, mask = (torch.cat([pair[part] for pair in flat])[place] for part in (0, 1))
    return given._replace(news=given.news._replace(titles=Texts([(ids, mask)], torch.arange(NEWS))))


@pytest.mark.parametrize("change", [longer_history, longer_titles, more_candidates, one_group])
@pytest.mark.parametrize("attention", [*ATTENTIONS, *WITHOUT_LAYERS])
@torch.no_grad()
def test_padding_changes_no_score(attention: str, change: Any) -> None:
    model, given = build(attention), batch()
    expected = model(given)
    torch.testing.assert_close(model(change(given))[:, :3], expected, atol=1e-5, rtol=1e-5)
    assert expected.std() > 1e-3


@torch.no_grad()
def test_candidates_of_an_empty_history_tie() -> None:
    assert (build()(batch())[3] == 0).all()


def test_what_is_masked_gets_no_gradient() -> None:
    model, given = build(), batch()
    vectors = torch.randn(NEWS, 12, requires_grad=True)
    users: Tensor = model.user(vectors[given.history], given.history_mask)
    users[1].sum().backward()
    assert vectors.grad is not None
    assert (vectors.grad[[4, 1]] != 0).any(dim=1).all()
    assert (vectors.grad[[0, 2, 3, 5]] == 0).all()


@torch.no_grad()
def test_an_article_without_an_abstract_is_what_it_has() -> None:
    model = build(abstracts=True, categories=3)
    categories = torch.tensor([0, 1, 2, 0, 1, 2])
    titles, abstracts = texts(1), texts(2)
    every = model.news(News(titles, abstracts, categories))
    assert every.shape == (NEWS, 12)
    none = Texts([(torch.full((NEWS, 3), 7), torch.zeros(NEWS, 3, dtype=torch.bool))], torch.arange(NEWS))
    without = model.news(News(titles, none, categories))
    longer = Texts([(torch.full((NEWS, 9), 5), torch.zeros(NEWS, 9, dtype=torch.bool))], torch.arange(NEWS))
    torch.testing.assert_close(model.news(News(titles, longer, categories)), without)
    assert (every - without).abs().max() > 1e-3
    # The last article has neither title nor abstract: its category alone is left.
    assert model.news.categories is not None
    torch.testing.assert_close(without[5], model.news.categories.weight[2])


def test_what_was_not_prepared_is_refused() -> None:
    with pytest.raises(ValueError, match="the model reads abstracts, and these articles have none"):
        build(abstracts=True)(batch())
    with pytest.raises(ValueError, match="the model reads categories, and these articles have none"):
        build(categories=2)(batch())


def test_options_survive_json() -> None:
    import json
    from dataclasses import asdict

    options = RecommenderOptions(
        text=options_of(),
        news=NewsOptions(abstracts=True, categories=2, pretrained=False),
        user_attention="mean",
        max_history=5,
    )
    assert RecommenderOptions.from_dict(json.loads(json.dumps(asdict(options)))) == options
