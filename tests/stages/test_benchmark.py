"""Stage `benchmark`: a tiny run from params to files, and what is made of its repeats."""

import csv
from pathlib import Path
from typing import Any

import pytest
import torch
from ruamel.yaml import YAML

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.benchmark import machine, recipes
from pipeline.benchmark.parts import PART_OF, REST
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.params import Params
from pipeline.registry import ATTENTIONS
from pipeline.report.paper import read as read_paper
from pipeline.report.speed import read_speed
from pipeline.report.speed_tables import machine_line, speed_tables
from pipeline.stages import benchmark
from tests.report import fake

LENGTHS = [16, 32]
KEYS = {
    *("encoder", "form", "length", "batch", "mode", "device", "dtype", "threads"),
    *("seconds", "spread", "peak_bytes", "saved_bytes", "operations"),
}
"""Those that the file promises."""


def tiny() -> Params:
    loaded = pipeline_params.load(fake.REPOSITORY / "params.yaml")
    wanted = loaded.benchmark.model_copy(
        update={"lengths": LENGTHS, "cpu_tokens": 64, "layer_seconds": 0.01, "step_texts": 4, "step_seconds": 0.01}
    )
    return loaded.model_copy(
        update={
            "benchmark": wanted,
            "model": loaded.model.model_copy(update={"dim": 16, "heads": 2, "feedforward_dim": 16}),
            "hardware": loaded.hardware.model_copy(update={"accelerator": "cpu", "threads": 1}),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a tiny run wrote. Not to be changed."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("benchmark"))
        patch.setattr(benchmark, "VOCABULARY", 50)
        patch.setattr(machine, "SIDE", 64)
        patch.setattr(machine, "PEAK_SECONDS", 0.01)
        benchmark.run(tiny())
        made = Path.cwd() / paths.BENCHMARK
    torch.set_num_threads(threads)
    return made


@pytest.fixture
def found(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = read_json(folder / "benchmark.json")
    return made


def test_every_row_has_the_promised_keys_and_sound_values(found: dict[str, Any]) -> None:
    assert list(found) == ["machine", "rows", "ratios", "parts"]
    for row in found["rows"]:
        assert set(row) == KEYS | {"repeats"}
        assert row["mode"] in ("forward", "train")
        assert (row["device"], row["dtype"], row["threads"]) == ("cpu", "float32", 1)
        assert row["seconds"] > 0
        assert row["spread"] >= 0
        assert row["repeats"] >= 3
        assert row["operations"] > 0
        assert row["peak_bytes"] > 0
        assert (row["saved_bytes"] > 0) == (row["mode"] == "train")


def test_the_rows_are_every_layer_at_every_length_with_the_tokens_held_constant(found: dict[str, Any]) -> None:
    forms = [(name, "layer") for name in ATTENTIONS]
    forms += [("fastformer", form) for form in ("layer, direct", "attention", "attention, direct")]
    names = [(row["encoder"], row["form"], row["length"], row["mode"]) for row in found["rows"]]
    assert names == [
        *((*form, length, mode) for form in forms for length in LENGTHS for mode in ("forward", "train")),
        *(("fastformer", form, recipes.LONGEST, "train") for form in ("step, official recipe", "step")),
    ]
    assert {row["batch"] * row["length"] for row in found["rows"] if not row["form"].startswith("step")} == {64}


def test_the_direct_form_does_and_keeps_more(found: dict[str, Any]) -> None:
    of = {(row["form"], row["length"], row["mode"]): row for row in found["rows"] if row["encoder"] == "fastformer"}
    for form in ("layer", "attention"):
        folded, direct = of[form, 32, "train"], of[f"{form}, direct", 32, "train"]
        assert folded["operations"] < direct["operations"]
        assert folded["saved_bytes"] < direct["saved_bytes"]
    # Whole layers come with the same feed-forward block.
    layer, attention = of["layer", 32, "forward"], of["attention", 32, "forward"]
    assert layer["operations"] - attention["operations"] == 64 * 2 * 16 * 16
    official, ours = (of[form, recipes.LONGEST, "train"] for form in ("step, official recipe", "step"))
    assert official["operations"] > ours["operations"]
    assert official["saved_bytes"] > ours["saved_bytes"]


def test_the_machine_and_its_product_speed(found: dict[str, Any]) -> None:
    described = found["machine"]
    assert described["threads"] == 1
    assert described["device"] == "cpu"
    assert described["torch"] == torch.__version__
    assert set(described["product_operations_per_second"]) == {"float32"}
    assert described["product_operations_per_second"]["float32"] > 1e6


def test_ratios_are_of_all_pairs(found: dict[str, Any]) -> None:
    assert [(one["to"], one["length"], one["mode"]) for one in found["ratios"]] == [
        *(("attention", length, mode) for length in LENGTHS for mode in ("forward", "train")),
        *(("layer", length, mode) for length in LENGTHS for mode in ("forward", "train")),
        ("step", recipes.LONGEST, "train"),
    ]
    for one in found["ratios"]:
        assert 0 < one["low"] <= one["ratio"] <= one["high"]
        assert one["pairs"] >= 3


def test_the_parts_of_both_steps(found: dict[str, Any]) -> None:
    assert list(found["parts"]) == ["step, official recipe", "step"]
    for seconds in found["parts"].values():
        assert set(seconds) == {*PART_OF.values(), REST, "backward", "optimizer"}
        assert all(value > 0 for value in seconds.values())


def test_a_ratio_is_the_median_over_pairs_of_one_round() -> None:
    def row(form: str, seconds: list[float], length: int = 8) -> tuple[dict[str, Any], list[float]]:
        return benchmark.summary("fastformer", form, 1, length, "train", torch.float32, seconds), seconds

    slow, fast = [2.0, 40.0, 6.0], [1.0, 10.0, 2.0]  # the machine was slow in the second round
    measured = [row("layer, direct", slow), row("layer, direct", [1.0] * 3, 16), row("layer", fast)]
    (one,) = benchmark.ratios(measured)
    assert (one["ratio"], one["pairs"]) == (3.0, 3)
    assert (one["low"], one["high"]) == (2.0, 4.0)
    assert (one["of"], one["to"], one["length"]) == ("layer, direct", "layer", 8)


def test_a_row_has_the_median_and_the_distance_of_the_quartiles_in_it() -> None:
    row = benchmark.summary("none", "layer", 2, 8, "forward", torch.bfloat16, [4.0, 1.0, 2.0, 3.0, 5.0])
    assert (row["seconds"], row["spread"], row["repeats"]) == (3.0, pytest.approx(2 / 3), 5)
    assert (row["batch"], row["length"], row["dtype"]) == (2, 8, "bfloat16")


def test_the_columns_are_those_that_dvc_plots(folder: Path, found: dict[str, Any]) -> None:
    (plot,) = YAML(typ="safe").load((fake.REPOSITORY / "dvc.yaml").read_text())["plots"]
    curves = (paths.BENCHMARK / "train.csv").as_posix()
    x, y = plot["benchmark"]["x"][curves], plot["benchmark"]["y"][curves]
    with (folder / "train.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == [x, *y]
    assert [int(line["length"]) for line in lines] == LENGTHS
    of = {
        (row["encoder"], row["length"]): row
        for row in found["rows"]
        if (row["form"], row["mode"]) == ("layer", "train")
    }
    for line in lines:
        for encoder in ATTENTIONS:
            seconds = of[encoder, int(line["length"])]["seconds"]
            assert float(line[encoder]) == pytest.approx(1e6 * seconds / 64, rel=1e-5)


def test_the_report_reads_it(folder: Path) -> None:
    speed = read_speed(folder / "benchmark.json", read_paper(fake.REPOSITORY / paths.PAPER).time_over_fastformer)
    assert speed
    assert speed.measured.lengths == LENGTHS
    assert speed.measured.encoders == list(ATTENTIONS)
    assert all(table.body for table in speed_tables(speed))
    assert "64 tokens per batch" in machine_line(speed)


def test_a_gpu_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    chosen = tiny()
    hardware = chosen.hardware.model_copy(update={"accelerator": "gpu"})
    with pytest.raises(UserError, match="CUDA"):
        benchmark.run(chosen.model_copy(update={"hardware": hardware}))
    assert not list(tmp_path.iterdir())
