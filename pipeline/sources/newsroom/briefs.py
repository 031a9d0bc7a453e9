"""Stories of the newsroom with summaries, as CNN's and the Daily Mail's files; read by the reader of the real ones."""

import gzip
import io
import json
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

from pipeline.errors import UserError
from pipeline.section import Count, Section, Seed, SourceOptions
from pipeline.sources.base import SPLITS
from pipeline.sources.cnn_dailymail import HIGHLIGHT, stories_of, story_name
from pipeline.sources.json_text import objects_of_lines
from pipeline.sources.newsroom.stories import Story, StoryWriter, paragraphs
from pipeline.sources.newsroom.world import World
from pipeline.sources.summarization import Article, SummarizationOptions, SummarizationSource

ARCHIVE = "newsroom_stories.tgz"
LISTS = {split: f"{split}.txt" for split in SPLITS}
ANSWERS = "answers.jsonl"


class Articles(Section):
    """How many stories each split has."""

    train: Count
    validation: Count
    test: Count


class NewsroomBriefsOptions(SummarizationOptions):
    """So many `articles` of the world with that seed, the first ones for training and the newest for the test."""

    reader: Literal["newsroom_briefs"]
    articles: Articles
    world: Seed


class NewsroomBriefs(SummarizationSource[NewsroomBriefsOptions]):
    """Generated stories with summaries; docs/newsroom.md states how they are made."""

    Options: ClassVar[type[SourceOptions]] = NewsroomBriefsOptions

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        numbers = self.options.articles.model_dump()
        stories = StoryWriter(World(self.options.world)).stories(sum(numbers.values()))
        shapes = Random(f"paragraphs {self.options.world}")
        written = []
        with (raw / ANSWERS).open("w", encoding="utf-8", newline="\n") as answers:
            for number, story in enumerate(stories, 1):
                url = f"https://newsroom.example/stories/{number:06}.html"
                written.append((url, as_story(story, shapes)))
                answers.write(json.dumps({"story": story_name(url), "best": story.best}) + "\n")
        pack(raw / ARCHIVE, ((f"newsroom/stories/{story_name(url)}", text) for url, text in written))
        urls = (url for url, _ in written)
        for split, file in LISTS.items():
            lines = "".join(f"{next(urls)}\n" for _ in range(numbers[split]))
            (raw / file).write_text(lines, encoding="utf-8", newline="\n")

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Article]:
        best = best_of(raw / ANSWERS)
        for article in stories_of(raw, [ARCHIVE], LISTS, self.dataset, skipped):
            name = article.origin.rpartition(":")[2]
            if name not in best:
                raise UserError(f"{raw / ANSWERS}: has no best summary of {name}; run fetch again")
            yield replace(article, origin=f"{ARCHIVE}:{name}", best=best[name])


def best_of(path: Path) -> dict[str, tuple[str, ...]]:
    """The best summary of each story, by its file name. Raises UserError naming the line that is none."""
    found = {}
    for number, entry in objects_of_lines(path):
        name, best = entry.get("story"), entry.get("best")
        if not isinstance(name, str) or not isinstance(best, list) or not all(isinstance(one, str) for one in best):
            raise UserError(f"{path}:{number}: is no story with its best summary; run fetch again")
        found[name] = tuple(best)
    return found


def as_story(story: Story, generator: Random) -> str:
    """The text of a .story file, with paragraphs of one to three sentences."""
    highlights = [block for sentence in story.summary for block in (HIGHLIGHT, sentence)]
    return "\n\n".join([*paragraphs(story.sentences, generator), *highlights]) + "\n"


def pack(path: Path, files: Iterable[tuple[str, str]]) -> None:
    """A .tgz of texts by their names, the same bytes for the same texts: no clock and no user in it."""
    with (
        path.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, text in files:
            content = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
