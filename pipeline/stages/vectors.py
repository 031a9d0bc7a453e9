"""Stage `vectors`: pretrained word vectors as they were published, in data/vectors."""

import shutil
from pathlib import Path

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import writing_folder
from pipeline.params import Params
from pipeline.sources import glove_package, word_vectors
from pipeline.sources.download import fetched


def run(params: Params) -> None:
    name = params.vectors.pretrained
    files: dict[Path, str] = {}
    if published := word_vectors.PUBLISHED.get(name):
        downloads = paths.downloads(word_vectors.FOLDER)
        path = fetched(published.file, downloads, bar=params.hardware.draws_bars, say=print)
        files = {path: published.stored}
    elif name != glove_package.NAME:
        path = paths.local("vectors") / paths.vector_file(name)[0]
        if not path.is_file():
            raise UserError(f"{path}: no such file; copy or link your vectors there, or set vectors.pretrained")
        # gensim keeps large rows in files beside a .kv.
        files = {part: part.name for part in (path, *path.parent.glob(f"{path.name}.*.npy"))}
    with writing_folder(paths.VECTORS) as folder:
        if not files:
            glove_package.write(folder / f"{name}.txt")
        for path, stored in files.items():
            shutil.copyfile(path, folder / stored)
