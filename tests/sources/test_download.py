"""Downloads from a faulty server: the right message, no file under the final name unless whole and right."""

import errno
import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.sources import download
from pipeline.sources.remote import RemoteFile, pins
from tests.sources import faulty
from tests.sources.faulty import Faulty, fetch, gives, says, trickles

CONTENT = bytes(range(256)) * 400
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PAGE = b"<!DOCTYPE html><html><body>Please confirm the download.</body></html>"


@pytest.fixture
def server(workspace: Path) -> Iterator[Faulty]:
    """The faulty server, with an empty workspace as the current folder."""
    assert Path.cwd() == workspace
    with faulty.serving() as running:
        yield running


def remote(*urls: str, name: str = "data.bin", **values: Any) -> RemoteFile:
    stated = {"size": len(CONTENT), "checksum": f"sha256:{SHA256}"} | values
    return RemoteFile(name, urls, page="https://example.org/get", terms="no terms", **stated)


def refusal(file: RemoteFile) -> str:
    """The message of a download that must fail and leave no file."""
    with pytest.raises(UserError) as caught:
        fetch(file)
    assert not (paths.downloads("set") / file.name).exists()
    said = str(caught.value)
    assert f"data/downloads/set/{file.name}: can't be fetched" in said
    assert "put it there by hand (https://example.org/get), where it is verified as well" in said
    return said


def parts() -> list[Path]:
    return [path for path in paths.downloads("set").iterdir() if ".part" in path.name]


def test_a_whole_and_right_file_is_taken_and_asked_for_once(server: Faulty) -> None:
    file, said = remote(server.url("/a", gives(CONTENT))), []
    path = fetch(file, said)
    assert path == paths.downloads("set") / "data.bin"
    assert path.read_bytes() == CONTENT
    assert said == ["data/downloads/set/data.bin: fetching 0.1 MB from 127.0.0.1; no terms"]
    assert fetch(file) == path
    assert len(server.asked) == 1
    assert parts() == []


@pytest.mark.parametrize("checksum", [f"md5:{hashlib.md5(CONTENT).hexdigest()}", None])
@pytest.mark.parametrize("size", [len(CONTENT), None])
def test_what_no_one_states_is_not_asked_for(server: Faulty, checksum: str | None, size: int | None) -> None:
    assert fetch(remote(server.url("/a", gives(CONTENT)), checksum=checksum, size=size)).read_bytes() == CONTENT


def test_it_goes_on_after_a_break_at_40_percent(server: Faulty) -> None:
    drop = len(CONTENT) * 2 // 5
    path = fetch(remote(server.url("/a", gives(CONTENT, drop_at=drop))))
    assert path.read_bytes() == CONTENT
    assert server.asked == [("/a", None), ("/a", f"bytes={drop}-")]


def test_it_goes_on_in_a_later_run_and_at_the_mirror_that_gave_the_part(server: Faulty) -> None:
    drop = len(CONTENT) * 2 // 5
    good = gives(CONTENT)

    def breaks(handler: faulty.Handler) -> None:
        (gives(CONTENT, drop_at=drop) if handler.headers.get("Range") is None else says(404))(handler)

    file = remote(server.url("/gone", says(404)), server.url("/a", breaks))
    said = refusal(file)
    assert re.search(r"/gone has no such file \(status 404\)\n", said)
    assert len(parts()) == 2
    server.answers |= {"/gone": says(404), "/a": good}
    server.asked.clear()
    assert fetch(file).read_bytes() == CONTENT
    assert server.asked == [("/a", f"bytes={drop}-")]
    assert parts() == []


def test_a_file_that_changed_meanwhile_is_not_glued_together(server: Faulty) -> None:
    drop = len(CONTENT) * 2 // 5
    old = CONTENT[::-1]
    begun: list[bool] = []

    def changes(handler: faulty.Handler) -> None:
        (gives(CONTENT, etag='"2"') if begun else gives(old, drop_at=drop))(handler)
        begun.append(True)

    file = remote(server.url("/a", changes), checksum=None)
    assert fetch(file).read_bytes() == CONTENT
    assert server.asked == [("/a", None), ("/a", f"bytes={drop}-")]


def test_without_a_mark_of_the_server_it_begins_anew(server: Faulty) -> None:
    path = fetch(remote(server.url("/a", gives(CONTENT, etag=None, drop_at=1000)), checksum=None))
    assert path.read_bytes() == CONTENT
    assert [asked for _, asked in server.asked] == [None, None]


@pytest.mark.parametrize(
    "answer",
    [
        says(416),
        says(206, CONTENT[5:], Content_Range=f"bytes 5-{len(CONTENT) - 1}/{len(CONTENT)}"),
        says(206, CONTENT[5:]),
    ],
    ids=["416", "another range", "no range"],
)
def test_a_server_that_is_confused_about_ranges_is_asked_for_all_of_it(server: Faulty, answer: faulty.Answer) -> None:
    first = gives(CONTENT, drop_at=1000)

    def confused(handler: faulty.Handler) -> None:
        (answer if handler.headers.get("Range") else first)(handler)

    assert fetch(remote(server.url("/a", confused))).read_bytes() == CONTENT


def test_a_right_mirror_is_found_behind_broken_ones(server: Faulty) -> None:
    broken = [
        says(404),
        says(409),
        says(200, PAGE, Content_Type="text/html"),
        gives(CONTENT[:-1]),
        gives(CONTENT[::-1]),
    ]
    urls = [server.url(f"/{number}", answer) for number, answer in enumerate([*broken, gives(CONTENT)])]
    assert fetch(remote(*urls)).read_bytes() == CONTENT
    assert [path for path, _ in server.asked] == [f"/{number}" for number in range(6)]


FAULTS: dict[str, tuple[faulty.Answer, str]] = {
    "404": (says(404), r"/a has no such file \(status 404\)"),
    "409": (says(409), r"/a answers 409, as a storage does that its owner closed to the public \(status 409\)"),
    "401": (says(401), r"/a wants a login \(status 401\)"),
    "403": (says(403), r"/a forbids it \(status 403\)"),
    "418": (says(418), r"/a answers with something else \(status 418\)"),
    "503": (says(503), r"/a is out of order \(status 503\)"),
    "429": (says(429), r"/a wants fewer requests \(status 429\)"),
    "web page": (
        says(200, PAGE, Content_Type="text/html; charset=utf-8"),
        r"/a answers with a web page instead of the file",
    ),
    "web page in disguise": (
        gives(PAGE.ljust(len(CONTENT)), Content_Type="application/octet-stream"),
        r"/a gives a file that is a web page, not data\.bin",
    ),
    "another size": (gives(CONTENT[1:]), r"/a has a file of 102,399 bytes, not the 102,400 that were published"),
    "another hash": (
        gives(CONTENT[::-1]),
        rf"/a gives a file that has sha256 [0-9a-f]{{64}}, not {SHA256}, which was published",
    ),
    "always truncated": (
        lambda handler: truncated(handler),
        r"/a broke off after 1,000 (bytes|of 102,400 bytes)",
    ),
    "packed on the way": (
        gives(CONTENT, Content_Encoding="gzip"),
        r"/a packs the file on its way, though asked not to",
    ),
    "trickle": (trickles(CONTENT, 0.02), r"/a sends less than 2,000 bytes per second over 0\.2 seconds"),
    "stall": (lambda handler: stalled(handler), r"/a broke off after 10 bytes \(.*timed out"),
}


def truncated(handler: faulty.Handler) -> None:
    handler.begin(200, Content_Length=str(len(CONTENT)))
    handler.wfile.write(CONTENT[:1000])


def stalled(handler: faulty.Handler) -> None:
    handler.begin(200, Content_Length=str(len(CONTENT)))
    handler.wfile.write(CONTENT[:10])
    handler.wfile.flush()
    time.sleep(faulty.IMPATIENT.timeout + 0.5)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_its_message_and_leaves_no_file(server: Faulty, fault: str) -> None:
    answer, message = FAULTS[fault]
    file = remote(server.url("/a", answer))
    assert re.search(message, refusal(file)), refusal(file)
    server.answers["/a"] = gives(CONTENT)
    assert fetch(file).read_bytes() == CONTENT


def test_a_redirect_to_a_login_is_named(server: Faulty) -> None:
    server.url("/accounts/login", says(200, PAGE, Content_Type="text/html"))
    said = refusal(remote(server.url("/a", says(302, Location="/accounts/login"))))
    assert "/a leads to a login at 127.0.0.1" in said


def test_a_redirect_whose_address_only_sounds_like_a_login_is_none(server: Faulty) -> None:
    server.url("/lessons/blogin/processor", says(404))
    said = refusal(remote(server.url("/a", says(302, Location="/lessons/blogin/processor"))))
    assert "/a has no such file (status 404)" in said


def test_a_redirect_to_the_file_is_followed(server: Faulty) -> None:
    server.url("/signed", gives(CONTENT))
    assert fetch(remote(server.url("/a", says(302, Location="/signed")))).read_bytes() == CONTENT


@pytest.mark.usefixtures("workspace")
def test_no_network_at_all_is_named() -> None:
    closed = "http://127.0.0.1:9/data.bin"
    said = refusal(remote(closed, closed.replace("data", "other")))
    assert "data/downloads/set/data.bin: can't be fetched; no host answers: is there a network?" in said
    assert f"{closed} can't be reached (" in said
    assert "Connection refused" in said


@pytest.mark.usefixtures("workspace")
def test_a_certificate_that_is_not_trusted_is_no_reason_to_go_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> Any:
        raise download.requests.exceptions.SSLError("self-signed certificate")

    monkeypatch.setattr(download.requests, "get", refuses)
    with pytest.raises(UserError, match="has no certificate that is trusted here"):
        fetch(remote("https://example.org/data.bin"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PAGE, "is a web page, not data.bin; remove it to have it fetched again, or put the right one there"),
        (CONTENT[1:], "has 102,399 bytes, not the 102,400 that were published; remove it"),
        (CONTENT[::-1], f"not {SHA256}, which was published; remove it to have it fetched again"),
    ],
)
def test_a_wrong_file_put_there_by_hand_is_named_and_stays(server: Faulty, content: bytes, message: str) -> None:
    path = paths.downloads("set") / "data.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        fetch(remote(server.url("/a", gives(CONTENT))))
    assert str(caught.value).startswith("data/downloads/set/data.bin: ")
    assert message in str(caught.value)
    assert path.read_bytes() == content
    assert server.asked == []


@pytest.mark.usefixtures("workspace")
def test_a_right_file_put_there_by_hand_needs_no_network() -> None:
    path = paths.downloads("set") / "data.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert fetch(remote("http://127.0.0.1:9/data.bin")) == path


@pytest.mark.parametrize(("name", "good"), [("a.zip", b"PK\x03\x04 and so on"), ("a.json.gz", b"\x1f\x8b and so on")])
def test_a_file_without_a_published_hash_must_at_least_be_packed_as_its_name_says(
    server: Faulty, name: str, good: bytes
) -> None:
    file = remote(server.url("/a", gives(b'{"error": "quota exceeded"}')), name=name, size=None, checksum=None)
    assert f"/a gives a file that isn't packed as .{name.rpartition('.')[2]}: it begins with b'" in refusal(file)
    server.answers["/a"] = gives(good)
    assert fetch(file).read_bytes() == good


def test_a_hash_that_no_one_publishes_is_kept_and_compared_from_then_on(server: Faulty) -> None:
    file = remote(server.url("/a", gives(CONTENT)), checksum=None)
    path = fetch(file)
    listed = paths.checksums().read_text()
    assert listed == f"{SHA256}  data/downloads/set/data.bin\n"
    assert pins() == {"data/downloads/set/data.bin": SHA256}
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "data/checksums.txt"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    path.unlink()
    server.answers["/a"] = gives(CONTENT[::-1])
    said = refusal(file)
    assert f"not {SHA256}, which data/checksums.txt has for it since it first came; if upstream has published" in said
    assert paths.checksums().read_text() == listed
    server.answers["/a"] = gives(CONTENT)
    fetch(file)
    assert paths.checksums().read_text() == listed


def test_a_published_hash_is_not_written_down_again(server: Faulty) -> None:
    fetch(remote(server.url("/a", gives(CONTENT))))
    assert not paths.checksums().exists()


def test_a_damaged_list_of_hashes_is_named(server: Faulty) -> None:
    paths.checksums().parent.mkdir(exist_ok=True)
    paths.checksums().write_text("# hashes\n\nabc data\n")
    with pytest.raises(UserError, match=r"data/checksums\.txt:3: not a sha256, two blanks and a path"):
        fetch(remote(server.url("/a", gives(CONTENT)), checksum=None))


def test_too_little_room_is_seen_before_the_download(server: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 99_999})
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: usage)
    file = remote(server.url("/a", gives(CONTENT)), server.url("/b", gives(CONTENT)))
    with pytest.raises(
        UserError, match=r"data/downloads/set: 102,400 bytes are still to come and 99,999 are free; make"
    ):
        fetch(file)
    assert [path for path, _ in server.asked] == ["/a"]
    monkeypatch.undo()
    assert fetch(file).read_bytes() == CONTENT


class Full:
    """A file on a disk that is full after so many bytes."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def __enter__(self) -> "Full":
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def write(self, chunk: bytes) -> int:
        if self.file.tell() + len(chunk) > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return int(self.file.write(chunk))


def test_a_disk_that_fills_up_is_named_and_a_later_run_goes_on(server: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary = Path.open

    def opened(path: Path, mode: str = "r", *args: Any, **values: Any) -> Any:
        file = ordinary(path, mode, *args, **values)
        return Full(file, 70_000) if path.name.endswith(".part") and mode != "rb" else file

    monkeypatch.setattr(download, "CHUNK", 1 << 14)
    monkeypatch.setattr(Path, "open", opened)
    file = remote(server.url("/a", gives(CONTENT)), server.url("/b", gives(CONTENT)))
    with pytest.raises(UserError, match=r"data/downloads/set: the disk is full \(No space left on device\); make room"):
        fetch(file)
    assert not (paths.downloads("set") / "data.bin").exists()
    assert [path for path, _ in server.asked] == ["/a"]
    monkeypatch.setattr(Path, "open", ordinary)
    assert fetch(file).read_bytes() == CONTENT
    assert server.asked[1][1] is not None


def test_of_two_at_once_one_fetches_and_the_other_waits(server: Faulty) -> None:
    def slow(handler: faulty.Handler) -> None:
        handler.begin(200, Content_Length=str(len(CONTENT)))
        for begin in range(0, len(CONTENT), 10_240):
            handler.wfile.write(CONTENT[begin : begin + 10_240])
            handler.wfile.flush()
            time.sleep(0.03)

    file = remote(server.url("/a", slow))
    said: list[str] = []
    paths_of: list[Path] = []
    threads = [threading.Thread(target=lambda: paths_of.append(fetch(file, said))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert paths_of == [paths.downloads("set") / "data.bin"] * 2
    assert paths_of[0].read_bytes() == CONTENT
    assert len(server.asked) == 1
    assert sum("another process fetches it; waiting" in line for line in said) == 1


KILLED = """
import sys
from tests.sources.faulty import fetch
from tests.sources.test_download import remote
fetch(remote(sys.argv[1]))
"""


def test_killed_in_the_middle_it_leaves_no_file_and_a_later_run_goes_on(server: Faulty, root: Path) -> None:
    half, go_on = len(CONTENT) // 2, threading.Event()

    def pausing(handler: faulty.Handler) -> None:
        if go_on.is_set():
            gives(CONTENT)(handler)
            return
        handler.begin(200, Content_Length=str(len(CONTENT)), ETag='"1"')
        handler.wfile.write(CONTENT[:half])
        handler.wfile.flush()
        go_on.wait(20)  # longer than the child's patience, which asks again and waits again

    file = remote(server.url("/a", pausing))
    environment = os.environ | {"PYTHONPATH": str(root)}
    with subprocess.Popen([sys.executable, "-c", KILLED, file.urls[0]], env=environment) as process:
        part = paths.downloads("set") / ".data.bin.part"
        while not part.exists() or part.stat().st_size < half:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    go_on.set()
    assert not (paths.downloads("set") / "data.bin").exists()
    assert read_json(paths.downloads("set") / ".data.bin.part.json")["url"] == file.urls[0]
    server.asked.clear()
    assert fetch(file).read_bytes() == CONTENT
    assert server.asked == [("/a", f"bytes={half}-")]


def test_a_bar_is_drawn_where_one_is_wanted(server: Faulty, capfd: pytest.CaptureFixture[str]) -> None:
    file = remote(server.url("/a", gives(CONTENT)))
    download.fetched(file, paths.downloads("set"), bar=True, say=lambda _: None, patience=faulty.IMPATIENT)
    assert "data.bin" in capfd.readouterr().err
