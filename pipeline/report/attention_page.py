"""A page that shades the tokens of texts by Fastformer's attention weights; it needs no network."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipeline.report.templates import environment


class Maps(Protocol):
    """One layer's weights for one text, (N, H) each."""

    @property
    def alpha(self) -> ArrayLike: ...

    @property
    def beta(self) -> ArrayLike: ...


@dataclass(frozen=True)
class Text:
    """One text, its likeliest label with the probability, and a Maps per layer."""

    label: str
    probability: float
    tokens: Sequence[str]
    maps: Sequence[Maps]


@dataclass(frozen=True)
class Line:
    """The tokens of a text with the weights of one head, or with the mean over heads."""

    name: str
    cells: list[tuple[str, float, float]]  # token, weight, weight as a share of the line's largest


def render(run: str, texts: Sequence[Text]) -> str:
    """The whole page; what users wrote is escaped."""
    return (
        environment()
        .get_template("attention.html.jinja")
        .render(
            run=run,
            texts=[
                {
                    "label": text.label,
                    "probability": text.probability,
                    "groups": [
                        {"name": f"layer {number}, {name}", "lines": lines(text.tokens, np.asarray(weights))}
                        for number, maps in enumerate(text.maps, 1)
                        for name, weights in (("alpha", maps.alpha), ("beta", maps.beta))
                    ],
                }
                for text in texts
            ],
        )
    )


def lines(tokens: Sequence[str], weights: NDArray[np.floating]) -> list[Line]:
    """weights (N, H) -> the mean over heads, then each head."""
    named = [("mean of heads", weights.mean(axis=1))]
    named += [(f"head {number}", column) for number, column in enumerate(weights.T, 1)]
    return [
        Line(name, [(token, float(one), float(one / column.max())) for token, one in zip(tokens, column, strict=True)])
        for name, column in named
    ]
