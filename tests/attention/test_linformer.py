"""Linformer against its formula written out, and how E and F start."""

import pytest
import torch
from torch import Tensor

from pipeline.attention.linformer import LinformerAttention
from tests.attention.plain import DIM, HEADS, SIZES, apply_linear, assert_equals_reference, attend, drawn, heads_of

MAX_LENGTH, PROJECTION = 40, 5


def make() -> LinformerAttention:
    return LinformerAttention(DIM, HEADS, max_length=MAX_LENGTH, projection_dim=PROJECTION)


@pytest.mark.parametrize(("batch", "length"), SIZES)
def test_outputs_and_gradients_equal_the_reference(batch: int, length: int) -> None:
    mixer = make()
    drawn(mixer)

    def mixtures(projection: Tensor, vectors: list[Tensor], positions: list[int]) -> list[list[Tensor]]:
        """One vector for each row of E or F, cut into heads."""
        return [
            heads_of(
                torch.stack(
                    [weights[position] * vector for position, vector in zip(positions, vectors, strict=True)]
                ).sum(0)
            )
            for weights in projection
        ]

    def reference(tokens: list[Tensor], positions: list[int]) -> list[Tensor]:
        keys, values = (
            mixtures(projection, [apply_linear(part, token) for token in tokens], positions)
            for projection, part in ((mixer.project_keys, mixer.key), (mixer.project_values, mixer.value))
        )
        queries = [heads_of(apply_linear(mixer.query, token)) for token in tokens]
        return [
            apply_linear(
                mixer.output,
                torch.cat(
                    [attend(query[h], [key[h] for key in keys], [value[h] for value in values]) for h in range(HEADS)]
                ),
            )
            for query in queries
        ]

    assert_equals_reference(mixer, reference, batch, length)


@pytest.mark.parametrize("max_length", [64, 1024])
def test_a_mixture_of_all_tokens_starts_about_as_large_as_one(max_length: int) -> None:
    torch.manual_seed(0)
    mixer = LinformerAttention(DIM, HEADS, max_length=max_length, projection_dim=16)
    tokens = torch.randn(max_length, 200)
    for projection in (mixer.project_keys, mixer.project_values):
        assert 0.8 < (projection @ tokens).std() < 1.1


def test_layers_have_projections_of_their_own() -> None:
    assert not torch.equal(make().project_keys, make().project_keys)


def test_a_text_longer_than_max_length_is_refused_before_anything_is_computed() -> None:
    mixer = make()
    mixer.query.forward = None  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"41 .*max_length 40"):
        mixer(torch.zeros(1, 41, DIM), torch.ones(1, 41, dtype=torch.bool))


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        LinformerAttention(10, 4, max_length=3, projection_dim=2)
