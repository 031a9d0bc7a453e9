"""Who is taken for whom: a matrix for few labels, the most frequent mistakes for many."""

from dataclasses import dataclass

import numpy as np

from pipeline.metrics.classification import confusion_matrix
from pipeline.report.answers import Labels

MATRIX_LABELS = 12
MISTAKES = 10


@dataclass(frozen=True)
class Cell:
    """A count and its share of the row, which is the depth of its colour."""

    count: int
    share: float


@dataclass(frozen=True)
class Confusion:
    """`cells` is empty where there are too many labels for a matrix; `mistakes` (true, predicted, count) then isn't."""

    labels: list[str]
    cells: list[list[Cell]]
    mistakes: list[tuple[str, str, int]]


def confusion(answers: Labels, order: list[str]) -> Confusion:
    """The confusion of one run; `order` is that of the labels as far as it is known."""
    seen = sorted({*answers.labels.tolist(), *answers.predicted.tolist()})
    labels = list(dict.fromkeys([*order, *seen]))
    numbers = {label: number for number, label in enumerate(labels)}
    true, predicted = (
        np.array([numbers[label] for label in column.tolist()], dtype=np.int64)
        for column in (answers.labels, answers.predicted)
    )
    counts = confusion_matrix(true, predicted, len(labels))
    if len(labels) <= MATRIX_LABELS:
        rows = counts.sum(axis=1)
        cells = [
            [Cell(int(count), round(float(count / max(rows[index], 1)), 3)) for count in line]
            for index, line in enumerate(counts)
        ]
        return Confusion(labels, cells, [])
    np.fill_diagonal(counts, 0)
    largest = np.argsort(-counts, axis=None, kind="stable")[:MISTAKES]
    pairs = [divmod(int(index), len(labels)) for index in largest]
    return Confusion(labels, [], [(labels[a], labels[b], int(counts[a, b])) for a, b in pairs if counts[a, b]])
