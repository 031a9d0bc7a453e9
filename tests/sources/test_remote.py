"""What the sources say of upstream's files."""

import re
from pathlib import Path

import pytest

from pipeline import params as pipeline_params
from pipeline import registry
from pipeline.sources.remote import RemoteFile
from pipeline.sources.word_vectors import PUBLISHED

FETCHED = {
    "amazon": ["reviews_Electronics_5.json.gz"],
    "imdb": ["data.json"],
    "imdb_maas": ["aclImdb_v1.tar.gz"],
    "ag_news": ["train.csv", "test.csv"],
    "mind_topics": ["MINDsmall_train.zip", "MINDsmall_dev.zip"],
    "mind": ["MINDsmall_train.zip", "MINDsmall_dev.zip"],
    "cnn_dailymail": ["cnn_stories.tgz", "dailymail_stories.tgz", "all_train.txt", "all_val.txt", "all_test.txt"],
    "pubmed": ["pubmed-dataset.zip"],
}


def remote(root: Path, dataset: str, local: Path) -> list[RemoteFile]:
    options = pipeline_params.load(root / "params.yaml").data[dataset].source
    return list(registry.load(registry.SOURCES, options.reader)(dataset, options).remote(local))


def test_the_shipped_sets_that_are_fetched_are_these(root: Path, tmp_path: Path) -> None:
    datasets = pipeline_params.load(root / "params.yaml").data
    found = {dataset: [file.name for file in remote(root, dataset, tmp_path)] for dataset in datasets}
    assert {dataset: names for dataset, names in found.items() if names} == FETCHED


@pytest.mark.parametrize("dataset", FETCHED)
def test_nothing_is_fetched_where_the_user_has_a_file(root: Path, tmp_path: Path, dataset: str) -> None:
    for name in ("README.md", ".gitkeep"):
        (tmp_path / name).touch()
    assert remote(root, dataset, tmp_path)
    (tmp_path / "mine.txt").touch()
    assert remote(root, dataset, tmp_path) == []


def test_what_is_said_of_a_file_is_whole(root: Path, tmp_path: Path) -> None:
    files = [file for dataset in FETCHED for file in remote(root, dataset, tmp_path)]
    files += [published.file for published in PUBLISHED.values()]
    assert len(files) > 20
    for file in files:
        assert file.urls
        assert len(set(file.urls)) == len(file.urls)
        assert all(url.startswith("https://") for url in (*file.urls, file.page))
        assert file.terms
        if file.checksum:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}", file.checksum), file.name
