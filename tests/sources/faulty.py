"""A local HTTP server with the faults that hosts of data have, and a download from it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pipeline import paths
from pipeline.sources import download
from pipeline.sources.remote import RemoteFile

IMPATIENT = download.Patience(timeout=1, slowest=2000, window=0.2, attempts=3, wait=0.01, longest_wait=0.02)

Answer = Callable[["Handler"], None]


@dataclass
class Faulty:
    """What the server answers per path, and what it was asked."""

    address: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Path and Range of every request."""

    def url(self, path: str, answer: Answer) -> str:
        self.answers[path] = answer
        return f"{self.address}{path}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    faulty: Faulty

    def do_GET(self) -> None:
        self.faulty.asked.append((self.path, self.headers.get("Range")))
        self.close_connection = True
        self.faulty.answers[self.path](self)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the tests' output is the test runner's."""

    def begin(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()


@contextmanager
def serving() -> Iterator[Faulty]:
    """The server on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    faulty = Faulty(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = type("OfThisServer", (Handler,), {"faulty": faulty})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield faulty
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def gives(content: bytes, *, etag: str | None = '"1"', drop_at: int | None = None, **headers: str) -> Answer:
    """The file as a good server gives it, ranges too; with `drop_at` the connection breaks there, but only once."""
    dropped: list[bool] = []

    def answer(handler: Handler) -> None:
        mark = {"ETag": etag} if etag else {}
        asked, begin = handler.headers.get("Range"), 0
        if asked and handler.headers.get("If-Range") == etag:
            begin = int(asked.removeprefix("bytes=").rstrip("-"))
            mark["Content_Range"] = f"bytes {begin}-{len(content) - 1}/{len(content)}"
        rest = content[begin:]
        handler.begin(206 if begin else 200, Content_Length=str(len(rest)), **mark, **headers)
        if drop_at is not None and not dropped:
            dropped.append(True)
            rest = content[begin:drop_at]
        handler.wfile.write(rest)

    return answer


def trickles(content: bytes, pause: float) -> Answer:
    """A byte at a time."""

    def answer(handler: Handler) -> None:
        handler.begin(200, Content_Length=str(len(content)))
        for place in range(len(content)):
            handler.wfile.write(content[place : place + 1])
            handler.wfile.flush()
            time.sleep(pause)

    return answer


def says(status: int, body: bytes = b"", **headers: str) -> Answer:
    def answer(handler: Handler) -> None:
        handler.begin(status, Content_Length=str(len(body)), **headers)
        handler.wfile.write(body)

    return answer


def fetch(file: RemoteFile, said: list[str] | None = None, dataset: str = "set") -> Path:
    """The download as the stage does it, with little patience."""
    say = (said if said is not None else []).append
    return download.fetched(file, paths.downloads(dataset), bar=False, say=say, patience=IMPATIENT)
