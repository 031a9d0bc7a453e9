"""IMDB reviews with two labels (Maas et al., ACL 2011, https://ai.stanford.edu/~amaas/data/sentiment/).

A review is a file {train,test}/{pos,neg}/<id>_<rating>.txt. It is given as upstream's archive, aclImdb_v1.tar.gz, which
is one link and one file for DVC, or as an unpacked folder, which is 50,000 of each. The unlabelled reviews of
train/unsup are not read.
"""

import io
import lzma
import re
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pipeline.errors import UserError
from pipeline.section import SourceOptions, SplitOptions
from pipeline.sources import given
from pipeline.sources.base import Document
from pipeline.sources.cleaning import clean
from pipeline.sources.remote import RemoteFile
from pipeline.sources.source import Source
from pipeline.sources.unpack import expect_end

FOLDERS = tuple((split, label) for split in ("train", "test") for label in ("neg", "pos"))
SENTIMENTS = {"neg": "negative", "pos": "positive"}
ARCHIVES = (".tar.gz", ".tgz", ".tar.xz", ".tar")
REMOTE = RemoteFile(
    "aclImdb_v1.tar.gz",
    ("https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",),
    page="https://ai.stanford.edu/~amaas/data/sentiment/",
    terms="terms: none stated, asks to cite Maas et al. (2011)",
    size=84_125_825,
    checksum="sha256:c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
)
"""The hash is that of Hugging Face's dataset card, of Julia's CorpusLoaders and of others."""

PACKED = "aclImdb.tar"
"""The reviews as fetch packs them: one file, in one order, whatever they came in."""

LONGEST = 1 << 20
"""Bytes; upstream's longest review has 14,000."""

_PLACE = re.compile(r"(?:^|/)(train|test)/(neg|pos)/([^/]+)$")
_NAME = re.compile(r"([0-9]+)_(10|[1-9])\.txt")
_DAMAGED = (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError)


File = tuple[str, str, str, bytes]
"""Split, label, file name and content."""


class ImdbMaasOptions(SplitOptions):
    """The label is the sentiment, or the rating (1 to 4 and 7 to 10); validation is cut from train."""

    reader: Literal["imdb_maas"]
    label: Literal["sentiment", "rating"]


class ImdbMaas(Source[ImdbMaasOptions]):
    """The labelled reviews, in upstream's splits."""

    Options: ClassVar[type[SourceOptions]] = ImdbMaasOptions

    def published(self) -> Sequence[RemoteFile]:
        return (REMOTE,)

    def check(self, local: Path) -> None:
        if self.remote(local):
            return
        where, files = self._given(local)
        if next(files, None) is None:
            folders = ", ".join(_place(*folder) for folder in FOLDERS)
            raise UserError(f"{where}: no file in any of the folders {folders}; {self._remedy()}")

    def fetch(self, downloads: Path, local: Path, raw: Path) -> None:
        self.check(local)
        if self.remote(local):
            where = downloads / REMOTE.name
            files = _members(where)
        else:
            where, files = self._given(local)
        reviews: dict[tuple[str, str, str], tuple[str, bytes]] = {}
        for split, label, name, content in files:
            key = (split, label, match[1] if (match := _NAME.fullmatch(name)) else name)
            if key in reviews:
                both = " and ".join(sorted({reviews[key][0], name}))
                raise UserError(f"{where}: {_place(split, label)}: {both} are one review; remove one")
            reviews[key] = (name, content)
        for split, label in FOLDERS:
            if not any(key[:2] == (split, label) for key in reviews):
                raise UserError(f"{where}: no file in {_place(split, label)}; {self._remedy()}")
        # Nothing but name and content goes in: the same reviews give the same bytes.
        with tarfile.open(raw / PACKED, "w", format=tarfile.USTAR_FORMAT) as packed:
            for (split, label, _), (name, content) in sorted(reviews.items()):
                entry = tarfile.TarInfo(f"{_place(split, label)}/{name}")
                entry.size = len(content)
                packed.addfile(entry, io.BytesIO(content))

    def read(self, raw: Path, skipped: Counter[str]) -> Iterator[Document]:
        for split, label, name, content in _members(raw / PACKED):
            match = _NAME.fullmatch(name)
            if not match:
                skipped["file name isn't <id>_<rating>.txt"] += 1
                continue
            text, changes = clean(content.decode("utf-8", "surrogateescape"))
            if not text:
                skipped["empty text"] += 1
                continue
            chosen = SENTIMENTS[label] if self.options.label == "sentiment" else match[2]
            origin = given.origin(self.dataset, f"{_place(split, label)}/{name}")
            yield Document(text, chosen, f"{origin}:1", split=split, cleaned=changes)

    def _given(self, local: Path) -> tuple[Path, Iterator[File]]:
        """The archive or the folder, and the files in it. UserError where two archives are there, or both."""
        archives = sorted(path for path in local.glob("*") if path.name.endswith(ARCHIVES) and path.is_file())
        if len(archives) > 1:
            raise UserError(f"{archives[1]}: {archives[0].name} is there as well; remove one of the two")
        if archives and next(_files(local), None) is not None:
            raise UserError(f"{archives[0]}: the unpacked folder is there as well; remove one of the two")
        return (archives[0], _members(archives[0])) if archives else (local, _files(local))

    def _remedy(self) -> str:
        return f"`python -m pipeline link {self.dataset} aclImdb_v1.tar.gz` puts upstream's archive there"


def _place(split: str, label: str) -> str:
    return f"{split}/{label}"


def _files(folder: Path) -> Iterator[File]:
    """Every file of the layout below a folder."""
    for split, label in FOLDERS:
        for path in sorted(folder.glob(f"**/{_place(split, label)}/*")):
            if path.is_file():
                yield split, label, path.name, path.read_bytes()


def _members(path: Path) -> Iterator[File]:
    """Every file of the layout in an archive. Nothing is unpacked to disk, and links inside it are not followed.

    Raises UserError where it is damaged, also where tarfile would take a broken header for the end.
    """
    name = ""
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                name = member.name
                place = _PLACE.search(name)
                if not place or not member.isreg():
                    continue
                if member.size > LONGEST:
                    raise UserError(f"{path}: {name} has {member.size:,} bytes; no review is that long; remove it")
                file = archive.extractfile(member)
                assert file is not None, "it is a regular file"
                yield place[1], place[2], place[3], file.read()
            expect_end(archive)
    except _DAMAGED as error:
        raise UserError(f"{path}: damaged after {name or 'its begin'} ({error}); copy or download it again") from None
