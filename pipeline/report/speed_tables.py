"""Tables of the benchmark."""

import statistics

from pipeline.report.speed import MODES, Mode, Speed, SpeedRatio
from pipeline.report.tables import NOTHING, Table

BUSY = 0.2
"""On an idle machine the quartiles of most rows lie less far apart, as a share of the median."""


def speed_tables(speed: Speed) -> list[Table]:
    """Time against length beside the paper's, memory, what folding and batching save, and a training step's parts."""
    return [*(_times(speed, mode) for mode in MODES), _needs(speed), _ratios(speed), _parts(speed)]


def machine_line(speed: Speed) -> str:
    """Where it was measured, and how."""
    machine, rows = speed.measured.machine, list(speed.measured.layers.values())
    first, spread = rows[0], statistics.median(row.spread for row in rows)
    busy = "; something else ran meanwhile, so measure again before you trust a row" if spread > BUSY else ""
    peak = machine.product_operations_per_second[first.dtype] / 1e9
    return (
        f"{machine.processor}, {machine.device}, {machine.threads} threads, torch {machine.torch}; "
        f"{first.batch * first.length:,} tokens per batch at every length, {first.dtype}, medians of {first.repeats} "
        f"interleaved rounds, whose quartiles lie {100 * spread:.0f} % of the median apart on most rows{busy}; a large "
        f"matrix product runs at {peak:.0f} billion multiply-adds per second. The paper's ratios "
        f"({speed.paper.source}) are of a V100 with 65,536 tokens per batch and of a Transformer whose attention isn't "
        "fused; here it is."
    )


def _times(speed: Speed, mode: Mode) -> Table:
    layers, lengths = speed.measured.layers, speed.measured.lengths
    title = {"forward": "Inference", "train": "Training"}[mode]
    head = ["encoder", *(f"{length:,} tokens" for length in lengths)]
    head += [f"ratio at {length:,} (paper)" for length in lengths]
    body = []
    for encoder in speed.measured.encoders:
        rows = {length: layers[encoder, length, mode] for length in lengths}
        line = [encoder, *(f"{row.microseconds_per_token:.1f}" for row in rows.values())]
        for length, row in rows.items():
            ratio = row.seconds / layers["fastformer", length, mode].seconds
            published = speed.published(encoder, length, mode)
            line.append(f"{ratio:.2f} ({NOTHING if published is None else format(published, '.1f')})")
        body.append(line)
    return Table(f"{title}, microseconds per token and layer, and as multiples of fastformer", head, body)


def _needs(speed: Speed) -> Table:
    length = speed.measured.lengths[-1]
    head = ["encoder", "peak MB", "kept for backward MB", "operations per token", "share of product speed"]
    body = []
    for encoder in speed.measured.encoders:
        row = speed.measured.layers[encoder, length, "train"]
        peak = speed.measured.machine.product_operations_per_second[row.dtype]
        body.append(
            [
                encoder,
                f"{row.peak_bytes / 1e6:.1f}",
                f"{row.saved_bytes / 1e6:.1f}",
                f"{row.operations / (row.batch * row.length):,.0f}",
                f"{100 * row.operations / row.seconds / peak:.0f} %",
            ]
        )
    return Table(f"Training at {length:,} tokens: memory and multiply-adds", head, body)


def _ratios(speed: Speed) -> Table:
    head = ["what", "instead of", "length", "mode", "dtype", "times as fast", "95 % interval", "pairs"]
    return Table("What folding and batching save", head, [_ratio(one) for one in speed.measured.ratios], words=2)


def _ratio(one: SpeedRatio) -> list[str]:
    return [
        one.to,
        one.of,
        f"{one.length:,}",
        one.mode,
        one.dtype,
        f"{one.ratio:.2f}",
        f"{one.low:.2f} to {one.high:.2f}",
        str(one.pairs),
    ]


def _parts(speed: Speed) -> Table:
    steps = speed.measured.parts
    parts = list(dict.fromkeys(part for seconds in steps.values() for part in seconds))
    body = [[part, *(_milliseconds(seconds.get(part, 0.0), seconds) for seconds in steps.values())] for part in parts]
    body.append(["all", *(_milliseconds(sum(seconds.values()), seconds) for seconds in steps.values())])
    return Table("Time of a training step by its parts, milliseconds", ["part", *steps], body)


def _milliseconds(value: float, seconds: dict[str, float]) -> str:
    return f"{1e3 * value:.1f} ({100 * value / sum(seconds.values()):.0f} %)"
