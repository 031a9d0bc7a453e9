"""Attention maps that are recorded while a text passes."""

import torch

from pipeline.attention.fastformer import FastformerAttention
from pipeline.models.classifier import build_classifier
from pipeline.prediction.attention_maps import recorded
from tests.models.small import MIXER, options_of


def test_recorded_maps_are_those_of_each_layers_input() -> None:
    torch.manual_seed(1)
    model = build_classifier(options_of(init_std=0.5, dropout=0.5), classes=2, vectors=None).eval()
    ids, mask = torch.tensor([[2, 3, 4], [5, 2, 0]]), torch.tensor([[True] * 3, [True, True, False]])
    with recorded(model) as maps:
        inside = model(ids, mask)
    assert torch.equal(inside, model(ids, mask))
    assert len(maps) == 2
    x = model.embedding(ids)
    for alpha, beta in maps:
        layer = model.encoder.layers[0]
        mixer = layer.mixer
        assert isinstance(mixer, FastformerAttention)
        expected = mixer.weights(x * mask.unsqueeze(2), mask)
        torch.testing.assert_close((alpha, beta), expected)
        torch.testing.assert_close(alpha.sum(1), torch.ones(2, MIXER["heads"]))
        assert (alpha[1, 2] == 0).all()
        x = layer(x * mask.unsqueeze(2), mask)
