"""A trained summarizer, read back from its run's folder, for articles of the user's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch

from pipeline.generation.search import SearchOptions
from pipeline.generation.writing import summaries
from pipeline.models.summarizer import Summarizer, SummarizerOptions, build_summarizer
from pipeline.prediction.run_folder import read_built, read_weights, read_words
from pipeline.text.articles import WRITTEN_SPECIALS, encoded_source, words_of
from pipeline.text.batching import padded
from pipeline.text.tokenizer import Tokenizer, joined, tokenizer


@dataclass(frozen=True)
class Summary:
    """What a model writes of one article."""

    sentences: list[str]
    cut: int  # tokens beyond the longest article that the model reads


class TrainedSummarizer:
    """The best weights of a run, with all that turns an article into their input and their output into sentences."""

    def __init__(
        self,
        model: Summarizer,
        options: SummarizerOptions,
        search: SearchOptions,
        split: Tokenizer,
        words: list[str],
    ) -> None:
        self.model = model.eval()
        self.longest = options.text.mixer.max_length
        self.search = search
        self.split = split
        self.words = words
        first = len(WRITTEN_SPECIALS)
        self.ids = {word: number for number, word in enumerate(words[first:], first)}

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """Of the folder that `train` or `ablate` wrote. Raises UserError as run_folder.py does."""
        built = read_built(folder)
        options = SummarizerOptions.from_dict(built["model"])
        words = read_words(folder, options.text.vocabulary_size)
        model = build_summarizer(options, vectors=None)
        model.load_state_dict(read_weights(folder))
        split = tokenizer(built["text"]["tokenizer"], lowercase=built["text"]["lowercase"])
        return cls(model, options, SearchOptions(**built["search"]), split, words)

    def summaries(self, texts: Sequence[str]) -> list[Summary | None]:
        """One summary per article, None for one without tokens."""
        every = [self.split(text) for text in texts]
        encoded = [encoded_source(tokens[: self.longest], self.ids, len(self.words)) for tokens in every if tokens]
        if not encoded:
            return [None] * len(texts)
        ids, mask = map(torch.from_numpy, padded([np.array(ids, dtype=np.int32) for ids, _ in encoded]))
        written = iter(zip(summaries(self.model, ids, mask, self.search), encoded, strict=True))
        made: list[Summary | None] = []
        for tokens in every:
            if not tokens:
                made.append(None)
                continue
            found, (_, own) = next(written)
            sentences = [joined(words) for words in words_of(found, self.words, own)]
            made.append(Summary(sentences, max(0, len(tokens) - self.longest)))
        return made
