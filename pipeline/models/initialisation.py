"""How the weights of every model start."""

from torch import nn

from pipeline.models.embedding import TokenTable


def initialise(module: nn.Module, std: float) -> None:
    """Set the weights of all parts of `module` in place, as the official code does (FastformerEncoder.init_weights).

    Linear and Embedding N(0, std), biases 0, the row of the padding id 0, LayerNorm 1 and 0; `std` is
    `initializer_range` in the official fastformer.json, 0.02 there. A TokenTable that holds given vectors keeps them,
    and parameters that a mixer holds beside its linear maps stay as the mixer drew them: Linformer's E and F weigh
    positions, of which a text has hundreds, and its authors start them by another rule.
    """
    for part in module.modules():
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=std)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
        elif isinstance(part, nn.Embedding):
            if isinstance(part, TokenTable) and part.given:
                continue
            nn.init.normal_(part.weight, std=std)
            if part.padding_idx is not None:
                nn.init.zeros_(part.weight[part.padding_idx])
        elif isinstance(part, nn.LayerNorm):
            part.reset_parameters()
