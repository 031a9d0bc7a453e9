"""The files of a pretrained news encoder: whose they are, what they must be, and where they are fetched from."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import UserError
from pipeline.sources import news_encoder
from pipeline.sources.news_encoder import NewsEncoderOptions
from tests import language_model


def options(pretrained: str = "small", revision: str | None = None) -> NewsEncoderOptions:
    return NewsEncoderOptions(pretrained=pretrained, revision=revision)


def test_a_folder_of_the_users_own_counts_and_nothing_is_fetched(tmp_path: Path) -> None:
    language_model.write(tmp_path / "local/small")
    assert news_encoder.remote(options(), tmp_path / "local") == ()
    news_encoder.check(options(), tmp_path / "local", "mind")
    (tmp_path / "raw").mkdir()
    news_encoder.bring(options(), tmp_path / "downloads", tmp_path / "local", tmp_path / "raw")
    assert sorted(path.name for path in (tmp_path / "raw/encoder").iterdir()) == sorted(news_encoder.FILES)


def test_a_model_of_the_hub_is_fetched_at_its_revision(tmp_path: Path) -> None:
    named = options("owner/name", "abc123")
    news_encoder.check(named, tmp_path / "local", "mind")
    files = news_encoder.remote(named, tmp_path / "local")
    assert [file.urls for file in files] == [
        (f"https://huggingface.co/owner/name/resolve/abc123/{name}",) for name in news_encoder.FILES
    ]
    language_model.write(tmp_path / "upstream")
    (tmp_path / "downloads").mkdir()
    (tmp_path / "raw").mkdir()
    for file, name in zip(files, news_encoder.FILES, strict=True):
        (tmp_path / "downloads" / file.name).write_bytes((tmp_path / "upstream" / name).read_bytes())
    news_encoder.bring(named, tmp_path / "downloads", tmp_path / "local", tmp_path / "raw")
    for name in news_encoder.FILES:
        assert (tmp_path / "raw/encoder" / name).read_bytes() == (tmp_path / "upstream" / name).read_bytes()


def no_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def pickle(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\x80\x02}q\x00.")


def no_config(folder: Path) -> None:
    (folder / "config.json").write_text("[]")


FAULTS: dict[Callable[[Path], None], str] = {
    no_weights: r"small/model\.safetensors: no such file",
    pickle: r"model\.safetensors: can't be read as safetensors .*copy the file anew",
    no_config: r"config\.json: names no model_type; take a model that the library transformers knows",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_folder_with_a_fault_is_refused(tmp_path: Path, fault: Callable[[Path], None]) -> None:
    language_model.write(tmp_path / "small")
    fault(tmp_path / "small")
    with pytest.raises(UserError, match=FAULTS[fault]):
        news_encoder.check(options(), tmp_path, "mind")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (options("minilm", "abc"), r"pretrained: .*minilm isn't there, and 'minilm' is no owner/name"),
        (options("owner/name"), r"data\.mind\.source\.news_encoder\.revision: missing; name the commit"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(tmp_path: Path, named: NewsEncoderOptions, message: str) -> None:
    with pytest.raises(UserError, match=message):
        news_encoder.check(named, tmp_path, "mind")
