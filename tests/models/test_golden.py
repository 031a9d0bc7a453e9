"""Values and gradients of the official PyTorch implementation, reproduced from its weights.

The file holds float64 numbers of github.com/wuch15/Fastformer, run once with random weights: an encoder of two unshared
layers, dim 24, 4 heads, feed-forward 40, 16 positions. GOLDEN_DIR names another folder that holds such a file.
"""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from pipeline.attention import fastformer_direct
from pipeline.attention.fastformer import FastformerAttention
from pipeline.attention.operations import Form
from pipeline.models.embedding import TextEmbedding
from pipeline.models.encoder import Encoder, EncoderLayer
from pipeline.models.pooling import AdditivePooling

FIXTURES = Path(__file__).parents[1] / "fixtures" / "golden"
DIM, HEADS, FEEDFORWARD, POSITIONS = 24, 4, 40, 16
SCORE_BIASES = ("query_scores.bias", "key_scores.bias", "pooling.score.bias")

Pool = Callable[[AdditivePooling, Tensor, Tensor], Tensor]


@cache
def golden() -> dict[str, Tensor]:
    folder = Path(os.environ.get("GOLDEN_DIR") or FIXTURES)
    with np.load(folder / "fastformer_reference.npz", allow_pickle=False) as arrays:
        return {name: torch.from_numpy(arrays[name]) for name in arrays.files}


class GoldenEncoder(nn.Module):
    """The project's parts put together as the official FastformerEncoder, from embeddings to the pooled vector."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = TextEmbedding(
            vocabulary_size=2,
            vector_dim=DIM,
            vectors=None,
            frozen=True,
            max_length=POSITIONS,
            dim=DIM,
            dropout=0.2,
        )
        self.encoder = Encoder(self.make_layer, layers=2, share_layers=False)
        self.pooling = AdditivePooling(DIM)

    @staticmethod
    def make_layer(_number: int) -> EncoderLayer:
        mixer = FastformerAttention(DIM, HEADS, interaction="product", sharing="qv", scoring="full")
        return EncoderLayer(mixer, dim=DIM, feedforward_dim=FEEDFORWARD, dropout=0.2)

    def forward(self, vectors: Tensor, mask: Tensor, pool: Pool) -> Tensor:
        return pool(self.pooling, self.encoder(self.embedding.entry(vectors), mask), mask)


def our_name(official: str) -> str:
    """The project's name of a tensor of the official state dict."""
    name = official.replace("encoders.", "encoder.layers.").replace("poolers.0.", "pooling.")
    for theirs, ours in (
        ("attention.self.query_att", "mixer.query_scores"),
        ("attention.self.key_att", "mixer.key_scores"),
        ("attention.self.", "mixer."),
        ("attention.output.dense", "mixer.output"),
        ("attention.output.LayerNorm", "mixer_norm"),
        ("intermediate.dense", "expand"),
        ("output.dense", "contract"),
        ("output.LayerNorm", "feedforward_norm"),
        ("position_embeddings", "embedding.entry.positions"),
        ("att_fc1", "hidden"),
        ("att_fc2", "score"),
    ):
        if theirs in name:
            return name.replace(theirs, ours)
    return name.replace("LayerNorm", "embedding.entry.norm")


def of_kind(kind: str) -> dict[str, Tensor]:
    """The file's tensors below `kind`/, under the project's names."""
    return {our_name(name.removeprefix(kind)): tensor for name, tensor in golden().items() if name.startswith(kind)}


def loaded(dtype: torch.dtype = torch.float64) -> GoldenEncoder:
    model = GoldenEncoder().double()
    missing, unexpected = model.load_state_dict(of_kind("param/"), strict=False)
    assert missing == ["embedding.tokens.weight"]
    assert not unexpected
    return model.eval().to(dtype)


def official_pool(pooling: AdditivePooling, x: Tensor, mask: Tensor) -> Tensor:
    """The official weights: exp(e) * mask / (sum + 1e-8)."""
    weights = pooling.score(torch.tanh(pooling.hidden(x))).exp() * mask.unsqueeze(-1)
    pooled: Tensor = (weights / (weights.sum(1, keepdim=True) + 1e-8) * x).sum(1)
    return pooled


def our_pool(pooling: AdditivePooling, x: Tensor, mask: Tensor) -> Tensor:
    pooled: Tensor = pooling(x, mask)
    return pooled


def error(actual: Tensor, expected: Tensor) -> float:
    """Largest difference, relative to the largest expected value."""
    difference = (actual.detach().double() - expected).abs().max()
    return float(difference / expected.abs().max().clamp_min(1e-6))


def errors(pool: Pool, dtype: torch.dtype = torch.float64) -> dict[str, float]:
    """Error of the pooled output, the loss and each gradient; for gradients that are zero, what ours is instead."""
    model = loaded(dtype)
    vectors = golden()["input"].to(dtype, copy=True).requires_grad_()
    pooled = model(vectors, golden()["mask"], pool)
    loss = (pooled * torch.linspace(-1, 1, DIM, dtype=dtype)).sum()
    loss.backward()
    found = {
        "pooled": error(pooled, golden()["encoder_pooled_output"]),
        "loss": error(loss, golden()["loss"]),
    }
    for name, expected in of_kind("grad/").items():
        actual = vectors.grad if name == "input" else model.get_parameter(name).grad
        assert actual is not None, name
        # A constant added to all scores cancels in the softmax: what the file holds for these is rounding, and for the
        # pooling the trace of the official 1e-8.
        found[name] = float(actual.abs().max()) if name.endswith(SCORE_BIASES) else error(actual, expected)
    return found


def refuse_above(limit: float, found: dict[str, float], zero_limit: float = 1e-8) -> None:
    above = {
        name: value
        for name, value in found.items()
        if not value < (zero_limit if name.endswith(SCORE_BIASES) else limit)
    }
    assert not above


def test_the_file_holds_a_gradient_of_every_parameter() -> None:
    trained = {name for name, parameter in loaded().named_parameters() if parameter.requires_grad}
    assert set(of_kind("grad/")) == trained | {"input"}


def test_self_attention_and_layer() -> None:
    layer = loaded().encoder.layers[0]
    assert isinstance(layer.mixer, FastformerAttention)
    x, mask = golden()["input"], golden()["mask"]
    # Padded positions aren't compared: the official code computes queries of whatever stands there, while here padding
    # is zero from the entry on; neither reaches a valid position.
    attended = fastformer_direct.attend(layer.mixer, x, mask)
    assert error(attended[mask], golden()["self_attention_output_layer0"][mask]) < 1e-12
    assert error(layer(x, mask)[mask], golden()["layer0_output"][mask]) < 1e-12


def test_encoder_with_the_official_pooling_weights() -> None:
    refuse_above(1e-9, errors(official_pool))


def test_encoder_with_the_masked_softmax() -> None:
    refuse_above(2e-8, errors(our_pool))


@pytest.mark.parametrize("form", ["direct", "short", "long"])
def test_encoder_in_each_form_of_the_attention(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FastformerAttention, "form", lambda *_: form)
    refuse_above(1e-9, errors(official_pool))


@pytest.mark.parametrize("pool", [official_pool, our_pool])
def test_encoder_in_float32(pool: Pool) -> None:
    refuse_above(1e-5, errors(pool, torch.float32), zero_limit=1e-6)
