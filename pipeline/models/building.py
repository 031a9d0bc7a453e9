"""The parts of every text model, out of its options."""

from dataclasses import replace

from torch import Tensor

from pipeline.models.embedding import TextEmbedding
from pipeline.models.encoder import Encoder, EncoderLayer
from pipeline.models.options import ModelOptions
from pipeline.registry import ATTENTIONS, load


def build_embedding(options: ModelOptions, vectors: Tensor | None) -> TextEmbedding:
    """The words' vectors, which start from `vectors` (vocabulary_size, vector_dim) if given. Raises as TokenTable."""
    return TextEmbedding(
        vocabulary_size=options.vocabulary_size,
        vector_dim=options.vector_dim,
        vectors=vectors,
        frozen=options.frozen,
        max_length=options.mixer.max_length,
        dim=options.mixer.dim,
        dropout=options.dropout,
        positions=options.positions,
        layer_norm=options.layer_norm,
    )


def build_encoder(options: ModelOptions) -> Encoder:
    """The stack of layers. Raises KeyError for an unknown `attention`, ValueError as Encoder and the mixer do."""
    mixer_class = load(ATTENTIONS, options.attention)

    def make_layer(number: int) -> EncoderLayer:
        return EncoderLayer(
            mixer_class.from_options(replace(options.mixer, layer=number)),
            dim=options.mixer.dim,
            feedforward_dim=options.feedforward_dim if options.feedforward else None,
            dropout=options.dropout,
            residual=options.residual,
            layer_norm=options.layer_norm,
        )

    return Encoder(
        make_layer,
        layers=options.layers,
        share_layers=options.mixer.sharing == "qv_layer",
        recompute=options.recompute,
    )
