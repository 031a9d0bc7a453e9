"""Amazon product reviews (McAuley et al., https://jmcauley.ucsd.edu/data/amazon/), one category a file.

JSON lines in the layout of 2014 or of 2018, plain or .gz, as the 5-core files are published: `reviewText` is the text,
`overall` (1.0 to 5.0) the label. The summary, which often says the rating ("Five Stars"), is not read.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import field_validator

from pipeline.errors import UserError
from pipeline.section import Count, SourceOptions, SplitOptions, inside_local
from pipeline.sources import given
from pipeline.sources.base import Document
from pipeline.sources.json_text import objects_of_lines
from pipeline.sources.reviews import review

SUFFIXES = (".json", ".json.gz")
STARS = 5


class AmazonOptions(SplitOptions):
    """`file` lies below data/local/<data set>; of its reviews, `sample` are drawn before the splits are cut, or all."""

    reader: Literal["amazon"]
    file: str
    sample: Count | None

    @field_validator("file")
    @classmethod
    def _is_json(cls, value: str) -> str:
        if not value.endswith(SUFFIXES):
            raise ValueError(f"must end in {' or '.join(SUFFIXES)}")
        return inside_local(value)


class Amazon:
    """The reviews of one category."""

    Options: ClassVar[type[SourceOptions]] = AmazonOptions

    def __init__(self, dataset: str, options: AmazonOptions) -> None:
        self.dataset = dataset
        self.options = options

    def check(self, local: Path) -> None:
        path = given.required(local, self.options.file, self.dataset)
        if next(objects_of_lines(path), None) is None:
            raise UserError(f"{path}: has no review; link the file as published")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        for _ in objects_of_lines(local / self.options.file):
            pass  # a broken line is named by the file that the user can mend, not by the copy
        given.copied(local, raw, self.options.file)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        own_file = given.origin(self.dataset, self.options.file)
        for number, entry in objects_of_lines(raw / self.options.file):
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
