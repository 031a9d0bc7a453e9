"""Accuracy and macro-F1 against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics

from pipeline.metrics.classification import accuracy_and_f1, confusion_matrix

CASES = {
    "all right": ([0, 1, 2, 1], [0, 1, 2, 1], 3),
    "all wrong": ([0, 1, 0], [1, 0, 1], 2),
    "a class that isn't there": ([0, 0, 1, 1], [0, 2, 1, 1], 3),
    "a class never predicted": ([0, 1, 2, 2], [0, 1, 1, 0], 3),
    "a class neither there nor predicted": ([0, 1, 3], [0, 0, 3], 4),
    "one text": ([1], [0], 2),
}


@pytest.mark.parametrize("name", CASES)
def test_scores_are_scikit_learns(name: str) -> None:
    labels, predicted, classes = CASES[name]
    confusion = confusion_matrix(np.array(labels), np.array(predicted), classes)
    names = list(range(classes))
    assert (confusion == metrics.confusion_matrix(labels, predicted, labels=names)).all()
    scores = accuracy_and_f1(confusion)
    assert scores["accuracy"] == pytest.approx(metrics.accuracy_score(labels, predicted))
    expected = metrics.f1_score(labels, predicted, labels=names, average="macro", zero_division=0)
    assert scores["macro_f1"] == pytest.approx(expected)
    assert all(type(value) is float for value in scores.values())


def test_scores_of_many_texts_are_scikit_learns() -> None:
    draw = np.random.default_rng(1)
    labels = draw.choice(5, 3000, p=[0.5, 0.3, 0.1, 0.09, 0.01])
    predicted = np.where(draw.random(3000) < 0.7, labels, draw.integers(0, 5, 3000))
    scores = accuracy_and_f1(confusion_matrix(labels, predicted, 5))
    assert scores["accuracy"] == pytest.approx(metrics.accuracy_score(labels, predicted))
    assert scores["macro_f1"] == pytest.approx(metrics.f1_score(labels, predicted, average="macro"))


def test_rows_are_true_labels() -> None:
    assert confusion_matrix(np.array([0, 0, 1]), np.array([1, 1, 1]), 2).tolist() == [[0, 2], [0, 1]]
