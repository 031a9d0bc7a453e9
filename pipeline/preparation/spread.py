"""What many numbers are like, for the data reports."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray


def spread(numbers: NDArray[np.integer]) -> dict[str, float]:
    """Smallest, median, mean, 95th percentile and largest; at least one number."""
    return {
        "min": int(numbers.min()),
        "median": float(np.median(numbers)),
        "mean": round(float(numbers.mean()), 2),
        "p95": float(np.percentile(numbers, 95)),
        "max": int(numbers.max()),
    }


def spread_of_counts(counts: Counter[int]) -> dict[str, float]:
    """The same of counted numbers; all 0 where there are none."""
    return spread(
        np.repeat(sorted(counts), [counts[number] for number in sorted(counts)]) if counts else np.zeros(1, int)
    )
