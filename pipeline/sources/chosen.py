"""The source of a data set of params.yaml."""

from typing import Any

from pipeline import registry
from pipeline.params import Params
from pipeline.sources.recommendation import RecommendationSource
from pipeline.sources.source import Source
from pipeline.sources.summarization import SummarizationSource


def source_of(params: Params, dataset: str) -> Source[Any]:
    """The data set's source, with its options."""
    made: Source[Any] = _made(params, dataset)
    return made


def recommendation_source_of(params: Params, dataset: str) -> RecommendationSource[Any]:
    """The same for a data set whose task is recommendation."""
    made: RecommendationSource[Any] = _made(params, dataset)
    return made


def summarization_source_of(params: Params, dataset: str) -> SummarizationSource[Any]:
    """The same for a data set whose task is summarization."""
    made: SummarizationSource[Any] = _made(params, dataset)
    return made


def _made(params: Params, dataset: str) -> Any:
    options = params.data[dataset].source
    return registry.load(registry.SOURCES, options.reader)(dataset, options)
