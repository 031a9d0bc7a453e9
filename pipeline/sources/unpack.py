"""Archives of upstream's, read without trust: nothing outside the folder, no links, no more than text packs to."""

import lzma
import posixpath
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, cast

from pipeline.errors import UserError
from pipeline.sources.remote import CHUNK, shown

MOST_BYTES = 20_000_000_000
"""Bytes of an archive's files together; the largest that is read here, GloVe's, has six billion."""

MOST_RATIO = 100
"""Text packs to a quarter, the most monotonous to a tenth; more than this is made to fill a disk."""

DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)
"""What reading a damaged archive raises."""


def contents(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file of a .zip, or of a .tar packed in any way, one at a time in the archive's order.

    Raises UserError for a name that leads out of a folder, a link that does, an encrypted file, a device, for more
    bytes than MOST_BYTES or MOST_RATIO allow, and where the archive is damaged.
    """
    with _reading(archive):
        for name, content in _members(archive):
            yield name, content.read()


def unpack(archive: Path, targets: Mapping[str, Path]) -> None:
    """Writes the files of those names, whatever folder of the archive they lie in, to their targets.

    Raises UserError as `contents` does, where one is missing or there twice, and where a target can't be written.
    """
    written: dict[str, str] = {}
    with _reading(archive):
        for name, content in _members(archive):
            wanted = PurePosixPath(name).name
            if wanted not in targets or name.startswith("__MACOSX/"):
                continue
            if wanted in written:
                raise _refused(archive, f"{written[wanted]} and {name} are in it, and one of them is wanted")
            written[wanted] = name
            _write(content, targets[wanted])
    if missing := [name for name in targets if name not in written]:
        raise _refused(archive, f"no {', '.join(missing)} in it")


@contextmanager
def _reading(archive: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        raise _refused(archive, f"damaged ({error})") from None


def _write(content: IO[bytes], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = target.open("wb")
    except OSError as error:
        raise _unwritten(target, error) from None
    with file:
        while chunk := content.read(CHUNK):
            try:
                file.write(chunk)
                file.flush()
            except OSError as error:
                raise _unwritten(target, error) from None


def _unwritten(target: Path, error: OSError) -> UserError:
    return UserError(f"{shown(target)}: can't be written ({error.strerror}); make room there, and run this again")


def _members(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    return _zipped(archive) if zipfile.is_zipfile(archive) else _tarred(archive)


def _zipped(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        for entry in entries:
            _expect_inside(path, entry.filename)
            if entry.flag_bits & 1:
                raise _refused(path, f"{entry.filename} is encrypted")
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise _refused(path, f"{entry.filename} is a link")
        # zipfile reads no more of an entry than it declares.
        _expect_bounded(path, sum(entry.file_size for entry in entries))
        for entry in entries:
            with archive.open(entry) as content:
                yield entry.filename, content


def _tarred(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    size = 0
    with tarfile.open(path, "r:*") as archive:
        for entry in archive:
            _expect_inside(path, entry.name)
            _expect_harmless(path, entry)
            size += entry.size
            _expect_bounded(path, size)
            if entry.isreg():
                yield entry.name, cast(IO[bytes], archive.extractfile(entry))
        expect_end(archive)


def _expect_inside(path: Path, name: str) -> None:
    for parts in (PurePosixPath(name), PureWindowsPath(name)):
        if parts.is_absolute() or parts.drive or ".." in parts.parts:
            raise _refused(path, f"{name} leads out of the folder it is unpacked to")


def _expect_harmless(path: Path, entry: tarfile.TarInfo) -> None:
    """What tarfile's filter `data` refuses, which Python before 3.11.4 lacks. Links inside are not followed."""
    if entry.islnk() or entry.issym():
        if any(pure(entry.linkname).is_absolute() for pure in (PurePosixPath, PureWindowsPath)):
            raise _refused(path, f"{entry.name} is a link to an absolute path, {entry.linkname}")
        start = posixpath.dirname(entry.name) if entry.issym() else ""
        target = posixpath.normpath(posixpath.join(start, entry.linkname))
        if ".." in PurePosixPath(target.replace("\\", "/")).parts:
            raise _refused(path, f"{entry.name} would link to {target}, which is outside the folder it is unpacked to")
    elif not (entry.isreg() or entry.isdir()):
        raise _refused(path, f"{entry.name} is a special file")


def _expect_bounded(path: Path, size: int) -> None:
    if size > min(MOST_BYTES, MOST_RATIO * path.stat().st_size):
        raise _refused(path, f"its files have {size:,} bytes or more, which is no text of upstream's")


def _refused(path: Path, reason: str) -> UserError:
    return UserError(f"{shown(path)}: {reason}; remove it to have it fetched again, or put the published one there")


def expect_end(archive: tarfile.TarFile) -> None:
    """Raises ReadError unless zeros, an archive's end mark, follow to the end; reading them tests a .gz's checksum."""
    assert archive.fileobj is not None, "it is open"
    archive.fileobj.seek(archive.offset)
    marked = False
    while block := archive.fileobj.read(CHUNK):
        marked = True
        if block.strip(b"\0"):
            raise tarfile.ReadError("a broken header")
    if not marked:
        raise tarfile.ReadError("no end mark")
