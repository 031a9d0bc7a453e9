"""PubMed's articles with their abstracts (Cohan et al., NAACL 2018, https://github.com/armancohan/long-summarization).

JSON lines, lower-cased and tokenised by upstream: `article_text` is a list of sentences, `abstract_text` one of
`<S> sentence </S>`. Some articles are empty, being images or supplements alone. The lists hold what `sections` does,
without its empty sentences. No one publishes a hash.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from pipeline.errors import UserError
from pipeline.section import SourceOptions
from pipeline.sources import given
from pipeline.sources.cleaning import clean
from pipeline.sources.json_text import objects_of_lines
from pipeline.sources.remote import RemoteFile
from pipeline.sources.summarization import Article, SummarizationOptions, SummarizationSource
from pipeline.sources.unpack import unpack

FILES = {"train": "train.txt", "validation": "val.txt", "test": "test.txt"}
REMOTE = RemoteFile(
    "pubmed-dataset.zip",
    (
        "https://archive.org/download/armancohan-long-summarization-paper-code/pubmed-dataset.zip",
        "https://drive.usercontent.google.com/download?id=1lvsqvsFi3W-pE1SqNZI0s8NR9rC1tsja&export=download&confirm=t",
    ),
    page="https://github.com/armancohan/long-summarization",
    terms="terms: none stated, texts of PubMed Central's open access articles",
)

_MARK = re.compile(r"</?S>")


class PubmedOptions(SummarizationOptions):
    """pubmed-dataset.zip, fetched, or train.txt, val.txt and test.txt out of it in data/local/<data set>."""

    reader: Literal["pubmed"]


class Pubmed(SummarizationSource[PubmedOptions]):
    """Articles and abstracts in upstream's splits."""

    Options: ClassVar[type[SourceOptions]] = PubmedOptions

    def published(self) -> Sequence[RemoteFile]:
        return (REMOTE,)

    def check(self, local: Path) -> None:
        if self.remote(local):
            return
        for name in FILES.values():
            path = given.required(local, name, self.dataset)
            if next(objects_of_lines(path), None) is None:
                raise UserError(f"{path}: has no article; link the file as published")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        if self.remote(local):
            unpack(downloads / REMOTE.name, {name: raw / name for name in FILES.values()})
            return
        for name in FILES.values():
            for _ in objects_of_lines(local / name):
                pass  # a broken line is named by the file that the user can mend, not by the copy
            given.copied(local, raw, name)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Article]:
        for split, name in FILES.items():
            yield from articles_of(raw / name, split, given.origin(self.dataset, name), skipped)


def articles_of(path: Path, split: str, own_file: str, skipped: Counter[str]) -> Iterator[Article]:
    """The articles of one file, those counted under a reason that lack a body or an abstract.

    Raises UserError naming the line that holds no JSON object.
    """
    for number, entry in objects_of_lines(path):
        sentences = {key: _sentences(entry.get(key)) for key in ("article_text", "abstract_text")}
        if broken := [key for key, found in sentences.items() if found is None]:
            skipped[f"{broken[0]} is no list of texts"] += 1
            continue
        body, of_body = clean(" ".join(sentences["article_text"] or ()))
        cleaned = [clean(_MARK.sub(" ", sentence)) for sentence in sentences["abstract_text"] or ()]
        summary = tuple(sentence for sentence, _ in cleaned if sentence)
        if not body:
            skipped["empty article"] += 1
        elif not summary:
            skipped["empty abstract"] += 1
        else:
            changes = dict.fromkeys((*of_body, *(change for _, found in cleaned for change in found)))
            yield Article(body, summary, f"{own_file}:{number}", split, tuple(changes))


def _sentences(value: Any) -> list[str] | None:
    """The texts of a list; None for anything else."""
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else None
