"""Every reader on arbitrary and on damaged files: records, counted reasons or a UserError, and no other exception."""

import gzip
import hashlib
import io
import json
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import registry
from pipeline.errors import UserError
from pipeline.section import SplitOptions
from pipeline.sources.base import SPLITS
from pipeline.sources.cnn_dailymail import story_name
from pipeline.sources.mind_news import News
from pipeline.sources.recommendation import Impression
from pipeline.sources.summarization import Article

CUT = {"splits": {"validation": 0.1, "test": 0.1, "seed": 1}, "drop_repeated": True}
TABLE = {"validation": None, "test": None, "text_column": "text", "label_column": "label"}


def lines(*entries: dict[str, Any]) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def tar(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("train/pos/0_9.txt", "train/neg/0_1.txt", "test/pos/0_9.txt", "test/neg/0_1.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def stories(texts: dict[str, bytes]) -> bytes:
    """An archive of .story files, named after their addresses."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for url, text in texts.items():
            member = tarfile.TarInfo(f"cnn/stories/{hashlib.sha1(url.encode()).hexdigest()}.story")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


def parquet(columns: dict[str, list[Any]]) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table(columns), written)
    return written.getvalue()


REVIEW = {"reviewText": "A plain\u0085 text &amp; more.", "overall": 5.0}
SENTENCE = b"1_1\t2.5\tA plain &amp; short text.\n"
MIND = b'N1\tnews\tnewsworld\tA "plain" title\tA text\xc2\x85 here.\thttps://x.example\t[]\t[]\n'
IMPRESSION = b"1\tU1\t11/9/2019 9:03:12 AM\tN1 N2\tN1-1 N3-0\n"
MIND_FILES = {"a/news.tsv": MIND, "a/behaviors.tsv": IMPRESSION, "b/news.tsv": MIND, "b/behaviors.tsv": IMPRESSION}
MIND_OPTIONS = {
    "accept_licence": False,
    "train": "a",
    "test": "b",
    "unlabelled": None,
    "max_history": 50,
    "abstract_length": None,
    "news_encoder": None,
}
NEWS = b'"1","A ""plain"" title","A \\\\text #39;s end"\n'

TABLES = {
    "train": "a.csv",
    "validation": "b.csv",
    "test": "c.csv",
    "body_column": "article",
    "summary_column": "highlights",
}
TABLE_FILES = dict.fromkeys(("a.csv", "b.csv", "c.csv"), b'article,highlights\r\n"A ""body"".","One .\nTwo ."\r\n')
STORY_FILES = {
    "cnn_stories.tgz": stories({"https://x.example/1": b"A body\xc2\x85.\n\n@highlight\n\nIn short\n"}),
    "dailymail_stories.tgz": stories({"https://x.example/2": b"A body.\n\n@highlight\n\nIn short"}),
    "all_train.txt": b"https://x.example/1\nhttps://x.example/2\n",
    "all_val.txt": b"https://x.example/3\n",
    "all_test.txt": b"",
}
PUBMED = lines({"article_text": ["a body ."], "abstract_text": ["<S> in short . </S>"]})
PUBMED_FILES = dict.fromkeys(("train.txt", "val.txt", "test.txt"), PUBMED)

# Reader, its options, the files that are all good, and which of them gets the bytes.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, bytes], str]] = {
    "csv": ("tabular", TABLE | {"train": "a.csv"}, {"a.csv": b'text,label\n"a, b",x\nc,y\n'}, "a.csv"),
    "tsv": ("tabular", TABLE | {"train": "a.tsv"}, {"a.tsv": b"text\tlabel\na\tx\n"}, "a.tsv"),
    "jsonl": ("tabular", TABLE | {"train": "a.jsonl"}, {"a.jsonl": lines({"text": "a", "label": 1.5})}, "a.jsonl"),
    "jsonl.gz": (
        "tabular",
        TABLE | {"train": "a.jsonl.gz"},
        {"a.jsonl.gz": gzip.compress(lines({"text": "a", "label": None}, {"text": "b", "label": 1}), mtime=0)},
        "a.jsonl.gz",
    ),
    "review_sentences": (
        "review_sentences",
        {"neutral_within": 0.5},
        {"amazonReviewSnippets_GroundTruth.txt": SENTENCE, "movieReviewSnippets_GroundTruth.txt": SENTENCE},
        "movieReviewSnippets_GroundTruth.txt",
    ),
    "amazon": ("amazon", {"file": "a.json", "sample": None}, {"a.json": lines(REVIEW, REVIEW)}, "a.json"),
    "amazon.gz": (
        "amazon",
        {"file": "a.json.gz", "sample": None},
        {"a.json.gz": gzip.compress(lines(REVIEW), mtime=0)},
        "a.json.gz",
    ),
    "imdb": ("imdb", {}, {"data.json": json.dumps([{"review": "A text.", "rating": 7}] * 2).encode()}, "data.json"),
    "imdb.gz": (
        "imdb",
        {},
        {"data1.json.gz": gzip.compress(b'[{"review": "b", "rating": 1}]', mtime=0)},
        "data1.json.gz",
    ),
    "imdb_maas file": (
        "imdb_maas",
        {"label": "rating"},
        {f"{split}/{label}/0_9.txt": b"A text.<br />" for split in ("train", "test") for label in ("pos", "neg")},
        "train/pos/0_9.txt",
    ),
    "imdb_maas tar": ("imdb_maas", {"label": "rating"}, {"a.tar": tar(b"A text.")}, "a.tar"),
    "imdb_maas tar.gz": ("imdb_maas", {"label": "rating"}, {"a.tar.gz": gzip.compress(tar(b"a"), mtime=0)}, "a.tar.gz"),
    "ag_news": ("ag_news", {}, {"train.csv": NEWS, "test.csv": NEWS}, "train.csv"),
    "ag_news classes": (
        "ag_news",
        {},
        {"train.csv": NEWS, "test.csv": NEWS, "classes.txt": b"World\nSports\n"},
        "classes.txt",
    ),
    "mind_topics": (
        "mind_topics",
        {"accept_licence": False, "files": ["a/news.tsv", "b/news.tsv"], "label": "category", "min_articles": 1},
        {"a/news.tsv": MIND, "b/news.tsv": MIND.replace(b"N1", b"N2")},
        "b/news.tsv",
    ),
    "mind news": ("mind", MIND_OPTIONS, MIND_FILES, "b/news.tsv"),
    "mind behaviors": ("mind", MIND_OPTIONS, MIND_FILES, "a/behaviors.tsv"),
    "cnn_dailymail csv": ("cnn_dailymail", {"summary_length": 9, "tables": TABLES}, TABLE_FILES, "b.csv"),
    "cnn_dailymail parquet": (
        "cnn_dailymail",
        {"summary_length": 9, "tables": TABLES | {"test": "c.parquet"}},
        TABLE_FILES | {"c.parquet": parquet({"article": ["A body."], "highlights": ["One .\nTwo ."]})},
        "c.parquet",
    ),
    "cnn_dailymail stories": ("cnn_dailymail", {"summary_length": 9, "tables": None}, STORY_FILES, "cnn_stories.tgz"),
    "cnn_dailymail list": ("cnn_dailymail", {"summary_length": 9, "tables": None}, STORY_FILES, "all_train.txt"),
    "pubmed": ("pubmed", {"summary_length": 9}, PUBMED_FILES, "val.txt"),
    "newsroom_topics": (
        "newsroom_topics",
        {"articles": 1, "world": 1},
        {"news.tsv": MIND.replace(b"newsworld", b"poll"), "answers.txt": b"politics\n"},
        "news.tsv",
    ),
    "newsroom_clicks": (
        "newsroom_clicks",
        {
            "news": 1,
            "readers": 1,
            "impressions": 1,
            "world": 1,
            "max_history": 50,
            "abstract_length": None,
            "news_encoder": None,
        },
        {name.replace("a/", "train/").replace("b/", "dev/"): good for name, good in MIND_FILES.items()}
        | {"dev/chances.txt": b"0.5 0.25\n"},
        "dev/chances.txt",
    ),
    "newsroom_briefs": (
        "newsroom_briefs",
        {"articles": {"train": 1, "validation": 1, "test": 1}, "summary_length": 9, "world": 1},
        {
            "newsroom_stories.tgz": STORY_FILES["cnn_stories.tgz"],
            "answers.jsonl": lines({"story": story_name("https://x.example/1"), "best": ["In short"]}),
        }
        | {"train.txt": b"https://x.example/1\n", "validation.txt": b"", "test.txt": b""},
        "answers.jsonl",
    ),
    "newsroom_ratings": (
        "newsroom_ratings",
        {"reviews": 1, "world": 1},
        {"reviews.json": lines(REVIEW), "answers.txt": b"4\n"},
        "reviews.json",
    ),
}

FETCHED = ("review_sentences", "newsroom_topics", "newsroom_clicks", "newsroom_briefs", "newsroom_ratings")
"""Readers whose fetch takes no file of the user's: the archive whose hash it knows, or nothing."""


def outcome(case: str, content: bytes | None = None) -> tuple[int, int] | str:
    """The numbers of records and of counted rows, or the UserError's message."""
    reader, values, files, target = CASES[case]
    made = registry.load(registry.SOURCES, reader)
    is_cut = issubclass(made.Options, SplitOptions)
    source = made(reader, made.Options.model_validate({"reader": reader} | (CUT if is_cut else {}) | values))
    skipped: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        local, raw = Path(name) / "local", Path(name) / "raw"
        raw.mkdir()
        for file, good in files.items():
            (local / file).parent.mkdir(parents=True, exist_ok=True)
            (local / file).write_bytes(good if content is None or file != target else content)
        try:
            if reader in FETCHED:
                raw = local
            else:
                source.check(local)
                source.fetch(Path(name), local, raw)
            documents = list(source.read(raw, skipped))
            if made.Options.task == "summarization":
                return summarized(documents, skipped)
            if made.Options.task == "recommendation":
                return recommended(documents, [news for news, _ in source.news(raw, skipped)])
        except UserError as error:
            assert str(error).strip()
            return str(error)
    for document in documents:
        (document.text + document.label + document.origin).encode()
        assert document.text.strip()
        assert document.label.strip()
        assert document.split in (None, *SPLITS)
    assert all(count > 0 for count in skipped.values())
    return len(documents), skipped.total()


def summarized(articles: list[Article], skipped: Counter[str]) -> tuple[int, int]:
    """The numbers of articles, whose texts can be written, and of counted rows."""
    for article in articles:
        "".join((article.body, *article.summary, article.origin)).encode()
        assert article.body.strip()
        assert article.summary
        assert all(sentence.strip() for sentence in article.summary)
        assert article.split in SPLITS
    assert all(count > 0 for count in skipped.values())
    return len(articles), skipped.total()


def recommended(impressions: list[Impression], news: list[News]) -> tuple[int, int]:
    """The numbers of impressions and of news, whose texts can be written."""
    for one in news:
        "".join((one.id, one.category, one.subcategory, one.title, one.abstract)).encode()
    for impression in impressions:
        (impression.user + "".join(impression.history + impression.candidates)).encode()
        assert impression.clicks is not None
        assert len(impression.clicks) == len(impression.candidates)
    return len(impressions), len(news)


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> bytes:
    """Good bytes of which a stretch was replaced, removed, or doubled."""
    begin = draw(st.integers(0, len(good)))
    end = draw(st.integers(begin, min(begin + 8, len(good))))
    return good[:begin] + draw(st.binary(max_size=6) | st.just(good[begin:end] * 2)) + good[end:]


def every_case(test: Callable[..., None]) -> Callable[..., None]:
    return pytest.mark.parametrize("case", CASES)(test)


def test_every_reader_is_among_the_cases() -> None:
    assert {reader for reader, *_ in CASES.values()} == set(registry.SOURCES)


@every_case
def test_the_good_files_are_good(case: str) -> None:
    found = outcome(case)
    assert isinstance(found, tuple), found
    assert sum(found) > 0


@every_case
@settings(derandomize=True, max_examples=30, deadline=None, database=None)
@given(st.data())
def test_arbitrary_bytes(case: str, data: st.DataObject) -> None:
    outcome(case, data.draw(st.binary(max_size=60)))


@every_case
@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(st.data())
def test_damaged_files(case: str, data: st.DataObject) -> None:
    _, _, files, target = CASES[case]
    outcome(case, data.draw(damaged(files[target])))
