"""Drawing with given chances."""

import random
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def drawn(chances: Mapping[T, float], generator: random.Random) -> T:
    """One of the keys, each as likely as its value says."""
    return generator.choices(list(chances), list(chances.values()))[0]


def normalised(weights: Mapping[T, float]) -> dict[T, float]:
    """The weights as chances, which are one in sum."""
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}
