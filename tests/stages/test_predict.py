"""Predictions for texts of the user's own, from a run's folder."""

import io
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from pipeline.errors import UserError
from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.models.summarizer import SummarizerOptions, build_summarizer
from pipeline.stages import predict
from pipeline.text import vocabulary
from pipeline.text.articles import WRITTEN_SPECIALS
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


def test_damaged_weights_are_named_with_the_remedy() -> None:
    write_run(RUN)
    weights = RUN / "best.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(UserError, match=r"best\.safetensors: damaged .*; delete the run's folder and call `dvc repro`"):
        answers(b"fine words\n")


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


def write_summarizer(folder: Path) -> None:
    """The same of a summarizer, which has learned nothing."""
    options = SummarizerOptions(
        text=replace(OPTIONS, vocabulary_size=len(WRITTEN_SPECIALS) + 2),
        decoder_layers=1,
        summary_length=9,
        copy_words=True,
    )
    torch.manual_seed(1)
    folder.mkdir(parents=True)
    save_file(build_summarizer(options, vectors=None).state_dict(), folder / "best.safetensors")
    built = {
        "task": "summarization",
        "text": {"tokenizer": "wordpunct", "lowercase": True},
        "model": asdict(options),
        "search": {"beam": 2, "length_penalty": 1.0, "min_length": 3, "max_length": 9, "block_trigrams": True},
    }
    (folder / "model.json").write_text(json.dumps(built), encoding="utf-8")
    words = [*((special, 0) for special in WRITTEN_SPECIALS), ("the", 2), ("cat", 1)]
    vocabulary.write(Path("data/prepared/own/vocabulary.json"), words)


def test_an_article_gets_sentences_of_its_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    write_summarizer(RUN)
    lines = ["The zorilla &amp; the cat", " ", "the cat sat on the zorilla mat"]
    found = answers("\n".join(lines).encode())
    assert [one["text"] for one in found] == ["The zorilla & the cat", "", lines[2]]
    assert found[1] == {"text": "", "summary": None}
    for one in (found[0], found[2]):
        words = " ".join(one["summary"]).split()
        assert words
        assert set(words) <= {"the", "cat", *one["text"].lower().split()[:LONGEST]}
    assert "1 without a token, which got no summary; 1 cut at 6 tokens" in capsys.readouterr().err
    assert answers(lines[0].encode())[0] == found[0]


def test_what_a_summarizer_lacks_is_refused() -> None:
    write_summarizer(RUN)
    with pytest.raises(UserError, match=r"--attention: .* is of a summarizer, for which there is no page of maps"):
        answers(b"text", attention=Path("page.html"))
    vocabulary.write(Path("data/prepared/own/vocabulary.json"), [("<pad>", 0)])
    with pytest.raises(UserError, match=r"has 1 words, and the model of .* knows 7"):
        answers(b"text")


def test_a_model_for_another_task_is_refused() -> None:
    write_summarizer(RUN)
    (RUN / "model.json").write_text('{"task": "recommendation"}')
    with pytest.raises(UserError, match="its model is for recommendation, which takes more than a text"):
        answers(b"text")
