"""ROUGE: the package's own values, whatever the number of processes, and intervals that cover what they should."""

import random

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from pipeline.metrics import rouge
from pipeline.metrics.bootstrap import interval

WORDS = (
    "the",
    "a",
    "council",
    "voted",
    "voting",
    "vote",
    "on",
    "roads",
    "road",
    "new",
    "$4.5",
    "million",
    "don't",
    "(no)",
)


def sentences(draw: random.Random) -> list[str]:
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(draw.randint(0, 4))]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[list[str], list[str]]]:
    draw = random.Random(1)
    return [(sentences(draw), sentences(draw)) for _ in range(100)]


def plainly(reference: list[str], output: list[str]) -> list[float]:
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=True)
    found = scorer.score("\n".join(reference), "\n".join(output))
    return [found[name].fmeasure for name in ("rouge1", "rouge2", "rougeL", "rougeLsum")]


@pytest.mark.parametrize("processes", [1, 2])
def test_scores_are_those_of_the_package_called_plainly(
    processes: int, pairs: list[tuple[list[str], list[str]]]
) -> None:
    references, outputs = ([pair[i] for pair in pairs] for i in (0, 1))
    scores = rouge.f_measures(references, outputs, processes=processes)
    assert scores.tolist() == [plainly(reference, output) for reference, output in pairs]
    assert scores.mean(axis=0).min() > 0


def test_the_order_of_sentences_tells_lsum_from_l() -> None:
    reference, output = ["one two three four", "five six seven"], ["five six seven", "one two three four"]
    (scores,) = rouge.f_measures([reference], [output], processes=1)
    assert dict(zip(rouge.ROUGES, scores, strict=True)) == pytest.approx(
        {"rouge_1": 1.0, "rouge_2": 5 / 6, "rouge_l": 4 / 7, "rouge_lsum": 1.0}
    )


def test_a_newline_within_a_sentence_ends_none() -> None:
    scores = rouge.f_measures([["one \n two three", "four"]] * 2, [["one two three", "four"]] * 2, processes=1)
    assert (scores == 1).all()


@pytest.mark.parametrize("output", [[], [""], ["", " "], ["!?", "…"], ["крот"]])
def test_an_output_without_a_token_scores_zero(output: list[str]) -> None:
    assert rouge.f_measures([["a reference"]], [output], processes=1).tolist() == [[0.0] * 4]


def test_as_many_outputs_as_references() -> None:
    with pytest.raises(ValueError, match="2 references, but 1 outputs"):
        rouge.f_measures([["a"], ["b"]], [["a"]], processes=1)
    assert rouge.f_measures([], [], processes=2).shape == (0, 4)
    with pytest.raises(ValueError, match="no values"):
        rouge.means(np.zeros((0, 4)))


def test_means_stand_between_the_ends_of_their_intervals() -> None:
    scores = np.random.default_rng(3).random((50, 4))
    found = rouge.means(scores)
    assert found == rouge.means(scores)
    for name, column in zip(rouge.ROUGES, scores.T, strict=True):
        assert found[name] == column.mean()
        assert (found[f"{name}_low"], found[f"{name}_high"]) == interval(column)


def test_the_protocol_names_the_package_and_its_version() -> None:
    told = rouge.protocol()
    assert told["package"] == "rouge-score 0.1.2"
    assert told["stemmer"] is True
