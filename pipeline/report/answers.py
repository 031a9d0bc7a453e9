"""What a model answered on the test split, and how good each single answer was."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.metrics.ranking import Ranking, ranking


@dataclass(frozen=True)
class Answers(ABC):
    """One file's answers, in the order of their ids."""

    path: Path
    ids: NDArray[np.int64]

    @property
    @abstractmethod
    def truth(self) -> NDArray[np.generic]:
        """What is true, by which two files are known to be of the same data."""

    @property
    @abstractmethod
    def values(self) -> NDArray[np.float64]:
        """How good each answer is, from 0 to 1; their mean is the task's headline metric."""


@dataclass(frozen=True)
class Labels(Answers):
    """True and predicted labels of texts; a right answer is worth 1."""

    labels: NDArray[np.object_]
    predicted: NDArray[np.object_]

    @property
    def truth(self) -> NDArray[np.generic]:
        return self.labels

    @property
    def values(self) -> NDArray[np.float64]:
        return np.equal(self.labels, self.predicted).astype(np.float64)


@dataclass(frozen=True)
class Scores(Answers):
    """Clicks and scores of ragged impressions: the i-th has the candidates from `offsets[i]` to `offsets[i + 1]`."""

    offsets: NDArray[np.int64]
    clicks: NDArray[np.bool_]
    scores: NDArray[np.float64]

    @property
    def truth(self) -> NDArray[np.generic]:
        return self.clicks

    @cached_property
    def ranking(self) -> Ranking:
        return ranking(self.scores, self.clicks, self.offsets)

    @property
    def values(self) -> NDArray[np.float64]:
        """AUC of each impression that has one."""
        return self.ranking.values["auc"]


@dataclass(frozen=True)
class Summaries(Answers):
    """Reference summaries, what was written for each, a sentence a line, and its ROUGE-2."""

    references: NDArray[np.object_]
    written: NDArray[np.object_]
    scores: NDArray[np.float64]

    @property
    def truth(self) -> NDArray[np.generic]:
        return self.references

    @property
    def values(self) -> NDArray[np.float64]:
        return self.scores


def read_answers(task: str, path: Path, column: str | None) -> Answers:
    """The test split's truth beside what `column` of the file answers; None: a training's own, of which there is one.

    Raises KeyError or ValueError where the file lacks what it should have.
    """
    return _READERS[task](path, column)


def _labels(path: Path, column: str | None) -> Labels:
    column = column or "predicted"
    table = pq.read_table(path, columns=["id", "label", column])
    return Labels(
        path=path,
        ids=table.column("id").to_numpy(),
        labels=np.array(table.column("label").to_pylist(), dtype=object),
        predicted=np.array(table.column(column).to_pylist(), dtype=object),
    )


def _scores(path: Path, column: str | None) -> Scores:
    column = column or "score"
    table = pq.read_table(path, columns=["id", "clicks", column]).combine_chunks()
    clicks, scores = (_one(table.column(name)) for name in ("clicks", column))
    offsets = clicks.offsets.to_numpy()
    return Scores(
        path=path,
        ids=table.column("id").to_numpy(),
        offsets=(offsets - offsets[0]).astype(np.int64),
        clicks=clicks.flatten().to_numpy(zero_copy_only=False),
        scores=scores.flatten().to_numpy().astype(np.float64),
    )


def _summaries(path: Path, column: str | None) -> Summaries:
    score = f"{column}_rouge_2" if column else "rouge_2"
    written = column or "summary"
    table = pq.read_table(path, columns=["id", "reference", written, score])
    references, summaries = (
        np.array(["\n".join(sentences) for sentences in table.column(name).to_pylist()], dtype=object)
        for name in ("reference", written)
    )
    return Summaries(
        path=path,
        ids=table.column("id").to_numpy(),
        references=references,
        written=summaries,
        scores=table.column(score).to_numpy(),
    )


def _one(column: pa.ChunkedArray) -> pa.LargeListArray:
    """A column without rows has no chunk."""
    return column.chunk(0) if column.num_chunks else pa.array([], pa.large_list(pa.float32()))


_READERS = {"classification": _labels, "recommendation": _scores, "summarization": _summaries}
