"""Archives that mean harm, and those that are read."""

import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import UserError
from pipeline.sources import unpack

NEWS, CLICKS = b"N1\tnews\n", b"1\tU1\n"


def zipped(path: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, *entries: tarfile.TarInfo, content: bytes = NEWS) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for entry in entries:
            if entry.isreg():
                entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content) if entry.isreg() else None)
    return path


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


def contents(path: Path) -> dict[str, bytes]:
    return dict(unpack.contents(path))


@pytest.mark.parametrize("folder", ["", "MINDsmall_train/", "a/b/"])
def test_wanted_files_are_found_in_any_folder(tmp_path: Path, folder: str) -> None:
    files = {f"{folder}news.tsv": NEWS, f"{folder}behaviors.tsv": CLICKS, "__MACOSX/news.tsv": b"x", "other": b"y"}
    target = tmp_path / "deep" / "news.tsv"
    unpack.unpack(zipped(tmp_path / "a.zip", **files), {"news.tsv": target})
    assert target.read_bytes() == NEWS
    assert [path.name for path in target.parent.iterdir()] == ["news.tsv"]


def test_a_tar_is_read_like_a_zip(tmp_path: Path) -> None:
    archive = tarred(tmp_path / "a.tgz", entry("cnn", tarfile.DIRTYPE), entry("cnn/a.story"), entry("./cnn/b.story"))
    assert contents(archive) == {"cnn/a.story": NEWS, "./cnn/b.story": NEWS}
    unpack.unpack(archive, {"b.story": tmp_path / "b"})
    assert (tmp_path / "b").read_bytes() == NEWS


def test_links_inside_are_not_followed(tmp_path: Path) -> None:
    archive = tarred(tmp_path / "a.tgz", entry("a"), entry("b", tarfile.SYMTYPE, "a"), entry("c", tarfile.LNKTYPE, "a"))
    assert contents(archive) == {"a": NEWS}


def encrypted(path: Path) -> Path:
    data = bytearray(zipped(path, **{"news.tsv": NEWS}).read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.index(signature) + flags
        data[place : place + 2] = struct.pack("<H", struct.unpack("<H", data[place : place + 2])[0] | 1)
    path.write_bytes(data)
    return path


def linked(path: Path) -> Path:
    info = zipfile.ZipInfo("news.tsv")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    return path


def cut(path: Path) -> Path:
    tarred(path, entry("a"), content=bytes(range(256)) * 50)
    path.write_bytes(path.read_bytes()[:-40])
    return path


HARMFUL: dict[str, tuple[Callable[[Path], Path], str]] = {
    "zip slip": (lambda path: zipped(path, **{"../news.tsv": NEWS}), r"\.\./news\.tsv leads out of the folder"),
    "zip slip, deep": (lambda path: zipped(path, **{"a/../../news.tsv": NEWS}), "leads out of the folder"),
    "zip, absolute": (lambda path: zipped(path, **{"/tmp/news.tsv": NEWS}), "/tmp/news.tsv leads out of the folder"),
    "zip, drive": (lambda path: zipped(path, **{"C:/news.tsv": NEWS}), "C:/news.tsv leads out of the folder"),
    "zip, backslashes": (lambda path: zipped(path, **{"..\\news.tsv": NEWS}), "leads out of the folder"),
    "zip, link": (linked, "news.tsv is a link"),
    "zip, encrypted": (encrypted, "news.tsv is encrypted"),
    "zip bomb": (lambda path: zipped(path, **{"news.tsv": bytes(10_000_000)}), "its files have 10,000,000 bytes"),
    "zip, missing": (lambda path: zipped(path, **{"other.tsv": NEWS}), r"no news\.tsv in it"),
    "zip, twice": (
        lambda path: zipped(path, **{"a/news.tsv": NEWS, "b/news.tsv": NEWS}),
        r"a/news\.tsv and b/news\.tsv are in it",
    ),
    "tar, link outside": (lambda path: tarred(path, entry("news.tsv", tarfile.SYMTYPE, "../../x")), "would link to"),
    "tar, absolute link": (
        lambda path: tarred(path, entry("news.tsv", tarfile.SYMTYPE, "/etc/passwd")),
        "is a link to an absolute path|is a symlink to an absolute path",
    ),
    "tar, hard link outside": (lambda path: tarred(path, entry("news.tsv", tarfile.LNKTYPE, "../x")), "would link to"),
    "tar slip": (lambda path: tarred(path, entry("../news.tsv")), "leads out of the folder"),
    "tar, absolute": (lambda path: tarred(path, entry("/tmp/news.tsv")), "leads out of the folder"),
    "tar, device": (lambda path: tarred(path, entry("news.tsv", tarfile.CHRTYPE)), "is a special file"),
    "tar bomb": (lambda path: tarred(path, entry("news.tsv"), content=bytes(10_000_000)), "its files have"),
    "cut off": (cut, "damaged"),
}


@pytest.mark.parametrize("kind", HARMFUL)
def test_what_means_harm_is_refused_and_writes_nothing_outside(tmp_path: Path, kind: str) -> None:
    make, message = HARMFUL[kind]
    folder = tmp_path / "folder"
    folder.mkdir()
    archive = make(tmp_path / "a.archive")
    with pytest.raises(UserError, match=message) as caught:
        unpack.unpack(archive, {"news.tsv": folder / "news.tsv"})
    assert "; remove it to have it fetched again, or put the published one there" in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.archive", "folder"]
    assert all(path.is_file() and not path.is_symlink() for path in folder.iterdir())


def test_the_bound_on_bytes_holds_for_what_packs_well_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "MOST_BYTES", 10)
    with pytest.raises(UserError, match="its files have 13 bytes or more, which is no text of upstream's"):
        unpack.unpack(zipped(tmp_path / "a.zip", a=NEWS, b=CLICKS), {"a": tmp_path / "a"})


def test_no_room_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(UserError, match=r"taken: can't be written \(Is a directory\); make room"):
        unpack.unpack(zipped(tmp_path / "a.zip", a=NEWS), {"a": tmp_path / "taken"})


@pytest.mark.parametrize("kind", ["zip", "tgz"])
@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(data=st.data())
def test_damaged_archives_are_read_or_refused(
    kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "a"
    good = (zipped(path, a=NEWS, b=CLICKS) if kind == "zip" else tarred(path, entry("a"), entry("b"))).read_bytes()
    begin = data.draw(st.integers(0, len(good)))
    path.write_bytes(good[:begin] + data.draw(st.binary(max_size=6)) + good[begin + data.draw(st.integers(0, 6)) :])
    try:
        assert all(isinstance(content, bytes) for content in contents(path).values())
    except UserError as error:
        assert "remove it to have it fetched again" in str(error)
