"""Generated reviews in Amazon's format, to measure with: python -m benchmarks.reviews COUNT FILE.

Words are as frequent as Zipf says, and as long as in English; reviews are as long as those of Electronics (mean about
100 words). One in a hundred repeats another, one in twenty has characters beyond ASCII.
"""

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

TYPES = 600_000
COMMON = 5_000
"""Up to here a word's share falls as 1 / rank, beyond as 1 / rank squared (Ferrer i Cancho and Sole, 2001)."""
AT_A_TIME = 10_000


def words(generator: np.random.Generator) -> list[str]:
    """Word types from the most frequent on, which are the shortest."""
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", np.uint8)
    chances = np.linspace(2, 0.1, len(letters))
    made: dict[str, None] = {}
    while len(made) < TYPES:
        lengths = 1 + np.minimum(generator.poisson(1.2 + 0.8 * np.log1p((len(made) + np.arange(1000)) / 20)), 20)
        drawn = generator.choice(letters, lengths.sum(), p=chances / chances.sum()).tobytes().decode()
        ends = np.cumsum(lengths)
        made |= dict.fromkeys(drawn[end - length : end] for end, length in zip(ends, lengths, strict=True))
    return list(made)[:TYPES]


def texts(count: int, generator: np.random.Generator) -> Iterator[str]:
    types = words(generator)
    plain = np.array(types, dtype=object)
    marks = itertools.cycle([",", ".", ".", "!", "'s", "-up", "\n\n", "...", "?"])
    marked = np.array([f"{word}{mark}" for word, mark in zip(types, marks, strict=False)], dtype=object)
    capital = np.array([word.capitalize() for word in types], dtype=object)
    foreign = np.array([f"{word}é" for word in types], dtype=object)
    rank = np.arange(1, TYPES + 1)
    cumulated = np.cumsum(np.where(rank <= COMMON, 1 / (rank + 2.7), COMMON / rank**2))
    kept: list[str] = []
    for start in range(0, count, AT_A_TIME):
        size = min(AT_A_TIME, count - start)
        lengths = np.clip(generator.lognormal(4.3, 0.9, size), 1, 3000).astype(int)
        ids = np.searchsorted(cumulated, generator.random(lengths.sum()) * cumulated[-1])
        spelt = plain[ids]
        kind = generator.random(len(ids))
        for chosen, spelling in ((kind < 0.13, marked), (kind > 0.93, capital), (kind > 0.9995, foreign)):
            spelt[chosen] = spelling[ids[chosen]]
        ends = np.cumsum(lengths)
        for end, length in zip(ends, lengths, strict=True):
            text = " ".join(spelt[end - length : end])
            if generator.random() < 0.01 and kept:
                text = kept[generator.integers(len(kept))]
            elif len(kept) < 1000:
                kept.append(text)
            yield text


def main(count: int, path: Path) -> None:
    generator = np.random.default_rng(1)
    stars = np.random.default_rng(2).choice(5, count, p=[0.06, 0.05, 0.08, 0.21, 0.6]) + 1
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts(count, generator)):
            review = {
                "reviewerID": f"A{number * 7919 % 10**13:013d}",
                "asin": f"B{number % 63_001:09d}",
                "reviewerName": f"reader {number % 1000}",
                "helpful": [number % 3, number % 5],
                "reviewText": text,
                "overall": float(stars[number]),
                "summary": " ".join(text.split()[:5]),
                "unixReviewTime": 1_300_000_000 + number,
                "reviewTime": "09 4, 2013",
            }
            file.write(json.dumps(review) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
