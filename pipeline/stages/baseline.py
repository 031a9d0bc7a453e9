"""Stage `baseline`: the answers that need no neural network, in experiments/baselines/<data set>.

A stage of its own, not a part of the report: on large data sets it takes minutes, and the report is made often.
"""

from pipeline import paths
from pipeline.baselines import classification, recommendation
from pipeline.text.impressions import is_prepared


def run(dataset: str) -> None:
    (recommendation if is_prepared(paths.prepared(dataset)) else classification).run(dataset)
