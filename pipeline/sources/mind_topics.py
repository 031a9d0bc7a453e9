"""The topics of MIND's news (Wu et al., ACL 2020, https://msnews.github.io/), from titles and abstracts.

The paper classifies by the articles' bodies, which MIND's files don't hold.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from pipeline.errors import UserError
from pipeline.section import Count, SourceOptions, SplitOptions, inside_local
from pipeline.sources import given, mind_files
from pipeline.sources.base import Document
from pipeline.sources.cleaning import clean
from pipeline.sources.mind_files import MindLicence
from pipeline.sources.mind_news import cleaned, news_of
from pipeline.sources.remote import RemoteFile
from pipeline.sources.source import Source

SUFFIXES = (".tsv", ".tsv.gz")


class MindTopicsOptions(MindLicence, SplitOptions):
    """`files` lie below data/local/<data set>, or are fetched; an article that stands in several counts once.

    A label that fewer than `min_articles` have is left out: MIND has some with one or two, which no split can share.
    """

    reader: Literal["mind_topics"]
    files: Annotated[list[str], Field(min_length=1)]
    label: Literal["category", "subcategory"]
    min_articles: Count

    @field_validator("files")
    @classmethod
    def _are_tables(cls, value: list[str]) -> list[str]:
        if len(set(value)) < len(value):
            raise ValueError("names a file twice; remove one")
        for name in value:
            if not name.endswith(SUFFIXES):
                raise ValueError(f"{name!r} must end in {' or '.join(SUFFIXES)}")
            inside_local(name)
        return value


class MindTopics(Source[MindTopicsOptions]):
    """Titles with abstracts, labelled with their category or subcategory."""

    Options: ClassVar[type[SourceOptions]] = MindTopicsOptions

    def published(self) -> Sequence[RemoteFile]:
        return mind_files.remote(self.options.files)

    def check(self, local: Path) -> None:
        if self.remote(local):
            mind_files.expect_licence(self.options.accept_licence, self.dataset)
            return
        for name in self.options.files:
            path = given.required(local, name, self.dataset)
            if next(news_of(path), None) is None:
                raise UserError(f"{path}: has no rows; link the file as published")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        if self.remote(local):
            mind_files.unpacked(downloads, raw, self.options.files)
            return
        for name in self.options.files:
            for _ in news_of(local / name):
                pass  # a broken row is named by the file that the user can mend, not by the copy
            given.copied(local, raw, name)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        # Twice over the files, so that no more than one article is held at a time.
        frequent = Counter(document.label for document in self._documents(raw, Counter()))
        for document in self._documents(raw, skipped):
            if frequent[document.label] < self.options.min_articles:
                skipped[f"label of fewer than {self.options.min_articles} articles"] += 1
            else:
                yield document

    def _documents(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        ids: set[str] = set()
        for name in self.options.files:
            own_file = given.origin(self.dataset, name)
            for number, news in news_of(raw / name):
                text, changes = cleaned(f"{news.title} {news.abstract}")
                label, _ = clean(news.category if self.options.label == "category" else news.subcategory)
                if news.id in ids:
                    skipped["repeated id"] += 1
                elif not text:
                    skipped["empty text"] += 1
                elif not label:
                    skipped["empty label"] += 1
                else:
                    ids.add(news.id)
                    yield Document(text, label, f"{own_file}:{number}", cleaned=changes)
