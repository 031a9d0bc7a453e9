"""Files from upstream into data/downloads: whole and verified under their names, or not at all.

A download goes into a hidden partial file beside its target, from which it goes on after whatever broke it, if the
server says that the file is still the same. Mirrors are tried in turn. A file that lies under its name already is
verified and taken, whoever put it there, and never deleted.
"""

import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import filelock
import requests
import tenacity
import urllib3
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from pipeline.errors import UserError
from pipeline.files import read_json, write_json
from pipeline.sources.remote import CHUNK, RemoteFile, WrongFileError, pin, shown, verify

STATUS = {
    401: "wants a login",
    403: "forbids it",
    404: "has no such file",
    407: "can't be reached: the proxy wants a login",
    409: "answers 409, as a storage does that its owner closed to the public",
    410: "no longer has the file",
    429: "wants fewer requests",
}
"""What an answer means, where the bare number wouldn't say it."""

MAY_PASS = (408, 425, 429, 500, 502, 503, 504)
"""Answers after which another try is worth its time."""

GZIPPED = (".gz", ".tgz")
"""Files that some servers call packed on the way, though they are so on the disk."""

_LOGIN = re.compile(r"(?<![a-z])(?:log-?in|sign[-_]?in|sso|oauth2?)(?![a-z])|//accounts\.", re.IGNORECASE)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server may take, in seconds, and how often it is asked before the next mirror is.

    `attempts` counts those in a row that brought less than a CHUNK, so that a long download outlives many breaks.
    """

    timeout: float
    slowest: int
    """Bytes per second, on average over `window`."""
    window: float
    attempts: int
    wait: float
    longest_wait: float


PATIENCE = Patience(timeout=30, slowest=2048, window=60, attempts=4, wait=1, longest_wait=30)


class _MirrorError(Exception):
    """This mirror doesn't give the file, and why."""


class _BrokenOffError(_MirrorError):
    """It may give it when asked again. `reached` is how much of it there is now, in bytes."""

    def __init__(self, message: str, reached: int = 0) -> None:
        super().__init__(message)
        self.reached = reached


class _UnreachableError(_BrokenOffError):
    """No answer came at all."""


def fetched(file: RemoteFile, folder: Path, *, bar: bool, say: Say, patience: Patience = PATIENCE) -> Path:
    """The file's path in `folder`, verified; downloaded first where it isn't there.

    One process at a time fetches it, others wait for it. Raises UserError with what went wrong at each mirror and
    where to put the file by hand, or with what is wrong with a file that lies there.
    """
    path = folder / file.name
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(path, say):
        if path.exists():
            try:
                digest = verify(path, file)
            except WrongFileError as wrong:
                raise UserError(
                    f"{shown(path)}: {wrong}; remove it to have it fetched again, or put the right one there "
                    f"({file.page})"
                ) from None
        else:
            digest = _downloaded(file, path, bar, say, patience)
        pin(path, file, digest)
    return path


@contextmanager
def _alone(path: Path, say: Say) -> Iterator[None]:
    lock = filelock.FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        say(f"{shown(path)}: another process fetches it; waiting for that")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _downloaded(file: RemoteFile, path: Path, bar: bool, say: Say, patience: Patience) -> str:
    """Downloads the file from the first mirror that gives it; its sha256."""
    part = _Part(path)
    problems: dict[str, _MirrorError] = {}
    # The mirror that has given a part already comes first: only there can it go on.
    for url in sorted(file.urls, key=lambda url: url != part.url):
        say(f"{shown(path)}: fetching {_size(file.size)} from {urlsplit(url).hostname}; {file.terms}")
        with _progress(bar, file) as progress:
            try:
                return _from_mirror(file, url, path, part, progress, patience)
            except _MirrorError as failed:
                problems[url] = failed
    lines = [f"  {url} {problem}" for url, problem in problems.items()]
    unreachable = all(isinstance(problem, _UnreachableError) for problem in problems.values())
    network = "; no host answers: is there a network?" if unreachable else ""
    by_hand = f"put it there by hand ({file.page}), where it is verified as well, and run this again"
    raise UserError("\n".join([f"{shown(path)}: can't be fetched{network}", *lines, by_hand]))


def _from_mirror(file: RemoteFile, url: str, path: Path, part: "_Part", progress: "_Shown", patience: Patience) -> str:
    fruitless = furthest = 0

    def is_enough(state: tenacity.RetryCallState) -> bool:
        nonlocal fruitless, furthest
        error = state.outcome.exception() if state.outcome else None
        reached = error.reached if isinstance(error, _BrokenOffError) else 0
        fruitless = 0 if reached > furthest + CHUNK else fruitless + 1
        furthest = max(furthest, reached)
        return fruitless >= patience.attempts

    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(_BrokenOffError),
        stop=is_enough,
        wait=tenacity.wait_exponential_jitter(initial=patience.wait, max=patience.longest_wait, jitter=patience.wait),
        reraise=True,
    )
    for attempt in attempts:
        with attempt:
            resumed = _receive(file, url, part, progress, patience)
            try:
                digest = verify(part.path, file, name=path)
            except WrongFileError as wrong:
                part.discard()
                raise (_BrokenOffError if resumed else _MirrorError)(f"gives a file that {wrong}") from None
            part.finish(path)
            return digest
    raise AssertionError("tenacity returns or raises")


def _receive(file: RemoteFile, url: str, part: "_Part", progress: "_Shown", patience: Patience) -> bool:
    """Writes what the server sends behind what is there already; whether something was there."""
    offset, headers = part.resumable(url)
    try:
        response = requests.get(
            url,
            headers={"Accept-Encoding": "identity", "User-Agent": "fastformer-pipeline", **headers},
            stream=True,
            timeout=patience.timeout,
        )
    except requests.exceptions.SSLError as error:
        raise _MirrorError(f"has no certificate that is trusted here ({error})") from None
    except requests.exceptions.Timeout:
        raise _UnreachableError(f"doesn't answer within {patience.timeout:g} seconds") from None
    except requests.exceptions.ConnectionError as error:
        raise _UnreachableError(f"can't be reached ({_reason(error)})") from None
    except requests.exceptions.RequestException as error:
        raise _MirrorError(f"can't be asked for it ({error})") from None
    with response:
        if response.status_code == 416:
            part.discard()
            raise _BrokenOffError("has less than what came before; fetched anew")
        _expect_a_file(response, file, url)
        if response.status_code == 206:
            _expect_offset(response, offset, part)
        else:
            offset = 0
        sent = response.headers.get("Content-Length")
        total = offset + int(sent) if sent and sent.isdigit() else None
        if None not in (file.size, total) and total != file.size:
            raise _MirrorError(f"has a file of {total:,} bytes, not the {file.size:,} that were published")
        _expect_room(part.path.parent, (total or file.size or 0) - offset)
        try:
            part.begin(url, response, offset)
        except OSError as error:
            raise _no_room(part.path.parent, error) from None
        progress.start(offset, total or file.size)
        received = _stream(response, part, offset, progress, patience)
    if total is not None and offset + received != total:
        raise _BrokenOffError(f"broke off after {offset + received:,} of {total:,} bytes", offset + received)
    return offset > 0


def _stream(response: requests.Response, part: "_Part", offset: int, progress: "_Shown", patience: Patience) -> int:
    """Appends the body to the part; the number of bytes. _BrokenOffError where it ends early or comes too slowly."""
    received = in_window = 0
    since = time.monotonic()
    with part.path.open("r+b" if offset else "wb") as target:
        target.seek(offset)
        target.truncate()
        while True:
            try:
                chunk = response.raw.read1(CHUNK, decode_content=False)
            except (urllib3.exceptions.HTTPError, OSError) as error:
                reached = offset + received
                raise _BrokenOffError(f"broke off after {reached:,} bytes ({_reason(error)})", reached) from None
            if not chunk:
                return received
            try:
                target.write(chunk)
                target.flush()
            except OSError as error:
                raise _no_room(part.path.parent, error) from None
            received += len(chunk)
            in_window += len(chunk)
            progress.advance(len(chunk))
            if (elapsed := time.monotonic() - since) >= patience.window:
                if in_window < patience.slowest * elapsed:
                    slow = f"sends less than {patience.slowest:,} bytes per second"
                    # What trickled in counts as nothing: a server that trickles forever is left after a few attempts.
                    raise _BrokenOffError(f"{slow} over {patience.window:g} seconds")
                in_window, since = 0, time.monotonic()


def _expect_a_file(response: requests.Response, file: RemoteFile, url: str) -> None:
    """Raises _MirrorError or _BrokenOffError where the answer is anything else than the file's bytes."""
    status = response.status_code
    is_page = response.headers.get("Content-Type", "").startswith("text/html") and not file.name.endswith(".html")
    if response.history and _LOGIN.search(response.url) and not _LOGIN.search(url) and (is_page or status >= 400):
        raise _MirrorError(f"leads to a login at {urlsplit(response.url).hostname}")
    if status in MAY_PASS:
        raise _BrokenOffError(f"{STATUS.get(status, 'is out of order')} (status {status})")
    if status not in (200, 206):
        raise _MirrorError(f"{STATUS.get(status, 'answers with something else')} (status {status})")
    if is_page:
        raise _MirrorError("answers with a web page instead of the file")
    if response.headers.get("Content-Encoding", "identity") != "identity" and Path(file.name).suffix not in GZIPPED:
        raise _MirrorError("packs the file on its way, though asked not to")


def _expect_offset(response: requests.Response, offset: int, part: "_Part") -> None:
    begin = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if not begin or int(begin[1]) != offset:
        part.discard()
        raise _BrokenOffError("doesn't go on where the download broke off; fetched anew")


def _expect_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise UserError(
            f"{shown(folder)}: {needed:,} bytes are still to come and {free:,} are free; make room there, then run "
            "this again: it goes on where it was"
        )


def _no_room(folder: Path, error: OSError) -> Exception:
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return error
    return UserError(
        f"{shown(folder)}: the disk is full ({error.strerror}); make room there, then run this again: it goes on where "
        "it was"
    )


class _Part:
    """The partial file, and beside it where it came from and by which mark the server knows that state of the file."""

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f".{target.name}.part")
        self._origin = target.with_name(f".{target.name}.part.json")

    @property
    def url(self) -> str | None:
        return self._read().get("url")

    def resumable(self, url: str) -> tuple[int, dict[str, str]]:
        """How many bytes are there, and the headers that ask for the rest, if the file is still the same."""
        origin = self._read()
        size = self.path.stat().st_size if self.path.exists() else 0
        if not size or origin.get("url") != url or not origin.get("mark"):
            return 0, {}
        return size, {"Range": f"bytes={size}-", "If-Range": origin["mark"]}

    def begin(self, url: str, response: requests.Response, offset: int) -> None:
        if offset:
            return
        etag = response.headers.get("ETag", "")
        # A weak mark may stand for other bytes with the same meaning.
        mark = etag if etag and not etag.startswith("W/") else response.headers.get("Last-Modified")
        self.path.unlink(missing_ok=True)
        write_json(self._origin, {"url": url, "mark": mark})

    def finish(self, target: Path) -> None:
        """Gives the whole file its name, once it is on the disk."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
        self.path.replace(target)
        self._origin.unlink(missing_ok=True)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._origin.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = read_json(self._origin)
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return found


class _Shown:
    """One bar, which a new attempt sets back to what is there."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task(name, total=None)

    def start(self, offset: int, total: int | None) -> None:
        self._progress.reset(self._task, total=total, completed=offset)

    def advance(self, size: int) -> None:
        self._progress.advance(self._task, size)


@contextmanager
def _progress(bar: bool, file: RemoteFile) -> Iterator["_Shown"]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not bar) as progress:
        yield _Shown(progress, file.name)


def _reason(error: BaseException) -> str:
    """The innermost cause in a few words; requests wraps urllib3's errors, which wrap the socket's."""
    while True:
        wrapped = (getattr(error, "reason", None), *error.args)
        inner = next((value for value in wrapped if isinstance(value, BaseException)), None)
        if inner is None:
            return str(error).rpartition(": ")[2] or type(error).__name__
        error = inner


def _size(size: int | None) -> str:
    return "a file" if size is None else megabytes(size)


def megabytes(size: int) -> str:
    """A size for people: MB below 1 GB, one digit behind the point from there on."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"
