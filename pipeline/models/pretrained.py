"""A pretrained language model as the news encoder: PLM-NR (Wu et al. 2021, arxiv.org/abs/2104.07413)."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pipeline.models.pooling import AdditivePooling


class PretrainedTextEncoder(nn.Module):
    """Ids of the model's own pieces (B, N) int64, mask (B, N) bool, True = keep -> (B, D).

    The model's last hidden states, pooled by additive attention and mapped to D. `folder` holds config.json and
    model.safetensors; with `weights` False the model is made without them, for weights that are loaded later. Raises
    OSError or ValueError where transformers can't make a model of the folder.
    """

    def __init__(self, folder: Path, dim: int, *, weights: bool) -> None:
        super().__init__()
        model = language_model(folder, weights=weights)
        model.given = True  # `initialise` leaves it alone
        self.language_model = model
        self.pooling = AdditivePooling(model.config.hidden_size)
        self.projection = nn.Linear(model.config.hidden_size, dim)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids (B, N), mask (B, N) -> (B, D)."""
        states = self.language_model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        encoded: Tensor = self.projection(self.pooling(states, mask))
        return encoded


def language_model(folder: Path, *, weights: bool) -> Any:
    """The model that config.json describes, in float32, its weights out of model.safetensors or not set at all."""
    # Two seconds to import, and read by this alone.
    import transformers
    from transformers.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    if weights:
        return transformers.AutoModel.from_pretrained(
            folder, use_safetensors=True, local_files_only=True, dtype=torch.float32
        )
    config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    return transformers.AutoModel.from_config(config, dtype=torch.float32)  # type: ignore[no-untyped-call]
