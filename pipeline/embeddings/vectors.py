"""Word vectors for a vocabulary: rows of a published file (vector_files.py), drawn at random, or trained by word2vec.

A matrix has one float32 row per word, in the order of the ids; the row of `<pad>` is zero.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipeline.embeddings.vector_files import FileRows
from pipeline.errors import UserError
from pipeline.text.vocabulary import PAD_ID, UNKNOWN_ID

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Matrix = NDArray[np.float32]


def pretrained_matrix(found: FileRows, size: int, seed: int) -> Matrix:
    """Rows of a published file; a word without one is drawn with the mean and covariance of those found (Section 4.1).

    Raises UserError where the file has none of the words.
    """
    if not found.rows:
        raise UserError("the vector file has none of the vocabulary's words; is it one of this language and case?")
    indices = sorted(found.rows)
    rows = np.stack([found.rows[index] for index in indices])
    # Both in float64, of which a copy of the rows exists only within np.cov.
    mean, covariance = rows.mean(axis=0, dtype=np.float64), np.zeros((found.dim, found.dim))
    if len(rows) > 1:
        covariance = np.atleast_2d(np.cov(rows, rowvar=False, dtype=np.float64))
    draw = np.random.default_rng(seed)
    matrix = draw.multivariate_normal(mean, covariance, size=size, method="eigh").astype(np.float32)
    matrix[indices] = rows
    matrix[PAD_ID] = 0
    return matrix


def random_matrix(size: int, dim: int, std: float, seed: int) -> Matrix:
    """Normal rows with mean 0, as the official code initialises its embeddings (std 0.02)."""
    matrix = np.random.default_rng(seed).normal(0, std, (size, dim)).astype(np.float32)
    matrix[PAD_ID] = 0
    return matrix


def word2vec_matrix(
    texts: list[list[str]], words: list[str], *, dim: int, window: int, epochs: int, seed: int
) -> Matrix:
    """Vectors that gensim's skip-gram trains on the training texts; one worker, so that they repeat exactly.

    Words outside `words` are left out of the texts; `<unk>` is drawn like a word that a published file lacks.
    Raises UserError where there is nothing to train.
    """
    from gensim.models import Word2Vec

    known = set(words[UNKNOWN_ID + 1 :])
    if not known:
        raise UserError("the vocabulary has no words to train word2vec on; lower min_count or add texts")
    kept = [[word for word in text if word in known] for text in texts]
    model = Word2Vec(kept, vector_size=dim, window=window, epochs=epochs, seed=seed, min_count=1, sg=1, workers=1)
    rows = {i: model.wv[word] for i, word in enumerate(words) if word in model.wv.key_to_index}
    return pretrained_matrix(FileRows(dim, rows), len(words), seed)


def keyed_vectors(words: list[str], matrix: Matrix) -> "KeyedVectors":
    """The rows as gensim's KeyedVectors: `most_similar`, `save_word2vec_format` and the rest."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(words[UNKNOWN_ID + 1 :], matrix[UNKNOWN_ID + 1 :])
    return vectors
