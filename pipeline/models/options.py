"""What a text model is built from."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from pipeline.attention.options import MixerOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """All that a text model is built from but the word vectors themselves and what its task adds.

    model.json holds it as `dataclasses.asdict` writes it; `from_dict` reads that. Layers are shared where
    `mixer.sharing` is "qv_layer".
    """

    attention: str  # a name of registry.ATTENTIONS or registry.WITHOUT_LAYERS
    vocabulary_size: int
    vector_dim: int
    frozen: bool  # the word vectors stay as they start
    layers: int
    feedforward_dim: int
    dropout: float
    init_std: float
    positions: bool
    feedforward: bool
    residual: bool
    layer_norm: bool
    recompute: bool  # activations are computed again for the gradient, not kept
    mixer: MixerOptions

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The options of a model.json. Raises TypeError if a key is missing or unknown."""
        return cls(**{**values, "mixer": MixerOptions(**values["mixer"])})

    @classmethod
    def from_flat(cls, values: Mapping[str, Any]) -> Self:
        """Of one mapping in which the mixer's keys stand among the others. Raises TypeError as `from_dict` does."""
        mixer = {field.name for field in fields(MixerOptions)}
        own = {key: value for key, value in values.items() if key not in mixer}
        return cls(**own, mixer=MixerOptions(**{key: values[key] for key in mixer & values.keys()}))
