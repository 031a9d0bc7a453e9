"""Poolingformer's attention against full attention, with pools formed token by token."""

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from pipeline.attention.poolingformer import PoolingformerAttention, pool
from tests.attention import dense

DIM, HEADS = 6, 2


def reference(mixer: PoolingformerAttention, pooling_window: int) -> dense.Reference:
    def of_text(x: Tensor, kept: list[bool]) -> Tensor:
        keep = torch.tensor(kept).unsqueeze(1)
        x = x.masked_fill(~keep, 0.0)
        places, reach = range(len(kept)), pooling_window // 2
        near = [[kept[j] and abs(i - j) <= reach for j in places] for i in places]
        first = dense.attention(mixer.query(x), mixer.key(x), mixer.value(x), near, HEADS).masked_fill(~keep, 0.0)
        keys, values, centres = [], [], []
        for centre in range(0, len(kept) + 4, 4):
            members = [j for j in places if abs(j - centre) <= 2 and kept[j]]
            if members:
                centres.append(centre)
                keys.append(mixer.pooled_key(first[members]).mean(0))
                values.append(mixer.pooled_value(first[members]).mean(0))
        if not centres:
            return x
        around = [[abs(centre - i) <= 4 * reach for centre in centres] for i in places]
        second = dense.attention(mixer.pooled_query(first), torch.stack(keys), torch.stack(values), around, HEADS)
        out: Tensor = mixer.output(first + second)
        return out

    return of_text


@settings(derandomize=True, deadline=None, max_examples=25)
@given(masks=dense.MASKS, pooling_window=st.integers(2, 40))
@example(masks=[[True]], pooling_window=64)
@example(masks=[[True] * 75, [True] * 66, [False]], pooling_window=8)
@example(masks=[[True] * 67], pooling_window=64)
def test_outputs_and_gradients_equal_dense_attention(masks: list[list[bool]], pooling_window: int) -> None:
    mixer = dense.spread(PoolingformerAttention(DIM, HEADS, pooling_window=pooling_window))
    dense.assert_follows(mixer, reference(mixer, pooling_window), *dense.batch_of(masks, DIM))


def test_pools_are_means_of_kept_tokens_around_every_fourth_position() -> None:
    x = torch.arange(8.0).view(1, 8, 1)
    mask = torch.tensor([[True, True, True, False, True, False, False, True]])
    pooled, exists = pool(x, mask)
    assert pooled.flatten().tolist() == [1, 3, 7]  # of 0 1 2, of 2 4, of 7
    assert exists.tolist() == [[True] * 3]
    assert pool(x, torch.zeros(1, 8, dtype=torch.bool))[1].tolist() == [[False] * 3]


def test_parameter_count() -> None:
    mixer = PoolingformerAttention(256, 16, pooling_window=64)
    assert sum(parameter.numel() for parameter in mixer.parameters()) == 7 * (256**2 + 256)


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        PoolingformerAttention(10, 4, pooling_window=8)


def test_a_window_must_reach_a_pool() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        PoolingformerAttention(6, 2, pooling_window=1)
