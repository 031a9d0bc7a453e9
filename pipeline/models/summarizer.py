"""A writer of summaries: any encoder, a Transformer decoder, one table of words for both and for the output."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.models.building import build_embedding, build_encoder
from pipeline.models.decoder import Decoder, KeysAndValues
from pipeline.models.embedding import Entry
from pipeline.models.initialisation import initialise
from pipeline.models.options import ModelOptions
from pipeline.registry import WITHOUT_LAYERS

UNKNOWN_ID = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizerOptions:
    """All that a summarizer is built from but the word vectors themselves; `text` is its encoder's."""

    text: ModelOptions
    decoder_layers: int
    summary_length: int  # the most tokens that it writes
    copy_words: bool  # words can be copied from the text

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The options of a model.json. Raises TypeError if a key is missing or unknown."""
        return cls(**{**values, "text": ModelOptions.from_dict(values["text"])})


class Memory(NamedTuple):
    """What the decoder reads of B texts; N is the length of the longest."""

    texts: list[KeysAndValues]  # per layer of the decoder
    mask: Tensor  # (B, N) bool, True = keep
    ids: Tensor  # (B, N) int64, an article's own words beyond the vocabulary
    states: Tensor  # (B, N, D)
    copy_keys: Tensor | None  # (B, N, D), with the copy mechanism


class CopyMechanism(nn.Module):
    """Where to copy from, and how much of the next word's probability is for copying.

    See et al. 2017, arxiv.org/abs/1704.04368, Equations 8 and 9. Their attention is the decoder's own; here it has maps
    for itself, so that one head with all columns can find a word.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.written = nn.Linear(2 * dim, 1)

    def forward(self, hidden: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """hidden (B, Q, D) -> shares of the text's tokens (B, Q, N), 1 in sum, and logits (B, Q) of not copying."""
        assert memory.copy_keys is not None, "a model that copies has keys for it"
        scores = self.query(hidden) @ memory.copy_keys.transpose(1, 2) / hidden.shape[2] ** 0.5
        kept = memory.mask | ~memory.mask.any(dim=1, keepdim=True)
        shares = scores.float().masked_fill(~kept[:, None], torch.finfo(torch.float32).min).softmax(dim=2)
        context = shares.to(memory.states.dtype) @ memory.states
        return shares, self.written(torch.cat([hidden, context], dim=2)).squeeze(2).float()


class Summarizer(nn.Module):
    """Token ids of texts (B, N) int64, mask (B, N) bool, True = keep, and of summaries (B, T) -> what comes next.

    Ids beyond the vocabulary are an article's own words, which only the copy mechanism can write. Raises KeyError for
    an unknown `attention` and ValueError as its parts do.
    """

    def __init__(self, options: SummarizerOptions, *, vectors: Tensor | None) -> None:
        super().__init__()
        text = options.text
        if text.attention in WITHOUT_LAYERS:
            raise ValueError(f"attention {text.attention} has no encoder for a decoder to read")
        dim = text.mixer.dim
        self.vocabulary_size = text.vocabulary_size
        self.embedding = build_embedding(text, vectors)
        self.encoder = build_encoder(text)
        # The first input is what stands before the first word; the last word is never one.
        self.entry = Entry(max_length=options.summary_length, dim=dim, dropout=text.dropout)
        self.decoder = Decoder(
            layers=options.decoder_layers,
            dim=dim,
            heads=text.mixer.heads,
            feedforward_dim=text.feedforward_dim,
            dropout=text.dropout,
            recompute=text.recompute,
        )
        self.to_vectors = nn.Linear(dim, text.vector_dim)
        self.bias = nn.Parameter(torch.zeros(text.vocabulary_size))
        self.copying = CopyMechanism(dim) if options.copy_words else None

    def encode(self, ids: Tensor, mask: Tensor) -> Memory:
        """ids (B, N), mask (B, N) -> what the decoder reads."""
        states = self.encoder(self.embedding(self._known(ids)), mask)
        # What an encoder leaves at padding means nothing, and must be finite where weights of 0 meet it.
        states = states.masked_fill(~mask[:, :, None], 0.0)
        copy_keys = self.copying.key(states) if self.copying is not None else None
        return Memory(self.decoder.texts(states), mask, ids, states, copy_keys)

    def decode(
        self, memory: Memory, written: Tensor, past: list[KeysAndValues] | None = None
    ) -> tuple[Tensor, list[KeysAndValues]]:
        """written (B * K, T), after `past` -> states (B * K, T, D) that tell what follows each, and the new past.

        Raises ValueError if more than `summary_length` tokens are written.
        """
        before = past[0].keys.shape[2] if past is not None else 0
        vectors = self.embedding.projection(self.embedding.tokens(self._known(written)))
        x = self.entry.after(vectors, before)
        # A text without tokens attends to its zeroed padding.
        seen = memory.mask | ~memory.mask.any(dim=1, keepdim=True)
        hidden: Tensor
        hidden, past = self.decoder(x, memory.texts, seen[:, None, None, :], past)
        return hidden, past

    def logits(self, hidden: Tensor) -> Tensor:
        """hidden (..., D) -> logits (..., V) of the vocabulary's words."""
        return functional.linear(self.to_vectors(hidden), self.embedding.tokens.weight, self.bias)

    def log_probabilities(self, memory: Memory, hidden: Tensor, own_words: int) -> Tensor:
        """hidden (B * K, T, D) -> (B * K, T, V + own_words), for each word the log of its probability to come next.

        `own_words` is the most that any of the texts has; without the copy mechanism theirs is -inf.
        """
        known = self.logits(hidden).float().log_softmax(dim=2)
        if self.copying is None:
            return functional.pad(known, (0, own_words), value=-torch.inf)
        texts, rows = len(memory.ids), hidden.shape[:2]
        shares, written = self.copying(hidden.reshape(texts, -1, hidden.shape[2]), memory)
        copied = shares.new_zeros(*shares.shape[:2], self.vocabulary_size + own_words)
        copied.scatter_add_(2, memory.ids[:, None].expand_as(shares), shares)
        written = written.view(*rows, 1)
        known = functional.pad(functional.logsigmoid(written) + known, (0, own_words), value=-torch.inf)
        return torch.logaddexp(known, functional.logsigmoid(-written) + copied.log().view_as(known))

    def losses(self, memory: Memory, hidden: Tensor, target: Tensor, *, label_smoothing: float) -> Tensor:
        """hidden (B, T, D), target (B, T) -> (B, T): minus the log probability of each target word.

        With `label_smoothing` e it is (1 - e) of that, and e of the mean of all the vocabulary's words before anything
        is copied (Szegedy et al. 2016, arxiv.org/abs/1512.00567, Section 7).
        """
        known = self.logits(hidden).float().log_softmax(dim=2)
        in_vocabulary = target < self.vocabulary_size
        chosen = known.gather(2, self._known(target)[:, :, None]).squeeze(2)
        if self.copying is not None:
            shares, written = self.copying(hidden, memory)
            found = (shares * (memory.ids[:, None, :] == target[:, :, None])).sum(dim=2)
            # An article's own word stands in its text, so one of the two is always there. A share of 0 has no
            # gradient, but that of its log is infinite.
            copied = functional.logsigmoid(-written) + found.clamp_min(torch.finfo(torch.float32).tiny).log()
            chosen = functional.logsigmoid(written) + chosen
            chosen = torch.where(in_vocabulary, torch.logaddexp(chosen, copied), copied)
        losses = -chosen
        if label_smoothing:
            losses = (1 - label_smoothing) * losses - label_smoothing * known.mean(dim=2)
        return losses

    def _known(self, ids: Tensor) -> Tensor:
        """An article's own words are `<unk>` to the table of words."""
        return ids.masked_fill(ids >= self.vocabulary_size, UNKNOWN_ID)


def build_summarizer(options: SummarizerOptions, *, vectors: Tensor | None) -> Summarizer:
    """A summarizer with its weights initialised; they depend on torch's seed alone. Raises as Summarizer does."""
    model = Summarizer(options, vectors=vectors)
    initialise(model, options.text.init_std)
    return model
