"""A text classifier: embedding, encoder, pooling, and a map to the classes."""

from torch import Tensor, nn

from pipeline.models.building import build_embedding, build_encoder
from pipeline.models.initialisation import initialise
from pipeline.models.options import ModelOptions
from pipeline.models.pooling import AdditivePooling
from pipeline.registry import WITHOUT_LAYERS, load


class TextClassifier(nn.Module):
    """Token ids (B, N) int64, mask (B, N) bool, True = keep -> logits (B, C).

    Raises KeyError for an unknown `attention`, and ValueError if `vectors` has another shape than (vocabulary_size,
    vector_dim), `layers` is below 1, or the mixer refuses its options, as heads that don't divide `dim`.
    """

    def __init__(self, options: ModelOptions, *, classes: int, vectors: Tensor | None) -> None:
        super().__init__()
        dim = options.mixer.dim
        self.embedding = build_embedding(options, vectors)
        self.encoder = build_encoder(options)
        self.pooling = AdditivePooling(dim)
        self.output = nn.Linear(dim, classes)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids (B, N), mask (B, N) -> logits (B, C).

        Raises ValueError if N exceeds `max_length` where a part depends on it: the positions, or Linformer.
        """
        logits: Tensor = self.output(self.pooling(self.encoder(self.embedding(ids), mask), mask))
        return logits


def build_classifier(options: ModelOptions, *, classes: int, vectors: Tensor | None) -> nn.Module:
    """Token ids (B, N), mask (B, N) -> logits (B, C), its weights initialised; they depend on torch's seed alone.

    `vectors` (vocabulary_size, vector_dim) start the word table, else it is drawn. Raises as TextClassifier does.
    """
    model: nn.Module
    if options.attention in WITHOUT_LAYERS:
        model = load(WITHOUT_LAYERS, options.attention)(options, classes=classes, vectors=vectors)
    else:
        model = TextClassifier(options, classes=classes, vectors=vectors)
    initialise(model, options.init_std)
    return model
