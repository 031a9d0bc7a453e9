"""The layer and the stack: sharing, state dicts, padding, gradients."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from pipeline.attention.fastformer import FastformerAttention
from pipeline.models.encoder import Encoder, EncoderLayer

DIM, HEADS, FEEDFORWARD = 12, 3, 20
LAYER = 4 * (DIM * DIM + DIM) + 2 * (DIM * HEADS + HEADS) + 2 * 2 * DIM + 2 * DIM * FEEDFORWARD + FEEDFORWARD + DIM


def maker(dropout: float = 0.0) -> Callable[[int], EncoderLayer]:
    def make_layer(_number: int) -> EncoderLayer:
        mixer = FastformerAttention(DIM, HEADS, interaction="product", sharing="qv", scoring="full")
        return EncoderLayer(mixer, dim=DIM, feedforward_dim=FEEDFORWARD, dropout=dropout)

    return make_layer


def make(layers: int = 2, share_layers: bool = False, dropout: float = 0.0) -> Encoder:
    torch.manual_seed(5)
    return Encoder(maker(dropout), layers=layers, share_layers=share_layers)


def batch() -> tuple[Tensor, Tensor]:
    torch.manual_seed(6)
    return torch.randn(3, 7, DIM), torch.tensor(
        [[True] * 7, [True] * 2 + [False] * 5, [True, False, True] + [False] * 4]
    )


def test_a_layer_is_mixer_and_feedforward_each_with_residual_and_norm() -> None:
    layer = maker()(0)
    x, mask = batch()
    middle = nn.functional.layer_norm(layer.mixer(x, mask) + x, (DIM,), eps=1e-12)
    hidden = middle @ layer.expand.weight.T + layer.expand.bias
    hidden = hidden * 0.5 * (1 + torch.erf(hidden / 2**0.5))
    out = nn.functional.layer_norm(hidden @ layer.contract.weight.T + layer.contract.bias + middle, (DIM,), eps=1e-12)
    torch.testing.assert_close(layer(x, mask), out)


def test_a_layer_without_residual_norm_or_feedforward_is_what_is_left() -> None:
    x, mask = batch()
    torch.manual_seed(5)
    mixer = maker()(0).mixer
    bare = EncoderLayer(mixer, dim=DIM, feedforward_dim=None, dropout=0.0, residual=False, layer_norm=False)
    assert torch.equal(bare(x, mask), mixer(x, mask))
    assert len(list(bare.parameters())) == len(list(mixer.parameters()))
    with_residual = EncoderLayer(mixer, dim=DIM, feedforward_dim=None, dropout=0.0, layer_norm=False)
    assert torch.equal(with_residual(x, mask), mixer(x, mask) + x)
    normed = EncoderLayer(mixer, dim=DIM, feedforward_dim=None, dropout=0.0, residual=False)
    torch.testing.assert_close(normed(x, mask), nn.functional.layer_norm(mixer(x, mask), (DIM,), eps=1e-12))
    fed = EncoderLayer(mixer, dim=DIM, feedforward_dim=7, dropout=0.0, residual=False, layer_norm=False)
    expected = fed.contract(nn.functional.gelu(fed.expand(mixer(x, mask))))
    assert torch.equal(fed(x, mask), expected)


def test_layers_are_made_with_their_numbers() -> None:
    for share_layers, expected in ((False, [0, 1, 2]), (True, [0])):
        numbers: list[int] = []

        def make_layer(number: int, numbers: list[int] = numbers) -> EncoderLayer:
            numbers.append(number)
            return maker()(number)

        Encoder(make_layer, layers=3, share_layers=share_layers)
        assert numbers == expected


@pytest.mark.parametrize("layers", [1, 3])
def test_a_shared_layer_is_stored_once_and_applied_often(layers: int) -> None:
    shared = make(layers, share_layers=True)
    assert sum(parameter.numel() for parameter in shared.parameters()) == LAYER
    assert len(shared.state_dict()) == len(make(1).state_dict())
    x, mask = batch()
    by_hand = x.masked_fill(~mask.unsqueeze(-1), 0)
    for _ in range(layers):
        by_hand = shared.layers[0](by_hand, mask)
    assert torch.equal(shared(x, mask), by_hand)


def test_unshared_layers_differ() -> None:
    encoder = make(3)
    assert sum(parameter.numel() for parameter in encoder.parameters()) == 3 * LAYER
    weights = [encoder.get_parameter(f"layers.{layer}.expand.weight") for layer in range(3)]
    assert not torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[1], weights[2])


@pytest.mark.parametrize("share_layers", [True, False])
def test_a_state_dict_round_trip_keeps_the_sharing(share_layers: bool) -> None:
    encoder = make(3, share_layers)
    x, mask = batch()
    torch.manual_seed(99)
    other = Encoder(maker(), layers=3, share_layers=share_layers)
    other.load_state_dict(encoder.state_dict())
    assert torch.equal(other(x, mask), encoder(x, mask))
    assert len({id(layer) for layer in other.layers}) == (1 if share_layers else 3)
    with torch.no_grad():
        for each in (encoder, other):
            each.get_parameter("layers.0.expand.weight").add_(0.1)
    assert torch.equal(other(x, mask), encoder(x, mask))


@pytest.mark.parametrize("junk", [1e9, float("nan")])
def test_junk_in_padding_reaches_no_output_and_no_gradient(junk: float) -> None:
    encoder = make()
    clean, mask = batch()
    results = []
    for filled in (clean, clean.masked_fill(~mask.unsqueeze(-1), junk)):
        x = filled.clone().requires_grad_()
        out = encoder(x, mask)
        gradients = torch.autograd.grad(out[mask].pow(3).sum(), [x, *encoder.parameters()])
        results.append([out[mask], *gradients])
    for one, other in zip(*results, strict=True):
        assert other.isfinite().all()
        assert torch.equal(one, other)


def test_longer_padding_changes_nothing() -> None:
    encoder = make()
    x, mask = batch()
    longer = nn.functional.pad(x, (0, 0, 0, 10))
    longer_mask = nn.functional.pad(mask, (0, 10))
    torch.testing.assert_close(encoder(longer, longer_mask)[:, :7][mask], encoder(x, mask)[mask], atol=1e-6, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_row_without_tokens_is_finite(dtype: torch.dtype) -> None:
    encoder = make().to(dtype)
    x, mask = batch()
    mask[1] = False
    out = encoder(x.to(dtype), mask)
    out.pow(3).sum().backward()
    assert out.isfinite().all()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


def test_dropout_acts_on_both_parts_and_on_no_residual() -> None:
    layer = maker(dropout=1.0)(0)
    x, mask = batch()
    torch.testing.assert_close(layer(x, mask), layer.feedforward_norm(layer.mixer_norm(x)))


def test_dropout_acts_in_training_alone() -> None:
    encoder = make(dropout=0.5)
    x, mask = batch()
    assert not torch.equal(encoder(x, mask), encoder(x, mask))
    encoder.eval()
    assert torch.equal(encoder(x, mask), encoder(x, mask))


def test_no_layers_are_refused() -> None:
    with pytest.raises(ValueError, match="not 0"):
        make(0)
