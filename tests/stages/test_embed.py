"""Stage `embed`: a row per word of the vocabulary, and how many the file has."""

from pathlib import Path

import numpy as np
import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.stages import embed
from pipeline.text import vocabulary
from tests.stages import own

pytestmark = pytest.mark.usefixtures("words")

TINY = "film 1.0 2.0 3.0\nfine 4.0 5.0 6.0\nother 7.0 8.0 9.0\nfilm 0.0 0.0 0.0\nshort 1.0\n. 0.5 0.5 0.5\n"


@pytest.fixture
def words(workspace: Path) -> list[str]:
    """The vocabulary of a data set prepared in the workspace, with a small vector file beside it."""
    assert workspace == Path.cwd()
    own.write("reviews.jsonl", own.reviews())
    folder = own.prepared(own.params())
    paths.VECTORS.mkdir(parents=True)
    (paths.VECTORS / "tiny.txt").write_text(TINY)
    return [word for word, _ in vocabulary.read(folder / "vocabulary.json")]


def matrix(kind: str, grid: str = "train") -> np.ndarray:
    embed.run(own.params(), "own", kind, grid)
    loaded: np.ndarray = np.load(paths.embeddings(grid, "own", kind) / "vectors.npy", allow_pickle=False)
    return loaded


def report(kind: str) -> dict[str, object]:
    found: dict[str, object] = read_json(paths.embeddings("train", "own", kind) / "coverage.json")
    return found


@pytest.mark.parametrize(("kind", "dim"), [("pretrained", 3), ("frozen", 3), ("random", 3), ("word2vec", 4)])
def test_every_kind_has_a_row_per_word(words: list[str], kind: str, dim: int) -> None:
    found = matrix(kind)
    assert (found.shape, found.dtype) == ((len(words), dim), np.float32)
    assert (found[0] == 0).all()
    assert np.isfinite(found).all()
    assert np.abs(found[1:]).sum(axis=1).min() > 0
    assert (report(kind)["vectors"], report(kind)["dim"]) == (kind, dim)
    assert (matrix(kind) == found).all()


def test_rows_of_the_file_stand_at_their_words(words: list[str]) -> None:
    found = matrix("pretrained")
    assert found[words.index("film")].tolist() == [1, 2, 3]
    assert found[words.index("fine")].tolist() == [4, 5, 6]
    assert (matrix("frozen") == found).all()


def test_coverage_and_what_was_met_in_the_file() -> None:
    matrix("pretrained")
    entries = vocabulary.read(paths.prepared("own") / "vocabulary.json")[2:]
    covered = sum(count for word, count in entries if word in ("film", "fine", "."))
    found = report("pretrained")
    assert found["file"] == "tiny.txt"
    assert found["coverage"] == {
        "types": round(3 / len(entries), 6),
        "tokens": round(covered / sum(count for _, count in entries), 6),
        "missing_words": len(entries) - 3,
    }
    assert found["read"] == {
        "lines": 6,
        "header": False,
        "repeated_words": 1,
        "skipped_lines": 1,
        "skipped_line_numbers": [5],
    }


def test_neighbours_are_words_of_the_vocabulary(words: list[str]) -> None:
    matrix("word2vec")
    neighbours = report("word2vec")["neighbours"]
    assert isinstance(neighbours, dict)
    assert neighbours
    for word, near in neighbours.items():
        assert len(near) == 3
        assert {word, *near} <= set(words[2:])
    matrix("random")
    assert "neighbours" not in report("random")


def test_the_grids_have_folders_of_their_own() -> None:
    assert (matrix("random", "ablate") == matrix("random", "train")).all()
    assert own.hashes(Path("data/embeddings/ablations/own")) == own.hashes(Path("data/embeddings/runs/own"))


def test_vectors_of_another_language_are_refused_and_nothing_is_left() -> None:
    (paths.VECTORS / "tiny.txt").write_text("Wort 1.0 2.0\nSatz 1.0 2.0\n")
    with pytest.raises(UserError, match=r"^data set own, variant pretrained: the vector file has none of the voc"):
        matrix("pretrained")
    assert not Path("data/embeddings").exists()
