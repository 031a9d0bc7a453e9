"""Text files as numbered lines."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, cast

from pipeline.errors import UserError

DAMAGED = (gzip.BadGzipFile, zlib.error, EOFError)
"""What reading a damaged `.gz` raises."""


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
