"""index.html: whole without a network, escaped, and the same for the same inputs."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from pipeline import paths
from pipeline.files import read_json, write_json
from pipeline.params import Params
from pipeline.report import page, plots
from pipeline.report.answers import Labels
from pipeline.report.collect import collect
from pipeline.report.confusion import Cell, confusion
from tests.report import fake

NASTY = ["</script><script>alert(1)</script>", "<b>bold</b> & 'quoted'", "plain"]


class Elements(HTMLParser):
    """Start tags with their attributes, and the tags that were left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    # Its four MB say nothing here; tests/stages/test_report.py writes them.
    monkeypatch.setattr(page, "get_plotlyjs", lambda: "/* plotly */")
    chosen = fake.params(
        datasets=["films", "books.2"],
        variants=["fastformer", "frozen_vectors"],
        seeds=[1, 2],
        ablations={"datasets": ["films"], "variants": ["add"]},
    )
    fake.write_world(chosen, NASTY)
    return chosen


def answers(labels: list[str], predicted: list[str]) -> Labels:
    return Labels(Path("p"), np.arange(len(labels)), np.array(labels), np.array(predicted))


def test_the_page_is_well_formed_and_asks_for_nothing_from_elsewhere(chosen: Params) -> None:
    elements = Elements(page.render(collect(chosen)))
    assert elements.open == []
    for tag, attributes in elements.tags:
        assert "src" not in attributes
        if tag == "link":
            assert attributes == {"rel": "icon", "href": "data:,"}


def test_plotly_is_inlined_once(chosen: Params) -> None:
    assert page.render(collect(chosen)).count("/* plotly */") == 1


def test_names_of_users_are_escaped(chosen: Params) -> None:
    text = page.render(collect(chosen))
    assert "<script>alert" not in text
    assert "<b>bold" not in text
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; &#39;quoted&#39;" in text


def test_every_plot_has_its_figure_and_ids_are_unique(chosen: Params) -> None:
    text = page.render(collect(chosen))
    elements = Elements(text)
    ids = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', text)
    assert found
    figures = json.loads(found[1])
    assert set(figures) == {attributes["id"] for _, attributes in elements.tags if attributes.get("class") == "plot"}
    assert len(figures["s0-train-validation_loss"]["data"]) == 4
    assert {"s0-results", "s0-ablations", "s0-published", "s1-results"} <= set(figures)
    assert not {"s1-ablations", "s1-published"} & set(figures)


def test_the_same_inputs_give_the_same_page(chosen: Params) -> None:
    assert page.render(collect(chosen)) == page.render(collect(chosen))


def test_what_is_missing_stands_at_the_top_and_the_page_is_made(chosen: Params) -> None:
    shutil.rmtree("experiments/runs/books.2/fastformer")
    shutil.rmtree(paths.baselines("films"))
    shutil.rmtree("data")
    Path("experiments/runs/films/old/7").mkdir(parents=True)
    text = page.render(collect(chosen))
    assert "books.2, fastformer, seeds [1, 2]" in text
    assert "films, majority" in text
    assert "No data report there." in text
    assert "these tables leave out: experiments/runs/films/old/7" in text


def test_nothing_there_at_all_is_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fake.write_paper()
    text = page.render(collect(fake.params(datasets=["films"], variants=["fastformer"], seeds=[1])))
    assert "films, fastformer, seeds [1]" in text


def test_a_run_without_wandb_has_none_in_the_list(chosen: Params) -> None:
    file = paths.run("train", "films", "fastformer", 1) / "timing.json"
    write_json(file, read_json(file) | {"wandb_run": None})
    text = page.render(collect(chosen))
    assert "offline-run-20250101_000000-fastformer2" in text


def test_a_variant_has_one_colour_in_all_plots(chosen: Params) -> None:
    collected = collect(chosen)
    colour = plots.colours(collected.names)
    assert len(set(colour.values())) == len(colour)
    lines = plots.learning_curve(collected.runs, "train_loss", "classification", colour)["data"]
    bars = plots.metric_bars(collected.datasets[0].rows, colour)["data"]
    drawn = dict(zip(bars[1]["y"], bars[1]["marker"]["color"], strict=True))
    assert all(drawn[line["meta"]] == line["line"]["color"] for line in lines)
    assert bars[0]["marker"]["color"] == [plots.BASELINE_COLOUR] * 2


def test_bars_of_differences_are_points_above_the_reference_here_and_in_the_paper(chosen: Params) -> None:
    rows = {row["variant"]: row for row in collect(chosen).datasets[0].rows}
    bars = plots.difference_bars(rows["fastformer"], [rows["add"]], "films")["data"]
    assert [bar["name"] for bar in bars] == ["films, here", "amazon, paper", "imdb, paper", "mind, paper"]
    means = [rows[name]["metrics"]["accuracy"]["mean"] for name in ("add", "fastformer")]
    assert bars[0]["x"] == [pytest.approx(100 * (means[0] - means[1]), abs=1e-4)]
    assert [bar["x"] for bar in bars[1:]] == [[-0.91], [-1.11], [-1.0]]
    missing = rows["fastformer"] | {"metrics": {}}
    assert [bar["x"] for bar in plots.difference_bars(missing, [rows["add"]], "films")["data"]] == [
        [],
        [-0.91],
        [-1.11],
        [-1.0],
    ]


def test_labels_that_look_like_numbers_stay_names() -> None:
    assert plots.text("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;"
    made = confusion(answers(["2", "10", "10"], ["2", "2", "10"]), ["2", "10"])
    assert made.labels == ["2", "10"]
    assert made.cells == [[Cell(1, 1.0), Cell(0, 0.0)], [Cell(1, 0.5), Cell(1, 0.5)]]


def test_a_label_that_the_data_report_lacks_is_added() -> None:
    assert confusion(answers(["a", "b"], ["a", "a"]), ["b"]).labels == ["b", "a"]


def test_many_labels_become_a_list_of_mistakes() -> None:
    names = [f"label{number:02}" for number in range(30)]
    made = confusion(answers([*names, "label03", "label03"], [*names, "label07", "label07"]), names)
    assert made.cells == []
    assert made.mistakes == [("label03", "label07", 2)]
