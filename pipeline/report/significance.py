"""Is one model better than another, or was it luck?"""

import numpy as np
from numpy.typing import NDArray

PORTION = 1 << 22
"""Signs that are drawn at a time; their products with the differences take eight times as many bytes."""


def paired_randomization(
    first: NDArray[np.float64], second: NDArray[np.float64], *, samples: int = 10_000, seed: int = 1
) -> float:
    """Two-sided p-value of the difference of means over paired examples, by random exchange within pairs.

    `first` and `second` hold one score per example, the same examples in the same order; with several seeds, the mean
    over seeds. Approximate randomization (Noreen, 1989; Yeh, 2000, https://aclanthology.org/C00-2137/); the smallest
    possible value is 1 / (samples + 1).
    """
    differences = (first - second)[first != second]
    observed = abs(differences.sum())
    draw = np.random.default_rng(seed)
    extreme = 0
    # Signs come four to a word of the generator: by fours they are the same in portions of any size.
    rows = 4 * max(1, PORTION // max(1, 4 * len(differences)))
    for start in range(0, samples, rows):
        signs = draw.integers(0, 2, size=(min(rows, samples - start), len(differences)), dtype=np.int8)
        sums = np.abs((signs * 2 - 1) @ differences)
        # Sums of the same values in another order differ in their last digits.
        extreme += int((sums >= observed - 1e-9).sum())
    return (extreme + 1) / (samples + 1)
