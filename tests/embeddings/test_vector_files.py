"""Published vectors: odd lines, packed files, word2vec's binary format, gensim's files, other spellings."""

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.embeddings import vector_files
from pipeline.embeddings.vector_files import FileRows, read_rows
from pipeline.errors import UserError

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


PIECES = st.sampled_from([b"a", b"b", b"a b", b"1.5", b"c\xff", "é".encode(), b"", b".", b"<unk>"])
NUMBERS = st.lists(st.sampled_from([b"1", b"-0.25", b"1e-3", b"7.5"]), min_size=2, max_size=2)
LINES = st.builds(
    lambda word, numbers, end: b" ".join((word, *numbers)) + end, PIECES, NUMBERS, st.sampled_from([b"", b" ", b"\r"])
)
ODD_LINES = st.sampled_from([b"", b" ", b"a", b"a 1", b"b 1 2 3.5", b"  \r \r", b"a 1 2 3.5 4.5"])


def plain(content: bytes, words: list[str]) -> tuple[dict[int, list[float]], int, list[int]]:
    """Rows, repeats and skipped lines of a file with two columns, one line after the other."""
    rows: dict[int, list[float]] = {}
    repeats, skipped = 0, []
    lines = content.split(b"\n")
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
        word, *numbers = line.rstrip(b" \r").rsplit(b" ", 2)
        if len(numbers) < 2 or (b" " in word and b"." in word.rpartition(b" ")[2][:-1]):
            skipped.append(number)
        elif word in [known.encode() for known in words]:
            index = [known.encode() for known in words].index(word)
            repeats += index in rows
            rows.setdefault(index, [float(number) for number in numbers])
    return rows, repeats, skipped


@settings(derandomize=True, max_examples=150, deadline=None, database=None)
@given(st.lists(LINES | ODD_LINES, max_size=30), st.booleans(), st.sampled_from([1, 7, 64, 1 << 20]))
def test_blocks_of_any_size_are_read_like_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], ended: bool, block: int
) -> None:
    content = b"\n".join([b"x 0.5 1.5", b"y 0.5 1.5", *lines]) + b"\n" * ended
    path = tmp_path_factory.getbasetemp() / "blocks.txt"
    path.write_bytes(content)
    words = ["a", "b", "a b", "1.5", "é", "", "x", "<unk>"]
    rows, repeats, skipped = plain(content, words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_files, "BLOCK", block)
        patch.setattr(vector_files, "HEAD_LINES", 2)
        patch.setattr(vector_files, "BAD_LINES_SHARE", 1)
        found = read_rows(path, words)
    assert {index: row.tolist() for index, row in found.rows.items()} == {
        index: np.array(row, np.float32).tolist() for index, row in rows.items()
    }
    assert (found.duplicates, found.wrong_size) == (repeats, skipped)
    assert found.lines == content.count(b"\n") + (not content.endswith(b"\n"))


def test_a_file_without_line_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_files, "LONGEST_LINE", 1 << 20)
    (tmp_path / "v.txt").write_bytes(b"a 1.0 " * 500_000)
    assert refusal(tmp_path / "v.txt", "a").startswith("v.txt: a line of more than 1,048,576 bytes; this is no text")


def test_the_member_that_is_named_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "v.zip", "glove/v.50d.txt", "glove/v.300d.txt")
    for member in ("v.300d.txt", "glove/v.300d.txt"):
        assert read_rows(path, ["w3"], member=member).lines == 500
    with pytest.raises(UserError, match=r"holds 2 \.txt files"):
        read_rows(path, ["w3"], member="v.100d.txt")


CASED = "Paris 1 1\nparis 2 2\nthe 3 3\nUSA 4 4\nBerlin 5 5\n"


@pytest.mark.parametrize(
    ("case", "rows"),
    [
        ("exact", {0: 2, 2: 4}),
        ("lower", {0: 2, 1: 3, 2: 4, 4: 2}),
        ("title", {0: 2, 1: 3, 2: 4, 3: 5, 4: 2}),
    ],
)
def test_other_spellings_are_taken_as_far_as_allowed(
    tmp_path: Path, case: vector_files.Case, rows: dict[int, int]
) -> None:
    (tmp_path / "v.txt").write_text(CASED)
    found = read_rows(tmp_path / "v.txt", ["paris", "The", "USA", "berlin", "PARIS", "rome"], case=case)
    assert {index: int(row[0]) for index, row in sorted(found.rows.items())} == rows
    names = {0: "exact", 1: "lower", 2: "exact", 3: "title", 4: "lower"}
    assert found.cases == {index: names[index] for index in rows}
    assert found.duplicates == 0


def test_the_own_spelling_wins_wherever_it_stands(tmp_path: Path) -> None:
    for content in ("Rome 1\nrome 2\nROME 3\n", "ROME 3\nrome 2\nRome 1\n"):
        (tmp_path / "v.txt").write_text(content)
        found = read_rows(tmp_path / "v.txt", ["ROME", "rome", "Rome", "roMe"], case="title")
        assert [int(found.rows[index][0]) for index in range(4)] == [3, 2, 1, 2]


def keyed(words: list[str], rows: np.ndarray) -> KeyedVectors:
    made = KeyedVectors(rows.shape[1])
    made.add_vectors(words, rows)
    return made


@pytest.mark.parametrize("name", ["v.bin", "v.bin.gz", "v.kv", "v.txt", "v.txt.gz"])
def test_what_gensim_writes_is_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_files, "BLOCK", 100)
    words = [f"wörd{i}" for i in range(300)]
    rows = np.random.default_rng(1).normal(size=(300, 7)).astype(np.float32)
    path = tmp_path / name
    if name == "v.kv":
        keyed(words, rows).save(str(path), sep_limit=1)  # its rows go into a file of their own
        assert (tmp_path / "v.kv.vectors.npy").exists()
    else:
        keyed(words, rows).save_word2vec_format(str(path), binary=".bin" in name)
    found = read_rows(path, ["wörd299", "absent", "wörd0", "Wörd7"], case="lower")
    assert {index: row.tolist() for index, row in found.rows.items()} == {
        0: rows[299].tolist(),
        2: rows[0].tolist(),
        3: rows[7].tolist(),
    }
    assert (found.dim, found.duplicates, found.wrong_size) == (7, 0, [])
    assert found.lines == 300 + ("txt" in name)


def test_a_line_end_may_stand_before_a_binary_word(tmp_path: Path) -> None:
    # word2vec.c ends each row with one, gensim doesn't.
    row = np.array([0.5, 10.0], "<f4").tobytes()
    (tmp_path / "v.bin").write_bytes(b"2 2\na " + row + b"\nb " + row + b"\n")
    assert sorted(read_rows(tmp_path / "v.bin", ["a", "b"]).rows) == [0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "v.bin: doesn't begin with the numbers of words and of columns"),
        (b"the 0.5\n", "v.bin: doesn't begin with the numbers"),
        (b"2 2\na " + bytes(8) + b"b " + bytes(4), "v.bin: ends or breaks in word 2 of 2; copy"),
        (b"1 1\na " + np.array([np.nan], "<f4").tobytes(), "v.bin: word 1: a number that isn't finite"),
    ],
)
def test_broken_binary_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "v.bin").write_bytes(content)
    assert refusal(tmp_path / "v.bin", "a").startswith(message)


def test_broken_gensim_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "v.kv").write_bytes(b"the 0.5\n")
    assert refusal(tmp_path / "v.kv", "a").startswith("v.kv: not what gensim's KeyedVectors.save writes (")
    keyed(["a"], np.ones((1, 2), np.float32)).save(str(tmp_path / "v.kv"), sep_limit=1)
    (tmp_path / "v.kv.vectors.npy").unlink()
    assert refusal(tmp_path / "v.kv", "a").endswith("v.kv.vectors.npy is missing; copy it too, as gensim wrote both")
