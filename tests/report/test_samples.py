"""Summaries on the page: the same articles for every variant, evenly spaced, whatever the text."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.params import Params
from pipeline.report.answers import Summaries, read_answers
from pipeline.report.collect import collect
from pipeline.report.page import render
from pipeline.report.runs import Run
from pipeline.report.samples import SHOWN, samples
from tests.report import fake


def answers(folder: Path, name: str, articles: int = 21) -> Summaries:
    """What a training, or the baseline `name`, wrote for so many articles."""
    path = folder / f"{name}.parquet"
    text = "summary" if name == "trained" else name
    score = "rouge_2" if name == "trained" else f"{name}_rouge_2"
    columns = {
        "id": pa.array(range(articles), pa.int64()),
        "reference": pa.array([[f"It was {i}.", "It <i>is</i>."] for i in range(articles)], pa.list_(pa.string())),
        text: pa.array([[f"{name} {i}"] if i else [] for i in range(articles)], pa.list_(pa.string())),
        score: pa.array([i / 100 for i in range(articles)], pa.float64()),
    }
    pq.write_table(pa.table(columns), path)
    found = read_answers("summarization", path, None if name == "trained" else name)
    assert isinstance(found, Summaries)
    return found


def run(found: Summaries, variant: str) -> Run:
    return Run("train", "briefs", variant, 2, {}, {}, [], found)


def test_they_are_evenly_spaced_and_the_same_for_all(tmp_path: Path) -> None:
    found = samples([run(answers(tmp_path, "trained"), "fastformer"), run(answers(tmp_path, "lead"), "other")])
    assert [one.number for one in found] == [0, 5, 10, 15, 20]
    assert found[1].reference == "It was 5.\nIt <i>is</i>."
    assert [(one.variant, one.seed, one.text, one.score) for one in found[1].written] == [
        ("fastformer", 2, "trained 5", 0.05),
        ("other", 2, "lead 5", 0.05),
    ]
    assert found[0].written[0].text == ""


@pytest.mark.parametrize("articles", [0, 1, 3])
def test_fewer_articles_are_all_shown(tmp_path: Path, articles: int) -> None:
    found = samples([run(answers(tmp_path, "trained", articles), "fastformer")])
    assert [one.number for one in found] == list(range(articles))
    assert articles < SHOWN


def test_the_page_shows_them_escaped_and_labels_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chosen: Params = fake.params(datasets=["films"], variants=["fastformer"], seeds=[1])
    fake.write_world(chosen, ["bad", "good"])
    collected = collect(chosen)
    assert samples(collected.runs) == []
    assert "A few test summaries" not in render(collected)
    films = replace(collected.datasets[0], runs=[replace(collected.runs[0], answers=answers(tmp_path, "trained"))])
    page = render(replace(collected, datasets=[films]))
    assert "It was 5.\nIt &lt;i&gt;is&lt;/i&gt;." in page
    assert "trained 5" in page and "seed 1: 5" in page and "<dd>nothing</dd>" in page
