"""A prepared data set of 60 short texts, small enough to train on in a second."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.params import Params, Run
from pipeline.section import merged
from pipeline.text import corpus

SIZES = {"train": 45, "validation": 20, "test": 21}
WORDS = 30


@pytest.fixture(scope="session")
def run(shipped: Params) -> Run:
    """Two labels, a tiny model with dropout, at most three epochs of six batches."""
    values = shipped.run("review_sentences", "fastformer", 1)
    model = values.model.model_copy(update={"dim": 8, "heads": 2, "feedforward_dim": 8})
    training = values.training.model_copy(update={"batch_size": 8, "max_epochs": 3, "lr": 0.01})
    return merged(values, values.model_copy(update={"model": model, "training": training}))


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    draw = np.random.default_rng(0)
    for split, size in SIZES.items():
        labels = draw.integers(0, 2, size).tolist()
        # Label 1 uses the upper half of the words more often.
        texts = [
            np.where(draw.random(n) < 0.3 + 0.4 * label, draw.integers(16, WORDS, n), draw.integers(2, 16, n)).tolist()
            for label, n in zip(labels, draw.integers(1, 12, size), strict=True)
        ]
        ids = [np.array(text, np.int32) for text in texts]
        corpus.write(folder, split, ids, [len(text) for text in texts], labels)
    corpus.write_info(folder, corpus.CorpusInfo(["bad", "good"], WORDS, 12, "wordpunct", True))
    return folder
