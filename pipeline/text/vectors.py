"""Word vectors for a vocabulary: rows of a published file, drawn at random, or trained by word2vec.

A matrix has one float32 row per word, in the order of the ids; the row of `<pad>` is zero.
"""

import codecs
import gzip
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import UserError
from pipeline.text.vocabulary import PAD_ID, UNKNOWN_ID

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Matrix = NDArray[np.float32]

BAD_LINES_SHARE = 0.001
"""More lines of the wrong size than this, and more than one, make the file one of mixed sizes."""

_NUMBER = re.compile(rb"[-+]?\d*\.\d+(e[-+]?\d+)?$", re.IGNORECASE)


@dataclass
class FileRows:
    """The rows of a published file that a vocabulary has, and what else was met on the way."""

    dim: int
    rows: dict[int, Matrix] = field(default_factory=dict)
    lines: int = 0
    header: bool = False
    duplicates: int = 0
    wrong_size: list[int] = field(default_factory=list)
    """Line numbers of skipped lines."""


def read_rows(path: Path, words: list[str]) -> FileRows:
    """The rows of `words` in a GloVe or word2vec text file (.txt, .gz, or .zip with one text file).

    The file is read as bytes and a line from its right-hand end, since a token may hold spaces; only lines of wanted
    words are parsed. The first of two equal words wins. A line with too few numbers is skipped and counted.
    Raises UserError, naming the line, where the sizes are mixed or a number can't be read.
    """
    wanted = {word.encode(): index for index, word in enumerate(words)}
    with _open(path) as file:
        head = list(islice(file, 1000))
        if not head:
            raise UserError(f"{path}: empty file; a line is a word and its numbers")
        head[0] = head[0].removeprefix(codecs.BOM_UTF8)
        first_line = 1
        header = len(head[0].split()) == 2 and all(part.isdigit() for part in head[0].split())
        if header:
            head, first_line = head[1:], 2
        dim = int(Counter(_numbers_at_end(line) for line in head).most_common(1)[0][0]) if head else 0
        if dim < 1:
            raise UserError(f"{path}:{first_line}: no word with numbers; a line is a word and its numbers")
        found = FileRows(dim, header=header)
        for number, line in enumerate(chain(head, file), first_line):
            _take(path, number, line.rstrip(b" \r\n"), wanted, found)
    found.lines = number
    if len(found.wrong_size) > max(1, BAD_LINES_SHARE * found.lines):
        raise UserError(
            f"{path}:{found.wrong_size[0]}: not {dim} numbers, as most lines have; {len(found.wrong_size)} of "
            f"{found.lines} lines differ; the vectors are of mixed size: take a file of one size"
        )
    return found


def _numbers_at_end(line: bytes) -> int:
    """How many numbers stand behind a line's word; a word in the middle ends the count."""
    pieces = line.rstrip(b" \r\n").split(b" ")[1:]
    return sum(1 for _ in _trailing_numbers(pieces))


def _trailing_numbers(pieces: list[bytes]) -> Iterator[bytes]:
    for piece in reversed(pieces):
        try:
            float(piece)
        except ValueError:
            return
        yield piece


def _take(path: Path, number: int, line: bytes, wanted: dict[bytes, int], found: FileRows) -> None:
    extra = line.count(b" ") - found.dim
    if extra == 0:
        word, _, numbers = line.partition(b" ")
    else:
        pieces = line.rsplit(b" ", found.dim)
        word = pieces[0]
        # A token of several pieces doesn't end in a decimal fraction; a vector that is too long does.
        if extra < 0 or _NUMBER.match(word.rpartition(b" ")[2]):
            found.wrong_size.append(number)
            return
        numbers = b" ".join(pieces[1:])
    index = wanted.get(word)
    if index is None:
        return
    if index in found.rows:
        found.duplicates += 1
        return
    try:
        row = np.array(numbers.split(b" "), dtype=np.float32)
    except ValueError as error:
        raise UserError(f"{path}:{number}: {error}; mend or remove that line") from None
    if not np.isfinite(row).all():
        raise UserError(f"{path}:{number}: a number that isn't finite; mend or remove that line")
    found.rows[index] = row


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                texts = [name for name in archive.namelist() if name.endswith(".txt")]
                if len(texts) != 1:
                    raise UserError(
                        f"{path}: holds {len(texts)} .txt files ({', '.join(texts)}); unpack the one to use"
                    )
                with archive.open(texts[0]) as file:
                    yield file
        elif path.suffix == ".gz":
            with gzip.open(path) as unpacked:
                yield cast(IO[bytes], unpacked)
        else:
            with path.open("rb") as file:
                yield file
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise UserError(f"{path}: damaged archive ({error}); copy or download it again") from None
    except RuntimeError as error:  # zipfile's answer to an encrypted member
        raise UserError(
            f"{path}: can't be unpacked here ({error}); unpack it yourself and name the text file"
        ) from None


def pretrained_matrix(found: FileRows, size: int, seed: int) -> Matrix:
    """Rows of a published file; a word without one is drawn with the mean and covariance of those found (Section 4.1).

    Raises UserError where the file has none of the words.
    """
    if not found.rows:
        raise UserError("the vector file has none of the vocabulary's words; is it one of this language and case?")
    indices = sorted(found.rows)
    rows = np.stack([found.rows[index] for index in indices]).astype(np.float64)
    covariance = np.atleast_2d(np.cov(rows, rowvar=False)) if len(rows) > 1 else np.zeros((found.dim, found.dim))
    draw = np.random.default_rng(seed)
    matrix = draw.multivariate_normal(rows.mean(axis=0), covariance, size=size, method="eigh").astype(np.float32)
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
