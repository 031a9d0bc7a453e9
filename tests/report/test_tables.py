"""Cells of the tables, and results.md."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.params import Params
from pipeline.report import data_tables, tables
from pipeline.report.collect import collect
from pipeline.report.markdown import escape, markdown, table
from pipeline.report.page import render
from pipeline.report.rows import Row
from pipeline.report.tables import Table
from tests.report import fake

NAMES = ["bad", "good"]


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    chosen = fake.params(
        datasets=["films"],
        variants=["fastformer", "frozen_vectors"],
        seeds=[1, 2, 3],
        ablations={"datasets": ["films"], "variants": ["add", "random_vectors", "concat"]},
    )
    fake.write_world(chosen, NAMES)
    return chosen


def row(**values: Any) -> Row:
    base = {
        "dataset": "films",
        "task": "classification",
        "variant": "fastformer",
        "kind": "variant",
        "seeds": [1],
        "missing_seeds": [],
        "metrics": {"accuracy": {"mean": 0.81234, "std": None, "values": [0.81234]}},
        "interval": (0.80432, 0.81987),
        "parameters": 1234567,
        "train_seconds": 90.0,
        "tokens_per_second": 40321.5,
        "p_value": {"against": "tfidf_logreg", "value": 0.0123},
        "published": {},
    }
    return base | values  # type: ignore[return-value]


def test_a_row_in_cells() -> None:
    (made,) = tables.result_tables([row()])
    head = ["model", "accuracy", "95 %", "macro-F1", "p vs tfidf_logreg", "parameters", "tokens/s", "minutes", "seeds"]
    assert made.head == head
    assert made.body == [["fastformer", "81.23", "80.4 to 82.0", "-", "0.0123", "1,234,567", "40,322", "1.5", "1"]]


def test_several_seeds_have_a_deviation() -> None:
    assert tables.measure({"mean": 0.8, "std": 0.0123, "values": [0.79, 0.81]}) == "80.00 ± 1.23"


@pytest.mark.parametrize(
    "there, missing, cell",
    [([], [], "-"), ([1, 2], [], "1 2"), ([1], [2, 3], "1 (2 3 missing)"), ([], [1], "(1 missing)")],
)
def test_seeds_say_which_are_missing(there: list[int], missing: list[int], cell: str) -> None:
    assert tables.seeds(row(seeds=there, missing_seeds=missing)) == cell


def test_the_ablation_table_starts_with_its_reference_whose_p_is_of_another_test() -> None:
    ablation = row(kind="ablation", variant="add", p_value={"against": "fastformer", "value": 0.5})
    _, made = tables.result_tables([row(), row(variant="other"), ablation])
    assert made.title == "Ablations of fastformer"
    assert [(line[0], line[4]) for line in made.body] == [("fastformer", "-"), ("add", "0.5000")]


def test_a_missing_row_says_so() -> None:
    (made,) = tables.result_tables([row(metrics={}, seeds=[], missing_seeds=[1], p_value=None)])
    assert made.body == [["fastformer", "missing", "-", "-", "-", "-", "-", "-", "(1 missing)"]]


def test_many_labels_are_cut_to_the_most_frequent() -> None:
    fifty = {f"label {number}": number for number in range(50)}
    splits = {"train": {"labels": fifty}, "test": {"labels": {"label 49": 3}}}
    made = data_tables.labels_table({"splits": splits}, limit=2)
    assert "2 most frequent of 50" in made.title
    assert made.body == [["label 49", "49", "3"], ["label 48", "48", "0"]]


def test_markdown_columns_line_up_and_cells_cannot_end_them() -> None:
    text = table(Table("t", ["model", "n"], [["a|b", "1"], ["fastformer", "23"]]))
    lines = text.splitlines()
    assert {len(line) for line in lines} == {len(lines[0])}
    assert lines[2] == r"| a\|b       |   1 |"
    assert escape("a\nb") == "a b"


def test_the_whole_file(chosen: Params) -> None:
    shutil.rmtree("experiments/runs/films/frozen_vectors")
    Path("experiments/runs/films/old/7").mkdir(parents=True)
    text = markdown(collect(chosen))
    assert "| frozen_vectors |" in text and "| (1 2 3 missing) |" in text
    assert "### Ablations of fastformer" in text
    assert "texts (train / validation / test): 1,000 / 1,000 / 1,000; truncated: 4 / 4 / 4" in text
    assert "skipped: 7 no text, 3 no tokens, of 3,010 rows" in text
    assert "test machine, cpu, 2 threads" in " ".join(text.split())
    assert "these tables leave out: experiments/runs/films/old/7" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= 120  # tables are as they are


def test_the_papers_ablations_stand_beside_those_here(chosen: Params) -> None:
    shutil.rmtree("experiments/ablations/films/concat")
    collected = collect(chosen)
    made = tables.published_table(collected.datasets[0], collected)
    assert made is not None
    assert made.head == ["model", "films, here", "amazon, paper", "imdb, paper", "mind, paper"]
    here = {row["variant"]: row["metrics"] for row in collected.rows}
    assert made.body == [
        ["fastformer", both(here["fastformer"]), "66.13 / 43.23", "54.10 / 44.65", "82.34 / 63.89"],
        ["add", both(here["add"]), "65.22 / 41.89", "52.99 / 42.99", "81.34 / 62.12"],
        ["concat", "missing", "64.47 / 40.87", "52.44 / 42.33", "80.57 / 60.46"],
    ]
    text = markdown(collected)
    assert "### The paper's ablations, on its data sets (Figures 3 and 4): accuracy / macro-F1" in text
    assert "The captions of those panels are rotated" in " ".join(text.split())


def both(metrics: dict[str, Any]) -> str:
    return f"{100 * metrics['accuracy']['mean']:.2f} / {100 * metrics['macro_f1']['mean']:.2f}"


def test_the_papers_results_stand_beside_those_of_its_data_sets(chosen: Params) -> None:
    collected = collect(chosen)
    films = collected.datasets[0]
    assert tables.paper_table(films, collected.paper) is None
    amazon = tables.paper_table(replace(films, name="amazon"), collected.paper)
    assert amazon is not None
    assert (amazon.title, amazon.head) == ("In the paper (Table 4)", ["model", "accuracy", "macro-F1"])
    assert ["fastformer", "66.13 ± 0.29", "43.23 ± 0.30"] in amazon.body
    pubmed = tables.paper_table(replace(films, name="pubmed", task="summarization"), collected.paper)
    assert pubmed is not None
    assert pubmed.head == ["model", "ROUGE-2", "ROUGE-1", "ROUGE-L"]
    assert ["fastformer", "15.44", "38.09", "34.81"] in pubmed.body
    mind = tables.paper_table(replace(films, name="mind", task="recommendation"), collected.paper)
    assert mind is not None
    assert ["fastformer", "69.11", "34.25", "37.26", "43.38"] in mind.body
    named = replace(collected, datasets=[replace(films, name="amazon")])
    assert "### In the paper (Table 4)" in markdown(named)
    assert "In the paper (Table 4)" in render(named)


def test_without_an_ablation_that_the_paper_has_too_its_numbers_stay_away(chosen: Params) -> None:
    ablations = chosen.ablations.model_copy(update={"variants": ["random_vectors", "per_head_scoring"]})
    for changed in ({"ablations": ablations}, {"variants": ["transformer"]}):
        collected = collect(chosen.model_copy(update=changed))
        assert tables.published_table(collected.datasets[0], collected) is None
        assert "captions" not in markdown(collected)


def test_a_note_on_a_data_set_stands_where_it_is_in_the_tables(chosen: Params) -> None:
    collected = collect(chosen)
    note = "mind_topics classifies articles of MIND by title and abstract"
    assert note not in " ".join(markdown(collected).split())
    renamed = [replace(dataset, name="mind_topics") for dataset in collected.datasets]
    assert note in " ".join(markdown(replace(collected, datasets=renamed)).split())


def test_settings_say_of_each_variant_what_is_its_own(chosen: Params) -> None:
    names = ["fastformer", "linformer", "mean", "no_positions"]
    (dataset,) = collect(chosen.model_copy(update={"variants": names, "ablations": fake.params().ablations})).datasets
    assert tables.setting_lines(dataset) == [
        "all but mean: vectors pretrained, dim 256, heads 16, layers 2, feedforward_dim 256, dropout 0.2, "
        "init_std 0.02, feedforward True, residual True, layer_norm True, recompute False, batch_size 64, "
        "lr 0.001, max_epochs 3, "
        "patience 2, monitor accuracy, precision 32-true",
        "fastformer: attention fastformer, interaction product, sharing qv_layer, scoring full, positions True",
        "linformer: attention linformer, positions True, projection_dim 16",
        "mean: attention mean, vectors pretrained, batch_size 64, lr 0.001, max_epochs 3, patience 2, "
        "monitor accuracy, precision 32-true",
        "no_positions: attention fastformer, interaction product, sharing qv_layer, scoring full, positions False",
    ]


def test_reports_of_data_that_are_absent_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fake.write_paper()
    text = markdown(collect(fake.params(datasets=["films"], variants=["fastformer"], seeds=[1])))
    assert "no data report there" in text
    assert "Recorded on: no run there" in " ".join(text.split())
