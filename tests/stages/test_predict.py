"""Predictions for texts of the user's own, from a run's folder."""

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from pipeline.errors import UserError
from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.stages import predict
from pipeline.text import vocabulary
from tests.models.small import NO_FASTFORMER, options_of

pytestmark = pytest.mark.usefixtures("workspace")

WORDS = ["good", "bad", "film", "not", "<b>"]
LABELS = ["neg", "pos"]
LONGEST = 6
RUN = Path("experiments/runs/own/fastformer/1")
SIZES: dict[str, Any] = {"vocabulary_size": len(WORDS) + 2, "max_length": LONGEST, "dropout": 0.5, "init_std": 0.5}
OPTIONS = options_of(**SIZES)


def write_run(folder: Path, options: ModelOptions = OPTIONS) -> torch.nn.Module:
    """What `train` leaves, with drawn weights, and the vocabulary; returns the model."""
    torch.manual_seed(1)
    model = build_classifier(options, classes=len(LABELS), vectors=None)
    folder.mkdir(parents=True)
    save_file(model.state_dict(), folder / "best.safetensors")
    text = {"tokenizer": "wordpunct", "lowercase": True}
    built = {"task": "classification", "labels": LABELS, "text": text, "model": asdict(options)}
    (folder / "model.json").write_text(json.dumps(built), encoding="utf-8")
    vocabulary.write(
        Path("data/prepared/own/vocabulary.json"), [("<pad>", 0), ("<unk>", 0), *((word, 1) for word in WORDS)]
    )
    return model.eval()


def answers(source: bytes, folder: Path = RUN, attention: Path | None = None) -> list[dict[str, Any]]:
    output = io.StringIO()
    predict.run(folder, io.BytesIO(source), output, attention)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_every_line_gets_what_the_model_says(capsys: pytest.CaptureFixture[str]) -> None:
    model = write_run(RUN)
    lines = [b"Good film", b"", b"bad bad bad bad not good film unheard"] * 50
    found = answers(b"\n".join(lines))
    assert [one["text"] for one in found] == [line.decode() for line in lines]
    ids = [[2, 4], None, [3, 3, 3, 3, 5, 2]]
    for one, text in zip(found, ids * 50, strict=True):
        if text is None:
            assert one == {"text": "", "label": None, "probability": None}
            continue
        with torch.no_grad():
            expected = model(torch.tensor([text]), torch.ones(1, len(text), dtype=torch.bool)).softmax(1)[0]
        np.testing.assert_allclose([one["probability"][label] for label in LABELS], expected, atol=1e-6)
        assert one["label"] == LABELS[int(expected.argmax())]
    assert capsys.readouterr().err == "150 text(s); 50 without a token, which got no label; 50 cut at 6 tokens\n"


def test_texts_are_cleaned_as_training_texts_are() -> None:
    write_run(RUN)
    found = answers("\ufeffgood<br />film &amp; more\x85\r\n".encode() + b"bad \xff\n")
    assert [one["text"] for one in found] == ["good film & more\u2026", "bad \ufffd"]


def test_the_page_has_the_maps_of_every_layer_and_head() -> None:
    write_run(RUN)
    page = Path("maps.html")
    answers(b"good <b> film\nbad\n" * 30, attention=page)
    html = page.read_text(encoding="utf-8")
    assert html.count("<section>") == predict.SHOWN
    for name in ("layer 1, alpha", "layer 1, beta", "layer 2, alpha", "layer 2, beta"):
        assert html.count(f"<h3>{name}</h3>") == predict.SHOWN
    assert html.count(">head 2</span>") == 4 * predict.SHOWN
    assert ">&lt;</span>" in html
    assert "<b>" not in html


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UserError, match=r"nowhere/model\.json: no such file; name a run's folder"):
        answers(b"good", Path("nowhere"))
    other = Path("experiments/runs/own/transformer/1")
    write_run(other, options_of(attention="transformer", **SIZES, **NO_FASTFORMER))
    assert len(answers(b"good", other)) == 1
    with pytest.raises(UserError, match="attention transformer, which has no alpha and beta"):
        answers(b"good", other, Path("maps.html"))
    assert not Path("maps.html").exists()
    vocabulary.write(Path("data/prepared/own/vocabulary.json"), [("<pad>", 0), ("<unk>", 0)])
    with pytest.raises(UserError, match=r"has 2 words, and the model of .* knows 7; `dvc repro`"):
        answers(b"good", other)
