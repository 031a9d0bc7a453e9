"""Stage `prepare`: splits, vocabulary, encoded data and a report on them, in data/prepared/<data set>."""

from pipeline import paths
from pipeline.files import require
from pipeline.params import Params
from pipeline.preparation import classification, recommendation, summarization


def run(params: Params, dataset: str) -> None:
    require(paths.raw(dataset))
    if params.data[dataset].source.task == "recommendation":
        recommendation.prepare(params, dataset)
    elif params.data[dataset].source.task == "summarization":
        summarization.prepare(params, dataset)
    else:
        classification.prepare(params, dataset)
