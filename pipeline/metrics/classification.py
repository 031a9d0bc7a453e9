"""Accuracy and macro-F1 out of a confusion matrix."""

import numpy as np
from numpy.typing import NDArray


def confusion_matrix(labels: NDArray[np.int64], predicted: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """(classes, classes) counts: row = true label, column = predicted label."""
    counts = np.bincount(labels * classes + predicted, minlength=classes * classes)
    return counts.reshape(classes, classes).astype(np.int64)


def accuracy_and_f1(confusion: NDArray[np.int64]) -> dict[str, float]:
    """`accuracy`, and `macro_f1`: the mean of every class's F1, 0 for a class that is neither there nor predicted.

    That is scikit-learn's f1_score(average="macro", labels=all classes, zero_division=0).
    """
    hits = np.diag(confusion).astype(np.float64)
    seen = confusion.sum(axis=0) + confusion.sum(axis=1)
    f1 = np.divide(2 * hits, seen, out=np.zeros_like(hits), where=seen > 0)
    return {"accuracy": float(hits.sum() / confusion.sum()), "macro_f1": float(f1.mean())}
