"""Beam search over words, for several texts at once; with a beam of 1 it is greedy, and ends at the first `<eos>`.

A hypothesis of n words, its `<eos>` among them, has the score (sum of its words' log probabilities) / n ** penalty. A
text's search ends when no hypothesis that is still written can beat its best finished one, so that what is left out is
only what fell out of the beam (Yang et al. 2018, arxiv.org/abs/1808.09582, Section 4, on when that is safe).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Step = Callable[[Tensor, Tensor | None], Tensor]
"""The last words (R,) int64 of R hypotheses, and which rows (R,) of the call before they go on from, None at first ->
log probabilities (R, W) of what comes next. R is the same multiple of the number of texts for each, text by text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How summaries are searched for. Lengths are in words without `<eos>`, but `max_length`, which counts it."""

    beam: int
    length_penalty: float  # 0: the likeliest text; above it long ones gain
    min_length: int
    max_length: int
    block_trigrams: bool  # no three words come twice in the same order


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The ids that a search must know. `never` are those that it never writes."""

    begin: int
    end: int
    never: tuple[int, ...]


def search(step: Step, texts: int, options: SearchOptions, marks: Marks, device: torch.device) -> list[list[int]]:
    """The best hypothesis for each of the texts, without `<bos>`; without `<eos>` where `max_length` cut it.

    Where every next word is forbidden, the text ends with what is written.
    """
    live = torch.zeros(texts, 1, device=device)
    written = torch.full((texts, 1, 1), marks.begin, device=device)
    best = torch.full((texts,), -torch.inf, device=device)
    found: list[list[int]] = [[] for _ in range(texts)]
    rows = None
    for length in range(1, options.max_length + 1):
        following = step(written[:, :, -1].reshape(-1), rows).float()
        forbid(following, written.flatten(0, 1), length, options, marks)
        width = following.shape[1]
        total = live[:, :, None] + following.view(texts, -1, width)
        # Each hypothesis ends in one way only, so that among twice as many as go on enough do not end. One that ends
        # counts if it is among the best `beam`, as one that goes on must be.
        score, place = total.flatten(1).topk(min(2 * options.beam, total[0].numel()))
        parent, word = place // width, place % width
        ends = word == marks.end
        if length == options.max_length:
            ends = torch.ones_like(ends)
        counts = ends.clone()
        counts[:, options.beam :] = False
        stuck = score[:, 0].isneginf() & best.isneginf() & live[:, 0].isfinite()
        finished, number = (score.masked_fill(~counts, -torch.inf) / length**options.length_penalty).max(dim=1)
        for text in (finished > best).nonzero().flatten().tolist():
            best[text] = finished[text]
            chosen = number[text]
            found[text] = [*written[text, parent[text, chosen], 1:].tolist(), int(word[text, chosen])]
        for text in stuck.nonzero().flatten().tolist():
            best[text] = live[text, 0] / max(length - 1, 1) ** options.length_penalty
            found[text] = written[text, 0, 1:].tolist()

        live, kept = score.masked_fill(ends, -torch.inf).topk(min(options.beam, score.shape[1]))
        parent, word = parent.gather(1, kept), word.gather(1, kept)
        if options.beam == 1:
            live[best.isfinite()] = -torch.inf
        if bool((best >= reachable(live[:, 0], length, options)).all()):
            break
        before = written.gather(1, parent[:, :, None].expand(-1, -1, length))
        hypotheses = written.shape[1]
        written = torch.cat([before, word[:, :, None]], dim=2)
        rows = (parent + hypotheses * torch.arange(texts, device=device)[:, None]).flatten()
    return found


def forbid(following: Tensor, written: Tensor, length: int, options: SearchOptions, marks: Marks) -> None:
    """Sets what may not come next to -inf in following (R, W), after written (R, length) that begins with `<bos>`."""
    following[:, list(marks.never)] = -torch.inf
    if length <= options.min_length:
        following[:, marks.end] = -torch.inf
    if options.block_trigrams and length > 3:
        trigrams = written[:, 1:].unfold(1, 3, 1)  # (R, length - 3, 3)
        repeats = (trigrams[:, :, :2] == written[:, None, -2:]).all(dim=2)
        at, which = repeats.nonzero(as_tuple=True)
        following[at, trigrams[at, which, 2]] = -torch.inf


def reachable(live: Tensor, length: int, options: SearchOptions) -> Tensor:
    """Sums (B,) of log probabilities of `length` words -> the best score that going on can lead to."""
    # A sum of negative numbers only falls; what it is divided by is largest for the longest text, or the shortest.
    longest = options.max_length if options.length_penalty > 0 else length + 1
    reached: Tensor = live / float(longest) ** options.length_penalty
    return reached
