"""News of the newsroom with their topics, as MIND's news.tsv with whole bodies; read by the reader of the real ones."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

from pipeline.section import Count, Seed, SourceOptions, SplitOptions
from pipeline.sources.base import Document
from pipeline.sources.mind_topics import MindTopics, MindTopicsOptions
from pipeline.sources.newsroom.answers import answered, write_answers
from pipeline.sources.newsroom.article import Article, Writer
from pipeline.sources.newsroom.kinds import TOPICS
from pipeline.sources.newsroom.mind_rows import MindRows
from pipeline.sources.newsroom.world import World
from pipeline.sources.source import Source

FILE = "news.tsv"


class NewsroomTopicsOptions(SplitOptions):
    """So many `articles` of the world with that seed; with more of them, the first ones stay the same."""

    reader: Literal["newsroom_topics"]
    articles: Count
    world: Seed


class NewsroomTopics(Source[NewsroomTopicsOptions]):
    """Generated articles on ten topics; docs/newsroom.md states how they are made."""

    Options: ClassVar[type[SourceOptions]] = NewsroomTopicsOptions

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        world = World(self.options.world)
        rows = MindRows(world)
        answers = []
        with (raw / FILE).open("w", encoding="utf-8", newline="\n") as file:
            for place, article in enumerate(articles(world, self.options.articles)):
                file.write(rows.row(place, article))
                answers.append(article.best)
        write_answers(raw, answers)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        options = MindTopicsOptions(
            reader="mind_topics",
            accept_licence=True,
            files=[FILE],
            label="category",
            min_articles=1,
            splits=self.options.splits,
            drop_repeated=self.options.drop_repeated,
        )
        return answered(MindTopics(self.dataset, options).read(raw, skipped), raw / FILE, TOPICS)


def articles(world: World, number: int) -> Iterator[Article]:
    """The first articles of a world, in the order in which it has them."""
    writer = Writer(world)
    generator = random.Random(f"news {world.seed}")
    for _ in range(number):
        yield writer.article(generator)
