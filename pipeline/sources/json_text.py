"""JSON of any size and of any quality: lines of objects, and long arrays one entry at a time."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import orjson

from pipeline.errors import UserError
from pipeline.sources.lines import DAMAGED, Block, blocks_of_lines, opened

CHUNK = 1 << 20
"""Characters that are read at a time."""

LONGEST = 1 << 24
"""Characters that an entry of an array may have; where none ends within so many, something is broken."""

_BLANKS = re.compile(r"[ \t\r\n]*")


def parsed(text: str, where: str) -> Any:
    """The value that the text spells. Raises UserError, which begins with `where`, for anything that isn't JSON."""
    try:
        return json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        raise UserError(
            f"{where}: broken JSON at column {error.colno}: {error.msg}; mend or remove that line"
        ) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise UserError(f"{where}: unreadable JSON: {error}; mend or remove that line") from None


def objects_of_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers from 1 and the objects of a file of JSON lines, blank lines left out; `.gz` is unpacked.

    Raises UserError naming the line that holds no JSON object. Bytes that aren't UTF-8 become lone surrogates.
    """
    for block in blocks_of_lines(path):
        yield from objects_of_block(block)


def objects_of_block(block: Block) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a part of such a file. Whole numbers beyond 64 bits may come as floats."""
    for number, line in block.lines():
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:  # a blank line, what only Python's reader takes, or what it has to explain
            text = line.decode("utf-8", "surrogateescape")
            if not text.strip():
                continue
            value = parsed(text, f"{block.path}:{number}")
        yield number, value if isinstance(value, dict) else _object(value, f"{block.path}:{number}")


def objects_of_array(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbers from 1 and the objects of a JSON array, which needn't fit into memory; `.gz` is unpacked.

    Raises UserError naming the entry that is broken or no object. Bytes that aren't UTF-8 become lone surrogates.
    """
    number = 0
    with opened(path) as binary, io.TextIOWrapper(binary, "utf-8-sig", "surrogateescape", newline="") as file:
        window = _Window(file)
        try:
            if (sign := window.sign()) != "[":
                raise UserError(
                    f"{path}: begins with {sign!r}, not with a JSON array's '['; link the file as published"
                )
            window.at += 1
            if window.sign() != "]":
                while True:
                    number += 1
                    yield number, _object(window.value(), f"{path}: entry {number}")
                    if window.sign() != ",":
                        break
                    window.at += 1
            if (sign := window.sign()) != "]":
                what = f"{sign!r}" if sign else "the end of the file"
                raise UserError(f"{path}: {what} after entry {number}, not ',' or ']'; copy or download it again")
            window.at += 1
            if sign := window.sign():
                raise UserError(f"{path}: {sign!r} after the array's end; link the file as published")
        except DAMAGED as error:
            raise UserError(f"{path}: damaged after entry {number} ({error}); copy or download it again") from None
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise UserError(f"{path}: entry {number}: broken JSON: {reason}; copy or download it again") from None


class _Window:
    """The stretch of a file in which the next entry is looked for, and the place `at` that was reached in it."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.text = ""
        self.at = 0
        self.decoder = json.JSONDecoder()

    def sign(self) -> str:
        """The next character that isn't white space, "" at the end of the file."""
        while True:
            blanks = _BLANKS.match(self.text, self.at)
            assert blanks is not None, "it matches nothing as well"
            self.at = blanks.end()
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._grown():
                return ""

    def value(self) -> Any:
        """The value that begins here, after white space. Raises ValueError or RecursionError where it is broken."""
        self.sign()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError:
                if len(self.text) - self.at > LONGEST or not self._grown():
                    raise
            else:
                self.at = end
                return value

    def _grown(self) -> bool:
        """Drops what was read and doubles what wasn't; False at the end of the file."""
        rest = self.text[self.at :]
        more = self.file.read(max(CHUNK, len(rest)))
        self.text, self.at = rest + more, 0
        return bool(more)


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{where}: not a JSON object but {type(value).__name__}; link the file as published")
    return value
