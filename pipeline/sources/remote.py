"""A file of upstream's: where it is to be had, what it must be, and whether a file that is here is that one.

Where no one states a file's hash, the sha256 of the first one that came is written to data/checksums.txt, which is
committed, and compared from then on. `sha256sum --check --ignore-missing data/checksums.txt` reads it as well.
"""

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import filelock

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import root, write_text

CHUNK = 1 << 20
"""Bytes that are read at a time."""

MAGIC = {".gz": b"\x1f\x8b", ".tgz": b"\x1f\x8b", ".zip": b"PK"}
"""How a packed file begins."""

WEB_PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file as upstream publishes it.

    `urls` are tried in their order and must give the same bytes; `page` is for a person with a browser. `size` is in
    bytes and exact, `checksum` is "sha256:" or "md5:" and the digits, both None where no one states them. `terms` are
    upstream's, in a few words, `unpacked` the bytes that `fetch` makes of the file where it unpacks it.
    """

    name: str
    urls: tuple[str, ...]
    page: str
    terms: str
    size: int | None = None
    checksum: str | None = None
    unpacked: int | None = None


class WrongFileError(Exception):
    """What is wrong with a file, as a sentence's end: "is a web page, not ..."."""


class TooSlowError(Exception):
    """Reading the whole file takes longer than there is time."""


def verify(path: Path, file: RemoteFile, *, name: Path | None = None, seconds: float | None = None) -> str:
    """The sha256 of the file, which is the one that upstream publishes or data/checksums.txt has under its `name`.

    Raises WrongFileError, which says how it differs, and TooSlowError where reading it takes longer than `seconds`.
    """
    key = shown(name or path)
    size = path.stat().st_size
    with path.open("rb") as opened:
        begin = opened.read(512)
    if begin.lstrip().lower().startswith(WEB_PAGE) and not file.name.endswith((".html", ".htm")):
        raise WrongFileError(f"is a web page, not {file.name}")
    if file.size is not None and size != file.size:
        raise WrongFileError(f"has {size:,} bytes, not the {file.size:,} that were published")
    if (magic := MAGIC.get(Path(file.name).suffix)) and not begin.startswith(magic):
        raise WrongFileError(f"isn't packed as {Path(file.name).suffix}: it begins with {begin[:8]!r}")
    if size == 0:
        raise WrongFileError("is empty")
    algorithm, _, stated = (file.checksum or "sha256:").partition(":")
    digests = _digests(path, {"sha256", algorithm}, seconds)
    if stated and digests[algorithm] != stated:
        raise WrongFileError(f"has {algorithm} {digests[algorithm]}, not {stated}, which was published")
    expected = None if stated else pins().get(key)
    if expected and digests["sha256"] != expected:
        raise WrongFileError(
            f"has sha256 {digests['sha256']}, not {expected}, which {shown(paths.checksums())} has for it since it "
            "first came; if upstream has published another one and you trust it, remove that line"
        )
    return digests["sha256"]


def pin(path: Path, file: RemoteFile, sha256: str) -> None:
    """Writes the hash to data/checksums.txt, unless a published one is compared anyway, or it stands there."""
    if file.checksum is not None:
        return
    target, key = paths.checksums(), shown(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(paths.downloads(".checksums.lock")):
        if key not in pins():
            text = target.read_text(encoding="utf-8") if target.exists() else ""
            write_text(target, f"{text}{sha256}  {key}\n")


def pins() -> dict[str, str]:
    """The hashes of data/checksums.txt by path. UserError naming a line that has no hash and path."""
    return dict(_pins(paths.checksums()))


def _pins(path: Path) -> Iterator[tuple[str, str]]:
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        digest, _, key = line.partition("  ")
        if len(digest) != 64 or not key:
            raise UserError(f"{path}:{number}: not a sha256, two blanks and a path; `git diff {path}` shows the change")
        yield key, digest


def shown(path: Path) -> str:
    """The path from the repository's root, as messages and data/checksums.txt have it."""
    return path.relative_to(root()).as_posix() if path.is_relative_to(root()) else path.as_posix()


def _digests(path: Path, algorithms: set[str], seconds: float | None) -> dict[str, str]:
    hashes = {algorithm: hashlib.new(algorithm, usedforsecurity=False) for algorithm in sorted(algorithms)}
    begun = time.monotonic()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            for digest in hashes.values():
                digest.update(chunk)
            if seconds is not None and time.monotonic() - begun > seconds:
                raise TooSlowError
    return {algorithm: digest.hexdigest() for algorithm, digest in hashes.items()}
