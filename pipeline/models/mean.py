"""A judge of the others: the mean of a text's word vectors, and a linear map to the classes.

fastText's classifier (Joulin et al. 2017, arxiv.org/abs/1607.01759, Section 2) over words, without its n-grams.
"""

from torch import Tensor, nn

from pipeline.models.embedding import TokenTable
from pipeline.models.options import ModelOptions
from pipeline.models.pooling import MeanPooling


class MeanClassifier(nn.Module):
    """Token ids (B, N) int64, mask (B, N) bool, True = keep -> logits (B, C), of a text of any length.

    Of the options it reads those of the word vectors. Raises ValueError as TokenTable does.
    """

    def __init__(self, options: ModelOptions, *, classes: int, vectors: Tensor | None) -> None:
        super().__init__()
        self.tokens = TokenTable(options.vocabulary_size, options.vector_dim, vectors=vectors, frozen=options.frozen)
        self.pooling = MeanPooling()
        self.output = nn.Linear(options.vector_dim, classes)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids (B, N), mask (B, N) -> logits (B, C)."""
        logits: Tensor = self.output(self.pooling(self.tokens(ids), mask))
        return logits
