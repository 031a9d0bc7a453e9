"""Prepared data of news recommendation on disk; docs/recommendation.md lists the files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import UserError
from pipeline.files import Closing, read_json, require, write_json
from pipeline.text import ragged
from pipeline.text.ragged import ArrayWriter, Ragged, RaggedWriter

INFO = "recommendation.json"
TITLES, ABSTRACTS, HISTORIES = "titles", "abstracts", "histories"

COLUMNS = {"id": np.int64, "time": np.int64, "user": np.int32, "history": np.int32}
"""What there is one of per impression, and its type."""


@dataclass(frozen=True)
class RecommendationInfo:
    """What a model must know of prepared data: its sizes are read, never typed by hand.

    `news_encoder` names the pretrained one for whose pieces texts were cut too. `splits` has the number of impressions
    of every split that there is.
    """

    news: int
    categories: list[str]
    subcategories: list[str]
    vocabulary_size: int
    max_length: int
    abstract_length: int | None
    max_history: int
    news_encoder: str | None
    tokenizer: str
    lowercase: bool
    splits: dict[str, int]


@dataclass(frozen=True)
class Impressions:
    """One split. Row i of `candidates` holds news numbers, `history[i]` is a row of the histories, `time` in seconds.

    `clicks` is as long as the flat candidates, and None where upstream keeps them to itself; so are `chances`, the true
    probabilities of the clicks, which only generated impressions have.
    """

    split: str
    id: NDArray[np.int64]
    time: NDArray[np.int64]
    user: NDArray[np.int32]
    history: NDArray[np.int32]
    candidates: Ragged
    clicks: NDArray[np.bool_] | None
    chances: NDArray[np.float64] | None

    def __len__(self) -> int:
        return len(self.id)

    def labels(self) -> NDArray[np.bool_]:
        """The clicks. Raises UserError where there are none to measure or to learn from."""
        if self.clicks is None:
            raise UserError(
                f"split {self.split} has no clicks, so that it can be ranked but not measured; take one of train, "
                "validation and test"
            )
        return self.clicks


class ImpressionWriter(Closing):
    """Writes the impressions of one split one after the other."""

    def __init__(self, folder: Path, split: str, *, clicks: bool, chances: bool) -> None:
        self._columns = {name: ArrayWriter(_file(folder, split, name), dtype) for name, dtype in COLUMNS.items()}
        self._candidates = RaggedWriter(folder, f"{split}.candidates")
        self._clicks = ArrayWriter(_file(folder, split, "clicks"), np.bool_) if clicks else None
        self._chances = ArrayWriter(_file(folder, split, "chances"), np.float64) if chances else None
        self.length = 0

    def close(self) -> None:
        for writer in (self._candidates, *self._columns.values(), self._clicks, self._chances):
            if writer is not None:
                writer.close()

    def append(self, candidates: list[int], clicks: list[bool], chances: list[float], **columns: int) -> None:
        """One impression; `columns` has a value for every one of COLUMNS."""
        for name, writer in self._columns.items():
            writer.extend([columns[name]])
        self._candidates.append(candidates)
        if self._clicks is not None:
            self._clicks.extend(clicks)
        if self._chances is not None:
            self._chances.extend(chances)
        self.length += 1


def read(folder: Path, split: str) -> Impressions:
    """One split, memory-mapped and read-only."""

    def column(name: str) -> NDArray[Any]:
        return ragged.read_array(_file(folder, split, name))

    return Impressions(
        split=split,
        id=column("id"),
        time=column("time"),
        user=column("user"),
        history=column("history"),
        candidates=ragged.read(folder, f"{split}.candidates"),
        clicks=column("clicks") if _file(folder, split, "clicks").is_file() else None,
        chances=column("chances") if _file(folder, split, "chances").is_file() else None,
    )


def news_of(folder: Path, split: str) -> NDArray[np.int32]:
    """The numbers of all news that a split shows or has in a history, each once, in rising order."""
    impressions, histories = read(folder, split), ragged.read(folder, HISTORIES)
    read_before = histories.rows(np.unique(impressions.history)).ids
    return np.unique(np.concatenate([impressions.candidates.ids, read_before]))


def pieces_of(name: str) -> str:
    """The name of the same texts in a pretrained news encoder's own pieces."""
    return f"{name}.pieces"


def write_info(folder: Path, info: RecommendationInfo) -> None:
    write_json(folder / INFO, vars(info))


def read_info(folder: Path) -> RecommendationInfo:
    return RecommendationInfo(**read_json(require(folder / INFO)))


def is_prepared(folder: Path) -> bool:
    """Whether the folder holds data for recommendation, not for another task."""
    return (folder / INFO).is_file()


def _file(folder: Path, split: str, name: str) -> Path:
    return folder / f"{split}.{name}.npy"
