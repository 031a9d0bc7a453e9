"""Stage `fetch`: the whole folder, or what was there before; upstream's files from where they lie, or from a server."""

import errno
import gzip
import io
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline import paths
from pipeline.__main__ import main
from pipeline.errors import UserError
from pipeline.files import root
from pipeline.params import Params, load
from pipeline.sources import ag_news, amazon, given, imdb, imdb_maas, mind_files
from pipeline.sources.remote import RemoteFile
from pipeline.stages import fetch
from tests.sources import faulty
from tests.sources.faulty import Faulty
from tests.sources.test_imdb import REVIEWS, tar
from tests.sources.test_mind_topics import TRAIN
from tests.stages import own


@pytest.mark.usefixtures("workspace")
def test_files_are_copied_and_a_file_no_longer_named_goes() -> None:
    own.write("reviews.jsonl", own.reviews())
    own.write("test.jsonl", own.reviews(4))
    fetch.run(own.params(source={"test": "test.jsonl"}), "own")
    assert sorted(path.name for path in paths.raw("own").iterdir()) == ["reviews.jsonl", "test.jsonl"]
    fetch.run(own.params(), "own")
    assert [path.name for path in paths.raw("own").iterdir()] == ["reviews.jsonl"]
    copied = (paths.raw("own") / "reviews.jsonl").read_bytes()
    assert copied == (paths.local("own") / "reviews.jsonl").read_bytes()


def test_a_failing_fetch_leaves_nothing_half_written(workspace: Path) -> None:
    own.write("reviews.jsonl", own.reviews())
    own.write("test.jsonl", own.reviews(4))
    with (paths.local("own") / "test.jsonl").open("a") as file:
        file.write("{broken\n")
    with pytest.raises(UserError, match=r"^data/local/own/test\.jsonl:5: broken JSON"):
        fetch.run(own.params(source={"test": "test.jsonl"}), "own")
    assert list((workspace / "data" / "raw").iterdir()) == []


def test_a_failing_fetch_leaves_the_older_files(workspace: Path) -> None:
    own.write("reviews.jsonl", own.reviews())
    fetch.run(own.params(), "own")
    before = own.hashes(workspace / "data" / "raw")
    with pytest.raises(UserError, match=r"data/local/own/gone\.csv: no such file"):
        fetch.run(own.params(source={"train": "gone.csv"}), "own")
    assert own.hashes(workspace / "data" / "raw") == before


def zipped(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_tsv", ".tsv"), content)
    return packed.getvalue()


REVIEW = gzip.compress(json.dumps({"reviewText": "A text.", "overall": 5.0}).encode() + b"\n", mtime=0)
JMARS = json.dumps([{"review": "A text.", "rating": 7}]).encode()
NEWS = b'"1","A title","A text"\n'
WRAPPED = zipped(MINDsmall_train__news_tsv=TRAIN, MINDsmall_train__behaviors_tsv="1\tU1\t\t\t\n")
FLAT = zipped(news_tsv=TRAIN, behaviors_tsv="1\tU1\t\t\t\n")

# Data set, what upstream's files hold, and what fetch makes of them.
UPSTREAM: dict[str, tuple[dict[str, bytes], dict[str, bytes]]] = {
    "amazon": ({"reviews_Electronics_5.json.gz": REVIEW}, {"reviews_Electronics_5.json.gz": REVIEW}),
    "imdb": ({"data.json": JMARS}, {"data.json": JMARS}),
    "imdb_maas": ({"aclImdb_v1.tar.gz": tar(REVIEWS)}, {"aclImdb.tar": b""}),
    "ag_news": ({"train.csv": NEWS, "test.csv": NEWS}, {"train.csv": NEWS, "test.csv": NEWS}),
    "mind_topics": (
        {"MINDsmall_train.zip": WRAPPED, "MINDsmall_dev.zip": FLAT},
        {"MINDsmall_train/news.tsv": TRAIN.encode(), "MINDsmall_dev/news.tsv": TRAIN.encode()},
    ),
}


def chosen(dataset: str, **source: Any) -> Params:
    """The shipped params with MIND's licence accepted."""
    values = load().model_dump(exclude_unset=True)
    licence = {"accept_licence": True} if dataset == "mind_topics" else {}
    values["data"][dataset]["source"] |= licence | source
    return Params.model_validate(values)


@pytest.fixture
def server(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faulty]:
    """A server that has all of UPSTREAM's files, from which the sources fetch without their published hashes."""
    assert root() == workspace
    contents = {name: content for files, _ in UPSTREAM.values() for name, content in files.items()}
    with faulty.serving() as running:

        def here(file: RemoteFile) -> RemoteFile:
            urls = (running.url(f"/{file.name}", faulty.gives(contents[file.name])),)
            return replace(file, urls=urls, size=None, checksum=None)

        for module in (imdb, imdb_maas):
            monkeypatch.setattr(module, "REMOTE", here(module.REMOTE))
        monkeypatch.setattr(ag_news, "REMOTE", tuple(map(here, ag_news.REMOTE)))
        of_mind, of_amazon = mind_files.remote, amazon.Amazon.remote
        monkeypatch.setattr(mind_files, "remote", lambda files: tuple(map(here, of_mind(files))))
        monkeypatch.setattr(amazon.Amazon, "remote", lambda self, local: tuple(map(here, of_amazon(self, local))))
        yield running


def raw(dataset: str) -> dict[str, bytes]:
    folder = paths.raw(dataset)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("dataset", UPSTREAM)
def test_upstreams_files_are_fetched_once(server: Faulty, dataset: str, capsys: pytest.CaptureFixture[str]) -> None:
    files, expected = UPSTREAM[dataset]
    fetch.run(chosen(dataset), dataset)
    found = raw(dataset)
    assert found.keys() == expected.keys()
    assert all(found[name] == content for name, content in expected.items() if content)
    assert sorted(path for path, _ in server.asked) == sorted(f"/{name}" for name in files)
    assert capsys.readouterr().out.count(": fetching a file from 127.0.0.1; ") == len(files)
    fetch.run(chosen(dataset), dataset)
    assert raw(dataset) == found
    assert len(server.asked) == len(files)


@pytest.mark.parametrize("dataset", UPSTREAM)
def test_files_put_there_by_hand_need_no_network_and_stay(server: Faulty, dataset: str) -> None:
    files, expected = UPSTREAM[dataset]
    folder = paths.downloads(dataset)
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    fetch.run(chosen(dataset), dataset)
    assert raw(dataset).keys() == expected.keys()
    assert server.asked == []
    assert all((folder / name).read_bytes() == content for name, content in files.items())


@pytest.mark.parametrize("dataset", UPSTREAM)
def test_the_users_own_files_come_first(server: Faulty, dataset: str) -> None:
    files, expected = UPSTREAM[dataset]
    if dataset == "mind_topics":
        files = expected
    for name, content in files.items():
        (paths.local(dataset) / name).parent.mkdir(parents=True, exist_ok=True)
        (paths.local(dataset) / name).write_bytes(content)
    fetch.run(chosen(dataset, **({"accept_licence": False} if dataset == "mind_topics" else {})), dataset)
    assert raw(dataset).keys() == expected.keys()
    assert server.asked == []


def test_without_the_licence_nothing_of_mind_is_fetched(server: Faulty) -> None:
    with pytest.raises(UserError, match=r"set data\.mind_topics\.source\.accept_licence to true$"):
        fetch.run(chosen("mind_topics", accept_licence=False), "mind_topics")
    assert server.asked == []


def test_files_that_no_one_publishes_are_asked_of_the_user(server: Faulty) -> None:
    with pytest.raises(UserError, match=r"amazon/mine\.json: no such file; `python -m pipeline link amazon FILE`"):
        fetch.run(chosen("amazon", file="mine.json"), "amazon")
    with pytest.raises(UserError, match=r"mind_topics/mine/news\.tsv: no such file; `python -m pipeline link mind_to"):
        fetch.run(chosen("mind_topics", files=["mine/news.tsv", "MINDsmall_dev/news.tsv"]), "mind_topics")
    assert server.asked == []


@pytest.mark.parametrize(
    ("file", "url"),
    [
        ("reviews_Books_5.json.gz", "https://snap.stanford.edu/data/amazon/productGraph/categoryFiles/"),
        ("Books_5.json.gz", "https://mcauleylab.ucsd.edu/public_datasets/data/amazon_v2/categoryFilesSmall/"),
    ],
)
def test_any_category_of_amazon_is_known(tmp_path: Path, file: str, url: str) -> None:
    options: Any = chosen_options(file)
    (remote,) = amazon.Amazon("amazon", options).remote(tmp_path)
    assert remote.urls[0] == url + file


def chosen_options(file: str) -> Any:
    values = own.params().model_dump()["data"]["own"]["source"]
    return amazon.AmazonOptions.model_validate(
        {"reader": "amazon", "file": file, "sample": None, "splits": values["splits"], "drop_repeated": False}
    )


def test_a_disk_that_is_full_while_files_are_copied_has_a_message(
    server: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "data/raw/.imdb.part/data.json")

    monkeypatch.setattr(given.shutil, "copyfile", full)
    monkeypatch.setattr(sys, "argv", ["pipeline", "fetch", "--dataset", "imdb"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == (
        "error: data/raw/.imdb.part/data.json: the disk is full (No space left on device); make room, and run it again"
    )
    assert not paths.raw("imdb").exists()
    assert (paths.downloads("imdb") / "data.json").read_bytes() == JMARS
    assert server.asked
