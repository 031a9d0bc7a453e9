"""experiments/paper.yaml: what it repeats it repeats alike, and a damaged one is refused."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from pipeline import params, paths
from pipeline.errors import UserError
from pipeline.params import Variant
from pipeline.report.paper import Paper, read
from tests.report.fake import REPOSITORY


@pytest.fixture(scope="module")
def paper() -> Paper:
    return read(REPOSITORY / paths.PAPER)


def shipped(name: str) -> Variant:
    return params.load(REPOSITORY / "params.yaml").variant[name]


def test_fastformer_itself_has_the_same_scores_in_both_figures_and_table_4(paper: Paper) -> None:
    for dataset, rows in paper.ablations.results.items():
        (itself,) = (row for row in rows if (row.interaction, row.sharing) == ("product", "qv_layer"))
        table = paper.classification.results[dataset]["fastformer"]
        assert (itself.accuracy, itself.macro_f1) == (table.accuracy, table.macro_f1), dataset


def test_every_data_set_has_the_same_rows(paper: Paper) -> None:
    ablations = [[(row.interaction, row.sharing) for row in rows] for rows in paper.ablations.results.values()]
    assert len(ablations) == 3
    assert all(forms == ablations[0] for forms in ablations)
    assert len(ablations[0]) == 6
    for results, count in ((paper.classification.results, 7), (paper.summarization.results, 7)):
        names = [list(models) for models in results.values()]
        assert all(each == names[0] and len(each) == count for each in names)
    assert paper.recommendation.results["mind"]["fastformer"].auc == 69.11


def test_times_are_multiples_above_one_and_end_where_the_paper_ends(paper: Paper) -> None:
    times = paper.time_over_fastformer
    for curves in (times.inference, times.training):
        assert all(value is None or value > 1 for values in curves.values() for value in values)
        assert [value is None for value in curves["transformer"]] == [False] * 3 + [True] * 7
    assert (times.inference["transformer"][2], times.training["longformer"][-1]) == (45.8, 2.1)


@pytest.mark.parametrize(
    ("name", "accuracy"),
    [
        ("fastformer", 66.13),
        ("add", 65.22),
        ("concat", 64.47),
        ("unshared", 65.87),
        ("qv_shared", 65.92),
        ("head_shared", 65.63),
        ("per_head_scoring", None),
        ("random_vectors", None),
        ("no_feedforward", None),
        ("transformer", None),
        ("mean", None),
    ],
)
def test_a_variant_finds_its_row_if_it_changes_nothing_else(paper: Paper, name: str, accuracy: float | None) -> None:
    found = paper.ablation(shipped(name), shipped("fastformer"))
    assert list(found) == (["amazon", "imdb", "mind"] if accuracy else [])
    assert not accuracy or found["amazon"].accuracy == accuracy


def test_a_form_that_the_paper_lacks_has_no_row(paper: Paper) -> None:
    both = shipped("add").model_copy(update={"sharing": "none"})
    assert paper.ablation(both, shipped("fastformer")) == {}
    assert paper.ablation(shipped("add"), shipped("random_vectors")) == {}
    assert paper.ablation(shipped("add"), shipped("transformer")) == {}


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda tree: tree["classification"]["results"]["amazon"]["longformer"].pop("accuracy_std"), "accuracy_std: F"),
        (lambda tree: tree["ablations"]["results"]["imdb"][0].update(accuracy=654.4), "imdb.0.accuracy: .*100"),
        (lambda tree: tree["ablations"]["results"]["imdb"][0].update(sharing="all"), "imdb.0.sharing: .*'qv_head'"),
        (lambda tree: tree["ablations"]["results"]["imdb"][0].update(f1=1.0), "imdb.0.f1: Extra"),
        (lambda tree: tree["ablations"]["results"]["imdb"][1].update(interaction="concat"), "imdb has a form .* twice"),
        (lambda tree: tree["recommendation"]["results"]["mind"]["fim"].update(auc="68"), "mind.fim.auc: .*number"),
        (lambda tree: tree["time_over_fastformer"]["training"]["bigbird"].pop(), "bigbird has 9 values for 10 lengths"),
        (lambda tree: tree.pop("summarization"), "summarization: Field required"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place_and_the_remedy(tmp_path: Path, edit: Any, message: str) -> None:
    yaml, path = YAML(), tmp_path / "paper.yaml"
    tree = yaml.load((REPOSITORY / paths.PAPER).read_text(encoding="utf-8"))
    edit(tree)
    with path.open("w", encoding="utf-8") as file:
        yaml.dump(tree, file)
    with pytest.raises(UserError, match=rf"paper.yaml: .*{message}[\s\S]*`git checkout .*paper.yaml`"):
        read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"paper\.yaml: not found"):
        read(tmp_path / "paper.yaml")
