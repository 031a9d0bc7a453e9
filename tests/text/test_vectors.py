"""Word vectors: odd lines of published files, missing words, word2vec."""

import gzip
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import UserError
from pipeline.text import vectors
from pipeline.text.vectors import FileRows, pretrained_matrix, random_matrix, read_rows, word2vec_matrix

PLAIN = "the 0.5 1.5 -2.5\ncat 1 2 3\nsat -0.25 1e-05 2.5E+2\n"


def read(folder: Path, content: str | bytes, *words: str) -> FileRows:
    path = folder / "v.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_rows(path, list(words))


def refusal(path: Path, *words: str) -> str:
    with pytest.raises(UserError) as caught:
        read_rows(path, list(words))
    return str(caught.value).removeprefix(f"{path.parent}/")


def many(count: int) -> str:
    return "".join(f"w{i} {i}.5 0.25 -1.0\n" for i in range(count))


def test_a_words_row_is_its_own(tmp_path: Path) -> None:
    # A peer took a line's first character for its word: `at` then overwrote `a`, and `the` had no row.
    found = read(tmp_path, "the 1.0 2.0\na 3.0 4.0\nat 5.0 6.0\n", "the", "a")
    assert {index: row.tolist() for index, row in found.rows.items()} == {0: [1, 2], 1: [3, 4]}
    assert (found.dim, found.lines, found.duplicates, found.wrong_size) == (2, 3, 0, [])


def test_numbers_are_the_files_as_float32(tmp_path: Path) -> None:
    row = read(tmp_path, PLAIN, "sat").rows[0]
    assert row.dtype == np.float32
    assert row.tolist() == np.array([-0.25, 1e-05, 250], dtype=np.float32).tolist()


def test_a_token_may_hold_spaces(tmp_path: Path) -> None:
    content = PLAIN + ". . . 0.1 0.2 0.3\nat name@domain.com 0.4 0.5 0.6\na\u00a0b 0.7 0.8 0.9\n\u00a0 1.1 1.2 1.3\n"
    found = read(tmp_path, content, ". . .", "at name@domain.com", "a\u00a0b", "\u00a0", ".", "at", "a")
    assert [round(float(found.rows[i][0]), 6) for i in sorted(found.rows)] == [0.1, 0.4, 0.7, 1.1]
    assert sorted(found.rows) == [0, 1, 2, 3]
    assert found.wrong_size == []


def test_nan_and_inf_are_words(tmp_path: Path) -> None:
    found = read(tmp_path, PLAIN + "nan 0.1 0.2 0.3\ninf 0.4 0.5 0.6\n1e5 0.7 0.8 0.9\n", "nan", "inf", "1e5", "null")
    assert sorted(found.rows) == [0, 1, 2]
    assert found.rows[1].tolist() == np.array([0.4, 0.5, 0.6], dtype=np.float32).tolist()


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"])
def test_header_and_line_ends(tmp_path: Path, end: str) -> None:
    found = read(tmp_path, "3 3\n".replace("\n", end) + PLAIN.replace("\n", end), "the", "3")
    assert (found.header, found.dim, found.lines, sorted(found.rows)) == (True, 3, 4, [0])
    assert not read(tmp_path, PLAIN, "the").header


@pytest.mark.parametrize(
    "line",
    ["cat 1.0 2.0", "cat 1.0 2.0 3.0 4.0", "cat", "", "cat 1.0  3.0 4.0"],
    ids=["short", "long", "word alone", "blank", "two spaces"],
)
def test_a_line_of_the_wrong_size_is_skipped_and_counted(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, f"the 0.5 1.5 -2.5\n{line}\nsat 1.0 2.0 3.0\n", "the", "cat", "sat", "cat 1.0")
    assert found.wrong_size == [2]
    assert sorted(found.rows) == [0, 2]


def test_the_first_of_two_equal_words_wins(tmp_path: Path) -> None:
    found = read(tmp_path, "cat 1 2 3\nthe 0.5 1.5 -2.5\ncat 4 5 6\ndog 1 1 1\ndog 2 2 2\n", "cat", "the")
    assert found.rows[0].tolist() == [1, 2, 3]
    assert found.duplicates == 1


def test_mixed_sizes_are_refused_with_the_first_odd_line(tmp_path: Path) -> None:
    content = many(2000) + "".join(f"x{i} 1.0 2.0\n" for i in range(3))
    with pytest.raises(UserError, match=r"v\.txt:2001: not 3 numbers, as most lines have; 3 of 2003 lines differ"):
        read(tmp_path, content, "w1")
    assert read(tmp_path, content.removesuffix("x2 1.0 2.0\n"), "w1").wrong_size == [2001, 2002]


def test_sizes_that_change_after_the_first_lines_are_seen(tmp_path: Path) -> None:
    content = many(3000) + "".join(f"x{i} 1.0 2.0 3.0 4.0\n" for i in range(3000))
    with pytest.raises(UserError, match=r"v\.txt:3001: not 3 numbers.*3000 of 6000 lines differ"):
        read(tmp_path, content, "w1")


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("number", ["nan", "inf", "-Infinity", "1e39"])
def test_a_number_that_isnt_finite_is_refused(tmp_path: Path, number: str) -> None:
    (tmp_path / "v.txt").write_text(PLAIN + f"dog 1.0 {number} 2.0\n")
    assert refusal(tmp_path / "v.txt", "dog") == "v.txt:4: a number that isn't finite; mend or remove that line"


def test_what_is_no_number_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(PLAIN + "dog 1.0 x 2.0\n")
    assert refusal(tmp_path / "v.txt", "dog").startswith("v.txt:4: could not convert")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "v.txt: empty file"),
        ("3 50\n", "v.txt:2: no word with numbers"),
        ("<html>\n<body>not found</body>\n", "v.txt:1: no word with numbers"),
        ("a\t0.1\t0.2\n", "v.txt:1: no word with numbers"),
    ],
)
def test_a_file_without_vectors_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "v.txt").write_text(content)
    assert refusal(tmp_path / "v.txt", "a").startswith(message)


def test_only_rows_of_wanted_words_are_kept(tmp_path: Path) -> None:
    found = read(tmp_path, many(20_000), "w7", "absent", "w19999")
    assert {index: float(row[0]) for index, row in found.rows.items()} == {0: 7.5, 2: 19999.5}
    assert found.lines == 20_000


def zipped(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, many(500))
    return path


def test_packed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(many(500).encode()))
    for path in (tmp_path / "v.txt.gz", zipped(tmp_path / "v.zip", "readme.md", "glove/v.txt")):
        found = read_rows(path, ["w3"])
        assert (found.rows[0].tolist(), found.lines) == ([3.5, 0.25, -1], 500)


def test_a_zip_with_none_or_several_files_is_refused(tmp_path: Path) -> None:
    assert refusal(zipped(tmp_path / "a.zip", "glove.50d.txt", "glove.300d.txt"), "w3") == (
        "a.zip: holds 2 .txt files (glove.50d.txt, glove.300d.txt); unpack the one to use"
    )
    assert refusal(zipped(tmp_path / "b.zip", "readme.md"), "w3").startswith("b.zip: holds 0 .txt files")


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    whole = gzip.compress(many(500).encode())
    packed = zipped(tmp_path / "v.zip", "v.txt").read_bytes()
    middle = len(packed) // 2
    damaged = {
        "cut.gz": whole[:-100],
        "checksum.gz": whole[:-8] + bytes(8),
        "stream.gz": whole[:10] + b"\x07" + whole[11:],
        "text.gz": b"the 1.0 2.0\n",
        "cut.zip": packed[:middle],
        "bytes.zip": packed[:middle] + b"\xff\xff\xff\xff" + packed[middle + 4 :],
        "text.zip": b"the 1.0 2.0\n",
    }
    for name, content in damaged.items():
        (tmp_path / name).write_bytes(content)
        message = refusal(tmp_path / name, "w3")
        assert message.startswith(f"{name}: damaged archive ("), message
        assert message.endswith("; copy or download it again")


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
from pipeline.text.vectors import word2vec_matrix
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
