"""From token ids to the vectors that an encoder reads: words, positions, LayerNorm, dropout.

Source: the official FastformerEncoder (github.com/wuch15/Fastformer, Fastformer.ipynb at 84cc859), with a map from the
size of the pretrained vectors to the model's, of which the paper says nothing.
"""

import torch
from torch import Tensor, nn

from pipeline.models.dropout import Dropout

PADDING_ID = 0
LAYER_NORM_EPS = 1e-12


class TokenTable(nn.Embedding):
    """A row of `vector_dim` numbers per word; the padding id's row is zero and stays so.

    `vectors` (vocabulary_size, vector_dim), if given, are copied, and `initialise` leaves them alone; the row of the
    padding id is zero even so. `frozen` rows take no gradient. Raises ValueError if `vectors` has another shape.
    """

    def __init__(self, vocabulary_size: int, vector_dim: int, *, vectors: Tensor | None, frozen: bool) -> None:
        super().__init__(vocabulary_size, vector_dim, padding_idx=PADDING_ID)
        self.given = vectors is not None
        if vectors is not None:
            if vectors.shape != self.weight.shape:
                raise ValueError(
                    f"the given vectors have shape {tuple(vectors.shape)}, not (words of the vocabulary, size of a "
                    f"vector) = {(vocabulary_size, vector_dim)}"
                )
            with torch.no_grad():
                self.weight.copy_(vectors)
                self.weight[PADDING_ID] = 0.0
        self.weight.requires_grad_(not frozen)


class Entry(nn.Module):
    """x (B, N, D) -> (B, N, D), what an encoder reads: a learned position added, then LayerNorm and dropout.

    `positions` and `layer_norm` leave those two in or out.
    """

    def __init__(
        self, *, max_length: int, dim: int, dropout: float, positions: bool = True, layer_norm: bool = True
    ) -> None:
        super().__init__()
        self.positions = nn.Embedding(max_length, dim) if positions else None
        self.norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS) if layer_norm else nn.Identity()
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, N, D) -> (B, N, D). Raises ValueError if N exceeds `max_length` and positions are in."""
        return self.after(x, 0)

    def after(self, x: Tensor, before: int) -> Tensor:
        """The same for tokens that come after so many others. Raises ValueError if they together are too many."""
        if self.positions is not None:
            length, longest = before + x.shape[1], self.positions.num_embeddings
            if length > longest:
                raise ValueError(f"a text of {length} tokens is longer than max_length {longest}")
            x = x + self.positions.weight[before:length]
        entered: Tensor = self.dropout(self.norm(x))
        return entered


class TextEmbedding(nn.Module):
    """Token ids (B, N) int64 -> (B, N, D): the word's vector, mapped to D where `vector_dim` differs, and an Entry.

    Raises ValueError as TokenTable does.
    """

    def __init__(
        self,
        *,
        vocabulary_size: int,
        vector_dim: int,
        vectors: Tensor | None,
        frozen: bool,
        max_length: int,
        dim: int,
        dropout: float,
        positions: bool = True,
        layer_norm: bool = True,
    ) -> None:
        super().__init__()
        self.tokens = TokenTable(vocabulary_size, vector_dim, vectors=vectors, frozen=frozen)
        self.projection = nn.Linear(vector_dim, dim) if vector_dim != dim else nn.Identity()
        self.entry = Entry(max_length=max_length, dim=dim, dropout=dropout, positions=positions, layer_norm=layer_norm)

    def forward(self, ids: Tensor) -> Tensor:
        """ids (B, N) int64 -> (B, N, D). Raises ValueError as Entry does."""
        embedded: Tensor = self.entry(self.projection(self.tokens(ids)))
        return embedded
