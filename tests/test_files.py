"""Whole files and folders, or what was there before."""

import hashlib
from pathlib import Path

import pytest

from pipeline import files


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_is_utf8_with_lf_and_makes_its_folder(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a" / "b.txt", "é\n\u2028\r\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\n\u2028\r\n".encode()
    assert names(tmp_path / "a") == ["b.txt"]


def test_an_interrupted_file_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    files.write_text(path, "old")

    def interrupted() -> None:
        with files.writing(path) as partial:
            partial.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"deep": [1.0, float("-inf")]}])
def test_json_refuses_what_json_has_not_and_keeps_the_old_file(tmp_path: Path, value: object) -> None:
    path = tmp_path / "a.json"
    files.write_json(path, {"old": True})
    with pytest.raises(ValueError, match="Out of range float"):
        files.write_json(path, value)
    assert files.read_json(path) == {"old": True}
    assert names(tmp_path) == ["a.json"]


def test_json_is_read_as_written(tmp_path: Path) -> None:
    value = {"text": "naïve \u2028 \U0001f600", "numbers": [1, 0.1, 1e-300], "nothing": None}
    files.write_json(tmp_path / "a.json", value)
    assert files.read_json(tmp_path / "a.json") == value
    assert "naïve" in (tmp_path / "a.json").read_text(encoding="utf-8")


def test_sha256_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc" * 100_000)
    assert files.sha256(tmp_path / "a") == hashlib.sha256(b"abc" * 100_000).hexdigest()


def test_a_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "target"
    for name in ("first", "second"):
        with files.writing_folder(target) as folder:
            assert names(folder) == []
            (folder / name).touch()
    assert names(target) == ["second"]
    assert names(target.parent) == ["target"]


@pytest.mark.parametrize("old", [True, False])
def test_an_interrupted_folder_leaves_what_was_there(tmp_path: Path, old: bool) -> None:
    target = tmp_path / "target"
    if old:
        target.mkdir()
        (target / "old").touch()

    def interrupted() -> None:
        with files.writing_folder(target) as folder:
            (folder / "half").touch()
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        interrupted()
    assert names(tmp_path) == (["target"] if old else [])
    assert not old or names(target) == ["old"]


def test_what_a_killed_run_left_is_cleared(tmp_path: Path) -> None:
    left = tmp_path / ".target.part"
    left.mkdir()
    (left / "stale").touch()
    with files.writing_folder(tmp_path / "target") as folder:
        (folder / "new").touch()
    assert names(tmp_path / "target") == ["new"]


def test_root_is_that_of_dvc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DVC_ROOT", raising=False)
    assert files.root() == tmp_path
    monkeypatch.setenv("DVC_ROOT", "/elsewhere")
    assert files.root() == Path("/elsewhere")
