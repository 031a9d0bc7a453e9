"""First sentences, the oracle and the ceiling, each against its definition written out."""

import itertools
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.baselines import summarization
from pipeline.baselines.summarization import f_measure, grams, oracle, oracles
from pipeline.files import read_json
from pipeline.metrics import rouge
from pipeline.params import Params
from pipeline.stages import baseline, fetch, prepare
from pipeline.text import articles
from pipeline.text.tokenizer import sentences
from tests.stages import own

DATASET = "newsroom_briefs"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small generated set with its baselines; not to be changed."""
    folder = tmp_path_factory.mktemp("done")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("DVC_ROOT", str(folder))
        values = pipeline_params.load(own.REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
        values["data"][DATASET]["source"]["articles"] = {"train": 60, "validation": 30, "test": 40}
        params = Params.model_validate(values)
        fetch.run(params, DATASET)
        prepare.run(params, DATASET)
        baseline.run(DATASET)
    return folder


def metrics(done: Path) -> dict[str, Any]:
    found: dict[str, Any] = read_json(done / paths.baselines(DATASET) / "metrics.json")
    return found


def test_rows_stand_in_the_order_of_what_they_may_know(done: Path) -> None:
    found = metrics(done)
    assert list(found) == ["lead", "oracle", "ceiling", "protocol"]
    assert found["lead"]["rouge_2"] < found["oracle"]["rouge_2"] < found["ceiling"]["rouge_2"]
    assert found["protocol"] == rouge.protocol()
    assert set(read_json(done / paths.baselines(DATASET) / "timing.json")) == {"lead", "oracle"}


def test_scores_are_those_of_the_summaries_beside_them(done: Path) -> None:
    table = pq.read_table(done / paths.baselines(DATASET) / "predictions.parquet").to_pydict()
    records = articles.read_records(done / paths.prepared(DATASET), "test")
    assert table["id"] == list(range(40))
    assert table["reference"] == records.summary
    assert table["ceiling"] == records.best
    number = metrics(done)["lead"]["sentences"]
    assert table["lead"] == [sentences(body)[:number] for body in records.body]
    for name in ("lead", "oracle", "ceiling"):
        scores = rouge.f_measures(records.summary, table[name], processes=1)
        assert table[f"{name}_rouge_2"] == scores[:, 1].tolist()
        assert metrics(done)[name]["rouge_lsum"] == pytest.approx(scores[:, 3].mean())
        assert metrics(done)[name]["rouge_2_low"] < metrics(done)[name]["rouge_2"]


def test_the_lead_is_the_best_on_validation(done: Path) -> None:
    records = articles.read_records(done / paths.prepared(DATASET), "validation")
    scores = {
        number: rouge.f_measures(records.summary, [sentences(body)[:number] for body in records.body], processes=1)[
            :, 1
        ].mean()
        for number in summarization.LEADS
    }
    assert metrics(done)["lead"]["sentences"] == max(scores, key=lambda number: scores[number])


WORDS = st.lists(st.sampled_from("abcd"), max_size=5)


def gain(split: list[list[str]], chosen: tuple[int, ...], reference: list[str]) -> float:
    found = [sum((grams(split[number], size) for number in chosen), start=grams([], size)) for size in (1, 2)]
    return sum(f_measure(found[size - 1], grams(reference, size)) for size in (1, 2))


@settings(derandomize=True, max_examples=100, deadline=None, database=None)
@given(st.lists(WORDS, max_size=5), WORDS)
def test_no_further_sentence_would_help_the_oracle(split: list[list[str]], reference: list[str]) -> None:
    chosen = oracle(split, reference)
    assert chosen == sorted(set(chosen))
    best = gain(split, tuple(chosen), reference)
    assert best >= max((gain(split, (number,), reference) for number in range(len(split))), default=0.0)
    assert all(gain(split, (*chosen, more), reference) <= best for more in set(range(len(split))) - set(chosen))


def test_the_oracle_takes_what_adds_most() -> None:
    split = [["a", "b"], ["x", "y"], ["c", "d", "x"], ["a", "b"]]
    assert oracle(split, ["a", "b", "c", "d"]) == [0, 2]
    assert oracle(split, ["q"]) == oracle([], ["a"]) == oracle(split, []) == []


def test_gram_scores_are_those_of_the_package() -> None:
    first, second = ["a", "b", "c", "a", "b"], ["b", "c", "a", "b", "d"]
    scores = rouge.f_measures([[" ".join(first)]], [[" ".join(second)]], processes=1)[0]
    assert scores[:2] == pytest.approx([f_measure(grams(second, size), grams(first, size)) for size in (1, 2)])


def test_oracles_are_the_same_in_parallel() -> None:
    bodies = [list(order) for order in itertools.permutations(["One runs.", "Two ran home.", "Three."])] * 6
    references = [["Two runs.", "Three ran."]] * len(bodies)
    assert oracles(bodies, references, 2) == oracles(bodies, references, 1)
