"""Numbered lines of UTF-8 files."""

import gzip
from pathlib import Path

import pytest

from pipeline.errors import UserError
from pipeline.sources import lines
from pipeline.sources.lines import blocks_of_lines, numbered_lines

TEXT = "\ufeffone\r\ntwo\x85still two\u2028and here\n\nfour"
LINES = [(1, "one\r\n"), (2, "two\x85still two\u2028and here\n"), (3, "\n"), (4, "four")]


@pytest.mark.parametrize("packed", [False, True])
def test_only_lf_ends_a_line_and_a_byte_order_mark_is_dropped(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("a.txt.gz" if packed else "a.txt")
    path.write_bytes(gzip.compress(TEXT.encode()) if packed else TEXT.encode())
    assert list(numbered_lines(path)) == LINES


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    assert list(numbered_lines(tmp_path / "a.txt")) == []


def test_the_line_that_isnt_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\nna\xefve\nfine\n")
    with pytest.raises(UserError, match=rf"^{path}:2: not UTF-8 \(byte 3 of the line: .*\); save the file as UTF-8$"):
        list(numbered_lines(path))


def test_bytes_that_arent_utf8_can_be_let_through(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfna\xefve\nfine\n")
    assert list(numbered_lines(path, "surrogateescape")) == [(1, "na\udcefve\n"), (2, "fine\n")]


def test_utf16_is_refused_in_line_1(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("text\n".encode("utf-16"))
    with pytest.raises(UserError, match=rf"^{path}:1: not UTF-8"):
        list(numbered_lines(path))


WHOLE = gzip.compress(b"a line of the file\n" * 500)
DAMAGED = {
    "not packed": b"plain text\n",
    "cut": WHOLE[:-12],
    "wrong checksum": WHOLE[:-8] + bytes(4) + WHOLE[-4:],
    "broken stream": WHOLE[:10] + b"\x07" + WHOLE[11:],
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_archive_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(UserError, match=rf"^{path}: damaged after line \d+ \(.*\); copy or download it again$"):
        list(numbered_lines(path))
    with pytest.raises(UserError, match=rf"^{path}: damaged after line \d+ \(.*\); copy or download it again$"):
        list(blocks_of_lines(path))


@pytest.mark.parametrize("size", [1, 3, 10, 1000])
@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_are_whole_lines_and_hold_them_all(
    tmp_path: Path, packed: bool, ended: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "BLOCK", size)
    path = tmp_path / ("a.txt.gz" if packed else "a.txt")
    content = (TEXT + "\n" * ended).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    blocks = list(blocks_of_lines(path))
    assert [entry for block in blocks for entry in block.lines()] == [
        (number, line.removesuffix("\n").encode()) for number, line in LINES
    ]
    assert sum(block.size for block in blocks) == len(content)
    assert len(blocks) <= 2 or size < len(content)
    assert all((block.content is None) != packed for block in blocks)


def test_an_empty_file_has_no_blocks(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    assert list(blocks_of_lines(tmp_path / "a.txt")) == []
