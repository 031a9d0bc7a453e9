"""AG News: its CSV, its backslashes and its entities."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import UserError
from pipeline.sources.ag_news import AgNews, mended
from pipeline.sources.base import Document

TRAIN = (
    b'"3","Oil falls","Oil prices fell on Monday."\n'
    b'"1","Talks ""near"" end","Both sides met,\\again, in \\"\n'
    b'"2","Cup final","\\""We won,\\"" the keeper said."\n'
    b'"4","Chip #39;s price","It costs A\\$3 amp; more."\n'
)
TEST = b'"1","Vote today","Polls opened."\n"4","Probe lands","A probe landed."\n'


def source() -> AgNews:
    splits = {"validation": 0.1, "test": 0.1, "seed": 1}
    options: Any = AgNews.Options.model_validate({"reader": "ag_news", "splits": splits, "drop_repeated": True})
    return AgNews("ag_news", options)


def folder(path: Path, train: bytes = TRAIN, test: bytes = TEST, classes: bytes | None = None) -> Path:
    path.mkdir(exist_ok=True)
    (path / "train.csv").write_bytes(train)
    (path / "test.csv").write_bytes(test)
    if classes is not None:
        (path / "classes.txt").write_bytes(classes)
    return path


def read(path: Path) -> tuple[list[Document], dict[str, int]]:
    skipped: Counter[str] = Counter()
    return list(source().read(path, skipped)), dict(skipped)


def test_rows_are_documents_of_upstreams_splits(tmp_path: Path) -> None:
    documents, skipped = read(folder(tmp_path))
    assert [(d.split, d.label, d.text) for d in documents] == [
        ("train", "Business", "Oil falls Oil prices fell on Monday."),
        ("train", "World", 'Talks "near" end Both sides met, again, in'),
        ("train", "Sports", 'Cup final  "We won, " the keeper said.'),
        ("train", "Sci/Tech", "Chip's price It costs A$3& more."),
        ("test", "World", "Vote today Polls opened."),
        ("test", "Sci/Tech", "Probe lands A probe landed."),
    ]
    assert [d.origin for d in documents] == [
        *(f"data/local/ag_news/train.csv:{line}" for line in (1, 2, 3, 4)),
        *(f"data/local/ag_news/test.csv:{line}" for line in (1, 2)),
    ]
    assert [d.cleaned for d in documents[:4]] == [
        (),
        ("backslashes",),
        ("backslashes",),
        ("backslashes", "HTML entities"),
    ]
    assert skipped == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a second\\team", "a second team"),
        ("a broader\\network", "a broader network"),
        ("A\\$378m and \\$5", "A$378m and $5"),
        ("gave\\\\", "gave"),
        ("Japan #39;s", "Japan's"),
        ("the  #36;10 million", "the $10 million"),
        ("S amp;P,  quot;fine quot; he said", 'S&P, "fine" he said'),
        ("Inc. &lt;TXN.N&gt;", "Inc. <TXN.N>"),
        ("well #151;known", "well—known"),
        ("stamp; it; on; lead;", "stamp; it; on; lead;"),
        ("issue ##39; #1; #123456;", "issue ##39; #1; #123456;"),
    ],
)
def test_upstreams_damage_is_mended(text: str, expected: str) -> None:
    assert mended(text)[0] == expected


def test_names_of_classes_are_those_of_the_file(tmp_path: Path) -> None:
    documents, _ = read(folder(tmp_path, classes=b"Welt\nSport\n\nWirtschaft\nTechnik\n"))
    assert [d.label for d in documents[:4]] == ["Wirtschaft", "Welt", "Sport", "Technik"]


def test_an_empty_text_is_counted(tmp_path: Path) -> None:
    documents, skipped = read(folder(tmp_path, train=TRAIN + b'"1"," ","\\"\n"2","",""\n'))
    assert (len(documents), skipped) == (6, {"empty text": 2})


def test_fetch_copies_what_is_there(tmp_path: Path) -> None:
    for classes, names in (
        (None, ["test.csv", "train.csv"]),
        (b"a\nb\nc\nd\n", ["classes.txt", "test.csv", "train.csv"]),
    ):
        raw = tmp_path / f"raw{len(names)}"
        raw.mkdir()
        source().fetch(tmp_path, folder(tmp_path / "local", classes=classes), raw)
        assert sorted(path.name for path in raw.iterdir()) == names
        assert (raw / "train.csv").read_bytes() == TRAIN


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"train": b'"1","a","b"\n"2","a"\n'}, "train.csv:2: 2 fields, not class, title and description; link"),
        ({"train": b'"1","a","two\nlines"\n"5","a","b"\n'}, "train.csv:3: class '5'; legal: 1, 2, 3, 4 (World, "),
        ({"test": b'"1","a","b\n'}, "test.csv:1: broken CSV: unexpected end of data; copy or download"),
        ({"test": b'"1","a" ,"b"\n'}, "test.csv:1: broken CSV: "),
        ({"train": b""}, "train.csv: has no rows; link the file as published"),
        ({"classes": b"World\n"}, "classes.txt: must hold two or more names, each once"),
        ({"classes": b"World\nWorld\n"}, "classes.txt: must hold two or more names, each once"),
    ],
)
def test_a_broken_file_is_refused_by_its_own_name(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    (tmp_path / "raw").mkdir()
    with pytest.raises(UserError) as caught:
        source().fetch(tmp_path, folder(tmp_path / "local", **files), tmp_path / "raw")
    assert str(caught.value).startswith(f"{tmp_path}/local/{message}")


@pytest.mark.parametrize("name", ["train.csv", "test.csv"])
def test_both_files_are_needed(tmp_path: Path, name: str) -> None:
    (folder(tmp_path) / name).unlink()
    with pytest.raises(UserError, match=rf"/{name}: no such file; `python -m pipeline link ag_news FILE`"):
        source().check(tmp_path)
