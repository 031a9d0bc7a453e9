"""Words, positions and the refusals of the embedding, and how weights start."""

from typing import Any

import pytest
import torch
from torch import nn

from pipeline.models.embedding import TextEmbedding
from pipeline.models.initialisation import initialise


def make(**changes: Any) -> TextEmbedding:
    values: dict[str, Any] = {
        "vocabulary_size": 9,
        "vector_dim": 4,
        "vectors": None,
        "frozen": False,
        "max_length": 6,
        "dim": 4,
        "dropout": 0.0,
    }
    torch.manual_seed(0)
    return TextEmbedding(**{**values, **changes})


IDS = torch.tensor([[2, 5, 5, 0], [8, 0, 0, 0]])


def test_a_word_is_its_vector_and_its_position_normed() -> None:
    vectors = torch.arange(36.0).view(9, 4) ** 1.5
    embedding = make(vectors=vectors)
    expected = nn.functional.layer_norm(vectors[5] + embedding.entry.positions.weight[2], (4,), eps=1e-12)
    torch.testing.assert_close(embedding(IDS)[0, 2], expected)
    assert embedding(IDS).shape == (2, 4, 4)


def test_positions_and_norm_can_be_left_out() -> None:
    vectors = torch.arange(36.0).view(9, 4) ** 1.5
    bare = make(vectors=vectors, positions=False, layer_norm=False)
    assert torch.equal(bare(IDS)[0], torch.cat([vectors[IDS[0, :3]], torch.zeros(1, 4)]))
    assert [name for name, _ in bare.named_parameters()] == ["tokens.weight"]
    normed = make(vectors=vectors, positions=False)
    torch.testing.assert_close(normed(IDS)[0, 2], nn.functional.layer_norm(vectors[5], (4,), eps=1e-12))
    assert bare(torch.ones(1, 7, dtype=torch.int64)).shape == (1, 7, 4)


def test_a_map_stands_between_only_where_sizes_differ() -> None:
    assert not list(make().projection.parameters())
    mapped = make(dim=10)
    assert mapped(IDS).shape == (2, 4, 10)
    assert sum(parameter.numel() for parameter in mapped.parameters()) == 9 * 4 + (4 * 10 + 10) + 6 * 10 + 2 * 10


def test_frozen_rows_take_no_gradient() -> None:
    embedding = make(vectors=torch.ones(9, 4), frozen=True)
    embedding(IDS).sum().backward()
    assert embedding.tokens.weight.grad is None
    assert embedding.entry.positions.weight.grad is not None


def test_the_padding_row_takes_no_gradient() -> None:
    embedding = make()
    embedding(IDS).square().sum().backward()
    gradient = embedding.tokens.weight.grad
    assert gradient is not None
    assert (gradient[0] == 0).all()


def test_a_text_longer_than_max_length_is_refused() -> None:
    embedding = make()
    assert embedding(torch.ones(1, 6, dtype=torch.int64)).shape == (1, 6, 4)
    with pytest.raises(ValueError, match=r"7 .*6"):
        embedding(torch.ones(1, 7, dtype=torch.int64))


def test_vectors_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(8, 4\).*\(9, 4\)"):
        make(vectors=torch.zeros(8, 4))
    with pytest.raises(ValueError, match=r"\(9, 5\).*\(9, 4\)"):
        make(vectors=torch.zeros(9, 5))


def test_given_vectors_survive_initialisation_and_are_a_copy() -> None:
    vectors = torch.randn(9, 4, generator=torch.Generator().manual_seed(3))
    embedding = make(vectors=vectors, frozen=True)
    initialise(embedding, 0.02)
    assert torch.equal(embedding.tokens.weight[1:], vectors[1:])
    assert (embedding.tokens.weight[0] == 0).all()
    assert not embedding.tokens.weight.requires_grad
    kept = vectors.clone()
    with torch.no_grad():
        embedding.tokens.weight.add_(1)
    assert torch.equal(vectors, kept)


def test_initialisation_is_the_official_one() -> None:
    embedding = make(vocabulary_size=400, vector_dim=50, dim=200, max_length=100)
    with torch.no_grad():
        embedding.entry.norm.weight.fill_(3)
        embedding.entry.norm.bias.fill_(3)
    initialise(embedding, 0.02)
    assert isinstance(embedding.projection, nn.Linear)
    for weight in (embedding.tokens.weight[1:], embedding.projection.weight, embedding.entry.positions.weight):
        assert abs(weight.std() - 0.02) < 0.001
        assert abs(weight.mean()) < 0.001
    assert (embedding.tokens.weight[0] == 0).all()
    assert (embedding.projection.bias == 0).all()
    assert (embedding.entry.norm.weight == 1).all()
    assert (embedding.entry.norm.bias == 0).all()
    assert embedding.entry.positions.weight[0].abs().max() > 0


def test_dropout_acts_in_training_alone() -> None:
    embedding = make(dropout=0.5)
    assert (embedding(IDS) == 0).any()
    embedding.eval()
    assert torch.equal(embedding(IDS), embedding(IDS))
