"""A few test summaries beside their references, since a score says little of how a text reads."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.report.answers import Summaries
from pipeline.report.runs import Run
from pipeline.text.articles import fixed_sample

SHOWN = 5


@dataclass(frozen=True)
class Written:
    """What one run wrote, a sentence a line, and its ROUGE-2 between 0 and 1."""

    variant: str
    seed: int
    text: str
    score: float


@dataclass(frozen=True)
class Sample:
    """A test article's number, its reference summary, and what the runs wrote."""

    number: int
    reference: str
    written: list[Written]


def samples(runs: Sequence[Run]) -> list[Sample]:
    """SHOWN articles, evenly spaced over the test split; none where the runs' answers aren't summaries."""
    answers = [(run, run.answers) for run in runs if isinstance(run.answers, Summaries)]
    if not answers:
        return []
    first = answers[0][1]
    return [
        Sample(
            number=int(first.ids[row]),
            reference=first.references[row],
            written=[
                Written(run.variant, run.seed, found.written[row], float(found.scores[row])) for run, found in answers
            ],
        )
        for row in fixed_sample(len(first.ids), SHOWN)
    ]
