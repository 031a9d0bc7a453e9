"""MIND's behaviors.tsv (Wu et al., ACL 2020): a row for every impression.

Five fields set apart by tabs: impression id, user, time, the ids of the news clicked before, and those shown now, each
with -1 if it was clicked and -0 if not. The history may be empty; rows of the test split have no -1 and -0. Times read
11/9/2019 9:03:12 AM, without zeros before month, day and hour, and rows don't stand in their order.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from pipeline.errors import UserError
from pipeline.sources.lines import numbered_lines

FIELDS = 5
EPOCH = date(1970, 1, 1).toordinal()
DAY = 86_400
"""Seconds."""

_TIME = re.compile(r"(\d{1,2}/\d{1,2}/\d{4}) (\d{1,2}):(\d\d):(\d\d) ([AP])M")


@dataclass(frozen=True, slots=True)
class Behavior:
    """One row, its ids as they stand there; `clicks` is None where no candidate says whether it was clicked."""

    id: int
    user: str
    time: int
    history: tuple[str, ...]
    candidates: tuple[str, ...]
    clicks: tuple[bool, ...] | None


def behaviors_of(path: Path) -> Iterator[tuple[int, Behavior]]:
    """Line number and content of every row. UserError naming file and line of one that isn't in MIND's format."""
    for number, fields in _rows(path):
        identifier, user, time, history, shown = fields
        try:
            candidates, clicks = _candidates(shown.split())
            if not identifier.isdecimal() or len(identifier) > 18:
                raise ValueError(f"impression id {identifier!r} is no whole number")
            row = Behavior(int(identifier), user, _seconds(time), tuple(history.split()), candidates, clicks)
        except ValueError as error:
            raise _refused(path, number, str(error)) from None
        yield number, row


def last_day(path: Path) -> int:
    """The latest day of the file's rows, in days since 1970. UserError where a row has no time, or there is no row."""
    latest: int | None = None
    for number, fields in _rows(path):
        try:
            day = _seconds(fields[2]) // DAY
        except ValueError as error:
            raise _refused(path, number, str(error)) from None
        latest = day if latest is None else max(latest, day)
    if latest is None:
        raise UserError(f"{path}: has no rows; link the file as published")
    return latest


def day_name(day: int) -> str:
    """The date of a day since 1970 as ISO writes it: 2019-11-14."""
    return date.fromordinal(EPOCH + day).isoformat()


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in numbered_lines(path):
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) != FIELDS:
            raise _refused(path, number, f"{len(fields)} fields between tabs, not the {FIELDS} of MIND's behaviors.tsv")
        yield number, fields


def _refused(path: Path, number: int, what: str) -> UserError:
    return UserError(f"{path}:{number}: {what}; link the file as published")


def _candidates(entries: list[str]) -> tuple[tuple[str, ...], tuple[bool, ...] | None]:
    """Ids and clicks. ValueError where some candidates have a click's mark and some haven't."""
    marks = {entry[-2:] for entry in entries}
    if marks <= {"-0", "-1"} and entries:
        return tuple(entry[:-2] for entry in entries), tuple(entry[-1] == "1" for entry in entries)
    if any("-" in entry for entry in entries):
        odd = next(entry for entry in entries if entry[-2:] not in ("-0", "-1"))
        raise ValueError(f"candidate {odd!r} doesn't end in -0 or -1, as others of its impression do")
    return tuple(entries), None


def _seconds(time: str) -> int:
    """Seconds since 1970 of a time as MIND writes it. ValueError for another."""
    match = _TIME.fullmatch(time)
    hour, minute, second = (int(match[i]) for i in (2, 3, 4)) if match else (0, 0, 0)
    if not match or not (1 <= hour <= 12 and minute < 60 and second < 60):
        raise ValueError(f"{time!r} is no time such as 11/9/2019 9:03:12 AM")
    return _day(match[1]) * DAY + (hour % 12 + 12 * (match[5] == "P")) * 3600 + minute * 60 + second


@cache
def _day(written: str) -> int:
    month, day, year = (int(part) for part in written.split("/"))
    try:
        return date(year, month, day).toordinal() - EPOCH
    except ValueError as error:
        raise ValueError(f"{written!r} is no date such as 11/9/2019 ({error})") from None
