"""The section Speed, out of a fake benchmark.json: its tables, the page, results.md, and what it does without one."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.params import Params
from pipeline.registry import ATTENTIONS
from pipeline.report import page, plots
from pipeline.report.collect import collect
from pipeline.report.markdown import markdown
from pipeline.report.paper import read as read_paper
from pipeline.report.speed import Speed, read_speed
from pipeline.report.speed_tables import machine_line, speed_tables
from pipeline.report.tables import Table
from pipeline.stages import report
from tests.report import fake
from tests.report.test_page import Elements


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page, "get_plotlyjs", lambda: "/* plotly */")
    chosen = fake.params(datasets=["films"], variants=["fastformer"], seeds=[1])
    fake.write_world(chosen, ["bad", "good"])
    return chosen


@pytest.fixture
def speed(chosen: Params) -> Speed:
    assert not collect(chosen).speed
    read = read_speed(fake.write_speed(), read_paper(paths.PAPER).time_over_fastformer)
    assert read
    return read


def line_of(table: Table, name: str) -> dict[str, str]:
    (line,) = [line for line in table.body if line[0] == name]
    return dict(zip(table.head, line, strict=True))


def test_times_stand_beside_the_papers(speed: Speed) -> None:
    training, inference, *_ = speed_tables(speed)
    assert [line[0] for line in inference.body] == list(ATTENTIONS)
    assert line_of(inference, "fastformer") == {
        "encoder": "fastformer",
        **{f"{length:,} tokens": "1.0" for length in fake.SPEED_LENGTHS},
        **{f"ratio at {length:,} (paper)": "1.00 (-)" for length in fake.SPEED_LENGTHS},
    }
    transformer = line_of(training, "transformer")
    assert [transformer[f"ratio at {length} (paper)"] for length in ("128", "512", "2,048")] == [
        "1.50 (6.6)",
        "1.50 (33.2)",
        "1.50 (-)",
    ]
    assert transformer["2,048 tokens"] == "3.0"
    assert line_of(training, "reformer")["ratio at 128 (paper)"] == "4.50 (-)"


def test_what_training_on_the_longest_texts_needs(speed: Speed) -> None:
    needs = speed_tables(speed)[2]
    assert needs.title == "Training at 2,048 tokens: memory and multiply-adds"
    assert line_of(needs, "fastformer") == {
        "encoder": "fastformer",
        "peak MB": "3.0",
        "kept for backward MB": "2.0",
        "operations per token": "100,000",
        "share of product speed": "50 %",
    }


def test_ratios_have_their_interval(speed: Speed) -> None:
    assert speed_tables(speed)[3].body == [
        ["layer", "layer, direct", "512", "train", "float32", "1.75", "1.70 to 1.80", "5"]
    ]


def test_a_steps_parts_have_their_shares(speed: Speed) -> None:
    parts = speed_tables(speed)[4]
    assert parts.head == ["part", "step, official recipe", "step"]
    assert parts.body[0] == ["attention", "300.0 (30 %)", "20.0 (20 %)"]
    assert parts.body[-1] == ["all", "1000.0 (100 %)", "100.0 (100 %)"]


def test_the_line_says_where_how_and_what_the_paper_had(speed: Speed) -> None:
    line = machine_line(speed)
    for part in (
        "Test <processor>, cpu, 2 threads, torch 2.13.0",
        "2,048 tokens per batch",
        "medians of 5 interleaved rounds",
        "4 % of the median apart",
        "100 billion multiply-adds",
        "Figure 2",
        "V100",
        "isn't fused",
    ):
        assert part in line


def test_the_line_says_so_if_something_else_ran(speed: Speed) -> None:
    assert "something else ran" not in machine_line(speed)
    for row in speed.measured.rows:
        row.spread = 0.5
    assert "50 % of the median apart on most rows; something else ran meanwhile" in machine_line(speed)


def test_the_plots_are_logarithmic_with_a_line_per_encoder(speed: Speed) -> None:
    colour = plots.colours(speed.measured.encoders)
    figure = plots.time_curves(speed.measured, "train", colour)
    assert [line["name"] for line in figure["data"]] == list(ATTENTIONS)
    assert {figure["layout"][axis]["type"] for axis in ("xaxis", "yaxis")} == {"log"}
    assert figure["data"][1]["x"] == list(fake.SPEED_LENGTHS)
    assert figure["data"][1]["y"] == [3.0] * 3
    assert len(set(colour.values())) == len(ATTENTIONS)


def test_the_page_has_the_section_with_its_plots_and_tables(chosen: Params, speed: Speed) -> None:
    text = page.render(collect(chosen))
    elements = Elements(text)
    assert elements.open == []
    assert '<a href="#speed">' in text
    assert "Test &lt;processor&gt;" in text
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', text)
    assert found
    plotted = {attributes["id"] for _, attributes in elements.tags if attributes.get("class") == "plot"}
    assert {"speed-train", "speed-forward"} <= plotted == set(json.loads(found[1]))
    section = text.split('<section id="speed">')[1].split("</section>")[0]
    assert section.count("<table") == 5
    for table in speed_tables(speed):
        assert table.title in section


def test_results_md_has_the_section_between_results_and_notes(chosen: Params, speed: Speed) -> None:
    text = markdown(collect(chosen))
    heads = [line for line in text.splitlines() if line.startswith("#")]
    start = heads.index("## Speed")
    assert heads[start + 1 : start + 7] == [
        *(f"### {table.title}" for table in speed_tables(speed)),
        "## How to read this",
    ]
    assert "| fastformer         |" in text.split("## Speed")[1]


def test_without_measurements_there_is_no_section(chosen: Params) -> None:
    collected = collect(chosen)
    assert collected.speed is None
    assert "Speed" not in markdown(collected)
    assert "speed" not in page.render(collected).split("<section", 1)[1]
    report.run(chosen)
    assert (paths.REPORT / "results.md").is_file()


def test_measurements_of_other_params_and_fewer_encoders_are_shown_as_they_are(chosen: Params) -> None:
    rows = [row for row in fake.speed()["rows"] if row["encoder"] in ("fastformer", "none") and row["length"] == 512]
    fake.write_speed(rows=[row | {"length": 77, "of_later_versions": 1} for row in rows], ratios=[], later={})
    speed = collect(chosen).speed
    assert speed
    assert (speed.measured.lengths, speed.measured.encoders) == ([77], ["fastformer", "none"])
    report.run(chosen)
    assert "ratio at 77 (paper)" in (paths.REPORT / "results.md").read_text()


def drop(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda tree: tree.pop(key)


DAMAGED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no machine": (drop("machine"), "machine"),
    "no rows": (lambda tree: tree.update(rows=[]), "rows"),
    "no seconds": (lambda tree: tree["rows"][3].pop("seconds"), "rows.3.seconds"),
    "text for a number": (lambda tree: tree["rows"][3].update(seconds="fast"), "rows.3.seconds"),
    "zero seconds": (lambda tree: tree["rows"][3].update(seconds=0), "rows.3.seconds"),
    "a length missing": (lambda tree: tree["rows"].pop(7), "no layer of transformer, 128 tokens, train, float32"),
    "no fastformer": (
        lambda tree: tree.update(rows=[row for row in tree["rows"] if row["encoder"] != "fastformer"]),
        "no layer of fastformer",
    ),
    "no layer": (lambda tree: tree.update(rows=tree["rows"][-2:]), "no layer of fastformer"),
    "another dtype": (
        lambda tree: tree["machine"].update(product_operations_per_second={"float16": 1e9}),
        "no product speed in float32",
    ),
    "no mode": (lambda tree: tree["ratios"][0].update(mode="backward"), "ratios.0.mode"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_file_is_named_with_what_is_wrong(chosen: Params, case: str) -> None:
    damage, expected = DAMAGED[case]
    tree = fake.speed()
    damage(tree)
    fake.write_speed()
    report.run(chosen)
    before = (paths.REPORT / "results.md").read_bytes()
    path = paths.BENCHMARK / "benchmark.json"
    path.write_text(json.dumps(tree))
    with pytest.raises(UserError) as raised:
        report.run(chosen)
    for part in (str(path), expected, "dvc repro --force benchmark"):
        assert part in str(raised.value)
    assert (paths.REPORT / "results.md").read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"machine": \xff}'])
def test_what_is_no_json_object_is_damaged_too(chosen: Params, content: bytes) -> None:
    path = fake.write_speed()
    path.write_bytes(content)
    with pytest.raises(UserError, match=re.escape(str(path))):
        collect(chosen)
