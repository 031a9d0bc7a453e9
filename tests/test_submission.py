"""Submissions to MIND's leaderboard: what is written is valid, and what is wrong is named with its line."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.__main__ import app
from pipeline.errors import UserError
from pipeline.files import sha256
from pipeline.params import Params
from pipeline.stages import fetch, prepare
from pipeline.submission import ranks, validate, writing_submission
from pipeline.text.impressions import Impressions
from pipeline.text.ragged import Ragged
from tests.sources import mind_files

SCORES = [[0.1, 0.9, 0.5], [1.0], [2.0, 2.0, 3.0, -1.0], []]
LINES = ["3 [3,1,2]", "4 [1]", "9 [2,3,1,4]", "12 []"]
IDS = [3, 4, 9, 12]


def offsets_of(rows: list[list[float]]) -> np.ndarray:
    return np.cumsum([0, *map(len, rows)])


def flat(rows: list[list[float]]) -> np.ndarray:
    return np.array([score for row in rows for score in row], dtype=np.float64)


def expected() -> Impressions:
    count = len(IDS)
    candidates = Ragged(np.zeros(len(flat(SCORES)), np.int32), offsets_of(SCORES).astype(np.int64))
    zeros, small = np.zeros(count, np.int64), np.zeros(count, np.int32)
    return Impressions("unlabelled", np.array(IDS), zeros, small, small, candidates, None, None)


def written(folder: Path) -> Path:
    """The submission of SCORES in two portions; its zip."""
    folder.mkdir(exist_ok=True)
    with writing_submission(folder) as submission:
        for some in (slice(0, 2), slice(2, 4)):
            submission.add(np.array(IDS[some]), flat(SCORES[some]), offsets_of(SCORES[some]))
    return folder / "prediction.zip"


def test_the_file_and_its_zip_hold_the_ranks(tmp_path: Path) -> None:
    archive = written(tmp_path)
    text = (tmp_path / "prediction.txt").read_text()
    assert text == "".join(f"{line}\n" for line in LINES)
    with zipfile.ZipFile(archive) as packed:
        assert packed.namelist() == ["prediction.txt"]
        assert packed.read("prediction.txt").decode() == text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prediction.txt", "prediction.zip"]
    assert validate(archive, None) == validate(tmp_path / "prediction.txt", expected()) == 4
    assert validate(archive, expected()) == 4
    assert sha256(written(tmp_path / "again")) == sha256(archive)


def test_a_failure_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="impression 3 stands behind 4"), writing_submission(tmp_path) as submission:
        submission.add(np.array([4, 3]), np.zeros(2), np.array([0, 1, 2]))
    assert list(tmp_path.iterdir()) == []


def test_a_nan_has_no_rank() -> None:
    with pytest.raises(ValueError, match="the score of candidate 1 is NaN"):
        ranks(np.array([0.0, np.nan]), np.array([0, 2]))


@settings(derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(st.sampled_from([0.0, -0.0, 0.5, 1.0, np.inf, -np.inf]), max_size=12), max_size=6))
def test_ranks_are_a_stable_sort_and_always_valid(tmp_path: Path, rows: list[list[float]]) -> None:
    found = np.split(ranks(flat(rows), offsets_of(rows)), offsets_of(rows)[1:-1])
    for row, mine in zip(rows, found, strict=False):
        order = sorted(range(len(row)), key=lambda place, row=row: -row[place])  # type: ignore[misc]
        assert [order.index(place) + 1 for place in range(len(row))] == mine.tolist()
    with writing_submission(tmp_path) as submission:
        submission.add(np.arange(len(rows)), flat(rows), offsets_of(rows))
    if rows:
        assert validate(tmp_path / "prediction.zip", None) == len(rows)


PLANTED = [
    ("3 [3, 1,2]", "has a blank between the brackets; the leaderboard cuts lines at blanks"),
    ("3 [3,1,2]\r", "reads b'3 [3,1,2]\\r', not an id, one blank and ranks in brackets, as 24 [3,1,2]"),
    ("3  [3,1,2]", "reads b'3  [3,1,2]', not an id"),
    ("3 3,1,2", "reads b'3 3,1,2', not an id"),
    ("", "reads b'', not an id"),
    ("3 [3,1,1]", "gives rank 1 twice"),
    ("3 [4,1,2]", "has '4' for a rank, where 1 to 3 are the ranks"),
    ("3 [2,1,0]", "has '0' for a rank, where 1 to 3 are the ranks"),
    ("3 [3,01,2]", "has '01' for a rank"),
    ("3 [3,1.0,2]", "has '1.0' for a rank"),
    ("3 [3,1,]", "has '' for a rank"),
    ("2 [3,1,2]", "impression 2 stands behind 2; ids must rise from line to line"),
]


@pytest.mark.parametrize(("line", "message"), PLANTED)
def test_a_planted_fault_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "prediction.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("prediction.txt", "\n".join(["1 [1]", "2 [1,2]", line, *LINES[1:], ""]))
    with pytest.raises(UserError) as caught:
        validate(path, None)
    assert str(caught.value).startswith(f"{path}: prediction.txt:3: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (LINES[:3], "ends after 3 of 4 impressions; write it again"),
        ([*LINES, "13 [1]"], "prediction.txt:5: is one line too many, split unlabelled has 4 impressions"),
        ([LINES[0], "5 [1]", *LINES[2:]], "prediction.txt:2: is on impression 5, where 4 belongs"),
        ([LINES[0], "4 [2,1]", *LINES[2:]], "prediction.txt:2: has 2 ranks, but impression 4 has 1 candidates"),
    ],
)
def test_a_file_on_other_impressions_is_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    path = tmp_path / "prediction.txt"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(UserError) as caught:
        validate(path, expected())
    assert message in str(caught.value)


def test_many_faults_are_named_up_to_twenty(tmp_path: Path) -> None:
    path = tmp_path / "prediction.txt"
    path.write_text("1 [2]\n" * 30)
    with pytest.raises(UserError) as caught:
        validate(path, None)
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (21, f"{path}: ... and 10 more lines with faults")


@pytest.mark.parametrize(
    ("names", "held"),
    [
        (["folder/prediction.txt"], "folder/prediction.txt"),
        (["prediction.txt", "a"], "prediction.txt, a"),
        ([], "nothing"),
    ],
)
def test_a_zip_with_anything_else_is_refused(tmp_path: Path, names: list[str], held: str) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name in names:
            packed.writestr(name, "1 [1]\n")
    with pytest.raises(UserError, match=f"must hold prediction.txt alone and in no folder, not {held};"):
        validate(path, None)


def test_what_is_no_submission_is_refused(tmp_path: Path) -> None:
    archive = written(tmp_path)
    content = bytearray(archive.read_bytes())
    content[50] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(content)
    (tmp_path / "text.zip").write_text("1 [1]\n")
    (tmp_path / "empty.txt").write_text("")
    for name, message in (
        ("damaged.zip", "damaged"),
        ("text.zip", "is no zip file"),
        ("empty.txt", "is empty"),
        ("none.zip", "no such file"),
    ):
        with pytest.raises(UserError, match=message):
            validate(tmp_path / name, None)


def test_the_command_checks_against_the_prepared_split(workspace: Path) -> None:
    values = pipeline_params.load().model_dump(exclude_unset=True)
    values["data"]["mind"]["source"] |= {"train": "train", "test": "dev", "unlabelled": "test"}
    params = Params.model_validate(values)
    mind_files.write(paths.local("mind"))
    fetch.run(params, "mind")
    prepare.run(params, "mind")
    path = workspace / "prediction.txt"
    path.write_text("7 [3,1,2]\n8 [1]\n")
    done = CliRunner().invoke(app, ["validate", str(path), "--dataset", "mind"])
    assert (done.exit_code, done.stdout) == (0, f"{path}: 2 impressions, each with its ranks\n")
    path.write_text("7 [2,1]\n8 [1]\n")
    failed = CliRunner().invoke(app, ["validate", str(path), "--dataset", "mind"])
    assert isinstance(failed.exception, UserError)
    assert "prediction.txt:1: has 2 ranks, but impression 7 has 3 candidates" in str(failed.exception)
