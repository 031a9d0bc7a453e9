"""BigBird's attention against full attention with a matrix of who sees whom, and its random blocks."""

import math

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from pipeline.attention.bigbird import BigBirdAttention
from tests.attention import dense

DIM, HEADS = 6, 2


def make(
    window: int = 8,
    global_tokens: int = 8,
    random_tokens: int = 8,
    block_length: int = 4,
    layer: int = 0,
    dim: int = DIM,
    heads: int = HEADS,
) -> BigBirdAttention:
    return BigBirdAttention(
        dim,
        heads,
        window=window,
        global_tokens=global_tokens,
        random_tokens=random_tokens,
        block_length=block_length,
        layer=layer,
    )


def random_blocks(mixer: BigBirdAttention, extent: int) -> list[list[int]]:
    """For each block of a text whose last token stands at extent - 1."""
    generator = torch.Generator().manual_seed(mixer.layer)
    uniforms = torch.rand(500, mixer.random_blocks, dtype=torch.float64, generator=generator).tolist()
    own = range(math.ceil(extent / mixer.block_length))
    chosen = []
    for block in own:
        others = [b for b in own if b >= mixer.global_blocks and abs(b - block) > mixer.side_blocks]
        picks = []
        for number in range(mixer.random_blocks):
            start = len(others) * number // mixer.random_blocks
            end = len(others) * (number + 1) // mixer.random_blocks
            if start < end:
                picks.append(others[start + math.floor(uniforms[block][number] * (end - start))])
        chosen.append(picks)
    return chosen


def reference(mixer: BigBirdAttention) -> dense.Reference:
    def of_text(x: Tensor, kept: list[bool]) -> Tensor:
        x = x.masked_fill(~torch.tensor(kept).unsqueeze(1), 0.0)
        extent = max((place + 1 for place, is_kept in enumerate(kept) if is_kept), default=0)
        chosen = random_blocks(mixer, extent)
        allowed = [[False] * len(kept) for _ in kept]
        for i in range(extent):
            for j in range(extent):
                query_block, key_block = i // mixer.block_length, j // mixer.block_length
                allowed[i][j] = kept[j] and (
                    min(query_block, key_block) < mixer.global_blocks
                    or abs(query_block - key_block) <= mixer.side_blocks
                    or key_block in chosen[query_block]
                )
        out: Tensor = mixer.output(dense.attention(mixer.query(x), mixer.key(x), mixer.value(x), allowed, HEADS))
        return out

    return of_text


@settings(derandomize=True, deadline=None, max_examples=25)
@given(
    masks=dense.MASKS,
    window=st.integers(0, 20),
    global_tokens=st.integers(0, 9),
    random_tokens=st.integers(0, 9),
    block_length=st.integers(1, 7),
    layer=st.integers(0, 3),
)
@example(masks=[[True]], window=8, global_tokens=8, random_tokens=8, block_length=4, layer=0)
@example(masks=[[True] * 75, [True] * 41], window=8, global_tokens=8, random_tokens=8, block_length=4, layer=1)
def test_outputs_and_gradients_equal_dense_attention(
    masks: list[list[bool]], window: int, global_tokens: int, random_tokens: int, block_length: int, layer: int
) -> None:
    mixer = dense.spread(make(window, global_tokens, random_tokens, block_length, layer))
    dense.assert_follows(mixer, reference(mixer), *dense.batch_of(masks, DIM))


def test_tokens_become_whole_blocks() -> None:
    mixer = make(window=8, global_tokens=9, random_tokens=3, block_length=4)
    assert (mixer.side_blocks, mixer.global_blocks, mixer.random_blocks) == (1, 3, 1)
    assert make(window=10, block_length=4).side_blocks == 2


def test_random_blocks_are_new_ones_of_the_text_and_stay_as_padding_grows() -> None:
    mixer = make()
    mask = torch.zeros(3, 400, dtype=torch.bool)
    mask[0, :203] = mask[1, :30] = mask[2, :16] = True
    drawn, exists = mixer.draw(mask, 100)
    for row, blocks in enumerate((51, 8, 4)):
        for block in range(mixer.global_blocks, blocks):
            picks = drawn[row, block][exists[row, block]].tolist()
            others = [b for b in range(2, blocks) if abs(b - block) > 1]
            assert len(picks) == len(set(picks)) == min(2, len(others))
            assert set(picks) <= set(others)
    shorter, _ = mixer.draw(mask[:, :203], 51)
    assert torch.equal(shorter[0], drawn[0, :51])
    assert torch.equal(shorter[1, :8], drawn[1, :8])


def test_layers_draw_differently_and_reach_every_block() -> None:
    mask = torch.ones(1, 400, dtype=torch.bool)
    drawn = [make(layer=layer).draw(mask, 100)[0] for layer in range(2)]
    assert (drawn[0] != drawn[1]).float().mean() > 0.9
    found = torch.cat([make(layer=layer).draw(mask, 100)[0][0, 50] for layer in range(600)])
    assert set(found.tolist()) == set(range(2, 100)) - {49, 50, 51}


def test_a_short_batch_between_leaves_a_long_one_as_it_was() -> None:
    mixer = make()
    long, short = torch.randn(1, 90, DIM), torch.randn(1, 5, DIM)
    before = mixer(long, torch.ones(1, 90, dtype=torch.bool))
    mixer(short, torch.ones(1, 5, dtype=torch.bool))
    assert torch.equal(mixer(long, torch.ones(1, 90, dtype=torch.bool)), before)


def test_parameter_count() -> None:
    assert sum(p.numel() for p in make(dim=256, heads=16).parameters()) == 4 * (256**2 + 256)


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        make(dim=10, heads=4)
