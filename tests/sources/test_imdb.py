"""Both IMDB sets: Maas et al.'s folders or archive, and the JSON array of JMARS."""

import gzip
import io
import json
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import UserError
from pipeline.sources import json_text
from pipeline.sources.base import Document
from pipeline.sources.imdb import Imdb
from pipeline.sources.imdb_maas import PACKED, ImdbMaas

SPLITS = {"splits": {"validation": 0.1, "test": 0.1, "seed": 1}, "drop_repeated": True}
REVIEWS = {
    "train/neg/0_3.txt": b"A dull film.<br /><br />Two hours\x85 gone.".replace(b"\x85", "\x85".encode()),
    "train/neg/10_1.txt": b"Worse than dull.",
    "train/pos/0_9.txt": b" A bright film. ",
    "test/neg/2_4.txt": b"Not for me.",
    "test/pos/7_10.txt": b"For me, na\xefve as I am.",
}


def maas(label: str = "sentiment") -> ImdbMaas:
    options: Any = ImdbMaas.Options.model_validate({"reader": "imdb_maas", "label": label} | SPLITS)
    return ImdbMaas("imdb_maas", options)


def write_folder(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / "aclImdb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def tar(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(f"aclImdb/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def fetched(local: Path, raw: Path, chosen: Imdb | ImdbMaas) -> Path:
    raw.mkdir()
    chosen.fetch(local, local, raw)
    return raw


def read(raw: Path, chosen: Imdb | ImdbMaas) -> tuple[list[Document], dict[str, int]]:
    skipped: Counter[str] = Counter()
    return list(chosen.read(raw, skipped)), dict(skipped)


def refusal(local: Path, chosen: Imdb | ImdbMaas) -> str:
    """What fetch is refused with, less the path of the folder."""
    (local.parent / "raw").mkdir()
    with pytest.raises(UserError) as caught:
        chosen.fetch(local, local, local.parent / "raw")
    assert list((local.parent / "raw").iterdir()) == []
    return str(caught.value).removeprefix(f"{local}/")


@pytest.fixture
def local(tmp_path: Path) -> Path:
    folder = tmp_path / "local"
    folder.mkdir()
    (folder / "README.md").write_text("what goes here\n")
    return folder


def test_files_are_documents_of_upstreams_splits(local: Path, tmp_path: Path) -> None:
    raw = fetched(write_folder(local, REVIEWS), tmp_path / "raw", maas())
    assert [path.name for path in raw.iterdir()] == [PACKED]
    documents, skipped = read(raw, maas())
    assert sorted((d.split, d.label, d.text, d.cleaned) for d in documents) == [
        ("test", "negative", "Not for me.", ()),
        ("test", "positive", "For me, na\ufffdve as I am.", ("not UTF-8",)),
        ("train", "negative", "A dull film.  Two hours… gone.", ("line-break tags", "mis-decoded cp1252")),
        ("train", "negative", "Worse than dull.", ()),
        ("train", "positive", "A bright film.", ()),
    ]
    assert skipped == {}
    assert {d.origin for d in documents} == {f"data/local/imdb_maas/{name}:1" for name in REVIEWS}
    assert sorted(d.label for d in read(raw, maas("rating"))[0]) == ["1", "10", "3", "4", "9"]


def test_a_folder_and_any_archive_give_the_same_bytes(local: Path, tmp_path: Path) -> None:
    others = {
        "README": b"read me",
        "train/unsup/0_0.txt": b"no label",
        "train/labeledBow.feat": b"9 0:9",
        "imdbEr.txt": b"",
    }
    raw = fetched(write_folder(local, REVIEWS | others), tmp_path / "raw", maas())
    expected = (raw / PACKED).read_bytes()
    for number, (name, mode) in enumerate(
        [("a.tar.gz", "w:gz"), ("a.tar.xz", "w:xz"), ("a.tar", "w"), ("a.tgz", "w:gz")]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / name).write_bytes(tar(others | dict(reversed(REVIEWS.items())), mode))
        maas().check(folder)
        assert (fetched(folder, tmp_path / f"raw{number}", maas()) / PACKED).read_bytes() == expected


def test_a_folder_of_links_is_read(local: Path, tmp_path: Path) -> None:
    write_folder(tmp_path / "mine", REVIEWS)
    for name in REVIEWS:
        (local / name).parent.mkdir(parents=True, exist_ok=True)
        (local / name).symlink_to(tmp_path / "mine" / "aclImdb" / name)
    assert len(read(fetched(local, tmp_path / "raw", maas()), maas())[0]) == 5


def test_a_file_of_another_name_and_an_empty_one_are_counted(local: Path, tmp_path: Path) -> None:
    odd = {
        "train/pos/notes.txt": b"x",
        "train/pos/1_11.txt": b"x",
        "train/pos/1_0.txt": b"x",
        "test/neg/._2_4.txt": b"x",
    }
    raw = fetched(write_folder(local, REVIEWS | odd | {"test/neg/3_1.txt": b"<br />"}), tmp_path / "raw", maas())
    documents, skipped = read(raw, maas())
    assert len(documents) == 5
    assert skipped == {"file name isn't <id>_<rating>.txt": 4, "empty text": 1}


def test_an_id_is_one_review_within_its_folder_alone(local: Path) -> None:
    assert {"train/neg/0_3.txt", "train/pos/0_9.txt"} < set(REVIEWS)  # two reviews
    write_folder(local, REVIEWS | {"train/pos/0_8.txt": b"again"})
    assert ": train/pos: 0_8.txt and 0_9.txt are one review; remove one" in refusal(local, maas())


@pytest.mark.parametrize("gone", ["train/pos/0_9.txt", "test/neg/2_4.txt"])
def test_a_missing_folder_is_refused(local: Path, gone: str) -> None:
    write_folder(local, {name: content for name, content in REVIEWS.items() if name != gone})
    assert refusal(local, maas()).endswith(
        f": no file in {gone.rpartition('/')[0]}; `python -m pipeline link imdb_maas aclImdb_v1.tar.gz` "
        "puts upstream's archive there"
    )


def test_check_says_what_to_link(local: Path) -> None:
    (local / "notes.txt").touch()
    with pytest.raises(
        UserError, match=r"no file in any of the folders train/neg, .*`python -m pipeline link imdb_maas "
    ):
        maas().check(local)


def test_two_ways_at_once_are_refused(local: Path) -> None:
    (local / "b.tar.gz").write_bytes(tar(REVIEWS))
    write_folder(local, REVIEWS)
    with pytest.raises(UserError, match=r"/b\.tar\.gz: the unpacked folder is there as well; remove one of the two$"):
        maas().check(local)
    (local / "a.tar").write_bytes(tar(REVIEWS, "w"))
    with pytest.raises(UserError, match=r"/b\.tar\.gz: a\.tar is there as well; remove one of the two$"):
        maas().check(local)


def with_header(archive: bytes, place: int) -> bytes:
    """The archive with a byte of the header at this place turned."""
    return archive[:place] + bytes([archive[place] ^ 1]) + archive[place + 1 :]


PLAIN = tar(REVIEWS, "w")
DAMAGED = {
    "cut gzip": ("a.tar.gz", tar(REVIEWS)[:-20]),
    "cut xz": ("a.tar.xz", tar(REVIEWS, "w:xz")[:-20]),
    "no archive": ("a.tar.gz", b"plain text"),
    "empty": ("a.tar", b""),
    "cut between members": ("a.tar", PLAIN[:2048]),
    "cut inside a member": ("a.tar", PLAIN[:1500]),
    "a broken header": ("a.tar", with_header(PLAIN, 3 * 1024 + 5)),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_archive_loses_no_review_silently(local: Path, name: str) -> None:
    file, content = DAMAGED[name]
    (local / file).write_bytes(content)
    message = refusal(local, maas())
    assert message.startswith(f"{file}: damaged after ")
    assert message.endswith("; copy or download it again")


def test_nothing_in_an_archive_leads_out_of_it(local: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("../../train/pos/1_9.txt", *REVIEWS):
            entry = tarfile.TarInfo(name)
            archive.addfile(entry)
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
            entry = tarfile.TarInfo("train/pos/5_9.txt")
            entry.type, entry.linkname = kind, str(tmp_path / "secret")
            archive.addfile(entry)
    (local / "a.tar").write_bytes(packed.getvalue())
    before = {path for path in tmp_path.rglob("*") if path.name != PACKED}
    raw = fetched(local, tmp_path / "raw", maas())
    assert {path for path in tmp_path.rglob("*") if path.name != PACKED} == before | {raw}
    with tarfile.open(raw / PACKED) as packed_again:
        assert sorted(packed_again.getnames()) == sorted([*REVIEWS, "train/pos/1_9.txt"])


def test_a_member_longer_than_any_review_is_refused(local: Path) -> None:
    (local / "a.tar.xz").write_bytes(tar(REVIEWS | {"train/pos/1_9.txt": bytes(2_000_000)}, "w:xz"))
    assert "aclImdb/train/pos/1_9.txt has 2,000,000 bytes; no review is that long" in refusal(local, maas())


def jmars() -> Imdb:
    options: Any = Imdb.Options.model_validate({"reader": "imdb"} | SPLITS)
    return Imdb("imdb", options)


def entry(review: Any = "A film.", rating: Any = 7, **others: Any) -> dict[str, Any]:
    return {
        "rating": rating,
        "title": "Film (1999)",
        "movie": "tt1",
        "review": review,
        "link": "l",
        "user": "ur1",
    } | others


def array(*entries: Any) -> bytes:
    return json.dumps(entries).encode()


def test_entries_are_documents(local: Path, tmp_path: Path) -> None:
    (local / "data.json").write_bytes(array(entry("Fine &amp; good."), entry("Bad.", "1"), entry("Best.", 10.0)))
    documents, skipped = read(fetched(local, tmp_path / "raw", jmars()), jmars())
    assert [(d.text, d.label, d.origin, d.split) for d in documents] == [
        ("Fine & good.", "7", "data/local/imdb/data.json:entry 1", None),
        ("Bad.", "1", "data/local/imdb/data.json:entry 2", None),
        ("Best.", "10", "data/local/imdb/data.json:entry 3", None),
    ]
    assert skipped == {}


def test_parts_are_read_in_the_order_of_their_numbers(local: Path, tmp_path: Path) -> None:
    for number in (10, 2, 1):
        content = array(entry(f"Part {number}."))
        name = f"data{number}.json" + ".gz" * (number == 2)
        (local / name).write_bytes(gzip.compress(content) if number == 2 else content)
    (local / "database.json").write_text("[]")
    documents, _ = read(fetched(local, tmp_path / "raw", jmars()), jmars())
    assert [d.text for d in documents] == ["Part 1.", "Part 2.", "Part 10."]


def test_what_is_no_review_is_counted_by_reason(local: Path, tmp_path: Path) -> None:
    odd = [entry(rating=None), entry(rating=0), entry(rating=11), entry(rating="x"), entry(rating=7.5)]
    odd += [entry(review=None), entry(review=["a"]), entry(review=" \n"), {"user": "ur1"}]
    (local / "data.json").write_bytes(array(*odd, entry()))
    documents, skipped = read(fetched(local, tmp_path / "raw", jmars()), jmars())
    assert [d.origin for d in documents] == ["data/local/imdb/data.json:entry 10"]
    assert skipped == {
        "no rating": 1,
        "rating isn't 1 to 10": 4,
        "no review": 2,
        "review is no text": 1,
        "empty text": 1,
    }


def test_an_array_is_read_piece_by_piece(local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Text {'é' * (7 * i % 50)} [number {{{i}}}]." for i in range(60)]
    content = json.dumps([entry(text) for text in texts], ensure_ascii=False, indent=1)
    (local / "data.json").write_bytes(b"\xef\xbb\xbf \n" + content.encode() + b"\n")
    for size in (1, 7, 64):
        monkeypatch.setattr(json_text, "CHUNK", size)
        documents, _ = read(fetched(local, tmp_path / f"raw{size}", jmars()), jmars())
        assert [d.text for d in documents] == texts


BROKEN = {
    "cut in an entry": (array(entry(), entry())[:-9], "entry 2: broken JSON: "),
    "cut after an entry": (array(entry())[:-1], "the end of the file after entry 1, not ',' or ']'; copy or download"),
    "no comma": (array(entry())[:-1] + b" {}]", "'{' after entry 1, not ',' or ']'; copy or download it again"),
    "a comma too many": (array(entry())[:-1] + b",]", "entry 2: broken JSON: Expecting value; copy or download"),
    "more after the end": (array(entry()) + b"[]", "'[' after the array's end; link the file as published"),
    "lines": (json.dumps(entry()).encode(), "begins with '{', not with a JSON array's '['; link the file"),
    "another entry": (array(entry(), 3), "entry 2: not a JSON object but int; link the file as published"),
    "no entry": (b" [ ] ", "has no review; link the file as published"),
    "nothing": (b"", "begins with '', not with a JSON array's '['"),
    "brackets": (b"[" * 100_000, "entry 1: broken JSON: "),
    "a long number": (b"[" + b"9" * 5000 + b"]", "entry 1: broken JSON: "),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_array_is_refused_with_its_entry(local: Path, name: str) -> None:
    content, message = BROKEN[name]
    (local / "data.json").write_bytes(content)
    assert refusal(local, jmars()).startswith(f"data.json: {message}")


def test_an_entry_without_end_is_refused_soon(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "CHUNK", 10)
    monkeypatch.setattr(json_text, "LONGEST", 1000)
    (local / "data.json").write_bytes(b'[{"review": "' + b"x" * 100_000)
    assert refusal(local, jmars()).startswith("data.json: entry 1: broken JSON: Unterminated string")


def test_a_damaged_gz_is_refused(local: Path) -> None:
    (local / "data.json.gz").write_bytes(gzip.compress(array(*[entry(f"Text {i}.") for i in range(500)]))[:-20])
    assert refusal(local, jmars()).startswith("data.json.gz: damaged after entry ")


def test_missing_files_and_doubles_are_told(local: Path) -> None:
    (local / "notes.txt").touch()
    with pytest.raises(
        UserError, match=r"/data\.json: no such file; `python -m pipeline link imdb FILE` puts it there$"
    ):
        jmars().check(local)
    for name in ("data.json", "data1.json"):
        (local / name).write_bytes(array(entry()))
    with pytest.raises(UserError, match=r"/data\.json: parts are there as well \(data1\.json\); remove"):
        jmars().check(local)
    (local / "data1.json.gz").write_bytes(gzip.compress(array(entry())))
    with pytest.raises(UserError, match=r"/data1\.json\.gz: data1\.json is there as well; remove one of the two$"):
        jmars().check(local)
