"""Stage `fetch`: a data set's files as upstream made them, in data/raw/<data set>."""

from pipeline import paths
from pipeline.files import writing_folder
from pipeline.params import Params
from pipeline.sources.chosen import source_of


def run(params: Params, dataset: str) -> None:
    with writing_folder(paths.raw(dataset)) as folder:
        source_of(params, dataset).fetch(paths.downloads(dataset), paths.local(dataset), folder)
