"""Reviews of the newsroom, as Amazon JSON lines in the layout of 2018; read by the reader of the real ones."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Literal

from pipeline.section import Count, Seed, SourceOptions, SplitOptions
from pipeline.sources.amazon import STARS, Amazon, AmazonOptions
from pipeline.sources.base import Document
from pipeline.sources.newsroom.answers import answered, write_answers
from pipeline.sources.newsroom.reviews import Review, write_review
from pipeline.sources.newsroom.world import World
from pipeline.sources.source import Source

FILE = "reviews.json"
FIRST_DAY = datetime(2016, 1, 1, tzinfo=UTC)
DAYS = 1000
LABELS = tuple(str(star) for star in range(1, STARS + 1))
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class NewsroomRatingsOptions(SplitOptions):
    """So many `reviews` of the world with that seed."""

    reader: Literal["newsroom_ratings"]
    reviews: Count
    world: Seed


class NewsroomRatings(Source[NewsroomRatingsOptions]):
    """Generated reviews, one to five stars."""

    Options: ClassVar[type[SourceOptions]] = NewsroomRatingsOptions

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        makers = World(self.options.world).makers
        generator = random.Random(f"ratings {self.options.world}")
        reviews = [write_review(makers, generator) for _ in range(self.options.reviews)]
        with (raw / FILE).open("w", encoding="utf-8", newline="\n") as file:
            for review in reviews:
                file.write(json.dumps(as_amazon(review, generator)) + "\n")
        write_answers(raw, (str(review.meant) for review in reviews))

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        options = AmazonOptions(
            reader="amazon",
            file=FILE,
            sample=None,
            splits=self.options.splits,
            drop_repeated=self.options.drop_repeated,
        )
        return answered(Amazon(self.dataset, options).read(raw, skipped), raw / FILE, LABELS)


def as_amazon(review: Review, generator: random.Random) -> dict[str, Any]:
    """The review with the keys of the real files; one product has one asin."""
    day = FIRST_DAY + timedelta(days=generator.randrange(DAYS))
    product = random.Random(f"{review.maker} {review.kind}")
    return {
        "overall": float(review.stars),
        "verified": generator.random() < 0.9,
        "reviewTime": f"{day:%m} {day.day}, {day.year}",
        "reviewerID": "A" + _code(generator, 13),
        "asin": "B0" + _code(product, 8),
        "reviewText": review.text,
        "summary": f"On the {review.maker} {review.kind}",
        "unixReviewTime": int(day.timestamp()),
    }


def _code(generator: random.Random, length: int) -> str:
    return "".join(generator.choice(LETTERS) for _ in range(length))
