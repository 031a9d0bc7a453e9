"""The files of a pretrained news encoder (PLM-NR): a model of the Hugging Face Hub, or a folder of the user's own.

Plain data alone are read: a tokenizer.json, a config.json, and weights in model.safetensors, never a pickle or a
program. What the Hub gives is pinned by its revision and, from the first time on, by its hashes in data/checksums.txt.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from safetensors import SafetensorError, safe_open

from pipeline.errors import UserError
from pipeline.section import FileName, Section
from pipeline.sources import given
from pipeline.sources.remote import RemoteFile

CONFIG, TOKENIZER, WEIGHTS = FILES = ("config.json", "tokenizer.json", "model.safetensors")
FOLDER = "encoder"
"""Their folder in data/raw/<data set> and data/prepared/<data set>."""


class NewsEncoderOptions(Section):
    """`pretrained` is a folder below data/local/<data set>, else `owner/name` of the Hub at that `revision`."""

    pretrained: FileName
    revision: Annotated[str, Field(pattern=r"^[\w.-]{1,64}$")] | None


def is_local(options: NewsEncoderOptions, local: Path) -> bool:
    """Whether the user has a folder of that name, which then counts."""
    return (local / options.pretrained).is_dir()


def remote(options: NewsEncoderOptions, local: Path) -> Sequence[RemoteFile]:
    """The files to fetch: none where the user has the folder."""
    if is_local(options, local):
        return ()
    page = f"https://huggingface.co/{options.pretrained}"
    return [
        RemoteFile(
            f"{_prefix(options)}.{name}",
            (f"{page}/resolve/{options.revision}/{name}",),
            page=f"{page}/tree/{options.revision}",
            terms="on the terms that its page states",
        )
        for name in FILES
    ]


def check(options: NewsEncoderOptions, local: Path, dataset: str) -> None:
    """Raises UserError where a file is missing or isn't what it should be, or where there is nothing of that name."""
    key = f"data.{dataset}.source.news_encoder"
    if is_local(options, local):
        for name in FILES:
            given.required(local, f"{options.pretrained}/{name}", dataset)
        expect_whole(local / options.pretrained)
    elif options.pretrained.count("/") != 1:
        raise UserError(
            f"{key}.pretrained: {local / options.pretrained} isn't there, and {options.pretrained!r} is no owner/name "
            f"of the Hugging Face Hub; copy a folder with {', '.join(FILES)} there, or name such a model"
        )
    elif options.revision is None:
        raise UserError(
            f"{key}.revision: missing; name the commit of {options.pretrained} (its page lists them), so that a later "
            "one changes no result"
        )


def bring(options: NewsEncoderOptions, downloads: Path, local: Path, raw: Path) -> None:
    """Copies the files into raw/encoder, from the user's folder or from what was fetched."""
    (raw / FOLDER).mkdir()
    for name in FILES:
        folder, file = local, f"{options.pretrained}/{name}"
        if not is_local(options, local):
            folder, file = downloads, f"{_prefix(options)}.{name}"
        (raw / FOLDER / name).write_bytes((folder / file).read_bytes())
    expect_whole(raw / FOLDER)


def expect_whole(folder: Path) -> None:
    """Raises UserError where the configuration or the weights can't be read."""
    try:
        config: Any = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        known = isinstance(config, dict) and "model_type" in config
    except ValueError:
        known = False
    if not known:
        raise UserError(f"{folder / CONFIG}: names no model_type; take a model that the library transformers knows")
    try:
        with safe_open(folder / WEIGHTS, framework="numpy"):
            pass
    except SafetensorError as error:
        raise UserError(f"{folder / WEIGHTS}: can't be read as safetensors ({error}); copy the file anew") from None


def _prefix(options: NewsEncoderOptions) -> str:
    return f"{options.pretrained.replace('/', '--')}.{options.revision}"
