"""How to read the tables, in a few sentences."""

from pipeline.report.collect import Collected
from pipeline.report.tables import published_rows

OF_DATA = {
    "mind_topics": "mind_topics classifies articles of MIND by title and abstract, since MIND's files don't hold the "
    "bodies by which the paper does: its figures don't compare with the paper's."
}
"""What a reader of the tables must know of a data set."""


def notes(collected: Collected) -> list[str]:
    """The notes below the tables, and the machines that the runs recorded."""
    published = [
        f"The paper's ablations ({collected.published_in}) are of other data sets and sizes, single values without a "
        "deviation: compare the direction of a change, not the figures. The captions of those panels are rotated in "
        "the paper; here each stands under the data set whose figures in Table 4 it repeats."
    ]
    return [
        "Accuracy and macro-F1 are percentages on the test split, with the weights that were best on validation; "
        "± is the sample standard deviation over seeds.",
        "p is the chance of a difference in accuracy at least this large if the two models were equally good: "
        "two-sided paired randomization over the test texts, correctness averaged over seeds, 10,000 draws, so 0.0001 "
        "is the smallest. It covers the luck of the test texts, not that of the seeds. Variants are tested against "
        f"tfidf_logreg, ablations against {collected.reference}.",
        "majority (always the most frequent training label) and tfidf_logreg (logistic regression on TF-IDF of 1- and "
        "2-grams) are baselines; a model that doesn't beat them isn't worth its time on that data.",
        "Parameters include the word embeddings; tokens/s is that of the training steps, minutes are those of training "
        "and validation, both means over seeds. "
        f"Recorded on: {'; '.join(machines(collected)) or 'no run there'}.",
        *(note for name, note in OF_DATA.items() if any(dataset.name == name for dataset in collected.datasets)),
        *(published if any(published_rows(dataset, collected) for dataset in collected.datasets) else []),
    ]


def machines(collected: Collected) -> list[str]:
    """Machine, device and threads of the runs, each combination once."""
    return list(
        dict.fromkeys(
            f"{timing.get('machine', 'unknown machine')}, {timing.get('device', 'unknown device')}, "
            f"{timing.get('threads', '?')} threads"
            for timing in (run.timing for run in collected.runs)
        )
    )
