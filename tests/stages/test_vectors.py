"""Stage `vectors`: the published file, or the user's own."""

from pathlib import Path

import pytest

from pipeline import paths
from pipeline.errors import UserError
from pipeline.sources import glove_package
from pipeline.stages import vectors
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
