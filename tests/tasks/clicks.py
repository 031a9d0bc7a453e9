"""Prepared impressions of 40 articles, small enough to train on in a second."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.text import impressions
from pipeline.text.impressions import ABSTRACTS, HISTORIES, TITLES, ImpressionWriter, RecommendationInfo
from pipeline.text.ragged import RaggedWriter

NEWS, WORDS, MAX_HISTORY, LONGEST = 40, 30, 6, 9
SIZES = {"train": 50, "validation": 20, "test": 21}
SIDES = 2


def write(folder: Path, *, abstracts: bool = False, unlabelled: int = 0) -> None:
    """Readers click on news whose words are of the half that their history's are of."""
    draw = np.random.default_rng(3)
    side = draw.integers(0, SIDES, NEWS)

    def text(of: int) -> list[int]:
        return draw.integers(2 + 14 * of, 16 + 14 * of, draw.integers(1, LONGEST + 1)).tolist()

    _ragged(folder, TITLES, [[], *(text(side[i]) for i in range(1, NEWS))])
    if abstracts:
        _ragged(folder, ABSTRACTS, [[] if i % 5 == 0 else text(side[i]) for i in range(NEWS)])
    np.save(folder / "news.category.npy", side.astype(np.int32))
    names = [f"article {number}" for number in range(NEWS)]
    pq.write_table(pa.table({"id": names, "title": names}), folder / "news.parquet")

    taste = draw.integers(0, SIDES, 25)
    histories = [draw.choice(np.flatnonzero(side == one), draw.integers(1, MAX_HISTORY + 1)).tolist() for one in taste]
    _ragged(folder, HISTORIES, [[], *histories])
    sizes = SIZES | ({"unlabelled": unlabelled} if unlabelled else {})
    for split, size in sizes.items():
        with ImpressionWriter(folder, split, clicks=split in SIZES, chances=False) as writer:
            # The ids of a file rise, but its rows needn't.
            for number in draw.permutation(size).tolist():
                history = int(draw.integers(0, len(taste) + 1))
                liked = taste[history - 1] if history else 0
                candidates = draw.choice(NEWS, draw.integers(2, 9), replace=False)
                clicks = (side[candidates] == liked) & (draw.random(len(candidates)) < 0.8)
                clicks[0], clicks[-1] = True, False
                columns = {"id": 100 + number, "time": number, "user": history, "history": history}
                writer.append(candidates.tolist(), clicks.tolist(), [], **columns)
    impressions.write_info(
        folder,
        RecommendationInfo(
            news=NEWS,
            categories=["left", "right"],
            subcategories=["left", "right"],
            vocabulary_size=WORDS,
            max_length=LONGEST,
            abstract_length=LONGEST if abstracts else None,
            max_history=MAX_HISTORY,
            news_encoder=None,
            tokenizer="wordpunct",
            lowercase=True,
            splits=sizes,
        ),
    )


def _ragged(folder: Path, name: str, rows: Sequence[Sequence[int]]) -> None:
    with RaggedWriter(folder, name) as writer:
        for row in rows:
            writer.append(row)
