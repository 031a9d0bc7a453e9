"""Stage `baseline`: the answers that need no neural network, in experiments/baselines/<data set>.

A stage of its own, not a part of the report: on large data sets it takes minutes, and the report is made often.
"""

from pipeline import paths
from pipeline.baselines import classification, recommendation, summarization
from pipeline.text import articles, impressions


def run(dataset: str) -> None:
    folder = paths.prepared(dataset)
    if impressions.is_prepared(folder):
        recommendation.run(dataset)
    elif articles.is_prepared(folder):
        summarization.run(dataset)
    else:
        classification.run(dataset)
