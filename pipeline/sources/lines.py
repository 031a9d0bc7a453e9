"""Text files as numbered lines."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from pipeline.errors import UserError

DAMAGED = (gzip.BadGzipFile, zlib.error, EOFError)
"""What reading a damaged `.gz` raises."""


BLOCK = 1 << 24
"""Bytes of lines that are read, and passed on, at a time."""


def opened(path: Path) -> BinaryIO:
    """The file's bytes, those of a `.gz` unpacked on the way."""
    return cast(BinaryIO, gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb"))


def numbered_lines(path: Path, errors: Literal["strict", "surrogateescape"] = "strict") -> Iterator[tuple[int, str]]:
    """Line numbers from 1 and the lines of a UTF-8 file, line end included; `.gz` is unpacked on the way.

    Only LF ends a line: U+0085 and U+2028, which `str.splitlines` obeys, are text. A byte order mark is dropped.
    Raises UserError naming the line that isn't UTF-8, or the damaged archive. With `surrogateescape`, bytes that aren't
    UTF-8 become lone surrogates, which `cleaning.clean` mends and names.
    """
    with opened(path) as file:
        number = 0
        try:
            for number, line in enumerate(file, 1):
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8", errors)
        except UnicodeDecodeError as error:
            reason = f"byte {error.start + 1} of the line: {error.reason}"
            raise UserError(f"{path}:{number}: not UTF-8 ({reason}); save the file as UTF-8") from None
        except DAMAGED as error:
            raise UserError(f"{path}: damaged after line {number} ({error}); copy or download it again") from None


@dataclass(frozen=True)
class Block:
    """Whole lines of a file, the first of which has the number `first`.

    Of a plain file it is known where they lie, so that whoever works on them reads them; of a `.gz` they are here.
    """

    path: Path
    first: int
    offset: int
    size: int
    content: bytes | None = None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbers and bytes of the lines, without the LF that ends them; a byte order mark is dropped."""
        content = self.content
        if content is None:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                content = file.read(self.size)
        if self.first == 1:
            content = content.removeprefix(codecs.BOM_UTF8)
        yield from enumerate(content.removesuffix(b"\n").split(b"\n"), self.first)


def blocks_of_lines(path: Path) -> Iterator[Block]:
    """The file in blocks of about BLOCK bytes that end where a line ends. Raises UserError for a damaged archive."""
    number, offset, pieces = 1, 0, [b""]
    packed = path.suffix.lower() == ".gz"
    with opened(path) as file:
        try:
            while piece := file.read(BLOCK):
                end = piece.rfind(b"\n") + 1
                pieces.append(piece[:end] if end else piece)
                if not end:
                    continue
                content = b"".join(pieces)
                yield Block(path, number, offset, len(content), content if packed else None)
                number, offset, pieces = number + content.count(b"\n"), offset + len(content), [piece[end:]]
        except DAMAGED as error:
            raise UserError(f"{path}: damaged after line {number - 1} ({error}); copy or download it again") from None
    if content := b"".join(pieces):
        yield Block(path, number, offset, len(content), content if packed else None)
