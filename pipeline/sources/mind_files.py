"""MIND's archives (Wu et al., ACL 2020, https://msnews.github.io/), of which each holds a folder that options name.

Sizes and hashes are those that recommenders' tests/data_validation/recommenders/datasets/test_mind.py (MIT) expects of
its mirror. Microsoft's own storage (mind201910small.blob.core.windows.net) is closed: it answers 409. Its archives had
the files at their top, these have them in a folder.
"""

from collections.abc import Sequence
from pathlib import Path

from pipeline.errors import UserError
from pipeline.section import SourceOptions
from pipeline.sources.remote import RemoteFile
from pipeline.sources.unpack import unpack

PAGE = "https://msnews.github.io/"
LICENCE = "https://github.com/msnews/MIND/blob/master/MSR%20License_Data.pdf"
MIRRORS = (
    "https://huggingface.co/datasets/Recommenders/MIND/resolve/main",
    "https://recodatasets.z20.web.core.windows.net/newsrec",
)

_ARCHIVES: dict[str, tuple[int | None, str | None]] = {
    "MINDdemo_train": (17_372_879, "66b4bd16ce4322e71ed7f2ec238cf0708d6b0b04651fe7e9bae7b7dd5e17bc40"),
    "MINDdemo_dev": (10_080_022, "99def74b59c7e423854b79d4b68757e9e49813d8fc0cce6ee172bf5b3240f01d"),
    "MINDsmall_train": (52_994_575, "0d6d50cfb534b494a1153694f8a488170b28b0ac1c254363b565aa6b11c7761f"),
    "MINDsmall_dev": (30_948_560, "e3db712b7eb4339bc1729c5a0075c2e8204107690f9d5f0f974de4852622564f"),
    "MINDlarge_train": (531_360_717, "6a73f3b9ab3ba208895a18c1ac542dcf6bc9c7b817af433e60282d041cfec427"),
    "MINDlarge_dev": (103_592_887, "526a6486eed6b4053b9460c42aac7239c1234cfecaf82a3c345b742d3521642f"),
    "MINDlarge_test": (None, None),
}
"""Size in bytes and sha256 of each folder's archive."""

_UNPACKED = {
    "MINDdemo_train": {"news.tsv": 23_120_370, "behaviors.tsv": 14_707_247},
    "MINDdemo_dev": {"news.tsv": 15_624_320, "behaviors.tsv": 4_434_762},
    "MINDsmall_train": {"news.tsv": 41_202_121, "behaviors.tsv": 92_019_716},
    "MINDsmall_dev": {"news.tsv": 33_519_092, "behaviors.tsv": 42_838_544},
    "MINDlarge_train": {"news.tsv": 84_881_998, "behaviors.tsv": 1_373_844_151},
    "MINDlarge_dev": {"news.tsv": 59_055_351, "behaviors.tsv": 230_662_527},
}


def remote(files: Sequence[str]) -> tuple[RemoteFile, ...]:
    """The archives that hold these files, named as `MINDsmall_train/news.tsv`; none where one isn't MIND's."""
    wanted = _by_folder(files)
    if not wanted.keys() <= _ARCHIVES.keys():
        return ()
    return tuple(_remote(folder, names) for folder, names in wanted.items())


def _remote(folder: str, names: list[str]) -> RemoteFile:
    size, sha256 = _ARCHIVES[folder]
    sizes = _UNPACKED.get(folder, {})
    return RemoteFile(
        f"{folder}.zip",
        tuple(f"{mirror}/{folder}.zip" for mirror in MIRRORS),
        page=PAGE,
        terms=f"for non-commercial research only, {LICENCE}",
        size=size,
        checksum=f"sha256:{sha256}" if sha256 else None,
        unpacked=sum(sizes[name] for name in names) if sizes.keys() >= set(names) else None,
    )


def unpacked(downloads: Path, raw: Path, files: Sequence[str]) -> None:
    """Writes the files out of their archives in `downloads` into `raw`. UserError where one isn't in its archive."""
    for folder, names in _by_folder(files).items():
        unpack(downloads / f"{folder}.zip", {name: raw / folder / name for name in names})


def expect_licence(accepted: bool, dataset: str) -> None:
    """UserError, with what to do, unless the user has said in params.yaml that they accept MIND's licence."""
    if not accepted:
        raise UserError(
            f"MIND is for non-commercial research only; read its licence ({LICENCE}), and if you accept it, set "
            f"data.{dataset}.source.accept_licence to true"
        )


def _by_folder(files: Sequence[str]) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = file.partition("/")
        folders.setdefault(folder, []).append(name)
    return folders


class MindLicence(SourceOptions):
    """`accept_licence`: whether the user accepts MIND's licence, without which `fetch` brings none of it."""

    accept_licence: bool
