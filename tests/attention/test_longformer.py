"""Longformer's attention against full attention with a matrix of who sees whom."""

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from pipeline.attention.longformer import LongformerAttention
from tests.attention import dense

DIM, HEADS = 6, 2


def reference(mixer: LongformerAttention, window: int, global_tokens: int) -> dense.Reference:
    def of_text(x: Tensor, kept: list[bool]) -> Tensor:
        x = x.masked_fill(~torch.tensor(kept).unsqueeze(1), 0.0)
        places = range(len(kept))
        near = [[kept[j] and (abs(i - j) <= window // 2 or j < global_tokens) for j in places] for i in places]
        local = dense.attention(mixer.query(x), mixer.key(x), mixer.value(x), near, HEADS)
        of_all = dense.attention(
            mixer.global_query(x), mixer.global_key(x), mixer.global_value(x), [kept for _ in places], HEADS
        )
        is_global = torch.tensor([i < global_tokens for i in places]).unsqueeze(1)
        out: Tensor = mixer.output(torch.where(is_global, of_all, local))
        return out

    return of_text


@settings(derandomize=True, deadline=None, max_examples=25)
@given(masks=dense.MASKS, window=st.integers(0, 70), global_tokens=st.integers(0, 9))
@example(masks=[[True]], window=8, global_tokens=8)
@example(masks=[[True] * 65, [True] * 3, [False] * 5], window=8, global_tokens=8)
def test_outputs_and_gradients_equal_dense_attention(masks: list[list[bool]], window: int, global_tokens: int) -> None:
    mixer = dense.spread(LongformerAttention(DIM, HEADS, window=window, global_tokens=global_tokens))
    dense.assert_follows(mixer, reference(mixer, window, global_tokens), *dense.batch_of(masks, DIM))


def test_parameter_count() -> None:
    mixer = LongformerAttention(256, 16, window=8, global_tokens=8)
    assert sum(parameter.numel() for parameter in mixer.parameters()) == 7 * (256**2 + 256)


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        LongformerAttention(10, 4, window=8, global_tokens=8)
