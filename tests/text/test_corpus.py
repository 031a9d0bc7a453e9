"""Encoded texts on disk."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.text import corpus
from pipeline.text.corpus import CorpusInfo

TEXTS = [[5, 6, 7], [2], [], [9, 9]]


def flat(texts: list[list[int]]) -> tuple[list[np.ndarray], list[int]]:
    """The ids of texts, and how many each has."""
    return [np.array(text, np.int32) for text in texts], [len(text) for text in texts]


def test_texts_are_read_as_written(tmp_path: Path) -> None:
    pieces = (np.array(piece, np.int32) for piece in ([5, 6], [7, 2, 9], [], [9]))
    corpus.write(tmp_path, "train", pieces, [3, 1, 0, 2], [0, 1, 2, 0])
    found = corpus.read(tmp_path, "train")
    assert [found[i].tolist() for i in range(len(found))] == TEXTS
    assert found.labels.tolist() == [0, 1, 2, 0]
    assert found.lengths.tolist() == [3, 1, 0, 2]
    assert (found.ids.dtype, found.offsets.dtype, found.labels.dtype) == (np.int32, np.int64, np.int64)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["train.ids.npy", "train.labels.npy", "train.offsets.npy"]


def test_ids_are_mapped_and_cant_be_changed(tmp_path: Path) -> None:
    corpus.write(tmp_path, "train", *flat(TEXTS), [0, 1, 2, 0])
    found = corpus.read(tmp_path, "train")
    assert isinstance(found.ids, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        found.ids[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        found[1][0] = 1


def test_ids_are_the_bytes_that_numpy_saves(tmp_path: Path) -> None:
    for count in (0, 1, 8, 1000):
        ids = np.arange(count, dtype=np.int32)
        corpus.write(tmp_path, "train", [ids[:3], ids[3:]], [count], [0])
        np.save(tmp_path / "saved.npy", ids)
        assert (tmp_path / "train.ids.npy").read_bytes() == (tmp_path / "saved.npy").read_bytes()


def test_a_split_without_texts_is_empty(tmp_path: Path) -> None:
    corpus.write(tmp_path, "test", *flat([]), [])
    assert len(corpus.read(tmp_path, "test")) == 0


def test_the_same_texts_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        corpus.write(tmp_path / name, "train", *flat(TEXTS), [0, 1, 2, 0])
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()


def test_info_is_read_as_written(tmp_path: Path) -> None:
    info = CorpusInfo(["bad", "naïve"], 100, 12, "wordpunct", True)
    corpus.write_info(tmp_path, info)
    assert corpus.read_info(tmp_path) == info
