"""Published word vectors, of which a vocabulary's rows are read: GloVe's and word2vec's text, a .bin, gensim's .kv.

Files are read as a stream, plain, from a .gz or a .zip, so that memory holds the kept rows and a block of the file.
"""

import codecs
import gzip
import pickle
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import UserError

Row = NDArray[np.float32]
Case = Literal["exact", "lower", "title"]
"""How far a word's spelling is left for another one that the file has; each includes those before it."""

BAD_LINES_SHARE = 0.001
"""More lines of the wrong size than this, and more than one, make the file one of mixed sizes."""

BLOCK = 1 << 20
"""Bytes that are read at a time."""

LONGEST_LINE = 1 << 26
HEAD_LINES = 1000
"""Lines whose most frequent size is the file's."""

_NUMBER = re.compile(rb"[-+]?\d*\.\d+(e[-+]?\d+)?$", re.IGNORECASE)


@dataclass
class FileRows:
    """The rows of a published file that a vocabulary has, and what else was met on the way."""

    dim: int
    rows: dict[int, Row] = field(default_factory=dict)
    cases: dict[int, Case] = field(default_factory=dict)
    """For each of `rows`, in which spelling the file has the word."""
    lines: int = 0
    header: bool = False
    duplicates: int = 0
    wrong_size: list[int] = field(default_factory=list)
    """Line numbers of skipped lines."""


def read_rows(path: Path, words: list[str], *, case: Case = "exact", member: str | None = None) -> FileRows:
    """The rows of `words` in a file: text (.txt), word2vec's binary format (.bin), either as .gz or in a .zip, or .kv.

    Of a .zip the text file named `member` is read, or else its only one. A word that the file lacks takes the row of
    its lower-cased spelling, then of its Title spelling, as far as `case` allows. The first of two equal words wins.
    A line of text with too few numbers is skipped and counted.
    Raises UserError, naming line or word, where the sizes are mixed, a number can't be read or the file ends early.
    """
    wanted = Wanted(words, case)
    if path.suffix == ".kv":
        return _read_keyed(path, wanted)
    with _open(path, member) as (name, file):
        return _read_binary(path, file, wanted) if name.endswith(".bin") else _read_text(path, file, wanted)


class Wanted:
    """The spellings that are looked for, as the file's bytes, and for whom: (rank, index), rank 0 being the word's own.

    A word keeps the row of its best rank.
    """

    def __init__(self, words: list[str], case: Case) -> None:
        self.names = get_args(Case)[: get_args(Case).index(case) + 1]
        self.of: dict[bytes, list[tuple[int, int]]] = {}
        for index, word in enumerate(words):
            spellings = (word, word.lower(), word.lower().title())[: len(self.names)]
            for spelling in dict.fromkeys(spellings):
                self.of.setdefault(spelling.encode(), []).append((spellings.index(spelling), index))
        self.met: set[bytes] = set()
        self.rank: dict[int, int] = {}

    def is_repeated(self, spelling: bytes, found: FileRows) -> bool:
        """Whether the file had this spelling before, which is counted."""
        found.duplicates += spelling in self.met
        return spelling in self.met

    def keep(self, spelling: bytes, row: Row, found: FileRows) -> None:
        self.met.add(spelling)
        for rank, index in self.of[spelling]:
            if rank < self.rank.get(index, len(self.names)):
                self.rank[index] = rank
                found.rows[index] = row
                found.cases[index] = self.names[rank]


def _read_text(path: Path, file: IO[bytes], wanted: Wanted) -> FileRows:
    blocks = _blocks(path, file)
    first: list[bytes] = []
    for block in blocks:
        first.append(block)
        if sum(part.count(b"\n") for part in first) >= HEAD_LINES:
            break
    start = b"".join(first).removeprefix(codecs.BOM_UTF8)
    if not first:
        raise UserError(f"{path}: empty file; a line is a word and its numbers")
    head = start.split(b"\n", HEAD_LINES)
    if len(head) > HEAD_LINES or not head[-1]:
        head.pop()
    number = 1
    header = bool(head) and len(head[0].split()) == 2 and all(part.isdigit() for part in head[0].split())
    if header:
        start, head, number = start.partition(b"\n")[2], head[1:], 2
    dim = int(Counter(_numbers_at_end(line) for line in head).most_common(1)[0][0]) if head else 0
    if dim < 1:
        raise UserError(f"{path}:{number}: no word with numbers; a line is a word and its numbers")
    found = FileRows(dim, header=header)
    number = _take_block(path, number, start, wanted, found)
    for block in blocks:
        number = _take_block(path, number, block, wanted, found)
    found.lines = number - 1
    if len(found.wrong_size) > max(1, BAD_LINES_SHARE * found.lines):
        raise UserError(
            f"{path}:{found.wrong_size[0]}: not {dim} numbers, as most lines have; {len(found.wrong_size)} of "
            f"{found.lines} lines differ; the vectors are of mixed size: take a file of one size"
        )
    return found


def _blocks(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """The file in blocks that end where a line ends."""
    pieces: list[bytes] = []
    while piece := file.read(BLOCK):
        if cut := piece.rfind(b"\n") + 1:
            yield b"".join((*pieces, piece[:cut]))
            pieces = [piece[cut:]]
        else:
            pieces.append(piece)
            if len(pieces) * BLOCK > LONGEST_LINE:
                raise UserError(f"{path}: a line of more than {LONGEST_LINE:,} bytes; this is no text file of vectors")
    if rest := b"".join(pieces):
        yield rest


def _numbers_at_end(line: bytes) -> int:
    """How many numbers stand behind a line's word; a word in the middle ends the count."""
    pieces = line.rstrip(b" \r\n").split(b" ")[1:]
    return sum(1 for _ in _trailing_numbers(pieces))


def _trailing_numbers(pieces: list[bytes]) -> Iterator[bytes]:
    for piece in reversed(pieces):
        try:
            float(piece)
        except ValueError:
            return
        yield piece


def _take_block(path: Path, number: int, block: bytes, wanted: Wanted, found: FileRows) -> int:
    """Keeps the wanted rows of whole lines, the first of which is line `number`; returns the number after the last.

    What only a few lines need, Python does. For all of them numpy finds the ends and counts the blanks between, which
    tells the lines with one word and `dim` numbers from those to look at more closely.
    """
    signs = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(signs == ord("\n"))
    if block and not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    last = signs[np.maximum(ends - 1, 0)]
    while (stripped := (ends > starts) & ((last == ord(" ")) | (last == ord("\r")))).any():
        ends = np.where(stripped, ends - 1, ends)
        last = signs[np.maximum(ends - 1, 0)]
    blanks_before = _count_before(signs == ord(" "))
    regular = blanks_before(ends) - blanks_before(starts) == found.dim
    chosen = np.flatnonzero(~regular).tolist()
    of, find, lines = wanted.of, block.find, np.flatnonzero(regular).tolist()
    for line, start in zip(lines, starts[regular].tolist(), strict=True):
        if block[start : find(b" ", start)] in of:
            chosen.append(line)
    for line in sorted(chosen):
        _take(path, number + line, block[starts[line] : ends[line]], wanted, found)
    return number + len(ends)


def _count_before(flags: NDArray[np.bool_]) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    """A function from places to the number of flags before each of them. Bits of 64 flags are counted at a time."""
    packed = np.packbits(flags, bitorder="little")
    words = np.zeros(len(flags) // 64 + 1, np.uint64)
    words.view(np.uint8)[: len(packed)] = packed
    sums = np.append(0, np.cumsum(np.bitwise_count(words), dtype=np.int64))

    def before(places: NDArray[np.int64]) -> NDArray[np.int64]:
        word = places >> 6
        below = (np.uint64(1) << (places & 63).astype(np.uint64)) - np.uint64(1)
        counted: NDArray[np.int64] = sums[word] + np.bitwise_count(words[word] & below)
        return counted

    return before


def _take(path: Path, number: int, line: bytes, wanted: Wanted, found: FileRows) -> None:
    extra = line.count(b" ") - found.dim
    if extra == 0:
        word, _, numbers = line.partition(b" ")
    else:
        pieces = line.rsplit(b" ", found.dim)
        word = pieces[0]
        # A token of several pieces doesn't end in a decimal fraction; a vector that is too long does.
        if extra < 0 or _NUMBER.match(word.rpartition(b" ")[2]):
            found.wrong_size.append(number)
            return
        numbers = b" ".join(pieces[1:])
    if word not in wanted.of or wanted.is_repeated(word, found):
        return
    try:
        row = np.array(list(map(float, numbers.split(b" "))), dtype=np.float32)
    except ValueError as error:
        raise UserError(f"{path}:{number}: {error}; mend or remove that line") from None
    if not np.isfinite(row).all():
        raise UserError(f"{path}:{number}: a number that isn't finite; mend or remove that line")
    wanted.keep(word, row, found)


def _read_binary(path: Path, file: IO[bytes], wanted: Wanted) -> FileRows:
    """word2vec's binary format: a line with the numbers of words and of columns; per word its bytes, a blank, float32s.

    https://code.google.com/archive/p/word2vec/ (distance.c reads it so); a line end may stand before a word.
    """
    head = file.readline(100).split()
    if len(head) != 2 or not all(part.isdigit() for part in head) or not int(head[1]):
        raise UserError(
            f"{path}: doesn't begin with the numbers of words and of columns; is it word2vec's .bin format?"
        )
    count, dim = map(int, head)
    found = FileRows(dim, header=True)
    block, at = b"", 0
    for number in range(1, count + 1):
        while (blank := block.find(b" ", at)) < 0 or len(block) < blank + 1 + 4 * dim:
            more = file.read(BLOCK)
            if not more or len(block) - at > LONGEST_LINE:
                raise UserError(f"{path}: ends or breaks in word {number:,} of {count:,}; copy or download it again")
            block, at = block[at:] + more, 0
        word = block[at:blank].lstrip(b"\n")
        at = blank + 1 + 4 * dim
        if word in wanted.of and not wanted.is_repeated(word, found):
            row = np.frombuffer(block, "<f4", dim, blank + 1).astype(np.float32)
            if not np.isfinite(row).all():
                raise UserError(f"{path}: word {number:,}: a number that isn't finite; copy or download it again")
            wanted.keep(word, row, found)
    found.lines = count
    return found


def _read_keyed(path: Path, wanted: Wanted) -> FileRows:
    """gensim's KeyedVectors. Large ones keep their rows in files beside it, which are mapped and not read."""
    from gensim.models import KeyedVectors

    try:
        keyed = KeyedVectors.load(str(path), mmap="r")
        if not isinstance(keyed, KeyedVectors):
            raise UserError(f"{path}: holds a {type(keyed).__name__}, not KeyedVectors; save its `.wv`")
    except FileNotFoundError as error:
        raise UserError(f"{path}: {error.filename} is missing; copy it too, as gensim wrote both") from None
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, ValueError, IndexError, KeyError) as error:
        raise UserError(f"{path}: not what gensim's KeyedVectors.save writes ({error}); save it again") from None
    found = FileRows(int(keyed.vector_size), lines=len(keyed.key_to_index))
    for spelling in wanted.of:
        if (place := keyed.key_to_index.get(spelling.decode())) is not None:
            row = np.array(keyed.vectors[place], dtype=np.float32)
            if not np.isfinite(row).all():
                raise UserError(f"{path}: {spelling.decode()!r}: a number that isn't finite; save it again without")
            wanted.keep(spelling, row, found)
    return found


@contextmanager
def _open(path: Path, member: str | None) -> Iterator[tuple[str, IO[bytes]]]:
    """The name, which says the format, and the bytes of what a file holds."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                texts = [name for name in archive.namelist() if name.endswith(".txt")]
                chosen = [name for name in texts if member in (name, name.rpartition("/")[2])] or texts
                if len(chosen) != 1:
                    raise UserError(
                        f"{path}: holds {len(texts)} .txt files ({', '.join(texts)}); unpack the one to use"
                    )
                with archive.open(chosen[0]) as file:
                    yield chosen[0], file
        elif path.suffix == ".gz":
            with gzip.open(path) as unpacked:
                yield path.stem, cast(IO[bytes], unpacked)
        else:
            with path.open("rb") as file:
                yield path.name, file
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise UserError(f"{path}: damaged archive ({error}); copy or download it again") from None
    except RuntimeError as error:  # zipfile's answer to an encrypted member
        raise UserError(
            f"{path}: can't be unpacked here ({error}); unpack it yourself and name the text file"
        ) from None
