"""How to read the tables, in a few sentences."""

from pipeline.report.collect import Collected
from pipeline.report.tables import published_rows

OF_TASK = {
    "classification": [
        "majority (always the most frequent training label) and tfidf_logreg (logistic regression on TF-IDF of 1- and "
        "2-grams) are baselines; a model that doesn't beat them isn't worth its time on that data.",
    ],
    "recommendation": [
        "AUC, MRR and nDCG are computed per impression, as MIND's leaderboard does, and averaged; MRR is over all "
        "clicked candidates, and candidates with equal scores stand in no order (docs/recommendation.md). random, "
        "popularity (the share of a candidate's views that were clicks) and tfidf (likeness of its title to those of "
        "the history) are baselines. An ensemble is the mean of the scores of a variant's seeds.",
    ],
    "summarization": [
        "ROUGE is rouge-score's F-measure with its stemmer; ROUGE-Lsum, sentence by sentence, is what papers call R-L "
        "(docs/summarization.md). oracle (sentences of the article chosen with a look at the summary) is what copying "
        "whole sentences can reach; lead is the first sentences, as many as score best on validation.",
    ],
}
"""What a reader of the tables must know of a task."""

OF_DATA = {
    "mind_topics": "mind_topics classifies articles of MIND by title and abstract, since MIND's files don't hold the "
    "bodies by which the paper does: its figures don't compare with the paper's.",
    "mind": "mind's test split is upstream's dev: the clicks of the leaderboard's test split aren't public, so that "
    "these figures aren't the leaderboard's.",
}
"""What a reader of the tables must know of a data set."""


def notes(collected: Collected) -> list[str]:
    """The notes below the tables, and the machines that the runs recorded."""
    published = [
        f"The paper's ablations ({collected.paper.ablations.source}) are of other data sets and sizes, single values "
        "without a deviation: compare the direction of a change, not the figures. The captions of those panels are "
        "rotated in the paper; here each stands under the data set whose figures in Table 4 it repeats."
    ]
    tasks = {dataset.task for dataset in collected.datasets}
    return [
        "All metrics are percentages on the test split, with the weights that were best on validation; ± is the sample "
        "standard deviation over seeds.",
        "95 % is the bootstrap interval of the first metric over the test examples, each one's value averaged over "
        "seeds. It covers the luck of the test examples, not that of the seeds.",
        "p is the chance of a difference in the first metric at least this large if the two models were equally good: "
        "two-sided paired randomization over the test examples, each one's value averaged over seeds, 10,000 draws, so "
        "0.0001 is the smallest. It covers the luck of the test examples, not that of the seeds. Variants are tested "
        f"against the baseline that p's column names, ablations against {collected.reference}.",
        *(note for task, notes_of_task in OF_TASK.items() if task in tasks for note in notes_of_task),
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
