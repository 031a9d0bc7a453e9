"""Summaries by a model, with what it has computed for earlier words kept."""

import torch
from torch import Tensor

from pipeline.generation.search import Marks, SearchOptions, search
from pipeline.models.decoder import KeysAndValues
from pipeline.models.summarizer import Memory, Summarizer
from pipeline.text.articles import BEGIN_ID, END_ID
from pipeline.text.vocabulary import PAD_ID, UNKNOWN_ID

MARKS = Marks(begin=BEGIN_ID, end=END_ID, never=(PAD_ID, UNKNOWN_ID, BEGIN_ID))


class Continuations:
    """A Step of search.py: hypotheses that a model goes on with, one word at a time."""

    def __init__(self, model: Summarizer, memory: Memory, own_words: int) -> None:
        self.model = model
        self.memory = memory
        self.own_words = own_words
        self.past: list[KeysAndValues] | None = None

    def __call__(self, words: Tensor, rows: Tensor | None) -> Tensor:
        """words (R,), rows (R,) -> (R, V + own_words)."""
        if self.past is not None and rows is not None:
            self.past = [layer.rows(rows) for layer in self.past]
        hidden, self.past = self.model.decode(self.memory, words[:, None], self.past)
        return self.model.log_probabilities(self.memory, hidden, self.own_words)[:, 0]


@torch.inference_mode()
def summaries(model: Summarizer, ids: Tensor, mask: Tensor, options: SearchOptions) -> list[list[int]]:
    """ids (B, N), mask (B, N) -> the ids of a summary for each, in those of its text.

    The model is to be in evaluation mode. Raises ValueError if `max_length` is more than the model can write.
    """
    own_words = max(0, int(ids.max()) + 1 - model.vocabulary_size)
    step = Continuations(model, model.encode(ids, mask), own_words)
    return search(step, len(ids), options, MARKS, ids.device)
