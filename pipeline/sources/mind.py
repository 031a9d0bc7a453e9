"""MIND, news with the clicks of readers (Wu et al., ACL 2020, https://msnews.github.io/).

Upstream's dev is the test split here, since the labels of its own test aren't public; validation is the last day of
upstream's train.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import field_validator, model_validator

from pipeline.errors import UserError
from pipeline.section import FileName, SourceOptions, inside_local
from pipeline.sources import given, mind_files
from pipeline.sources.mind_behaviors import DAY, behaviors_of, day_name, last_day
from pipeline.sources.mind_files import MindLicence
from pipeline.sources.mind_news import News, cleaned, news_of
from pipeline.sources.recommendation import UNLABELLED, Impression, RecommendationOptions, RecommendationSource
from pipeline.sources.remote import RemoteFile

NEWS, BEHAVIORS = "news.tsv", "behaviors.tsv"
REPEATED_ID = "repeated id"


class MindOptions(MindLicence, RecommendationOptions):
    """`train`, `test` and `unlabelled` are folders below data/local/<data set>, with news.tsv and behaviors.tsv each.

    Folders that are named as MIND's archives are fetched where nothing is there.

    `unlabelled` is null where no submission is to be made.
    """

    reader: Literal["mind"]
    train: FileName
    test: FileName
    unlabelled: FileName | None

    @field_validator("train", "test", "unlabelled")
    @classmethod
    def _stays_inside(cls, value: str | None) -> str | None:
        return None if value is None else inside_local(value)

    @model_validator(mode="after")
    def _are_different(self) -> Self:
        named = [name for name in (self.train, self.test, self.unlabelled) if name]
        if len({Path(name) for name in named}) < len(named):
            raise ValueError("train, test and unlabelled name one folder twice; take MINDsmall_dev for test")
        return self


class Mind(RecommendationSource[MindOptions]):
    """News, and impressions in the splits train, validation, test and, where the user has it, unlabelled."""

    Options: ClassVar[type[SourceOptions]] = MindOptions

    @property
    def folders(self) -> dict[str, str]:
        """The folder of each of upstream's splits."""
        named = {"train": self.options.train, "test": self.options.test, UNLABELLED: self.options.unlabelled}
        return {split: folder for split, folder in named.items() if folder is not None}

    def published(self) -> Sequence[RemoteFile]:
        return mind_files.remote(self._files())

    def check_news(self, local: Path) -> None:
        if self.is_absent(local):
            mind_files.expect_licence(self.options.accept_licence, self.dataset)
            return
        for folder in self.folders.values():
            news = given.required(local, f"{folder}/{NEWS}", self.dataset)
            behaviors = given.required(local, f"{folder}/{BEHAVIORS}", self.dataset)
            if next(news_of(news), None) is None:
                raise UserError(f"{news}: has no rows; link the file as published")
            if next(behaviors_of(behaviors), None) is None:
                raise UserError(f"{behaviors}: has no rows; link the file as published")

    def fetch_news(self, downloads: Path, local: Path, raw: Path) -> None:
        if self.is_absent(local):
            mind_files.unpacked(downloads, raw, self._files())
            return
        for folder in self.folders.values():
            # A broken row is named by the file that the user can mend, not by the copy.
            for _ in news_of(local / folder / NEWS):
                pass
            for _ in behaviors_of(local / folder / BEHAVIORS):
                pass
            for name in (NEWS, BEHAVIORS):
                given.copied(local, raw, f"{folder}/{name}")

    def _files(self) -> list[str]:
        return [f"{folder}/{name}" for folder in self.folders.values() for name in (NEWS, BEHAVIORS)]

    def news(self, raw: Path, skipped: Counter[str]) -> Iterator[tuple[News, tuple[str, ...]]]:
        ids: set[str] = set()
        for folder in self.folders.values():
            for _, row in news_of(raw / folder / NEWS):
                fields = [cleaned(text) for text in (row.id, row.category, row.subcategory, row.title, row.abstract)]
                news = News(*(text for text, _ in fields))
                if news.id in ids:
                    skipped[REPEATED_ID] += 1
                    continue
                ids.add(news.id)
                yield news, tuple(dict.fromkeys(change for _, changes in fields for change in changes))

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Impression]:
        validation = last_day(raw / self.options.train / BEHAVIORS)
        for split, folder in self.folders.items():
            origin = given.origin(self.dataset, f"{folder}/{BEHAVIORS}")
            for number, row in behaviors_of(raw / folder / BEHAVIORS):
                if row.candidates and (row.clicks is None) != (split == UNLABELLED):
                    says = "says nothing of clicks" if row.clicks is None else "says what was clicked"
                    remedy = "name upstream's train and dev there, and its test as unlabelled"
                    raise UserError(f"{origin}:{number}: {says}, but is named as {split}; {remedy}")
                yield Impression(
                    id=row.id,
                    user=row.user,
                    time=row.time,
                    history=row.history,
                    candidates=row.candidates,
                    clicks=() if row.clicks is None and split != UNLABELLED else row.clicks,
                    split="validation" if split == "train" and row.time // DAY == validation else split,
                    origin=f"{origin}:{number}",
                )

    def splits(self, raw: Path) -> dict[str, str]:
        options = self.options
        day = day_name(last_day(raw / options.train / BEHAVIORS))
        said = {
            "train": f"{options.train} before {day}",
            "validation": f"the last day of {options.train}, {day}",
            "test": f"{options.test}; upstream doesn't publish the clicks of its own test split",
        }
        return said | ({UNLABELLED: f"{options.unlabelled}, to be ranked"} if options.unlabelled else {})
