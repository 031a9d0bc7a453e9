"""The whole classifier: sizes, sharing, initialisation, padding, and that it learns."""

import itertools
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.none import NoMixer
from pipeline.models.classifier import build_classifier
from pipeline.models.options import ModelOptions
from pipeline.registry import ATTENTIONS, load
from tests.models.small import NO_FASTFORMER, options_of


def make(*, vectors: Tensor | None = None, seed: int = 0, **changes: Any) -> nn.Module:
    torch.manual_seed(seed)
    return build_classifier(options_of(**changes), classes=4, vectors=vectors)


def batch(length: int = 7) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(length)
    lengths = torch.tensor([length, 1, (length + 1) // 2])
    mask = torch.arange(length) < lengths.unsqueeze(1)
    return torch.randint(1, 30, (3, length), generator=generator) * mask, mask


def count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("interaction", ["product", "add", "concat"])
@pytest.mark.parametrize("sharing", ["none", "qv", "qv_layer"])
def test_parameter_counts(interaction: str, sharing: str) -> None:
    words, vector, positions, dim, heads, inner, classes, layers = 30, 5, 16, 12, 3, 20, 4, 2
    square, norm = dim * dim + dim, 2 * dim
    mixer = (5 if sharing == "none" else 4) * square + 2 * (dim * heads + heads)
    if interaction == "concat":
        mixer += 2 * (2 * dim * dim + dim)
    layer = mixer + 2 * norm + (dim * inner + inner) + (inner * dim + dim)
    embedding = words * vector + (vector * dim + dim) + positions * dim + norm
    pooling = square + dim + 1
    expected = embedding + (1 if sharing == "qv_layer" else layers) * layer + pooling + dim * classes + classes
    model = make(interaction=interaction, sharing=sharing)
    assert count(model) == expected


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_only_fastformer_shares_layers_and_the_rest_of_a_model_is_the_same_for_all(attention: str) -> None:
    dim, inner, layers = 12, 20, 2
    own = {} if attention == "fastformer" else NO_FASTFORMER
    mixer = load(ATTENTIONS, attention).from_options(options_of(**own).mixer)
    layer = count(mixer) + 2 * 2 * dim + 2 * dim * inner + inner + dim
    rest = (30 * 5 + 5 * dim + dim + 16 * dim + 2 * dim) + (dim * dim + dim + dim + 1) + dim * 4 + 4
    stored = 1 if attention == "fastformer" else layers
    assert count(make(attention=attention, **own)) == rest + stored * layer


@pytest.mark.parametrize(
    ("switch", "expected"),
    [("positions", 16 * 12), ("feedforward", 2 * 12 * 20 + 20 + 12 + 2 * 12), ("residual", 0), ("layer_norm", 5 * 24)],
)
def test_a_switch_takes_away_its_part_and_no_other(switch: str, expected: int) -> None:
    with_all, without = make(sharing="qv"), make(sharing="qv", **{switch: False})
    layers = 2 if switch == "feedforward" else 1
    assert count(with_all) - count(without) == layers * expected
    ids, mask = batch()
    assert not torch.equal(without(ids, mask), with_all(ids, mask))
    torch.autograd.backward(without(ids, mask).square().sum())
    for name, parameter in without.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


@pytest.mark.parametrize("attention", ["fastformer", "linear_transformer", "none"])
def test_without_positions_the_order_of_words_is_unknown_and_length_unbound(attention: str) -> None:
    own = {} if attention == "fastformer" else NO_FASTFORMER
    model = make(attention=attention, positions=False, **own)
    ids, mask = batch()
    order = torch.tensor([4, 2, 6, 0, 1, 5, 3])
    torch.testing.assert_close(model(ids[:, order], mask[:, order]), model(ids, mask), atol=1e-6, rtol=0)
    with_positions = make(attention=attention, **own)
    assert not torch.allclose(with_positions(ids[:, order], mask[:, order]), with_positions(ids, mask), atol=1e-6)
    assert model(torch.ones(1, 40, dtype=torch.int64), torch.ones(1, 40, dtype=torch.bool)).isfinite().all()


def test_a_layer_gets_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(NoMixer, "from_options", lambda options: made.append(options) or NoMixer())
    make(attention="none", layers=3, **NO_FASTFORMER)
    assert made == [replace(made[0], layer=number) for number in range(3)]
    assert replace(made[0], layer=0) == options_of(**NO_FASTFORMER).mixer


def test_mean_is_one_linear_map_of_the_mean_word_vector() -> None:
    vectors = torch.randn(30, 5, generator=torch.Generator().manual_seed(4))
    model = make(attention="mean", vectors=vectors, **NO_FASTFORMER)
    assert {name: tuple(parameter.shape) for name, parameter in model.named_parameters()} == {
        "tokens.weight": (30, 5),
        "output.weight": (4, 5),
        "output.bias": (4,),
    }
    ids, mask = batch()
    for row, kept in enumerate(mask.sum(1).tolist()):
        mean = vectors[ids[row, :kept]].mean(0)
        torch.testing.assert_close(model(ids, mask)[row], model.output.weight @ mean + model.output.bias)
    mask[1] = False
    assert torch.equal(model(ids, mask)[1], model.output.bias)


def test_mean_freezes_its_vectors_and_refuses_others_of_a_wrong_shape() -> None:
    vectors = torch.ones(30, 5)
    frozen = make(attention="mean", vectors=vectors, frozen=True, **NO_FASTFORMER)
    assert [name for name, parameter in frozen.named_parameters() if parameter.requires_grad] == [
        "output.weight",
        "output.bias",
    ]
    with pytest.raises(ValueError, match=r"\(2, 5\)"):
        make(attention="mean", vectors=torch.zeros(2, 5), **NO_FASTFORMER)


def test_linformers_projections_start_as_its_authors_start_them() -> None:
    model = make(attention="linformer", max_length=512, projection_dim=16, **NO_FASTFORMER)
    names = [name for name, _ in model.named_parameters() if "project_" in name]
    assert len(names) == 4
    for name in names:
        assert abs(model.get_parameter(name).std() - (512 + 16) ** -0.5) < 0.002, name
        assert not torch.equal(
            model.get_parameter(name),
            make(attention="linformer", seed=1, max_length=512, projection_dim=16, **NO_FASTFORMER).get_parameter(name),
        )


@pytest.mark.parametrize(
    ("interaction", "sharing"), list(itertools.product(["product", "add", "concat"], ["none", "qv", "qv_layer"]))
)
def test_gradients_reach_every_parameter_except_the_biases_of_scores(interaction: str, sharing: str) -> None:
    model = make(interaction=interaction, sharing=sharing).double()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) * 0.3)
    ids, mask = batch()
    torch.autograd.backward(functional.cross_entropy(model(ids, mask), torch.tensor([0, 1, 2])))
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        # A constant added to all scores cancels in the softmax over tokens.
        dead = name.endswith(("query_scores.bias", "key_scores.bias", "pooling.score.bias"))
        assert (parameter.grad.abs().max() < 1e-12) == dead, name


def test_frozen_vectors_stay() -> None:
    vectors = torch.randn(30, 5, generator=torch.Generator().manual_seed(4))
    model = make(vectors=vectors, frozen=True)
    assert torch.equal(model.embedding.tokens.weight[1:], vectors[1:])
    optimizer = torch.optim.Adam([parameter for parameter in model.parameters() if parameter.requires_grad], lr=0.1)
    ids, mask = batch()
    model(ids, mask).square().sum().backward()
    optimizer.step()
    assert torch.equal(model.embedding.tokens.weight[1:], vectors[1:])


def test_weights_start_as_in_the_official_code_and_depend_on_the_seed_alone() -> None:
    model, again = make(dim=192), make(dim=192)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, again.get_parameter(name)), name
        if "norm" in name:
            assert (parameter == (1 if name.endswith("weight") else 0)).all(), name
        elif name.endswith("bias"):
            assert (parameter == 0).all(), name
        elif parameter.numel() > 1000:
            assert abs(parameter.std() - 0.02) < 0.003, name


@pytest.mark.parametrize("sharing", ["none", "qv", "qv_layer"])
def test_a_batch_padded_further_gives_the_same_logits(sharing: str) -> None:
    model = make(sharing=sharing)
    ids, mask = batch()
    longer = functional.pad(ids, (0, 9))
    longer_mask = functional.pad(mask, (0, 9))
    torch.testing.assert_close(model(longer, longer_mask), model(ids, mask), atol=1e-6, rtol=0)
    torch.testing.assert_close(model(ids[2:, :4], mask[2:, :4]), model(ids, mask)[2:], atol=1e-6, rtol=0)


def test_ids_in_padding_dont_matter() -> None:
    model = make()
    ids, mask = batch()
    assert torch.equal(model(ids.masked_fill(~mask, 7), mask), model(ids, mask))


def test_an_empty_text_gets_the_output_bias() -> None:
    model = make()
    with torch.no_grad():
        model.output.bias.copy_(torch.arange(4.0))
    ids, mask = batch()
    mask[1] = False
    logits = model(ids, mask)
    assert logits[1].tolist() == [0, 1, 2, 3]
    logits.square().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_a_shared_layer_stays_one_after_saving_and_loading(tmp_path: Path) -> None:
    model, other = make(layers=3), make(layers=3, seed=77)
    save_file(model.state_dict(), tmp_path / "weights.safetensors")
    other.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    ids, mask = batch()
    assert torch.equal(other(ids, mask), model(ids, mask))
    for each in (model, other):
        assert len(each.encoder.layers) == 1
        with torch.no_grad():
            each.encoder.layers[0].expand.weight.add_(0.1)
    assert torch.equal(other(ids, mask), model(ids, mask))


def test_options_survive_json_and_refuse_what_is_missing_or_unknown() -> None:
    options = options_of()
    written = json.loads(json.dumps(asdict(options)))
    assert ModelOptions.from_dict(written) == options
    with pytest.raises(TypeError, match="heds"):
        ModelOptions.from_dict({**written, "heds": 3})
    del written["mixer"]["window"]
    with pytest.raises(TypeError, match="window"):
        ModelOptions.from_dict(written)


@pytest.mark.parametrize("sharing", ["none", "qv_layer"])
def test_a_state_dict_round_trip_gives_the_same_logits(sharing: str) -> None:
    model = make(sharing=sharing)
    other = make(sharing=sharing, seed=77)
    other.load_state_dict(model.state_dict())
    ids, mask = batch()
    assert torch.equal(other(ids, mask), model(ids, mask))


def test_it_learns_a_few_texts_by_heart() -> None:
    model = make(dim=24, vector_dim=24)
    ids, mask = batch()
    labels = torch.tensor([3, 1, 0])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(60):
        optimizer.zero_grad()
        torch.autograd.backward(functional.cross_entropy(model(ids, mask), labels))
        optimizer.step()
    assert model(ids, mask).argmax(1).tolist() == labels.tolist()


def test_what_doesnt_fit_is_refused() -> None:
    with pytest.raises(KeyError, match="nosuch"):
        make(attention="nosuch")
    with pytest.raises(ValueError, match=r"12 .*5"):
        make(heads=5)
    with pytest.raises(ValueError, match=r"17 .*16"):
        make()(torch.ones(1, 17, dtype=torch.int64), torch.ones(1, 17, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"\(2, 5\)"):
        make(vectors=torch.zeros(2, 5))
