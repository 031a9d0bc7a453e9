"""Stories with their lists, and tables of articles and highlights."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from pipeline.errors import UserError
from pipeline.sources.cnn_dailymail import CnnDailymail, parsed_story
from pipeline.sources.summarization import Article
from tests.sources.test_any_bytes import STORY_FILES, TABLES, parquet, stories

STORY = (
    "By \n.\nJane Doe \n\nPUBLISHED:\n \n \n     03:39 EST\n\nThe router, \nwithout a wire,  hums .\n\n"
    "Mail to @highlight desk\u0085\n\n@highlight\n\nA router hums .\n\n@highlight\n\nIt has no\nwire\n\n@highlight\n\n"
)


def source(tables: dict[str, str] | None = None) -> CnnDailymail:
    values = {"reader": "cnn_dailymail", "summary_length": 128, "tables": tables}
    options: Any = CnnDailymail.Options.model_validate(values)
    return CnnDailymail("cnn_dailymail", options)


def put(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def twice_the_same_name() -> bytes:
    column = pa.array(["a"])
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays([column] * 3, names=["article", "article", "highlights"]), sink)
    return bytes(sink.getvalue().to_pybytes())


def read(made: CnnDailymail, folder: Path) -> tuple[list[Article], dict[str, int]]:
    skipped: Counter[str] = Counter()
    return list(made.read(folder, skipped)), dict(skipped)


def test_a_story_is_its_lines_and_its_highlights() -> None:
    body, highlights = parsed_story(STORY)
    assert body == (
        "By . Jane Doe PUBLISHED: 03:39 EST The router, without a wire,  hums . Mail to @highlight desk\u0085"
    )
    assert highlights == ["A router hums .", "It has no wire"]
    assert parsed_story(STORY.replace("\n", "\r\n")) == (body, highlights)


def test_a_story_may_lack_either() -> None:
    assert parsed_story("A body.\n") == ("A body.", [])
    assert parsed_story("@highlight\n\nIn short") == ("", ["In short"])
    assert parsed_story("") == ("", [])


def test_the_lists_say_which_split_a_story_is_in(tmp_path: Path) -> None:
    urls = {name: f"https://x.example/{name}" for name in ("train", "val", "test", "none", "empty", "bare", "gone")}
    texts = {urls[name]: b"A body.\n\n@highlight\n\nIn short" for name in ("train", "val", "test", "none")}
    texts |= {urls["empty"]: b"\n\n@highlight\n\nIn short", urls["bare"]: b"A body."}
    files = {
        "cnn_stories.tgz": stories({url: texts[url] for url in list(texts)[::2]}),
        "dailymail_stories.tgz": stories({url: texts[url] for url in list(texts)[1::2]}),
        "all_train.txt": "\n".join(urls[name] for name in ("gone", "train", "empty", "bare")).encode(),
        "all_val.txt": urls["val"].encode() + b"\n",
        "all_test.txt": urls["test"].encode() + b"\r\n",
    }
    articles, skipped = read(source(), put(tmp_path, files))
    assert Counter(article.split for article in articles) == {"train": 1, "validation": 1, "test": 1}
    assert {(article.body, article.summary) for article in articles} == {("A body.", ("In short",))}
    assert all(article.origin.startswith("data/local/cnn_dailymail/") for article in articles)
    assert articles[0].origin.endswith(".story")
    assert skipped == {
        "in no published split, or twice": 1, "empty article": 1, "no highlights": 1, "listed, but no story": 1,
    }  # fmt: skip


def test_rows_have_several_lines_and_a_highlight_each(tmp_path: Path) -> None:
    csv = (
        ",id,article,highlights\r\n"
        '0,aa,"(CNN) ""Yes,"" she said. . Done &amp; gone .","One\u2028 line .\nNEW: Two ."\r\n'
        '1,bb,"",Nothing .\r\n'
        '2,cc,A body," \n "\r\n'
    ).encode()
    jsonl = b'{"article": "A body", "highlights": "One"}\n{"article": null, "highlights": "One"}\n'
    table = parquet({"id": [1, 2], "article": ["A body", None], "highlights": ["One\nTwo", "Three"]})
    files = {"a.csv": csv, "b.jsonl": jsonl, "c.parquet": table}
    made = source(TABLES | {"train": "a.csv", "validation": "b.jsonl", "test": "c.parquet"})
    local = put(tmp_path / "local", files)
    (tmp_path / "raw").mkdir()
    made.fetch(tmp_path, local, tmp_path / "raw")
    articles, skipped = read(made, tmp_path / "raw")
    assert [(article.split, article.body, article.summary) for article in articles] == [
        ("train", '(CNN) "Yes," she said. . Done & gone .', ("One\u2028 line .", "NEW: Two .")),
        ("validation", "A body", ("One",)),
        ("test", "A body", ("One", "Two")),
    ]
    assert articles[0].cleaned == ("HTML entities",)
    assert [article.origin.rpartition("/")[2] for article in articles] == ["a.csv:2", "b.jsonl:1", "c.parquet:1"]
    assert skipped == {"empty article": 3, "no highlights": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not parquet", "c.parquet: unreadable Parquet"),
        (parquet({"article": ["a"]}), "c.parquet: no column 'highlights'; it has article; set summary_column to one"),
        (parquet({"article": [1], "highlights": ["a"]}), "'article' holds int64, not text; set body_column to one"),
        (parquet({"article": [], "highlights": []}), "holds null, not text"),
        (parquet({"article": ["a"], "highlights": ["b"]})[:-1], "c.parquet: unreadable Parquet"),
        (twice_the_same_name(), "c.parquet: two columns are named 'article'; rename one"),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    made = source(TABLES | {"train": "c.parquet"})
    with pytest.raises(UserError) as caught:
        made.check(put(tmp_path, {"c.parquet": content}))
    assert message in str(caught.value)


def test_parquet_in_capitals_is_parquet(tmp_path: Path) -> None:
    made = source(TABLES | {"train": "A.PARQUET", "validation": "b.Parquet", "test": "c.parquet"})
    table = parquet({"article": ["A body"], "highlights": ["One"]})
    local = put(tmp_path / "local", dict.fromkeys(("A.PARQUET", "b.Parquet", "c.parquet"), table))
    (tmp_path / "raw").mkdir()
    made.fetch(tmp_path, local, tmp_path / "raw")
    assert [article.body for article in read(made, tmp_path / "raw")[0]] == ["A body"] * 3


def test_every_file_is_needed(tmp_path: Path) -> None:
    local = put(tmp_path, STORY_FILES)
    (local / "all_test.txt").unlink()
    with pytest.raises(UserError, match=r"all_test\.txt: no such file; `python -m pipeline link cnn_dailymail FILE`"):
        source().check(local)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": "a.csv"}, "train, validation and test must be different files"),
        ({"test": "./a.csv"}, "train, validation and test must be different files"),
        ({"summary_column": "article"}, "body_column and summary_column must be different columns"),
        ({"test": "a.parquet.gz"}, r"must end in \.csv, \.tsv, \.jsonl, \.parquet"),
        ({"test": "a.xlsx"}, r"must end in \.csv, \.tsv, \.jsonl, \.parquet"),
        ({"test": "../a.csv"}, "must be a path inside data/local"),
        ({"body_column": ""}, "at least 1 character"),
    ],
)
def test_wrong_options_are_refused(change: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        source(TABLES | change)
