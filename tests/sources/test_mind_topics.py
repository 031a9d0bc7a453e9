"""MIND's news.tsv: its tabs, its quotes, its empty abstracts and its articles that stand in two files."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pipeline.errors import UserError
from pipeline.sources.base import Document
from pipeline.sources.mind_topics import MindTopics

ENTITY = (
    '[{"Label": "Orlen", "Type": "G", "WikidataId": "Q1", "Confidence": 1.0, '
    '"OccurrenceOffsets": [0], "SurfaceForms": ["Orlen"]}]'
)


def row(number: int, title: str, abstract: str, category: str = "news", subcategory: str = "newsworld") -> str:
    url = f"https://news.example/{number}.html"
    return "\t".join((f"N{number}", category, subcategory, title, abstract, url, ENTITY, "[]")) + "\n"


TRAIN = (
    row(1, "Orlen votes", "Polls opened on Sunday.")
    + row(2, '"We won," she said', '"No "quotes" close here', "sports", "football_orlen")
    + row(3, "Friday's Scores", "", "sports", "more_sports")
    + row(4, "Rain  ahead", "Rain is \u0093likely\u0094\u0085 ...", "weather", "weathertopstories")
    + row(5, "\ufeffUPDATE: Rain", "In\u200b-between", "weather", "weathertopstories")
)
DEV = row(4, "Rain  ahead", "Rain is likely", "weather", "weathertopstories") + row(6, "Night 1\u2028Night 2", "Seen.")


def source(
    label: str = "category", files: tuple[str, ...] = ("train/news.tsv", "dev/news.tsv"), min_articles: int = 1
) -> MindTopics:
    splits = {"validation": 0.1, "test": 0.1, "seed": 1}
    values = {
        "reader": "mind_topics",
        "accept_licence": False,
        "files": list(files),
        "label": label,
        "min_articles": min_articles,
    }
    values |= {"splits": splits, "drop_repeated": True}
    options: Any = MindTopics.Options.model_validate(values)
    return MindTopics("mind_topics", options)


def folder(path: Path, train: str | bytes = TRAIN, dev: str | bytes = DEV) -> Path:
    for name, content in (("train", train), ("dev", dev)):
        (path / name).mkdir(parents=True, exist_ok=True)
        (path / name / "news.tsv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, label: str = "category") -> tuple[list[Document], dict[str, int]]:
    skipped: Counter[str] = Counter()
    return list(source(label).read(path, skipped)), dict(skipped)


def test_rows_are_documents_and_an_article_counts_once(tmp_path: Path) -> None:
    documents, skipped = read(folder(tmp_path))
    assert [(d.label, d.text) for d in documents] == [
        ("news", "Orlen votes Polls opened on Sunday."),
        ("sports", '"We won," she said "No "quotes" close here'),
        ("sports", "Friday's Scores"),
        ("weather", "Rain  ahead Rain is \u201clikely\u201d\u2026 ..."),
        ("weather", "UPDATE: Rain In-between"),
        ("news", "Night 1\u2028Night 2 Seen."),
    ]
    assert [d.origin for d in documents] == [
        *(f"data/local/mind_topics/train/news.tsv:{line}" for line in (1, 2, 3, 4, 5)),
        "data/local/mind_topics/dev/news.tsv:2",
    ]
    assert [d.cleaned for d in documents] == [(), (), (), ("mis-decoded cp1252",), ("zero-width characters",), ()]
    assert all(d.split is None and d.best is None for d in documents)
    assert skipped == {"repeated id": 1}


def test_the_label_may_be_the_subcategory(tmp_path: Path) -> None:
    documents, _ = read(folder(tmp_path), "subcategory")
    assert Counter(d.label for d in documents) == {
        "newsworld": 2, "football_orlen": 1, "more_sports": 1, "weathertopstories": 2,
    }  # fmt: skip


def test_a_rare_label_is_left_out_and_counted(tmp_path: Path) -> None:
    skipped: Counter[str] = Counter()
    train = TRAIN + row(7, "Dice", "", "games") + row(7, "Dice", "", "games") + row(8, "", "", "games")
    documents = list(source(min_articles=2).read(folder(tmp_path, train), skipped))
    assert {d.label for d in documents} == {"news", "sports", "weather"}
    assert skipped == {"repeated id": 2, "empty text": 1, "label of fewer than 2 articles": 1}


def test_what_becomes_no_document_is_counted(tmp_path: Path) -> None:
    train = TRAIN + row(7, " ", "") + row(8, "a", "b", category=" ") + row(9, "\u200b", "\ufeff")
    documents, skipped = read(folder(tmp_path, train))
    assert (len(documents), skipped) == (6, {"repeated id": 1, "empty text": 2, "empty label": 1})


def test_emoji_and_scripts_keep_their_joiners(tmp_path: Path) -> None:
    text = "\U0001f469\u200d\U0001f680 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    documents, _ = read(folder(tmp_path, row(1, text, "")))
    assert documents[0].text == text


def test_broken_bytes_are_mended_and_named(tmp_path: Path) -> None:
    documents, _ = read(
        folder(tmp_path, TRAIN.encode().replace(b"Polls", b"Pol\xff\xfels").replace(b"news\t", b"n\xff\t"))
    )
    assert documents[0].text == "Orlen votes Pol\ufffdls opened on Sunday."
    assert documents[0].label == "n\ufffd"
    assert documents[0].cleaned == ("not UTF-8",)


def test_fetch_copies_the_files_under_their_paths(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    source().fetch(tmp_path, folder(tmp_path / "local"), raw)
    assert (raw / "train" / "news.tsv").read_bytes() == TRAIN.encode()
    assert (raw / "dev" / "news.tsv").read_bytes() == DEV.encode()


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("", " has no rows; link the file as published"),
        (TRAIN + "N9\tnews\tx\ta title\n", "6: 4 fields between tabs, not the 8 of MIND's news.tsv; link the file"),
        (TRAIN.replace("Polls", "Po\tlls"), "1: 9 fields between tabs, not the 8 of MIND's news.tsv; link the file"),
        (TRAIN + "\n", "6: 1 fields between tabs, not the 8 of MIND's news.tsv; link the file"),
    ],
)
def test_a_broken_file_is_refused_by_its_own_name(tmp_path: Path, train: str, message: str) -> None:
    (tmp_path / "raw").mkdir()
    with pytest.raises(UserError) as caught:
        source().fetch(tmp_path, folder(tmp_path / "local", train), tmp_path / "raw")
    assert str(caught.value).startswith(f"{tmp_path}/local/train/news.tsv:{message}")


def test_every_file_is_needed(tmp_path: Path) -> None:
    (folder(tmp_path) / "dev" / "news.tsv").unlink()
    with pytest.raises(UserError, match=r"dev/news.tsv: no such file; `python -m pipeline link mind_topics FILE`"):
        source().check(tmp_path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ((), "at least 1 item"),
        (("news.tsv", "news.tsv"), "names a file twice; remove one"),
        (("news.csv",), "'news.csv' must end in .tsv or .tsv.gz"),
        (("../news.tsv",), "must be a path inside data/local"),
    ],
)
def test_wrong_options_are_refused(files: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        source(files=files)
