"""Links to the user's own files."""

from pathlib import Path

import pytest

from pipeline.errors import UserError
from pipeline.params import load
from pipeline.sources.local import link


@pytest.fixture
def mine(workspace: Path) -> Path:
    """The user's own folder, inside the workspace only so that it goes with it."""
    folder = workspace / "mine"
    (folder / "deep").mkdir(parents=True)
    (folder / "reviews.csv").write_text("text,label\n")
    (folder / "deep" / "more.csv").write_text("more\n")
    return folder


@pytest.mark.parametrize("relative", [True, False])
def test_a_file_is_linked(mine: Path, relative: bool) -> None:
    made = link(load(), "own", "mine/reviews.csv" if relative else str(mine / "reviews.csv"))
    assert made == [Path("data/local/own/reviews.csv")]
    assert made[0].is_symlink()
    assert made[0].resolve() == mine / "reviews.csv"


@pytest.mark.usefixtures("mine")
def test_a_folder_is_linked_file_by_file() -> None:
    made = link(load(), "own", "mine")
    assert made == [Path("data/local/own/deep/more.csv"), Path("data/local/own/reviews.csv")]
    assert all(path.is_symlink() for path in made)
    assert not made[0].parent.is_symlink()
    assert made[0].read_text() == "more\n"


def test_an_older_link_is_replaced_also_one_to_nowhere(mine: Path) -> None:
    target = Path("data/local/own/reviews.csv")
    target.parent.mkdir(parents=True)
    for old in ("deep/more.csv", "gone.csv"):
        target.unlink(missing_ok=True)
        target.symlink_to(mine / old)
        link(load(), "own", "mine/reviews.csv")
        assert target.resolve() == mine / "reviews.csv"


@pytest.mark.usefixtures("mine")
def test_a_real_file_is_never_replaced_nor_half_a_folder_linked() -> None:
    target = Path("data/local/own/reviews.csv")
    target.parent.mkdir(parents=True)
    target.write_text("mine\n")
    for path in ("mine", "mine/reviews.csv", str(target)):
        with pytest.raises(UserError, match=r"^data/local/own/reviews\.csv: a file of that name lies there; move it"):
            link(load(), "own", path)
    assert target.read_text() == "mine\n"
    assert [path.name for path in target.parent.iterdir()] == ["reviews.csv"]


def test_what_cant_be_linked_is_refused(mine: Path) -> None:
    (mine / "empty").mkdir()
    for dataset, path, message in (
        ("owm", "mine", r"^unknown data set 'owm'; legal: .*; did you mean own\?$"),
        ("own", "nowhere", r"^nowhere: no such file or folder$"),
        ("own", "mine/empty", r"^mine/empty: an empty folder; name a file"),
    ):
        with pytest.raises(UserError, match=message):
            link(load(), dataset, path)
    assert not Path("data").exists()
