"""Stage `prepare`: splits, vocabulary, encoded data and a report on them, in data/prepared/<data set>."""

from pipeline.params import Params
from pipeline.preparation import classification, recommendation, summarization


def run(params: Params, dataset: str) -> None:
    task = params.task_of(dataset)
    if task == "recommendation":
        recommendation.prepare(params, dataset)
    elif task == "summarization":
        summarization.prepare(params, dataset)
    else:
        classification.prepare(params, dataset)
