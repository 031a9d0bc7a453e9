"""Options of text models that are built in no time."""

from typing import Any

from pipeline.attention.options import MixerOptions
from pipeline.models.options import ModelOptions

VALUES: dict[str, Any] = {
    "attention": "fastformer",
    "vocabulary_size": 30,
    "vector_dim": 5,
    "frozen": False,
    "layers": 2,
    "feedforward_dim": 20,
    "dropout": 0.0,
    "init_std": 0.02,
    "positions": True,
    "feedforward": True,
    "residual": True,
    "layer_norm": True,
    "recompute": False,
}
MIXER: dict[str, Any] = {
    "dim": 12,
    "heads": 3,
    "max_length": 16,
    "interaction": "product",
    "sharing": "qv_layer",
    "scoring": "full",
    "window": 4,
    "global_tokens": 2,
    "random_tokens": 2,
    "block_length": 2,
    "pooling_window": 4,
    "projection_dim": 3,
    "bucket_length": 4,
    "hash_rounds": 2,
}

NO_FASTFORMER: dict[str, Any] = {"interaction": None, "sharing": None, "scoring": None}


def options_of(**changes: Any) -> ModelOptions:
    mixer = MixerOptions(**{key: changes.pop(key, value) for key, value in MIXER.items()})
    return ModelOptions(**{**VALUES, **changes}, mixer=mixer)
