"""Tables of the benchmark."""

from typing import Any

from pipeline.report.speed import Mode, Speed, per_token
from pipeline.report.tables import NOTHING, Table

MODES: tuple[Mode, ...] = ("forward", "train")


def speed_tables(speed: Speed) -> list[Table]:
    """Time against length beside the paper's, what the longest texts need, and what folding and batching save."""
    return [*(_times(speed, mode) for mode in MODES), _needs(speed), _ratios(speed)]


def machine_line(speed: Speed) -> str:
    """Where it was measured, and how."""
    machine, row = speed.machine, speed.layers[0]
    tokens = row["batch"] * row["length"]
    peak = machine["product_operations_per_second"][row["dtype"]] / 1e9
    return (
        f"{machine['processor']}, {machine['device']}, {machine['threads']} threads, torch {machine['torch']}; "
        f"{tokens:,} tokens per batch at every length, {row['dtype']}, medians of {row['repeats']} interleaved rounds; "
        f"a large matrix product runs at {peak:.0f} billion multiply-adds per second. The paper's ratios "
        f"({speed.paper.source}) are of a V100 with 65,536 tokens per batch and an attention that isn't fused."
    )


def _times(speed: Speed, mode: Mode) -> Table:
    title = {"forward": "Inference", "train": "Training"}[mode]
    head = ["encoder", *(f"{length:,} tokens" for length in speed.lengths)]
    head += [f"x fastformer at {length:,} (paper)" for length in speed.lengths]
    body = []
    for encoder in speed.encoders:
        rows = {length: speed.row(encoder, length, mode) for length in speed.lengths}
        line = [encoder, *(f"{per_token(row):.1f}" for row in rows.values())]
        for length, row in rows.items():
            ratio = row["seconds"] / speed.row("fastformer", length, mode)["seconds"]
            published = speed.published(encoder, length, mode)
            line.append(f"{ratio:.2f} ({NOTHING if published is None else format(published, '.1f')})")
        body.append(line)
    return Table(f"{title}, microseconds per token and layer", head, body)


def _needs(speed: Speed) -> Table:
    length = speed.lengths[-1]
    head = ["encoder", "peak MB", "kept for backward MB", "operations per token", "share of product speed"]
    body = []
    for encoder in speed.encoders:
        row = speed.row(encoder, length, "train")
        peak = speed.machine["product_operations_per_second"][row["dtype"]]
        body.append(
            [
                encoder,
                f"{row['peak_bytes'] / 1e6:.1f}",
                f"{row['saved_bytes'] / 1e6:.1f}",
                f"{row['operations'] / (row['batch'] * row['length']):,.0f}",
                f"{100 * row['operations'] / row['seconds'] / peak:.0f} %",
            ]
        )
    return Table(f"Training at {length:,} tokens: memory and multiply-adds", head, body)


def _ratios(speed: Speed) -> Table:
    head = ["what", "instead of", "length", "mode", "times as fast", "95 % interval", "pairs"]
    return Table("What folding and batching save", head, [_ratio(one) for one in speed.ratios], words=2)


def _ratio(one: dict[str, Any]) -> list[str]:
    return [
        one["to"],
        one["of"],
        f"{one['length']:,}",
        one["mode"],
        f"{one['ratio']:.2f}",
        f"{one['low']:.2f} to {one['high']:.2f}",
        str(one["pairs"]),
    ]
