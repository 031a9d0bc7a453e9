"""A small world for the stages: params with one data set `own`, and its table."""

import hashlib
import json
from pathlib import Path
from typing import Any

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.params import Params
from pipeline.stages import fetch, prepare

REPOSITORY = Path(__file__).parents[2]
SOURCE: dict[str, Any] = {
    "reader": "tabular",
    "train": "reviews.jsonl",
    "validation": None,
    "test": None,
    "text_column": "text",
    "label_column": "label",
    "splits": {"validation": 0.2, "test": 0.2, "seed": 1},
    "drop_repeated": False,
}
TEXT: dict[str, Any] = {
    "tokenizer": "wordpunct",
    "lowercase": True,
    "min_count": 1,
    "max_words": None,
    "max_length": 8,
}
VARIANT = {"attention": "fastformer", "interaction": "product", "sharing": "qv_layer", "scoring": "full"}
KINDS = ("pretrained", "frozen", "random", "word2vec")
"""Each kind of vectors is also the name of a variant that starts from it."""


def params(source: dict[str, Any] | None = None, text: dict[str, Any] | None = None, **sections: Any) -> Params:
    """The repository's params.yaml with the data set `own` and a variant per kind of vectors."""
    values = pipeline_params.load(REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
    data = {"source": SOURCE | (source or {}), "text": {}, "model": {}, "training": {}}
    values |= {
        "datasets": ["own"],
        "variants": ["random"],
        "ablations": {"datasets": [], "variants": []},
        "text": TEXT | (text or {}),
        "vectors": {
            "pretrained": "tiny.txt",
            "case": "exact",
            "seed": 1,
            "random": {"dim": 3, "std": 0.5},
            "word2vec": {"dim": 4, "window": 2, "epochs": 2},
        },
        "variant": {kind: VARIANT | {"vectors": kind} for kind in KINDS},
        "data": {"own": data},
    }
    return Params.model_validate(values | sections)


def write(name: str, rows: list[tuple[str | None, str | None]]) -> None:
    """A table of the user's below the current folder."""
    path = paths.local("own") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))


def reviews(count: int = 40) -> list[tuple[str | None, str | None]]:
    """Texts whose label is plain from a word."""
    words = {"good": "fine", "bad": "poor"}
    return [(f"a {words[label]} film number{i} .", label) for i in range(count // 2) for label in words]


def prepared(chosen: Params) -> Path:
    """The folder of the prepared data set, made by the stages."""
    fetch.run(chosen, "own")
    prepare.run(chosen, "own")
    return paths.prepared("own")


def hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
