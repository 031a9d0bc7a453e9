"""The report of a data set of impressions: rows, an ensemble of seeds, tables and page."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.metrics.ranking import ranking
from pipeline.params import Params
from pipeline.report import data_tables, page, tables
from pipeline.report.answers import Scores, read_answers
from pipeline.report.collect import collect, headline
from pipeline.report.markdown import markdown
from pipeline.report.rows import Row
from pipeline.report.significance import paired_randomization
from tests.report import fake

CLICKS = "newsroom_clicks"
SEEDS = [1, 2, 3]


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    loaded = fake.params(datasets=["films"], variants=["fastformer", "transformer"], seeds=SEEDS)
    chosen = loaded.model_copy(update={"datasets": [CLICKS], "data": fake.params(datasets=["films"]).data})
    fake.write_clicks_world(chosen, CLICKS)
    return chosen


def answers(variant: str, seed: int) -> Scores:
    found = read_answers("recommendation", paths.run("train", CLICKS, variant, seed) / "predictions.parquet", None)
    assert isinstance(found, Scores)
    return found


def row_of(chosen: Params, variant: str) -> Row:
    (row,) = (row for row in collect(chosen).rows if row["variant"] == variant)
    return row


def test_the_rows_and_their_order(chosen: Params) -> None:
    assert [(row["kind"], row["variant"]) for row in collect(chosen).rows] == [
        ("baseline", "random"),
        ("baseline", "popularity"),
        ("baseline", "tfidf"),
        ("variant", "fastformer"),
        ("variant", "transformer"),
        ("ensemble", "fastformer, ensemble"),
        ("ensemble", "transformer, ensemble"),
        ("baseline", "ceiling"),
    ]


def test_a_variant_is_tested_by_the_auc_of_each_impression(chosen: Params) -> None:
    row = row_of(chosen, "fastformer")
    each = np.mean([answers("fastformer", seed).values for seed in SEEDS], axis=0)
    assert row["metrics"]["auc"]["mean"] == pytest.approx(each.mean())
    tfidf = read_answers("recommendation", paths.baselines(CLICKS) / "predictions.parquet", "tfidf").values
    assert row["p_value"] == {"against": "tfidf", "value": paired_randomization(each, tfidf)}


def test_an_ensemble_ranks_by_the_mean_of_the_scores(chosen: Params) -> None:
    row = row_of(chosen, "fastformer, ensemble")
    several = [answers("fastformer", seed) for seed in SEEDS]
    mean = np.mean([one.scores for one in several], axis=0)
    expected = ranking(mean, several[0].clicks, several[0].offsets).means()
    assert {name: value["mean"] for name, value in row["metrics"].items()} == {
        name: expected[name] for name in ("auc", "mrr", "ndcg5", "ndcg10")
    }
    assert row["metrics"]["auc"]["mean"] > row_of(chosen, "fastformer")["metrics"]["auc"]["mean"]
    assert (row["seeds"], row["parameters"]) == (SEEDS, 3000)


def test_one_seed_makes_no_ensemble(chosen: Params) -> None:
    one = chosen.model_copy(update={"seeds": [1]})
    assert not [row for row in collect(one).rows if row["kind"] == "ensemble"]


def test_tables_have_the_metrics_of_the_task(chosen: Params) -> None:
    collected = collect(chosen)
    (table,) = tables.result_tables(collected.rows)
    assert table.head[:7] == ["model", "AUC", "95 %", "MRR", "nDCG@5", "nDCG@10", "p vs tfidf"]
    assert {len(line) for line in table.body} == {len(table.head)}
    shutil.rmtree("experiments/runs/newsroom_clicks/transformer")
    (table,) = tables.result_tables(collect(chosen).rows)
    assert {len(line) for line in table.body} == {len(table.head)}
    assert headline(collected)["fastformer.ensemble"].keys() == {CLICKS}


def test_what_is_left_out_of_a_split_is_said(chosen: Params) -> None:
    (dataset,) = collect(chosen).datasets
    lines = data_tables.lines(dataset)
    assert "test: the test days; 1 skipped, all clicked" in lines
    assert lines[0].startswith("impressions (train / validation / test): 60 / 60 / 60; clicks: 70 / 70 / 70")


def test_results_and_page_show_it_beside_classification(chosen: Params) -> None:
    names = ["bad", "good"]
    both = chosen.model_copy(update={"datasets": ["films", CLICKS]})
    both = both.model_copy(update={"data": both.data | {"films": both.data["own"]}})
    fake.write_world(chosen.model_copy(update={"datasets": ["films"]}), names)
    collected = collect(both)
    text, html = markdown(collected), page.render(collected)
    assert "macro-F1" in text
    assert "AUC" in text
    assert "first metric" in text
    assert "Classification, recommendation. 2 data sets" in html
    for shown in ("News per category", "Validation AUC, %", "Test AUC, %", "fastformer, ensemble", "Confusion on"):
        assert shown in html


def test_scores_of_other_impressions_are_stale(chosen: Params) -> None:
    fake.write_clicks_world(chosen.model_copy(update={"seeds": [3], "variants": ["transformer"]}), CLICKS, 61)
    with pytest.raises(UserError, match="its test split differs"):
        collect(chosen)
