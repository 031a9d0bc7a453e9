"""Fastformer without keys: its formula token by token, its forms, the mask rule."""

import pytest
import torch
from torch import Tensor, nn

from pipeline.attention.operations import Form
from pipeline.attention.options import Scoring
from pipeline.attention.query_only import QueryOnlyAttention
from tests.attention.mixers import DIM, HEADS, odd_mask, results

FORMS: tuple[Form, ...] = ("direct", "short", "long")


def make(scoring: Scoring = "full", dtype: torch.dtype = torch.float64) -> QueryOnlyAttention:
    torch.manual_seed(1)
    mixer = QueryOnlyAttention(DIM, HEADS, scoring=scoring)
    for parameter in mixer.parameters():
        nn.init.normal_(parameter, std=0.4)
    return mixer.to(dtype)


def by_hand(mixer: QueryOnlyAttention, tokens: Tensor) -> Tensor:
    """tokens (n, D), none of them padding -> (n, D)."""
    size = DIM // HEADS
    queries = mixer.query(tokens)
    heads = []
    for head in range(HEADS):
        own = queries[:, head * size : (head + 1) * size]
        seen = queries if mixer.query_scores.in_features == DIM else own
        scores = seen @ mixer.query_scores.weight[head] + mixer.query_scores.bias[head]
        heads.append((scores / size**0.5).softmax(0) @ own)
    mixed: Tensor = mixer.output(mixer.transform(torch.cat(heads) * queries) + queries)
    return mixed


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scoring", ["full", "per_head"])
@pytest.mark.parametrize("length", [1, 7, 40])
def test_outputs_and_gradients_equal_the_formula(scoring: Scoring, form: Form, length: int) -> None:
    mixer = make(scoring)
    x, mask = torch.randn(3, length, DIM, dtype=torch.float64), odd_mask(3, length)

    def rows_by_hand(x: Tensor, mask: Tensor) -> Tensor:
        out = torch.zeros_like(x)
        for row in range(len(x)):
            out[row, mask[row]] = by_hand(mixer, x[row, mask[row]])
        return out

    expected = results(mixer, rows_by_hand, x, mask)
    actual = results(mixer, lambda x, mask: mixer.mix(x, mask, form), x, mask)
    for name, truth in expected.items():
        torch.testing.assert_close(actual[name], truth, atol=1e-10, rtol=1e-10, msg=name)


@pytest.mark.parametrize("form", FORMS)
def test_padding_of_any_kind_changes_nothing(form: Form) -> None:
    mixer = make(dtype=torch.float32)
    x, mask = torch.randn(3, 9, DIM), odd_mask(3, 9)
    mask[1] = False
    clean = results(mixer, lambda x, mask: mixer.mix(x, mask, form), x, mask)
    junk = x.masked_fill(~mask.unsqueeze(-1), float("nan"))
    dirty = results(mixer, lambda x, mask: mixer.mix(x, mask, form), junk, mask)
    for name, truth in clean.items():
        assert torch.equal(dirty[name], truth), name
    assert mixer.mix(junk, mask, form).isfinite().all()


@pytest.mark.parametrize("form", ["short", "long"])
def test_autocast(form: Form) -> None:
    mixer, x, mask = make(dtype=torch.float32), torch.randn(3, 40, DIM), odd_mask(3, 40)
    exact = mixer.mix(x, mask, "direct")[mask]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = mixer.mix(x, mask, form)
    assert out.dtype == torch.bfloat16
    assert (out[mask] - exact).abs().max() < 0.02 * exact.abs().max()


@pytest.mark.parametrize(("scoring", "scores"), [("full", 256 * 16 + 16), ("per_head", 256 + 16)])
def test_parameter_count(scoring: Scoring, scores: int) -> None:
    mixer = QueryOnlyAttention(256, 16, scoring=scoring)
    assert sum(parameter.numel() for parameter in mixer.parameters()) == 3 * (256 * 256 + 256) + scores


def test_forward_takes_the_form_for_its_length() -> None:
    mixer = QueryOnlyAttention(32, 4, scoring="full")
    forms: tuple[tuple[int, Form], ...] = ((19, "direct"), (20, "short"), (33, "long"))
    for length, form in forms:
        x, mask = torch.randn(8, length, 32), odd_mask(8, length)
        assert torch.equal(mixer(x, mask), mixer.mix(x, mask, form))


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        QueryOnlyAttention(10, 4, scoring="full")
