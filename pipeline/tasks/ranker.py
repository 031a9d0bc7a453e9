"""Scores of whole impressions by a recommender, each article and each history encoded once."""

import torch
from lightning_fabric.utilities.apply_func import move_data_to_device
from torch import Tensor

from pipeline.models.recommender import Recommender
from pipeline.tasks.news_data import NewsTable, RankBatch

NEWS_TOKENS = 16_384
"""Tokens of titles that are encoded at a time."""

CANDIDATES_AT_A_TIME = 32_768


class Ranker:
    """Keeps the vectors of all articles of `table` between `encode` and `forget`."""

    def __init__(self, model: Recommender, table: NewsTable) -> None:
        self.model = model
        self.table = table
        self.news: Tensor | None = None

    def encode(self, device: torch.device) -> None:
        """Encodes every article. The model must be there, and in evaluation mode."""
        vectors: Tensor | None = None
        for numbers in self.table.portions(NEWS_TOKENS):
            encoded = self.model.news(move_data_to_device(self.table.news(numbers), device))
            if vectors is None:
                vectors = encoded.new_empty(len(self.table), encoded.shape[1])
            vectors[torch.from_numpy(numbers).to(device)] = encoded
        self.news = vectors

    def forget(self) -> None:
        self.news = None

    def scores(self, batch: RankBatch) -> Tensor:
        """(candidates,) float32."""
        news = self.news
        assert news is not None, "encode comes first"
        users = self.model.user(news[batch.history], batch.history_mask)[batch.user]
        of = torch.repeat_interleave(torch.arange(len(batch.sizes), device=users.device), batch.sizes)
        parts = zip(*(torch.split(each, CANDIDATES_AT_A_TIME) for each in (batch.candidates, of)), strict=True)
        return torch.cat([(news[some] * users[rows]).sum(dim=-1, dtype=torch.float32) for some, rows in parts])
