"""What the stage `benchmark` measured, beside the paper's Figure 2."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from pipeline.errors import UserError
from pipeline.report.paper import Ratios
from pipeline.section import Count, PositiveFloat

LAYER = "layer"
Mode = Literal["forward", "train"]
MODES: tuple[Mode, ...] = ("train", "forward")
Bytes = Annotated[int, Field(ge=0)]


class Machine(BaseModel):
    """Where it was measured; multiply-adds per second of a large matrix product by dtype."""

    processor: str
    device: str
    threads: Count
    torch: str
    product_operations_per_second: dict[str, PositiveFloat]


class SpeedRow(BaseModel):
    """One layer at one shape, or one training step."""

    encoder: str
    form: str
    length: Count
    batch: Count
    mode: Mode
    dtype: str
    seconds: PositiveFloat
    spread: float
    repeats: Count
    peak_bytes: Bytes
    saved_bytes: Bytes
    operations: int

    @property
    def microseconds_per_token(self) -> float:
        return 1e6 * self.seconds / (self.batch * self.length)


class SpeedRatio(BaseModel):
    """How many times as fast the form `to` is as the form `of`, with its 95 % interval."""

    of: str
    to: str
    length: Count
    mode: Mode
    dtype: str
    ratio: PositiveFloat
    low: float
    high: float
    pairs: Count


class Measured(BaseModel):
    """All of benchmark.json that the report reads."""

    machine: Machine
    rows: Annotated[list[SpeedRow], Field(min_length=1)]
    ratios: list[SpeedRatio]
    parts: dict[str, dict[str, Annotated[float, Field(ge=0)]]]
    """Training step -> part -> seconds."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for problem in self._lacking():
            raise ValueError(problem)
        return self

    def _lacking(self) -> Iterator[str]:
        dtype, layers = self.rows[0].dtype, self.layers
        if dtype not in self.machine.product_operations_per_second:
            yield f"the machine has no product speed in {dtype}"
        if "fastformer" not in self.encoders:
            yield "no layer of fastformer"
        for encoder in self.encoders:
            for length in self.lengths:
                yield from (
                    f"no layer of {encoder}, {length} tokens, {mode}, {dtype}"
                    for mode in MODES
                    if (encoder, length, mode) not in layers
                )

    @cached_property
    def layers(self) -> dict[tuple[str, int, Mode], SpeedRow]:
        """(encoder, length, mode) -> the row of the whole layer, in the first of the measured dtypes."""
        return {
            (row.encoder, row.length, row.mode): row
            for row in self.rows
            if row.form == LAYER and row.dtype == self.rows[0].dtype
        }

    @property
    def lengths(self) -> list[int]:
        return sorted({length for _, length, _ in self.layers})

    @property
    def encoders(self) -> list[str]:
        """In the order of the registry, which is that of the rows."""
        return list(dict.fromkeys(encoder for encoder, _, _ in self.layers))


@dataclass(frozen=True)
class Speed:
    """The measurements, and how many times as long as Fastformer's a layer took in the paper."""

    measured: Measured
    paper: Ratios

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
        return Speed(Measured.model_validate_json(path.read_bytes()), paper)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        what = f"{where}: {first['msg']}" if where else first["msg"]
        raise UserError(f"{path}: damaged ({what}); `dvc repro --force benchmark` measures anew") from None
