"""How the weights of every model start."""

from collections.abc import Iterator

from torch import nn


def initialise(module: nn.Module, std: float) -> None:
    """Set the weights of all parts of `module` in place, as the official code does (FastformerEncoder.init_weights).

    Linear and Embedding N(0, std), biases 0, the row of the padding id 0, LayerNorm 1 and 0; `std` is
    `initializer_range` in the official fastformer.json, 0.02 there. A part that says it was `given` its weights, as a
    table of pretrained vectors or a language model, keeps all of them. Parameters that a mixer holds beside its linear
    maps stay as the mixer drew them: Linformer's E and F weigh positions, of which a text has hundreds, and its authors
    start them by another rule.
    """
    for part in not_given(module):
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=std)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
        elif isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, std=std)
            if part.padding_idx is not None:
                nn.init.zeros_(part.weight[part.padding_idx])
        elif isinstance(part, nn.LayerNorm):
            part.reset_parameters()


def not_given(module: nn.Module) -> Iterator[nn.Module]:
    """The module and all parts of it, but for those with given weights and what is in them."""
    if getattr(module, "given", False):
        return
    yield module
    for part in module.children():
        yield from not_given(part)
