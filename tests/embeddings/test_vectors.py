"""Word vectors: missing words, random vectors, word2vec."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.embeddings import vectors
from pipeline.embeddings.vector_files import FileRows
from pipeline.embeddings.vectors import pretrained_matrix, random_matrix, word2vec_matrix
from pipeline.errors import UserError


def correlated(count: int) -> np.ndarray:
    """Rows with mean (1, -2, 0.5) and correlated columns."""
    mix = np.array([[1.0, 0.8, 0.0], [0.0, 0.5, -0.4], [0.0, 0.0, 0.3]])
    drawn = np.random.default_rng(2).normal(size=(count, 3)) @ mix + [1.0, -2.0, 0.5]
    return drawn.astype(np.float32)


def test_missing_words_are_drawn_like_the_found_ones() -> None:
    rows = correlated(500)
    found = FileRows(3, {index + 2: row for index, row in enumerate(rows)})
    matrix = pretrained_matrix(found, 40_000, seed=1)
    drawn = matrix[502:]
    assert matrix.dtype == np.float32
    assert (matrix[2:502] == rows).all()
    assert (matrix[0] == 0).all()
    assert (matrix[1] != 0).all()
    assert np.abs(drawn.mean(axis=0) - rows.mean(axis=0)).max() < 0.03
    assert np.abs(np.cov(drawn, rowvar=False) - np.cov(rows, rowvar=False)).max() < 0.03


def test_the_draw_repeats_with_its_seed() -> None:
    found = FileRows(3, {index + 2: row for index, row in enumerate(correlated(10))})
    first = pretrained_matrix(found, 50, seed=1)
    assert (pretrained_matrix(found, 50, seed=1) == first).all()
    assert (pretrained_matrix(found, 50, seed=2)[12:] != first[12:]).all()


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.filterwarnings("error")
def test_few_found_words_suffice(count: int) -> None:
    rows = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 5.0]], dtype=np.float32)[:count]
    matrix = pretrained_matrix(FileRows(3, dict(enumerate(rows, 2))), 20, seed=1)
    assert np.isfinite(matrix).all()
    # The covariance of one row is zero, that of two is a line.
    assert np.allclose(matrix[1:, 1], 2, atol=1e-5)


def test_no_found_word_is_refused() -> None:
    with pytest.raises(UserError, match=r"none of the vocabulary's words; is it one of this language and case\?$"):
        pretrained_matrix(FileRows(3), 5, seed=1)


def test_random_vectors_are_normal_and_repeat() -> None:
    matrix = random_matrix(5000, 8, 0.02, seed=1)
    assert (matrix.shape, matrix.dtype) == ((5000, 8), np.float32)
    assert (matrix[0] == 0).all()
    assert abs(matrix[1:].mean()) < 0.001
    assert abs(matrix[1:].std() - 0.02) < 0.001
    assert (random_matrix(5000, 8, 0.02, seed=1) == matrix).all()
    assert (random_matrix(5000, 8, 0.02, seed=2)[1:] != matrix[1:]).all()


WORDS = ["<pad>", "<unk>", "cat", "dog", "red", "blue", "purrs", "barks", "paint", "hue"]
WORD2VEC = """
import random
from pipeline.embeddings.vectors import word2vec_matrix
draw = random.Random(1)
pick = lambda words: draw.choice(words.split())
texts = [[pick("cat dog"), pick("purrs barks"), pick("cat dog"), "rare"] for _ in range(1500)]
texts += [[pick("red blue"), pick("paint hue"), pick("red blue"), "rare"] for _ in range(1500)]
words = "<pad> <unk> cat dog red blue purrs barks paint hue".split()
matrix = word2vec_matrix(texts, words, dim=8, window=2, epochs=3, seed=7)
"""


@pytest.fixture(scope="module")
def trained() -> np.ndarray:
    scope: dict[str, np.ndarray] = {}
    exec(WORD2VEC, scope)
    return scope["matrix"]


def test_word2vec_has_a_row_for_every_word(trained: np.ndarray) -> None:
    assert (trained.shape, trained.dtype) == ((10, 8), np.float32)
    assert (trained[0] == 0).all()
    assert (trained[1:] != 0).all()


def test_word2vec_relates_words_that_share_contexts(trained: np.ndarray) -> None:
    keyed = vectors.keyed_vectors(WORDS, trained)
    assert keyed.most_similar("cat", topn=1)[0][0] in ("dog", "purrs", "barks")
    assert keyed.similarity("cat", "dog") > keyed.similarity("cat", "red") + 0.1
    assert keyed.similarity("red", "blue") > keyed.similarity("dog", "blue") + 0.1


def test_word2vec_repeats_in_another_process(trained: np.ndarray, root: Path) -> None:
    code = WORD2VEC + "import sys; sys.stdout.buffer.write(matrix.tobytes())"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=root) == trained.tobytes()


def test_word2vec_without_words_is_refused() -> None:
    with pytest.raises(UserError, match="no words to train word2vec on"):
        word2vec_matrix([["rare"]], ["<pad>", "<unk>"], dim=4, window=2, epochs=1, seed=1)


def test_keyed_vectors_hold_the_rows_of_words() -> None:
    matrix = random_matrix(4, 3, 1.0, seed=1)
    keyed = vectors.keyed_vectors(["<pad>", "<unk>", "a", "b"], matrix)
    assert list(keyed.key_to_index) == ["a", "b"]
    assert (keyed["b"] == matrix[3]).all()
