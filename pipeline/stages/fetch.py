"""Stage `fetch`: a data set's files as upstream made them, in data/raw/<data set>.

What upstream must give lies in data/downloads, which DVC doesn't own: there it is verified, and fetched only once.
"""

from pipeline import paths
from pipeline.files import writing_folder
from pipeline.params import Params
from pipeline.sources.chosen import source_of
from pipeline.sources.download import fetched


def run(params: Params, dataset: str) -> None:
    source, local, downloads = source_of(params, dataset), paths.local(dataset), paths.downloads(dataset)
    source.check(local)
    for file in source.remote(local):
        fetched(file, downloads, bar=params.hardware.draws_bars, say=print)
    with writing_folder(paths.raw(dataset)) as folder:
        source.fetch(downloads, local, folder)
