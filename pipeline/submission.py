"""The file that MIND's leaderboard takes (https://msnews.github.io/): `prediction.txt`, alone in a zip.

A line per impression in the order of their ids: the id, a blank, and in brackets the rank of every candidate in the
order of the candidates, 1 for the best, set apart by commas without blanks: `24 [3,1,2]`.
"""

import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import UserError
from pipeline.files import writing
from pipeline.text.impressions import Impressions

NAME = "prediction.txt"
FAULTS_NAMED = 20

_LINE = re.compile(rb"([0-9]+) \[(.*)\]")


class Submission:
    """Writes lines for impressions, portion by portion."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._last = -1

    def add(self, ids: NDArray[np.integer], scores: NDArray[np.floating], offsets: NDArray[np.integer]) -> None:
        """Ranks ragged impressions: the i-th has the candidates from `offsets[i]` to `offsets[i + 1]`.

        Raises ValueError where an id isn't greater than the one before it.
        """
        ranked = ranks(scores, offsets).tolist()
        ends = offsets.tolist()
        for i, identifier in enumerate(ids.tolist()):
            if identifier <= self._last:
                raise ValueError(f"impression {identifier} stands behind {self._last}; a submission goes by ids")
            self._last = identifier
            line = f"{identifier} [{','.join(map(str, ranked[ends[i] : ends[i + 1]]))}]\n"
            self._file.write(line.encode())


@contextmanager
def writing_submission(folder: Path) -> Iterator[Submission]:
    """Yields what takes the scores, and writes prediction.txt and prediction.zip into the folder, both or none."""
    text, archive = folder / NAME, (folder / NAME).with_suffix(".zip")
    with writing(archive) as partial_archive, writing(text) as partial:
        with partial.open("wb") as file:
            yield Submission(file)
        # A ZipInfo's own date is the same at all times, so that equal scores give equal bytes.
        member = zipfile.ZipInfo(NAME)
        member.compress_type = zipfile.ZIP_DEFLATED
        member.file_size = partial.stat().st_size  # else a large one is refused
        with (
            partial.open("rb") as lines,
            zipfile.ZipFile(partial_archive, "w") as packed,
            packed.open(member, "w") as target,
        ):
            shutil.copyfileobj(lines, target)


def ranks(scores: NDArray[np.floating], offsets: NDArray[np.integer]) -> NDArray[np.int64]:
    """(candidates,) the rank of each within its impression, 1 for the highest score.

    Of equal scores the one that stands first has the lower rank, since ranks must differ. Raises ValueError for a NaN.
    """
    if np.isnan(scores).any():
        raise ValueError(f"the score of candidate {int(np.isnan(scores).argmax())} is NaN, which has no rank")
    sizes = np.diff(offsets)
    impression = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-scores, impression))
    ranked = np.empty(len(scores), dtype=np.int64)
    ranked[order] = np.arange(len(scores)) - np.repeat(offsets[:-1] - offsets[0], sizes) + 1
    return ranked


def validate(path: Path, expected: Impressions | None) -> int:
    """Checks a prediction.txt, or a zip with it; returns the number of its impressions.

    With `expected`, ids and numbers of candidates must be those of that split. Raises UserError that names the first
    faults with their lines.
    """
    faults: list[str] = []
    count = unnamed = 0
    with _opened(path) as file:
        try:
            for count, fault in enumerate(_faults(file, expected), 1):
                if fault and len(faults) < FAULTS_NAMED:
                    faults.append(f"{path}: {NAME}:{count}: {fault}")
                elif fault:
                    unnamed += 1
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise UserError(f"{path}: damaged ({error}); write it again") from None
    if expected is not None and count < len(expected):
        faults.append(f"{path}: {NAME}: ends after {count:,} of {len(expected):,} impressions; write it again")
    elif not count:
        faults.append(f"{path}: {NAME}: is empty; write it again")
    if unnamed:
        faults.append(f"{path}: ... and {unnamed:,} more lines with faults")
    if faults:
        raise UserError("\n".join(faults))
    return count


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The lines of prediction.txt. Raises UserError where a zip holds anything else, or the file isn't there."""
    if not path.is_file():
        raise UserError(f"{path}: no such file; name a {NAME}, or the zip that holds it")
    if path.suffix.lower() != ".zip":
        with path.open("rb") as text:
            yield text
        return
    try:
        packed = zipfile.ZipFile(path)
    except zipfile.BadZipFile:
        raise UserError(f"{path}: is no zip file; write it again") from None
    with packed:
        names = packed.namelist()
        if names != [NAME]:
            held = ", ".join(names[:5]) or "nothing"
            raise UserError(f"{path}: must hold {NAME} alone and in no folder, not {held}; zip it again (zip -j)")
        try:
            file = packed.open(NAME)
        except (RuntimeError, NotImplementedError) as error:  # encrypted, or packed in a way that Python doesn't know
            raise UserError(f"{path}: can't be unpacked ({error}); zip it again") from None
        with file:
            yield file


def _faults(file: IO[bytes], expected: Impressions | None) -> Iterator[str | None]:
    """What is wrong with each line, None where nothing is."""
    last: int | None = None
    lengths = expected.candidates.lengths if expected is not None else None
    for number, raw in enumerate(file):
        line = raw.removesuffix(b"\n")
        match = _LINE.fullmatch(line)
        if not match or len(match[1]) > 18:
            yield f"reads {line[:40]!r}, not an id, one blank and ranks in brackets, as 24 [3,1,2]"
            continue
        identifier, fault = int(match[1]), _fault_of_ranks(match[2])
        if fault is None and last is not None and identifier <= last:
            fault = f"impression {identifier} stands behind {last}; ids must rise from line to line"
        last = identifier
        if expected is not None and lengths is not None:
            if number >= len(expected):
                fault = f"is one line too many, split {expected.split} has {len(expected):,} impressions"
            elif identifier != expected.id[number]:
                fault = f"is on impression {identifier}, where {expected.id[number]} belongs"
            elif (given := _length(match[2])) != lengths[number]:
                fault = f"has {given} ranks, but impression {identifier} has {lengths[number]} candidates"
        yield fault


def _fault_of_ranks(ranks: bytes) -> str | None:
    """What is wrong between the brackets."""
    if any(blank in ranks for blank in (b" ", b"\t", b"\r")):
        return "has a blank between the brackets; the leaderboard cuts lines at blanks"
    parts = ranks.split(b",") if ranks else []
    legal = _legal(len(parts))
    if len(set(parts)) == len(parts) and legal.issuperset(parts):
        return None
    odd = next((part for part in parts if part not in legal), None)
    if odd is not None:
        return f"has {odd[:20].decode(errors='replace')!r} for a rank, where 1 to {len(parts)} are the ranks"
    twice = next(part for place, part in enumerate(parts) if part in parts[:place])
    return f"gives rank {twice.decode()} twice"


def _length(ranks: bytes) -> int:
    return ranks.count(b",") + 1 if ranks else 0


@lru_cache(maxsize=1024)
def _legal(number: int) -> frozenset[Any]:
    return frozenset(b"%d" % rank for rank in range(1, number + 1))
