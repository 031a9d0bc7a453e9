"""Stage `vectors`: the published file, or the user's own."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.params import PRETRAINED
from pipeline.sources import glove_package, word_vectors
from pipeline.stages import vectors
from tests.sources import faulty
from tests.stages import own


def named(name: str) -> dict[str, object]:
    return own.params().vectors.model_dump() | {"pretrained": name}


@pytest.mark.usefixtures("workspace")
def test_a_named_file_comes_from_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glove_package, "write", lambda path: path.write_text("the 0.5\n"))
    vectors.run(own.params(vectors=named("glove.6B.50d")))
    assert [path.name for path in paths.VECTORS.iterdir()] == ["glove.6B.50d.txt"]


@pytest.mark.usefixtures("workspace")
def test_an_own_file_is_copied_also_through_a_link_and_is_the_only_one(tmp_path: Path) -> None:
    (paths.local("vectors") / "deep").mkdir(parents=True)
    (tmp_path / "elsewhere.txt").write_text("the 0.5\n")
    (paths.local("vectors") / "deep" / "mine.txt").symlink_to(tmp_path / "elsewhere.txt")
    paths.VECTORS.mkdir(parents=True)
    (paths.VECTORS / "old.txt").touch()
    vectors.run(own.params(vectors=named("deep/mine.txt")))
    (copied,) = paths.VECTORS.iterdir()
    assert (copied.name, copied.read_text(), copied.is_symlink()) == ("mine.txt", "the 0.5\n", False)


@pytest.mark.usefixtures("workspace")
def test_a_missing_file_is_named_and_the_older_vectors_stay() -> None:
    paths.VECTORS.mkdir(parents=True)
    (paths.VECTORS / "old.txt").touch()
    with pytest.raises(UserError, match=r"^data/local/vectors/tiny\.txt: no such file; .* or set vectors\.pretrained$"):
        vectors.run(own.params())
    assert [path.name for path in paths.VECTORS.parent.iterdir()] == ["vectors"]
    assert [path.name for path in paths.VECTORS.iterdir()] == ["old.txt"]


def test_every_named_file_is_known() -> None:
    assert {glove_package.NAME, *word_vectors.PUBLISHED} == set(PRETRAINED)
    for name, published in word_vectors.PUBLISHED.items():
        assert published.file.size
        assert published.file.checksum
        assert all(url.startswith("https://") and url.endswith(published.file.name) for url in published.file.urls)
        assert published.stored.endswith((".zip", ".txt.gz", ".bin.gz")), name


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("glove.6B.300d", "glove.6B.zip"),
        ("glove-wiki-gigaword-50", "glove-wiki-gigaword-50.txt.gz"),
        ("word2vec-google-news-300", "word2vec-google-news-300.bin.gz"),
    ],
)
def test_named_vectors_are_fetched_once(monkeypatch: pytest.MonkeyPatch, name: str, stored: str) -> None:
    published = word_vectors.PUBLISHED[name]
    content = (b"PK" if stored.endswith(".zip") else b"\x1f\x8b") + b" and so on"
    with faulty.serving() as server:
        urls = (server.url("/a", faulty.gives(content)),)
        file = replace(published.file, urls=urls, size=None, checksum=None)
        monkeypatch.setitem(word_vectors.PUBLISHED, name, replace(published, file=file))
        for _ in range(2):
            vectors.run(own.params(vectors=named(name)))
            (copied,) = paths.VECTORS.iterdir()
            assert (copied.name, copied.read_bytes()) == (stored, content)
        assert len(server.asked) == 1
    assert (paths.downloads("vectors") / file.name).read_bytes() == content


@pytest.mark.usefixtures("workspace")
def test_damaged_vectors_leave_the_older_ones() -> None:
    paths.VECTORS.mkdir(parents=True)
    (paths.VECTORS / "old.txt").touch()
    path = paths.downloads("vectors") / "glove.840B.300d.zip"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PK and so on")
    with pytest.raises(UserError, match=r"glove\.840B\.300d\.zip: has 12 bytes, not the 2,176,768,927 that were publ"):
        vectors.run(own.params(vectors=named("glove.840B.300d")))
    assert [path.name for path in paths.VECTORS.iterdir()] == ["old.txt"]
