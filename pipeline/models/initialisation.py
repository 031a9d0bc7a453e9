"""How the weights of every model start."""

from torch import nn

from pipeline.models.embedding import TokenTable

STANDARD_DEVIATION = 0.02
"""`initializer_range` of the official configuration (github.com/wuch15/Fastformer, fastformer.json)."""


def initialise(module: nn.Module) -> None:
    """Set the weights of all parts of `module` in place, as the official code does (FastformerEncoder.init_weights).

    Linear and Embedding N(0, 0.02), biases 0, the row of the padding id 0, LayerNorm 1 and 0. A TokenTable that holds
    given vectors keeps them, and parameters that a mixer holds beside its linear maps stay as the mixer drew them:
    Linformer's E and F weigh positions, of which a text has hundreds, and its authors start them by another rule.
    """
    for part in module.modules():
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=STANDARD_DEVIATION)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
        elif isinstance(part, nn.Embedding):
            if isinstance(part, TokenTable) and part.given:
                continue
            nn.init.normal_(part.weight, std=STANDARD_DEVIATION)
            if part.padding_idx is not None:
                nn.init.zeros_(part.weight[part.padding_idx])
        elif isinstance(part, nn.LayerNorm):
            part.reset_parameters()
