"""The layers that are measured: which they are, and that nothing but them is timed."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pipeline import params
from pipeline.attention.fastformer import FastformerAttention
from pipeline.benchmark import measure
from pipeline.benchmark.layers import Case, DirectFastformer, cases, layers
from pipeline.models.encoder import EncoderLayer
from pipeline.registry import ATTENTIONS
from pipeline.stages.benchmark import options

CPU = torch.device("cpu")
DIM = 16
SHAPES = [(4, 16), (1, 64)]
Layers = dict[tuple[str, str], nn.Module]


@pytest.fixture
def made() -> Layers:
    loaded = params.load()
    small = loaded.model_copy(update={"model": loaded.model.model_copy(update={"dim": DIM, "heads": 2})})
    return layers(replace(options(small, 64), feedforward_dim=24), list(ATTENTIONS))


def some(made: Layers, **changed: Any) -> list[Case]:
    return cases(made, **({"dim": DIM, "shapes": SHAPES, "dtypes": [torch.float32], "device": CPU} | changed))


def test_every_mixer_of_the_registry_is_a_layer_once(made: Layers) -> None:
    whole = [(encoder, form) for encoder, form in made if form == "layer"]
    assert whole == [(name, "layer") for name in ATTENTIONS]
    others = [key for key in made if key not in whole]
    assert others == [("fastformer", form) for form in ("layer, direct", "attention", "attention, direct")]
    for (_, form), module in made.items():
        assert isinstance(module, EncoderLayer) == form.startswith("layer")
        if isinstance(module, EncoderLayer):
            assert module.expand.out_features == 24
            assert module.dropout.p == 0.2


def test_the_direct_form_is_direct_where_the_other_folds(made: Layers, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    mix = FastformerAttention.mix
    monkeypatch.setattr(
        FastformerAttention, "mix", lambda self, x, mask, form: taken.append(form) or mix(self, x, mask, form)
    )
    x, mask = torch.randn(2, 64, DIM), torch.ones(2, 64, dtype=torch.bool)
    outs = {form: made["fastformer", form].eval()(x, mask) for form in ("attention", "attention, direct")}
    made["fastformer", "layer, direct"](x, mask)
    assert taken == ["long", "direct", "direct"]
    # The same weights, hence the same function.
    torch.testing.assert_close(outs["attention"], outs["attention, direct"])
    assert type(made["fastformer", "attention, direct"]) is DirectFastformer


def test_cases_are_every_layer_at_every_shape_in_both_modes(made: Layers) -> None:
    every = some(made)
    assert len(every) == len(made) * len(SHAPES) * 2
    assert len({(case.encoder, case.form, case.shape, case.mode) for case in every}) == len(every)
    for case in every:
        assert case.x.shape == (*case.shape, DIM)
        assert case.mask.all()
        assert case.module.training == (case.mode == "train")
        assert case.forward().shape == case.x.shape
        case.work()


def test_a_work_leaves_no_gradient_behind_and_trains_only_where_it_says_so(made: Layers) -> None:
    gradients: list[Tensor] = []
    for module in made.values():
        module.register_full_backward_hook(lambda _, inputs, __: gradients.append(inputs[0]))
    for case in some(made):
        gradients.clear()
        case.work()
        assert all(parameter.grad is None for parameter in case.module.parameters())
        assert case.x.grad is None
        assert len(gradients) == (case.mode == "train")
        # As in a stack of layers, the input has one too, and it isn't LayerNorm's zero for ones.
        assert all(gradient.abs().mean() > 1e-3 for gradient in gradients)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_autocast(made: Layers, dtype: torch.dtype) -> None:
    forms = {key: made[key] for key in [("transformer", "layer"), ("fastformer", "attention")]}
    layer, attention = (case for case in some(forms, shapes=SHAPES[1:], dtypes=[dtype]) if case.mode == "train")
    assert attention.forward().dtype == dtype
    assert all(parameter.dtype == torch.float32 for parameter in layer.module.parameters())
    layer.work()
    attention.work()


def test_all_operations_of_a_training_case_are_three_times_those_forwards(made: Layers) -> None:
    forms = {key: made[key] for key in [("none", "layer"), ("fastformer", "layer, direct")]}
    for forward, train in zip(*(iter(some(forms)),) * 2, strict=True):
        assert measure.operations(train.work) == pytest.approx(3 * measure.operations(forward.work), rel=0.01)
