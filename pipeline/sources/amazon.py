"""Amazon product reviews (McAuley et al., https://jmcauley.ucsd.edu/data/amazon/), one category a file.

The 5-core file of a category is fetched if it is named as upstream names it, `reviews_<Category>_5.json.gz` in the
layout of 2014, `<Category>_5.json.gz` in that of 2018. No one publishes hashes; the size of Electronics is the one that
Paddle's quick start shows of a download.

JSON lines in the layout of 2014 or of 2018, plain or .gz, as the 5-core files are published: `reviewText` is the text,
`overall` (1.0 to 5.0) the label. The summary, which often says the rating ("Five Stars"), is not read.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import field_validator

from pipeline.errors import UserError
from pipeline.section import Count, SourceOptions, SplitOptions, inside_local
from pipeline.sources import given
from pipeline.sources.base import Document
from pipeline.sources.json_text import objects_of_block, objects_of_lines
from pipeline.sources.lines import Block, blocks_of_lines
from pipeline.sources.remote import RemoteFile
from pipeline.sources.reviews import review
from pipeline.sources.source import BlockSource

SUFFIXES = (".json", ".json.gz")
STARS = 5

SIZES = {"reviews_Electronics_5.json.gz": 495_854_086}
_OF_2014 = re.compile(r"reviews_[A-Za-z_]+_5\.json\.gz")
_OF_2018 = re.compile(r"(?!reviews_)[A-Za-z_]+_5\.json\.gz")


class AmazonOptions(SplitOptions):
    """`file` lies below data/local/<data set>, or is fetched.

    Of its reviews, `sample` are drawn before the splits are cut, or all.
    """

    reader: Literal["amazon"]
    file: str
    sample: Count | None

    @field_validator("file")
    @classmethod
    def _is_json(cls, value: str) -> str:
        if not value.endswith(SUFFIXES):
            raise ValueError(f"must end in {' or '.join(SUFFIXES)}")
        return inside_local(value)


class Amazon(BlockSource[AmazonOptions]):
    """The reviews of one category."""

    Options: ClassVar[type[SourceOptions]] = AmazonOptions

    def published(self) -> Sequence[RemoteFile]:
        name = self.options.file
        if not (_OF_2014.fullmatch(name) or _OF_2018.fullmatch(name)):
            return ()
        if _OF_2014.fullmatch(name):
            page = "https://jmcauley.ucsd.edu/data/amazon/"
            folders = ["https://snap.stanford.edu/data/amazon/productGraph/categoryFiles"]
        else:
            page = "https://nijianmo.github.io/amazon/"
            hosts = ("https://mcauleylab.ucsd.edu/public_datasets", "https://jmcauley.ucsd.edu")
            folders = [f"{host}/data/amazon_v2/categoryFilesSmall" for host in hosts]
        urls = tuple(f"{folder}/{name}" for folder in folders)
        return (RemoteFile(name, urls, page=page, terms="terms: none stated, research", size=SIZES.get(name)),)

    def check(self, local: Path) -> None:
        if self.remote(local):
            return
        path = given.required(local, self.options.file, self.dataset)
        if next(objects_of_lines(path), None) is None:
            raise UserError(f"{path}: has no review; link the file as published")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        folder = self.folder(downloads, local)
        for _ in objects_of_lines(folder / self.options.file):
            pass  # a broken line is named by the file that the user can mend, not by the copy
        given.copied(folder, raw, self.options.file)

    def blocks(self, raw: Path) -> Iterator[Block]:
        return blocks_of_lines(raw / self.options.file)

    def read_block(self, block: Block, skipped: Counter[str]) -> Iterator[Document]:
        own_file = given.origin(self.dataset, self.options.file)
        for number, entry in objects_of_block(block):
            document = review(
                entry,
                text_key="reviewText",
                rating_key="overall",
                highest=STARS,
                origin=f"{own_file}:{number}",
                skipped=skipped,
            )
            if document:
                yield document
