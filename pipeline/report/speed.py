"""What the stage `benchmark` measured, beside the paper's Figure 2."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.report.paper import Ratios

LAYER = "layer"
Mode = Literal["forward", "train"]


@dataclass(frozen=True)
class Speed:
    """benchmark.json, and how many times as long as Fastformer's a layer took in the paper."""

    machine: dict[str, Any]
    rows: list[dict[str, Any]]
    ratios: list[dict[str, Any]]
    paper: Ratios

    @property
    def lengths(self) -> list[int]:
        return sorted({row["length"] for row in self.layers})

    @property
    def encoders(self) -> list[str]:
        """In the order of the registry, which is that of the rows."""
        return list(dict.fromkeys(row["encoder"] for row in self.layers))

    @property
    def layers(self) -> list[dict[str, Any]]:
        """The rows of whole layers in the first of the measured dtypes."""
        return [row for row in self.rows if row["form"] == LAYER and row["dtype"] == self.rows[0]["dtype"]]

    def row(self, encoder: str, length: int, mode: Mode) -> dict[str, Any]:
        """The one row of a layer."""
        return next(
            row for row in self.layers if (row["encoder"], row["length"], row["mode"]) == (encoder, length, mode)
        )

    def published(self, encoder: str, length: int, mode: Mode) -> float | None:
        """The paper's time over Fastformer's, None where it has no such point."""
        curves = self.paper.training if mode == "train" else self.paper.inference
        if encoder not in curves or length not in self.paper.lengths:
            return None
        return curves[encoder][self.paper.lengths.index(length)]


def read_speed(path: Path, paper: Ratios) -> Speed | None:
    """The measurements, or None if there are none. UserError if the file is damaged."""
    if not path.is_file():
        return None
    try:
        found = read_json(path)
        return Speed(found["machine"], found["rows"], found["ratios"], paper)
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: damaged ({error}); delete it and run `dvc repro`") from None


def per_token(row: dict[str, Any]) -> float:
    """Microseconds per token."""
    return float(1e6 * row["seconds"] / (row["batch"] * row["length"]))
