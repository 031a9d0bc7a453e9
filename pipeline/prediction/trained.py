"""A trained classifier, read back from its run's folder, for texts of the user's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.prediction.attention_maps import Maps, recorded
from pipeline.prediction.run_folder import read_built, read_weights, read_words
from pipeline.text import vocabulary
from pipeline.text.batching import padded
from pipeline.text.tokenizer import Tokenizer, tokenizer


@dataclass(frozen=True)
class Answer:
    """What a model says of one text. `tokens` are those that it read, `maps` has (N, H) per layer if asked for."""

    tokens: list[str]
    cut: int  # tokens beyond the longest text that the model reads
    probability: NDArray[np.float32]  # (C,)
    maps: list[Maps]


class TrainedClassifier:
    """The best weights of a run, with all that turns a text into their input."""

    def __init__(
        self, model: nn.Module, options: ModelOptions, labels: list[str], split: Tokenizer, ids: dict[str, int]
    ) -> None:
        self.model = model.eval()
        self.options = options
        self.labels = labels
        self.split = split
        self.ids = ids

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """Of the folder .../<data set>/<variant>/<seed> that `train` or `ablate` wrote.

        Raises UserError where a file is missing, or where the data were prepared anew since, with other words.
        """
        built = read_built(folder)
        options = ModelOptions.from_dict(built["model"])
        ids = {word: number for number, word in enumerate(read_words(folder, options.vocabulary_size))}
        model = build_classifier(options, classes=len(built["labels"]), vectors=None)
        model.load_state_dict(read_weights(folder))
        split = tokenizer(built["text"]["tokenizer"], lowercase=built["text"]["lowercase"])
        return cls(model, options, built["labels"], split, ids)

    def answers(self, texts: Sequence[str], *, maps: bool) -> list[Answer | None]:
        """One answer per text, None for a text without tokens; `maps` asks for attention maps."""
        every = [self.split(text) for text in texts]
        longest = self.options.mixer.max_length
        kept = [tokens[:longest] for tokens in every if tokens]
        probability, layers = self._run(kept, maps) if kept else (np.zeros((0, len(self.labels)), np.float32), [])
        made: list[Answer | None] = []
        row = 0
        for tokens in every:
            if not tokens:
                made.append(None)
                continue
            read = tokens[:longest]
            own = [Maps(alpha[row, : len(read)], beta[row, : len(read)]) for alpha, beta in layers]
            made.append(Answer(read, len(tokens) - len(read), probability[row], own))
            row += 1
        return made

    @torch.inference_mode()
    def _run(self, texts: list[list[str]], maps: bool) -> tuple[NDArray[np.float32], list[Maps]]:
        encoded = [np.array(vocabulary.encode(tokens, self.ids), dtype=np.int32) for tokens in texts]
        ids, mask = map(torch.from_numpy, padded(encoded))
        if not maps:
            return _probability(self.model(ids, mask)), []
        with recorded(self.model) as layers:
            return _probability(self.model(ids, mask)), layers


def _probability(logits: Tensor) -> NDArray[np.float32]:
    probability: NDArray[np.float32] = logits.float().softmax(dim=1).numpy()
    return probability
