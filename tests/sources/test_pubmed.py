"""PubMed's JSON lines: marks of sentences, and articles without a text."""

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import UserError
from pipeline.sources.pubmed import Pubmed
from pipeline.sources.summarization import Article

SECTIONS = {"article_id": "PMC1", "labels": None, "section_names": ["1. Intro\nduction"], "sections": [["a", ""]]}


def line(article: Any, abstract: Any) -> str:
    return json.dumps(SECTIONS | {"article_text": article, "abstract_text": abstract}) + "\n"


TRAIN = (
    line(["the cells , \n in vitro .", "they grew ."], ["<S> cells grew . </S>", "<S>  fast \n so . </S> "])
    + line([""], ["<S> an image . </S>"])
    + line(["a text ."], [])
    + line(["a text ."], ["<S> </S>"])
    + line("a text .", ["<S> a . </S>"])
    + line(["a text ."], None)
)
OTHER = line(["p < 0.05 &lt; 1 ."], ["<S> p is small . </S>"])


def source() -> Pubmed:
    options: Any = Pubmed.Options.model_validate({"reader": "pubmed", "summary_length": 256})
    return Pubmed("pubmed", options)


def files(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in (("train.txt", TRAIN), ("val.txt", OTHER), ("test.txt", OTHER)):
        (folder / name).write_text(content)
    return folder


def read(raw: Path) -> tuple[list[Article], dict[str, int]]:
    skipped: Counter[str] = Counter()
    return list(source().read(raw, skipped)), dict(skipped)


def test_sentences_lose_their_marks_and_empty_articles_are_counted(tmp_path: Path) -> None:
    articles, skipped = read(files(tmp_path))
    first = articles[0]
    assert first.body == "the cells , \n in vitro . they grew ."
    assert first.summary == ("cells grew .", "fast \n so .")
    assert first.origin == "data/local/pubmed/train.txt:1"
    assert [article.split for article in articles] == ["train", "validation", "test"]
    assert (articles[1].body, articles[1].cleaned) == ("p < 0.05 < 1 .", ("HTML entities",))
    assert skipped == {
        "empty article": 1, "empty abstract": 2, "article_text is no list of texts": 1,
        "abstract_text is no list of texts": 1,
    }  # fmt: skip


def test_upstreams_archive_is_unpacked(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in files(tmp_path / "own").iterdir():
            archive.writestr(f"pubmed-dataset/{path.name}", path.read_bytes())
            archive.writestr(f"__MACOSX/pubmed-dataset/._{path.name}", b"x")
        archive.writestr("pubmed-dataset/vocab", b"the 5\n")
    (tmp_path / "pubmed-dataset.zip").write_bytes(packed.getvalue())
    for name in ("local", "raw"):
        (tmp_path / name).mkdir()
    source().fetch(tmp_path, tmp_path / "local", tmp_path / "raw")
    assert sorted(path.name for path in (tmp_path / "raw").iterdir()) == ["test.txt", "train.txt", "val.txt"]
    assert read(tmp_path / "raw") == read(tmp_path / "own")


def test_files_of_the_users_are_copied_and_a_broken_one_is_named(tmp_path: Path) -> None:
    local, raw = files(tmp_path / "local"), tmp_path / "raw"
    raw.mkdir()
    source().fetch(tmp_path, local, raw)
    assert (raw / "train.txt").read_text() == TRAIN
    (local / "val.txt").write_text(OTHER + "[1]\n")
    with pytest.raises(UserError, match=r"local/val\.txt:2: not a JSON object but list; link the file as published"):
        source().fetch(tmp_path, local, raw)
    (local / "test.txt").write_text("")
    with pytest.raises(UserError, match=r"local/test\.txt: has no article; link the file as published"):
        source().check(local)
