"""News of CNN and the Daily Mail with their highlights (Hermann et al., NIPS 2015; See et al., ACL 2017).

Upstream's form is a .story file per article: paragraphs, and after each `@highlight` one sentence of the summary. Its
name is the SHA-1 of the article's address, and lists of addresses say which split it is in
(https://github.com/abisee/cnn-dailymail). Others give tables of articles and highlights, a highlight a line. Sizes and
hashes are those of TensorFlow Datasets (url_checksums/cnn_dailymail.txt) and of ParlAI.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from pipeline.errors import UserError
from pipeline.section import Section, SourceOptions, inside_local
from pipeline.sources import given
from pipeline.sources.base import SPLITS
from pipeline.sources.cleaning import clean
from pipeline.sources.lines import numbered_lines
from pipeline.sources.parquet import parquet_rows
from pipeline.sources.remote import RemoteFile
from pipeline.sources.summarization import Article, SummarizationOptions, SummarizationSource
from pipeline.sources.tabular import SUFFIXES, rows, suffix
from pipeline.sources.unpack import contents

ARCHIVES = ("cnn_stories.tgz", "dailymail_stories.tgz")
LISTS = {"train": "all_train.txt", "validation": "all_val.txt", "test": "all_test.txt"}
PARQUET = ".parquet"
HIGHLIGHT = "@highlight"

_PAGE = "https://github.com/abisee/cnn-dailymail"
_TERMS = "terms: none stated, the texts are CNN's and the Daily Mail's"


def _archive(name: str, drive: str, size: int, sha256: str) -> RemoteFile:
    urls = (
        f"https://drive.usercontent.google.com/download?id={drive}&export=download&confirm=t",
        f"https://huggingface.co/datasets/ccdv/cnn_dailymail/resolve/main/{name}",
    )
    return RemoteFile(name, urls, page=_PAGE, terms=_TERMS, size=size, checksum=f"sha256:{sha256}")


def _list(name: str, size: int, sha256: str) -> RemoteFile:
    urls = (f"https://raw.githubusercontent.com/abisee/cnn-dailymail/master/url_lists/{name}",)
    return RemoteFile(name, urls, page=_PAGE, terms=_TERMS, size=size, checksum=f"sha256:{sha256}")


REMOTE = (
    _archive(
        "cnn_stories.tgz",
        "0BwmD_VLjROrfTHk4NFg2SndKcjQ",
        158_577_824,
        "e8fbc0027e54e0a916abd9c969eb35f708ed1467d7ef4e3b17a56739d65cb200",
    ),
    _archive(
        "dailymail_stories.tgz",
        "0BwmD_VLjROrfM1BxdkxVaTY2bWs",
        375_893_739,
        "ad69010002210b7c406718248ee66e65868b9f6820f163aa966369878d14147e",
    ),
    _list("all_train.txt", 46_424_688, "a5cee49f3a6c862c26ce29308236d2a99625ab6c86a43be22d5206b2790d8029"),
    _list("all_val.txt", 2_433_674, "81887e982b045083409c6ee838aede8ff4b97291605bcfb21bffc456a16991db"),
    _list("all_test.txt", 2_109_547, "c4f5efb5ec2126430a5c156efbd13d0e9c4cb490169e552c38b4a51981a009bd"),
)


def is_parquet(name: str) -> bool:
    return name.lower().endswith(PARQUET)


class Tables(Section):
    """A table for each split, below data/local/<data set>, and the columns of body and summary in them."""

    train: str
    validation: str
    test: str
    body_column: str = Field(min_length=1)
    summary_column: str = Field(min_length=1)

    @field_validator("train", "validation", "test")
    @classmethod
    def _is_table(cls, value: str) -> str:
        legal = (*SUFFIXES, PARQUET)
        if suffix(value) not in SUFFIXES and not is_parquet(value):
            raise ValueError(f"must end in {', '.join(legal)}, or one of the first three and .gz")
        return inside_local(value)

    @model_validator(mode="after")
    def _are_different(self) -> Self:
        if self.body_column == self.summary_column:
            raise ValueError("body_column and summary_column must be different columns")
        if len({self.train, self.validation, self.test}) < len(SPLITS):
            raise ValueError("train, validation and test must be different files")
        return self


class CnnDailymailOptions(SummarizationOptions):
    """With `tables` null, upstream's archives and lists are fetched, or taken from data/local/<data set>."""

    reader: Literal["cnn_dailymail"]
    tables: Tables | None


class CnnDailymail(SummarizationSource[CnnDailymailOptions]):
    """Articles and highlights in the published splits."""

    Options: ClassVar[type[SourceOptions]] = CnnDailymailOptions

    @property
    def files(self) -> list[str]:
        """The files that are read, in their order."""
        tables = self.options.tables
        return [getattr(tables, split) for split in SPLITS] if tables else [*ARCHIVES, *LISTS.values()]

    def published(self) -> Sequence[RemoteFile]:
        return () if self.options.tables else REMOTE

    def check(self, local: Path) -> None:
        if self.remote(local):
            return
        for name in self.files:
            path = given.required(local, name, self.dataset)
            if self.options.tables and next(self._rows(path), None) is None:
                raise UserError(f"{path}: has no rows; give it a header and rows, or name another file")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        folder = self.folder(downloads, local)
        for name in self.files:
            if self.options.tables:
                for _ in self._rows(folder / name):
                    pass  # a broken row is named by the file that the user can mend, not by the copy
            given.copied(folder, raw, name)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Article]:
        return (
            self._of_tables(raw, skipped)
            if self.options.tables
            else stories_of(raw, ARCHIVES, LISTS, self.dataset, skipped)
        )

    def _of_tables(self, raw: Path, skipped: Counter[str]) -> Iterator[Article]:
        for split, name in zip(SPLITS, self.files, strict=True):
            own_file = given.origin(self.dataset, name)
            for number, body, highlights in self._rows(raw / name):
                summary = highlights.split("\n")
                if article := _article(body, summary, f"{own_file}:{number}", split, skipped):
                    yield article

    def _rows(self, path: Path) -> Iterator[tuple[int, str, str]]:
        tables = self.options.tables
        assert tables is not None, "only tables have rows"
        columns = {"body_column": tables.body_column, "summary_column": tables.summary_column}
        return parquet_rows(path, columns) if is_parquet(path.name) else rows(path, columns)


def stories_of(
    raw: Path, archives: Sequence[str], lists: Mapping[str, str], dataset: str, skipped: Counter[str]
) -> Iterator[Article]:
    """The stories of archives, in the splits whose lists (file names by split) have their addresses."""
    split_of = {name: split for split, file in lists.items() for name in listed(raw / file)}
    for archive in archives:
        own_file = given.origin(dataset, archive)
        for path, content in contents(raw / archive):
            name = PurePosixPath(path).name
            if not name.endswith(".story"):
                continue
            if (split := split_of.pop(name, None)) is None:
                skipped["in no published split, or twice"] += 1
                continue
            body, summary = parsed_story(content.decode("utf-8", "surrogateescape"))
            if article := _article(body, summary, f"{own_file}:{name}", split, skipped):
                yield article
    if split_of:
        skipped["listed, but no story"] += len(split_of)


def listed(path: Path) -> Iterator[str]:
    """The file names of a list's addresses. UserError naming the line that isn't UTF-8."""
    for _, line in numbered_lines(path):
        if url := line.strip():
            yield story_name(url)


def story_name(url: str) -> str:
    """The file name that upstream gives to the story of an address."""
    return f"{hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()}.story"


def parsed_story(text: str) -> tuple[str, list[str]]:
    """Body and highlights of a .story file: of each the lines that aren't blank, joined by a blank."""
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        if (stripped := line.strip(" \t\r")) == HIGHLIGHT:
            blocks.append([])
        elif stripped:
            blocks[-1].append(stripped)
    body, *highlights = [" ".join(block) for block in blocks]
    return body, [highlight for highlight in highlights if highlight]


def _article(body: str, summary: list[str], origin: str, split: str, skipped: Counter[str]) -> Article | None:
    """The article, its texts mended; None, counted under a reason, where it lacks one of them."""
    text, changes = clean(body)
    cleaned = [clean(sentence) for sentence in summary]
    sentences = tuple(sentence for sentence, _ in cleaned if sentence)
    if not text:
        skipped["empty article"] += 1
    elif not sentences:
        skipped["no highlights"] += 1
    else:
        all_changes = dict.fromkeys((*changes, *(change for _, found in cleaned for change in found)))
        return Article(text, sentences, origin, split, tuple(all_changes))
    return None
