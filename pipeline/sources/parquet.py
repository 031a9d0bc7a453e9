"""Two columns of text out of a Parquet file."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import UserError
from pipeline.sources.tabular import Columns, require_columns

ROWS = 1000
"""Rows that are read at a time."""


def parquet_rows(path: Path, columns: Columns) -> Iterator[tuple[int, str, str]]:
    """Numbers from 1 and the two columns of every row, null as empty text.

    Raises UserError where the file is no Parquet, lacks a column, or has something else than text in it.
    """
    try:
        with pq.ParquetFile(path) as file:
            require_columns(columns, file.schema_arrow.names, str(path))
            names = list(columns.values())
            for key, name in columns.items():
                if file.schema_arrow.names.count(name) > 1:
                    raise UserError(f"{path}: two columns are named {name!r}; rename one")
                kind = file.schema_arrow.field(name).type
                if kind not in (pa.string(), pa.large_string()):
                    raise UserError(f"{path}: column {name!r} holds {kind}, not text; set {key} to one that does")
            number = 0
            for batch in file.iter_batches(ROWS, columns=names):
                for first, second in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
                    number += 1
                    yield number, first or "", second or ""
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: unreadable Parquet ({error}); copy or download it again") from None
