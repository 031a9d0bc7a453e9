"""The plan of what is fetched: what is here, what is to come, and the room for it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline import paths
from pipeline.params import Params, load
from pipeline.preflight import downloads

GB = 1_000_000_000


def chosen(*datasets: str, vectors: str = "glove.6B.50d") -> Params:
    values = load().model_dump(exclude_unset=True)
    values["data"]["mind_topics"]["source"]["accept_licence"] = True
    values["vectors"]["pretrained"] = vectors
    values |= {"datasets": list(datasets), "ablations": {"datasets": [], "variants": []}}
    return Params.model_validate(values)


def put(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.usefixtures("workspace")
def test_the_plan_has_sizes_places_and_terms() -> None:
    files = downloads.needed(chosen("amazon", "imdb", "mind_topics", vectors="glove.840B.300d"))
    lines = list(downloads.plan(files, []))
    assert lines[0] == (
        "to fetch: data/downloads/amazon/reviews_Electronics_5.json.gz, 495.9 MB, from "
        "https://jmcauley.ucsd.edu/data/amazon/; terms: none stated, research"
    )
    assert lines[1].startswith(
        "to fetch: data/downloads/imdb/data.json, of a size that no one states, from https://git"
    )
    assert "for non-commercial research only, https://github.com/msnews/MIND" in lines[2]
    assert lines[4].startswith("to fetch: data/downloads/vectors/glove.840B.300d.zip, 2.2 GB, from https://nlp.stanf")
    assert lines[5] == "to fetch in all: 2.8 GB and 1 file(s) of unknown size"


@pytest.mark.usefixtures("workspace")
def test_what_is_here_is_said_and_a_part_counts() -> None:
    put(paths.downloads("imdb") / "data.json", b"[]")
    put(paths.downloads("amazon") / ".reviews_Electronics_5.json.gz.part", bytes(1000))
    files = downloads.needed(chosen("imdb", "amazon"))
    assert downloads.wrong(files) == ([], [])
    lines = list(downloads.plan(files, []))
    assert lines[0] == "here: data/downloads/imdb/data.json"
    assert [one.to_come for one in files] == [0, 495_854_086 - 1000]
    assert next(downloads.plan(files, [files[0].path])).endswith("data.json, not read yet")


@pytest.mark.usefixtures("workspace")
def test_a_file_too_large_to_read_in_time_is_left_to_its_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(paths.downloads("imdb") / "data.json", b"[]")
    monkeypatch.setattr(downloads, "SECONDS", -1)
    assert downloads.wrong(downloads.needed(chosen("imdb"))) == ([], [path])


@pytest.mark.usefixtures("workspace")
def test_what_is_unpacked_counts_until_it_is_there() -> None:
    (file, dev) = downloads.needed(chosen("mind_topics"))
    assert (file.to_come, file.to_write) == (52_994_575, 41_202_121)
    put(paths.raw("mind_topics") / "MINDsmall_train" / "news.tsv", b"")
    assert (dev.to_come, dev.to_write) == (30_948_560, 0)


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(("free", "enough"), [(4_353_537_854, True), (4_353_537_853, False)])
def test_room_is_asked_for_once_per_disk(monkeypatch: pytest.MonkeyPatch, free: int, enough: bool) -> None:
    usage: Any = type("Usage", (), {"free": free})
    monkeypatch.setattr(downloads.shutil, "disk_usage", lambda _: usage)
    files = downloads.needed(chosen("review_sentences", vectors="glove.840B.300d"))
    said = list(downloads.without_room(files))
    assert len(said) == (not enough)
    if said:
        assert "at least 4.4 GB are needed for downloads and what is unpacked of them, 4.4 GB are free; make" in said[0]


@pytest.mark.usefixtures("workspace")
def test_a_size_that_no_one_states_counts_as_nothing() -> None:
    (one,) = downloads.needed(chosen("imdb"))
    assert (one.to_come, one.to_write) == (0, 0)
    stated = replace(one, file=replace(one.file, size=GB))
    assert (stated.to_come, stated.to_write) == (GB, GB)
