"""ROUGE (Lin 2004, aclanthology.org/W04-1013) by the package rouge-score, with the protocol that every score needs.

Published figures differ by several points with the stemmer, with how sentences are told apart and with the package, so
`protocol` is written beside each score. A summary is a sequence of sentences; nothing here looks for them, and no model
of NLTK's is needed.
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rouge_score.rouge_scorer import RougeScorer

from pipeline.metrics.bootstrap import RESAMPLES, interval

Summary = Sequence[str]

ROUGES = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}
"""Our names, and the package's. The papers' R-L of summaries is `rouge_lsum`; `rouge_l` takes them for one sentence."""

CHUNK = 64
"""Pairs that a process gets at a time."""


def protocol() -> dict[str, Any]:
    """What a score means, to be written beside it."""
    return {
        "package": f"rouge-score {version('rouge-score')}",
        "stemmer": True,
        "value": "f-measure",
        "sentences": "as given, one a line",
        "tokens": "lower-cased runs of a-z and 0-9",
        "empty_output": 0,
        "interval": f"95 %, percentiles of {RESAMPLES} bootstrap resamples of the texts",
    }


def f_measures(references: Sequence[Summary], outputs: Sequence[Summary], *, processes: int) -> NDArray[np.float64]:
    """(pairs, len(ROUGES)): F-measures between 0 and 1, the same for any number of `processes`.

    An output without a token scores 0. Raises ValueError if there aren't as many outputs as references.
    """
    if len(references) != len(outputs):
        raise ValueError(f"{len(references)} references, but {len(outputs)} outputs")
    pairs = [(as_lines(reference), as_lines(output)) for reference, output in zip(references, outputs, strict=True)]
    chunks = [pairs[start : start + CHUNK] for start in range(0, len(pairs), CHUNK)]
    # Processes take a second to start, which one chunk isn't worth.
    jobs = min(processes, len(chunks))
    found = Parallel(n_jobs=jobs)(delayed(_scored)(chunk) for chunk in chunks) if jobs > 1 else map(_scored, chunks)
    return np.concatenate([np.zeros((0, len(ROUGES))), *found])


def as_lines(summary: Summary) -> str:
    """The summary as the package wants it: sentences apart by a newline, and no newline within one."""
    return "\n".join(" ".join(sentence.split()) for sentence in summary)


def means(scores: NDArray[np.float64]) -> dict[str, float]:
    """Of scores (pairs, len(ROUGES)) the mean of each ROUGE, and as `<name>_low` and `<name>_high` its 95 % interval.

    Raises ValueError if there are no pairs.
    """
    found: dict[str, float] = {}
    for name, column in zip(ROUGES, scores.T, strict=True):
        low, high = interval(column)
        found |= {name: float(column.mean()), f"{name}_low": low, f"{name}_high": high}
    return found


def _scored(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    scorer = RougeScorer(list(ROUGES.values()), use_stemmer=True, split_summaries=False)
    rows = []
    for reference, output in pairs:
        scores = scorer.score(target=reference, prediction=output)
        rows.append([scores[name].fmeasure for name in ROUGES.values()])
    return np.array(rows)
