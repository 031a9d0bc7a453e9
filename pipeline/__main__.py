"""The command line: one sub-command per stage of dvc.yaml, and what a user calls by hand.

Imports are lazy: `check` answers in a second or two, and only `train` pays for torch and Lightning.
"""

import errno
import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline import params
from pipeline.errors import UserError

app = typer.Typer(
    help="Fastformer's experiment pipeline. `dvc repro` runs the stages; check, link, results and predict are for you.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

FULL_DISK = (errno.ENOSPC, errno.EDQUOT)

DataSet = Annotated[str, typer.Option(help="A data set of params.yaml.")]
Variant = Annotated[str, typer.Option(help="A variant of params.yaml.")]
Grid = Annotated[Literal["train", "ablate"], typer.Option(help="The stage on whose behalf this runs.")]


def chosen(dataset: str, variant: str | None = None) -> params.Params:
    """params.yaml, in which these names must stand."""
    loaded = params.load()
    if dataset not in loaded.data:
        raise UserError(f"--dataset: {params.unknown('data set', dataset, list(loaded.data))}")
    if variant is not None and variant not in loaded.variant:
        raise UserError(f"--variant: {params.unknown('variant', variant, list(loaded.variant))}")
    return loaded


@app.command()
def check() -> None:
    """Say all that is wrong with params.yaml, and whether the files it names are there and begin as they should."""
    from pipeline.stages import check as stage

    stage.run(params.load())


@app.command()
def fetch(dataset: DataSet) -> None:
    """Stage: bring a data set's files into data/raw."""
    from pipeline.stages import fetch as stage

    stage.run(chosen(dataset), dataset)


@app.command()
def vectors() -> None:
    """Stage: bring pretrained word vectors into data/vectors."""
    from pipeline.stages import vectors as stage

    stage.run(params.load())


@app.command()
def prepare(dataset: DataSet) -> None:
    """Stage: cut splits, build the vocabulary, encode the texts."""
    from pipeline.stages import prepare as stage

    stage.run(chosen(dataset), dataset)


@app.command()
def embed(dataset: DataSet, variant: Variant, grid: Grid = "train") -> None:
    """Stage: the word vectors that a variant starts from."""
    from pipeline.stages import embed as stage

    stage.run(chosen(dataset, variant), dataset, variant, grid)


@app.command()
def baseline(dataset: DataSet) -> None:
    """Stage: the answers that need no neural network."""
    from pipeline.stages import baseline as stage

    chosen(dataset)
    stage.run(dataset)


@app.command()
def train(
    dataset: DataSet,
    variant: Variant,
    seed: Annotated[int, typer.Option(help="Seed of the run.", min=0, max=2**31 - 1)],
    grid: Grid = "train",
) -> None:
    """Stage: train one variant with one seed, and test its best weights. A killed run goes on where it was."""
    from pipeline.stages import train as stage

    stage.run(chosen(dataset, variant), dataset, variant, seed, grid)


@app.command()
def benchmark() -> None:
    """Stage: time and memory of a layer of every encoder, on this machine."""
    from pipeline.stages import benchmark as stage

    stage.run(params.load())


@app.command()
def report() -> None:
    """Stage: tables, plots and a page out of all runs that params.yaml spans."""
    from pipeline.stages import report as stage

    stage.run(params.load())


@app.command()
def results() -> None:
    """Print the report's table, and where the report and the W&B runs lie."""
    from pipeline.report.show import show

    show(params.load())


@app.command()
def link(
    dataset: Annotated[str, typer.Argument(help="The data set whose folder in data/local gets the link.")],
    path: Annotated[str, typer.Argument(help="Your file or folder.")],
) -> None:
    """Put a link to your own file or folder into data/local/DATASET, where fetch looks for it."""
    from pipeline.sources.local import link as make

    made = make(params.load(), dataset, path)
    for one in made[:5]:
        print(f"{one} -> {one.readlink()}")
    if len(made) > 5:
        print(f"... {len(made):,} links in all")
    print(f"data.{dataset}.source in params.yaml says what is in it; set datasets: [{dataset}] to train on it")


@app.command()
def predict(
    run: Annotated[Path, typer.Argument(help="A run's folder: experiments/runs/<data set>/<variant>/<seed>.")],
    output: Annotated[
        str,
        typer.Option(
            help="Gets a JSON line per text; - is the standard output. Of a recommender: a folder for "
            "prediction.txt and its zip."
        ),
    ],
    input: Annotated[
        typer.FileBinaryRead | None,
        typer.Option(help="A text or an article per line, UTF-8; - is the standard input."),
    ] = None,
    split: Annotated[
        str, typer.Option(help="Of a recommender: the impressions to rank, unlabelled where it isn't given.")
    ] = "",
    attention: Annotated[
        Path | None, typer.Option(help="Gets a page with alpha and beta of the first texts, for Fastformer.")
    ] = None,
) -> None:
    """Classify or summarize your own texts, or rank impressions for MIND's leaderboard."""
    from pipeline.prediction.run_folder import task_of

    if task_of(run) == "recommendation":
        if input is not None or attention is not None:
            raise UserError(f"{run}: is a recommender, which reads no --input and has no --attention; leave them out")
        from pipeline.sources.recommendation import UNLABELLED
        from pipeline.stages import rank

        rank.run(run, split or UNLABELLED, Path(output), params.load().hardware)
        return
    if input is None or split:
        raise UserError(f"{run}: answers for texts; name yours with --input, and no --split")
    from pipeline.stages import predict as command

    with command.opened(output) as lines:
        command.run(run, input, lines, attention)


@app.command()
def validate(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A prediction.txt for MIND's leaderboard, or its zip.")],
    dataset: Annotated[str, typer.Option(help="A prepared data set whose unlabelled impressions it must rank.")] = "",
) -> None:
    """Check the format of a submission to MIND's leaderboard, and with --dataset that every candidate has its rank."""
    from pipeline import paths, submission
    from pipeline.sources.recommendation import UNLABELLED
    from pipeline.text import impressions

    expected = None
    if dataset:
        chosen(dataset)
        folder = paths.prepared(dataset)
        if UNLABELLED not in impressions.read_info(folder).splits:
            raise UserError(f"--dataset: {dataset} has no unlabelled split; data.{dataset}.source.unlabelled names one")
        expected = impressions.read(folder, UNLABELLED)
    count = submission.validate(Path(path), expected)
    print(f"{path}: {count:,} impressions, each with its ranks")


@app.command()
def schema() -> None:
    """Print the JSON schema of params.yaml, which editors use to complete and check it."""
    print(json.dumps(params.Params.model_json_schema(), indent=2))


def main() -> None:
    try:
        app()
    except UserError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        if error.errno not in FULL_DISK:
            raise
        sys.exit(
            f"error: {error.filename or 'no file'}: the disk is full ({error.strerror}); make room, and run it again"
        )


if __name__ == "__main__":
    main()
