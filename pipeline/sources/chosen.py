"""The source of a data set of params.yaml."""

from pipeline import registry
from pipeline.params import Params
from pipeline.sources.base import Source


def source_of(params: Params, dataset: str) -> Source:
    """The data set's source, with its options."""
    options = params.data[dataset].source
    made: Source = registry.load(registry.SOURCES, options.reader)(dataset, options)
    return made
