"""The user's own tables."""

import gzip
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import UserError
from pipeline.sources.base import Document
from pipeline.sources.tabular import Tabular

COLUMNS = {"text_column": "text", "label_column": "label"}


def source(train: str, **changes: Any) -> Tabular:
    values: dict[str, Any] = {"reader": "tabular", "train": train, "validation": None, "test": None, **COLUMNS}
    values |= {"splits": {"validation": 0.1, "test": 0.2, "seed": 1}, "drop_repeated": False}
    return Tabular("own", Tabular.Options.model_validate(values | changes))


def read(folder: Path, name: str, content: str | bytes) -> tuple[list[Document], dict[str, int]]:
    """The documents of a file of this content, and what was skipped."""
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    skipped: Counter[str] = Counter()
    return list(source(name).read(folder, skipped)), dict(skipped)


def rows(folder: Path, name: str, content: str | bytes) -> list[tuple[str, str]]:
    return [(document.text, document.label) for document in read(folder, name, content)[0]]


def refusal(folder: Path, name: str, content: str | bytes) -> str:
    """What reading the file is refused with, less the path of the folder."""
    with pytest.raises(UserError) as caught:
        read(folder, name, content)
    return str(caught.value).removeprefix(f"{folder}/")


TABLES = {
    "a.csv": 'id,label,text\n1,good,"an apple, a pear"\n2,bad,plain\n',
    "a.tsv": "id\tlabel\ttext\n1\tgood\tan apple, a pear\n2\tbad\tplain\n",
    "a.jsonl": '{"id": 1, "label": "good", "text": "an apple, a pear"}\n{"text": "plain", "label": "bad"}\n',
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_each_kind_of_table_is_read(tmp_path: Path, name: str, packed: bool) -> None:
    content = TABLES[name].encode()
    found = rows(tmp_path, name + ".gz" * packed, gzip.compress(content) if packed else content)
    assert found == [("an apple, a pear", "good"), ("plain", "bad")]


@pytest.mark.parametrize("name", ["A.CSV", "A.Csv.gz"])
def test_a_suffix_in_capitals_counts(tmp_path: Path, name: str) -> None:
    content = TABLES["a.csv"].encode()
    assert len(rows(tmp_path, name, gzip.compress(content) if name.endswith("gz") else content)) == 2


def test_byte_order_mark_and_crlf_are_no_text(tmp_path: Path) -> None:
    assert rows(tmp_path, "a.csv", "\ufefftext,label\r\nplain,good\r\n") == [("plain", "good")]
    assert rows(tmp_path, "a.jsonl", '\ufeff{"text": "plain", "label": "good"}\r\n') == [("plain", "good")]


def test_other_line_ends_stay_inside_a_field(tmp_path: Path) -> None:
    assert rows(tmp_path, "a.csv", "text,label\na\x85b\u2028c,good\n") == [("a\x85b\u2028c", "good")]
    assert rows(tmp_path, "a.jsonl", '{"text": "a\x85b\u2028c", "label": "good"}\n') == [("a\x85b\u2028c", "good")]


def test_a_row_is_known_by_the_line_where_it_begins(tmp_path: Path) -> None:
    documents, _ = read(tmp_path, "a.csv", 'text,label\n"two\nlines",good\n\nplain,bad\n"say ""hi""",bad\n')
    assert [(document.text, document.origin) for document in documents] == [
        ("two\nlines", "data/local/own/a.csv:2"),
        ("plain", "data/local/own/a.csv:5"),
        ('say "hi"', "data/local/own/a.csv:6"),
    ]


def test_values_that_look_missing_are_text(tmp_path: Path) -> None:
    assert rows(tmp_path, "a.csv", "text,label\nnull,NA\nnan,None\n") == [("null", "NA"), ("nan", "None")]


def test_json_values_become_labels_as_json_writes_them(tmp_path: Path) -> None:
    lines = [f'{{"text": "t", "label": {label}}}' for label in ("1", "4.5", "true", '"x "')]
    assert [label for _, label in rows(tmp_path, "a.jsonl", "\n".join(lines))] == ["1", "4.5", "true", "x"]


def test_skipped_rows_are_counted_by_reason(tmp_path: Path) -> None:
    documents, skipped = read(tmp_path, "a.csv", "text,label\n,good\n  ,good\nplain,\nplain, good \n")
    assert [document.label for document in documents] == ["good"]
    assert skipped == {"empty text": 2, "empty label": 1}
    json = '{"text": null, "label": 1}\n{"text": "a", "label": null}\n\n{"text": "a", "label": 0}\n'
    documents, skipped = read(tmp_path, "a.jsonl", json)
    assert [document.origin for document in documents] == ["data/local/own/a.jsonl:4"]
    assert skipped == {"empty text": 1, "empty label": 1}


REFUSED: list[tuple[str, str | bytes, str]] = [
    ("a.csv", "text,label\nfine,1\nshort\n", "a.csv:3: 1 fields where the header has 2; "),
    ("a.csv", "text,label\na,b,c\n", "a.csv:2: 3 fields where the header has 2; put a field that holds the delimiter"),
    ("a.tsv", "text\tlabel\nfine\t1\n\na\tb\tc\n", "a.tsv:4: 3 fields where the header has 2; "),
    ("a.csv", 'text,label\n"two\nlines",1,2\n', "a.csv:2: 3 fields where the header has 2; "),
    ("a.csv", 'text,label\nfine,1\n"open,1\nc,2\n', "a.csv:3: broken CSV: unexpected end of data; mend the quotes"),
    ("a.csv", 'text,label\nfine,1\n"a"b,1\nc,2\n', "a.csv:3: broken CSV: ',' expected after '\"'; mend the quotes"),
    ("a.csv", "words,label\na,b\n", "a.csv:1: no column 'text'; it has words, label; set text_column to one of these"),
    ("a.csv", "text,stars\na,b\n", "a.csv:1: no column 'label'; it has text, stars; set label_column to one of these"),
    ("a.csv", "", "a.csv: empty file; its first line must name the columns"),
    ("a.csv", b"text,label\nfine,1\nna\xefve,1\n", "a.csv:3: not UTF-8 (byte 3 of the line"),
    ("a.csv.gz", b"text,label\nfine,1\n", "a.csv.gz: damaged after line 0 ("),
    ("a.jsonl", '{"text": "a", "label": 1}\n{"text": "b" "label": 1}\n', "a.jsonl:2: broken JSON at column 14: "),
    ("a.jsonl", "[1]\n", 'a.jsonl:1: not a JSON object; each line must be {"text": ..., ...}'),
    ("a.jsonl", '\n{"text": "a"}\n', "a.jsonl:2: no column 'label'; it has text; set label_column"),
    ("a.jsonl", b'{"text": "na\xefve", "label": 1}\n', "a.jsonl:1: not UTF-8"),
    ("a.jsonl", '{"text": "a", "label": ' + "9" * 5000 + "}", "a.jsonl:1: unreadable JSON: "),
    ("a.jsonl", '{"text": "a", "label": 1}\n' + "[" * 100_000, "a.jsonl:2: unreadable JSON: "),
    ("a.jsonl", '{"text": ["a", "b"], "label": 1}', "a.jsonl:1: 'text' holds a list, not text; write it as one text"),
    ("a.jsonl", '{"text": "a", "label": {"b": 1}}', "a.jsonl:1: 'label' holds an object, not text"),
    ("a.jsonl", r'{"text": "cut \ud83d off", "label": 1}', "a.jsonl:1: half of a surrogate pair"),
]


@pytest.mark.parametrize(("name", "content", "start"), REFUSED, ids=lambda value: str(value)[:40])
def test_a_broken_table_is_refused_with_its_line(tmp_path: Path, name: str, content: str | bytes, start: str) -> None:
    assert refusal(tmp_path, name, content).startswith(start)


def test_a_whole_surrogate_pair_is_one_character(tmp_path: Path) -> None:
    assert rows(tmp_path, "a.jsonl", r'{"text": "\ud83d\ude00", "label": 1}') == [("\U0001f600", "1")]


@pytest.mark.parametrize(("name", "content"), [("a.csv", "text,label\n"), ("a.jsonl", ""), ("a.jsonl", "\n\n")])
def test_check_refuses_a_table_without_rows(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match=rf"^{re.escape(str(tmp_path / name))}: has no rows; "):
        source(name).check(tmp_path)


def test_check_names_the_missing_file_and_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLES["a.csv"])
    source("a.csv").check(tmp_path)
    with pytest.raises(UserError, match=r"/b\.csv: no such file; `python -m pipeline link own FILE` puts it there$"):
        source("a.csv", test="b.csv").check(tmp_path)


def test_fetch_copies_the_files_with_their_folders(tmp_path: Path) -> None:
    local, raw = tmp_path / "local", tmp_path / "raw"
    (local / "deep").mkdir(parents=True)
    raw.mkdir()
    (local / "deep" / "a.csv").write_text(TABLES["a.csv"])
    (local / "b.tsv").symlink_to(tmp_path / "b.tsv")
    (tmp_path / "b.tsv").write_text(TABLES["a.tsv"])
    source("deep/a.csv", test="b.tsv").fetch(tmp_path, local, raw)
    assert (raw / "deep" / "a.csv").read_text() == TABLES["a.csv"]
    assert (raw / "b.tsv").read_text() == TABLES["a.tsv"]
    assert not (raw / "b.tsv").is_symlink()


def test_fetch_names_a_broken_row_in_the_users_file(tmp_path: Path) -> None:
    local, raw = tmp_path / "local", tmp_path / "raw"
    local.mkdir()
    raw.mkdir()
    (local / "a.csv").write_text("text,label\nfine,1\nshort\n")
    with pytest.raises(UserError, match=rf"^{local}/a\.csv:3: "):
        source("a.csv").fetch(tmp_path, local, raw)
    assert list(raw.iterdir()) == []


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({}, {None: "a.csv"}),
        ({"test": "b.csv"}, {"train": "a.csv", "test": "b.csv"}),
        ({"validation": "c.csv", "test": "b.csv"}, {"train": "a.csv", "validation": "c.csv", "test": "b.csv"}),
    ],
)
def test_files_for_splits_are_splits(tmp_path: Path, names: dict[str, str], expected: dict[str | None, str]) -> None:
    for name in ("a.csv", "b.csv", "c.csv"):
        (tmp_path / name).write_text(f"text,label\n{name},1\n")
    documents = list(source("a.csv", **names).read(tmp_path, Counter()))
    assert {document.split: document.text for document in documents} == expected
