"""A news recommender: news encoder, user encoder, and their inner product."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from torch import Tensor, nn

from pipeline.models.building import build_encoder
from pipeline.models.embedding import Entry
from pipeline.models.initialisation import initialise
from pipeline.models.news import MeanTextEncoder, News, NewsEncoder, NewsOptions, TextEncoder
from pipeline.models.options import ModelOptions
from pipeline.models.pooling import AdditivePooling, MeanPooling
from pipeline.models.pretrained import PretrainedTextEncoder

MEAN = "mean"
"""The attention that has no layers: a mean of words, or of news."""


class ClickBatch(NamedTuple):
    """B clicked candidates, each with others of its impression that weren't clicked, of M distinct news.

    U distinct histories of up to N news. Where a mask is False the number beside it means nothing.
    """

    news: News
    history: Tensor  # (U, N) int64, numbers of news of this batch
    history_mask: Tensor  # (U, N) bool, True = keep
    user: Tensor  # (B,) int64, rows of `history`
    candidates: Tensor  # (B, C) int64, numbers of news of this batch; the first was clicked
    candidate_mask: Tensor  # (B, C) bool, True = keep


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommenderOptions:
    """All that a recommender is built from; `text` is that of the news encoder."""

    text: ModelOptions
    news: NewsOptions
    user_attention: str  # a name of registry.ATTENTIONS, or "mean"
    max_history: int

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The options of a model.json. Raises TypeError if a key is missing or unknown."""
        parts = {"text": ModelOptions.from_dict(values["text"]), "news": NewsOptions(**values["news"])}
        return cls(**{**values, **parts})


class UserEncoder(nn.Module):
    """The news of a history (U, N, D), mask (U, N) bool, True = keep -> (U, D): mixer and additive pooling."""

    def __init__(self, options: ModelOptions) -> None:
        super().__init__()
        dim = options.mixer.dim
        self.entry = Entry(
            max_length=options.mixer.max_length,
            dim=dim,
            dropout=options.dropout,
            positions=options.positions,
            layer_norm=options.layer_norm,
        )
        self.encoder = build_encoder(options)
        self.pooling = AdditivePooling(dim)

    def forward(self, news: Tensor, mask: Tensor) -> Tensor:
        """news (U, N, D), mask (U, N) -> (U, D); zeros for an empty history, for which all candidates are equal."""
        user: Tensor = self.pooling(self.encoder(self.entry(news), mask), mask)
        return user


class Recommender(nn.Module):
    """ClickBatch -> scores (B, C); what stands where `candidate_mask` is False means nothing.

    Raises as the encoders do.
    """

    def __init__(self, options: RecommenderOptions, text: nn.Module) -> None:
        super().__init__()
        self.news = NewsEncoder(text, options.news, options.text.mixer.dim)
        user_options = replace(
            options.text,
            attention=options.user_attention,
            mixer=replace(options.text.mixer, max_length=options.max_history),
        )
        self.user = MeanPooling() if options.user_attention == MEAN else UserEncoder(user_options)

    def forward(self, batch: ClickBatch) -> Tensor:
        """Raises ValueError if a title or a history is longer than a part that depends on its length was built for."""
        news = self.news(batch.news)
        users = self.user(news[batch.history], batch.history_mask)
        scores: Tensor = (users[batch.user].unsqueeze(1) * news[batch.candidates]).sum(dim=-1)
        return scores


def build_recommender(
    options: RecommenderOptions, *, vectors: Tensor | None = None, pretrained: Path, weights: bool = True
) -> Recommender:
    """The model with its weights initialised; they depend on torch's seed alone.

    `vectors` (vocabulary_size, vector_dim) start the word table, else it is drawn. `pretrained` is the folder of the
    language model, which is read where the options say so, without its `weights` if those are loaded later. Raises as
    the encoders do.
    """
    text: nn.Module
    if options.news.pretrained:
        text = PretrainedTextEncoder(pretrained, options.text.mixer.dim, weights=weights)
    elif options.text.attention == MEAN:
        text = MeanTextEncoder(options.text, vectors)
    else:
        text = TextEncoder(options.text, vectors)
    model = Recommender(options, text)
    initialise(model, options.text.init_std)
    return model
