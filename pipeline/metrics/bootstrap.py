"""How far the mean over test examples might have been from what it is, had other examples been drawn."""

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
PORTION = 1 << 22
"""Numbers of a portion of the resamples, whose draws are the same in portions of any size."""


def interval(values: NDArray[np.float64], *, seed: int = 1) -> tuple[float, float]:
    """(n,) -> the ends of the 95 % percentile interval of the mean, over RESAMPLES bootstrap resamples.

    Efron and Tibshirani 1993, An Introduction to the Bootstrap, Section 13.3. Raises ValueError if there are no values.
    """
    if not len(values):
        raise ValueError("no values to take a mean of")
    # How often each different value is drawn says as much as which examples are.
    different, counts = np.unique(values, return_counts=True)
    draw = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    rows = max(1, PORTION // len(different))
    for start in range(0, RESAMPLES, rows):
        part = means[start : start + rows]
        part[:] = draw.multinomial(len(values), counts / len(values), size=len(part)) @ different / len(values)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)
