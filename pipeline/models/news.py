"""The news encoder: one vector for an article, out of its title and, if wanted, its abstract and category.

Fastformer is used hierarchically: titles to news, news to users (Wu et al. 2021, arXiv 2108.09084, Appendix A), as in
NRMS (Wu et al. 2019, aclanthology.org/D19-1671). Several views of an article are weighed by additive attention, as in
NAML (Wu et al. 2019, arXiv 1907.05576).
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from pipeline.models.building import build_embedding, build_encoder
from pipeline.models.embedding import TokenTable
from pipeline.models.options import ModelOptions
from pipeline.models.pooling import AdditivePooling, MeanPooling


class Texts(NamedTuple):
    """M texts in groups of like length, so that little padding is computed on.

    `groups` has ids (n, N) int64 and mask (n, N) bool, True = keep, of each; text m is row `place[m]` of all groups'
    texts one after the other. An empty text has a mask without a True.
    """

    groups: list[tuple[Tensor, Tensor]]
    place: Tensor  # (M,) int64

    def has_tokens(self) -> Tensor:
        """(M,) bool."""
        return torch.cat([mask.any(dim=1) for _, mask in self.groups])[self.place]


class News(NamedTuple):
    """M articles; `abstracts` and `categories` (M,) int64 are None where the model reads none."""

    titles: Texts
    abstracts: Texts | None
    categories: Tensor | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsOptions:
    """What a news encoder reads beside the title, and how."""

    abstracts: bool
    categories: int  # how many there are; 0: not read
    pretrained: bool  # a language model reads the texts, in its own pieces


class TextEncoder(nn.Module):
    """Token ids (B, N) int64, mask (B, N) bool, True = keep -> (B, D): embedding, mixer and additive pooling."""

    def __init__(self, options: ModelOptions, vectors: Tensor | None) -> None:
        super().__init__()
        self.embedding = build_embedding(options, vectors)
        self.encoder = build_encoder(options)
        self.pooling = AdditivePooling(options.mixer.dim)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids (B, N), mask (B, N) -> (B, D); zeros for a text without tokens."""
        encoded: Tensor = self.pooling(self.encoder(self.embedding(ids), mask), mask)
        return encoded


class MeanTextEncoder(nn.Module):
    """A judge of the others: the mean of the word vectors (B, N) -> (B, D), mapped to D without a bias."""

    def __init__(self, options: ModelOptions, vectors: Tensor | None) -> None:
        super().__init__()
        self.tokens = TokenTable(options.vocabulary_size, options.vector_dim, vectors=vectors, frozen=options.frozen)
        self.pooling = MeanPooling()
        self.projection = nn.Linear(options.vector_dim, options.mixer.dim, bias=False)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids (B, N), mask (B, N) -> (B, D); zeros for a text without tokens."""
        encoded: Tensor = self.projection(self.pooling(self.tokens(ids), mask))
        return encoded


class NewsEncoder(nn.Module):
    """News -> (M, D). The titles' encoder reads the abstracts too; what an article lacks has no weight."""

    def __init__(self, text: nn.Module, options: NewsOptions, dim: int) -> None:
        super().__init__()
        self.text = text
        self.abstracts = options.abstracts
        self.categories = nn.Embedding(options.categories, dim) if options.categories else None
        self.views = AdditivePooling(dim) if options.abstracts or options.categories else None

    def forward(self, news: News) -> Tensor:
        """Raises ValueError where the articles lack what the encoder was built to read."""
        titles = self._encoded(news.titles)
        if self.views is None:
            return titles
        views, there = [titles], [news.titles.has_tokens()]
        if self.abstracts:
            if news.abstracts is None:
                raise ValueError("the model reads abstracts, and these articles have none prepared")
            views.append(self._encoded(news.abstracts))
            there.append(news.abstracts.has_tokens())
        if self.categories is not None:
            if news.categories is None:
                raise ValueError("the model reads categories, and these articles have none prepared")
            views.append(self.categories(news.categories))
            there.append(torch.ones_like(there[0]))
        combined: Tensor = self.views(torch.stack(views, dim=1), torch.stack(there, dim=1))
        return combined

    def _encoded(self, texts: Texts) -> Tensor:
        return torch.cat([self.text(ids, mask) for ids, mask in texts.groups])[texts.place]
