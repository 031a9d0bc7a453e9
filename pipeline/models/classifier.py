"""A text classifier: embedding, encoder, pooling, and a map to the classes."""

from typing import Literal

from torch import Tensor, nn

from pipeline.attention.options import Interaction
from pipeline.models.embedding import TextEmbedding
from pipeline.models.encoder import Encoder, EncoderLayer
from pipeline.models.initialisation import initialise
from pipeline.models.pooling import AdditivePooling
from pipeline.registry import ATTENTIONS, load

Sharing = Literal["none", "qv", "qv_layer"]


class TextClassifier(nn.Module):
    """Token ids (B, N) int64, mask (B, N) bool, True = keep -> logits (B, C)."""

    def __init__(
        self, embedding: TextEmbedding, encoder: Encoder, pooling: AdditivePooling, *, dim: int, classes: int
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.encoder = encoder
        self.pooling = pooling
        self.output = nn.Linear(dim, classes)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids (B, N), mask (B, N) -> logits (B, C). Raises ValueError if N exceeds the embedding's `max_length`."""
        logits: Tensor = self.output(self.pooling(self.encoder(self.embedding(ids), mask), mask))
        return logits


def build_classifier(
    *,
    vocabulary_size: int,
    vector_dim: int,
    vectors: Tensor | None,
    frozen: bool,
    max_length: int,
    dim: int,
    heads: int,
    layers: int,
    feedforward_dim: int,
    dropout: float,
    classes: int,
    attention: str,
    interaction: Interaction,
    sharing: Sharing,
) -> TextClassifier:
    """A classifier with its weights initialised; they depend on torch's seed alone.

    `vectors` (vocabulary_size, vector_dim) start the word table, else it is drawn; `frozen` keeps it as it starts.
    `attention` is a name of registry.ATTENTIONS. `sharing`: "qv" lets the query map make the values, "qv_layer" also
    reuses one layer at every depth (the paper's Figure 4). Raises KeyError for an unknown `attention`, and ValueError
    if `vectors` has another shape, `heads` doesn't divide `dim` or `layers` is below 1.
    """
    mixer_class = load(ATTENTIONS, attention)

    def make_layer() -> EncoderLayer:
        mixer = mixer_class(dim, heads, interaction=interaction, sharing=sharing, scoring="full")
        return EncoderLayer(mixer, dim=dim, feedforward_dim=feedforward_dim, dropout=dropout)

    embedding = TextEmbedding(
        vocabulary_size=vocabulary_size,
        vector_dim=vector_dim,
        vectors=vectors,
        frozen=frozen,
        max_length=max_length,
        dim=dim,
        dropout=dropout,
    )
    encoder = Encoder(make_layer, layers=layers, share_layers=sharing == "qv_layer")
    model = TextClassifier(embedding, encoder, AdditivePooling(dim), dim=dim, classes=classes)
    initialise(model)
    return model
