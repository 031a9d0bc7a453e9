"""Counted operations against those that torch carries out, and the choice between the forms."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from pipeline.attention.operations import Form, choose_form, operations
from pipeline.attention.options import Interaction
from tests.attention.mixers import DIM, HEADS, INTERACTIONS, VARIANTS, Variant, make

FORMS: tuple[Form, ...] = ("direct", "short", "long")


def accumulated(_: object, left: tuple[int, ...], right: tuple[int, ...], **__: object) -> int:
    """FLOPs of addmm_ and baddbmm_, which torch's counter doesn't know."""
    *batch, rows, inner = left
    return 2 * rows * inner * right[-1] * (batch[0] if batch else 1)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_count_is_what_torch_does(variant: Variant, form: Form, training: bool) -> None:
    interaction, sharing, _ = variant
    batch, length = 3, 29
    mixer, mask = make(variant, torch.float32), torch.ones(batch, length, dtype=torch.bool)
    x = torch.randn(batch, length, DIM, requires_grad=True)
    mapping = {torch.ops.aten.addmm_: accumulated, torch.ops.aten.baddbmm_: accumulated}
    with FlopCounterMode(display=False, custom_mapping=mapping) as counter:
        out = mixer.mix(x, mask, form)
        if training:
            out.sum().backward()
    expected = operations(batch, length, DIM, HEADS, form, interaction=interaction, sharing=sharing, training=training)
    assert counter.get_total_flops() / 2 == pytest.approx(expected, rel=0.01)


def test_the_long_forms_lead_grows_towards_four() -> None:
    leads = [operations(1, n, 256, 16, "direct") / operations(1, n, 256, 16, "long") for n in (512, 4096, 65536)]
    assert leads == sorted(leads)
    assert 3.3 < leads[-1] < 4


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    batch=st.integers(1, 512),
    length=st.integers(1, 9000),
    width=st.sampled_from([(64, 8), (128, 16), (256, 16), (512, 8)]),
    interaction=st.sampled_from(INTERACTIONS),
    sharing=st.sampled_from(["none", "qv", "qv_head", "qv_layer"]),
)
def test_the_chosen_form_never_costs_more_than_the_direct_one(
    batch: int, length: int, width: tuple[int, int], interaction: Interaction, sharing: str
) -> None:
    dim, heads = width
    form = choose_form(batch, length, dim=dim, heads=heads, interaction=interaction, sharing=sharing)
    chosen = operations(batch, length, dim, heads, form, interaction=interaction, sharing=sharing)
    direct = operations(batch, length, dim, heads, "direct", interaction=interaction, sharing=sharing)
    assert chosen <= direct


@pytest.mark.parametrize(
    ("length", "form"), [(1, "direct"), (31, "direct"), (32, "short"), (256, "short"), (257, "long"), (9000, "long")]
)
def test_choices_at_the_papers_size(length: int, form: Form) -> None:
    assert choose_form(64, length, dim=256, heads=16, interaction="product", sharing="qv_layer") == form
