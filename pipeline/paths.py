"""Where things lie, relative to the repository's root; dvc.yaml says the same, and a test compares the two."""

from pathlib import Path

from pipeline.files import root

CHECK = Path("data/check.json")
VECTORS = Path("data/vectors")
LOCAL = Path("data/local")
BENCHMARK = Path("experiments/benchmark")
REPORT = Path("experiments/report")
PAPER = Path("experiments/paper.yaml")
GRIDS = {"train": Path("experiments/runs"), "ablate": Path("experiments/ablations")}
"""The two grids of trainings: the stage that runs one, and the folder of its runs."""
EMBEDDINGS = {"train": Path("data/embeddings/runs"), "ablate": Path("data/embeddings/ablations")}


def raw(dataset: str) -> Path:
    return Path("data/raw") / dataset


def local(name: str) -> Path:
    """The user's own files, copied or linked: of a data set, or `vectors`.

    git doesn't know them, so that the working copies of `dvc exp run --temp` lack them: they are read where they lie.
    """
    return LOCAL / name if root() == Path.cwd() else root() / LOCAL / name


def downloads(dataset: str) -> Path:
    """Fetched archives: no output of DVC, kept by the user's own checkout, and nothing here deletes from it."""
    return root() / "data" / "downloads" / dataset


def vector_file(pretrained: str) -> tuple[str, str | None]:
    """The file that `vectors.pretrained` names, and in `glove.6B.zip/glove.6B.300d.txt` the one inside it."""
    archive, inside, member = pretrained.partition(".zip/")
    return (f"{archive}.zip", member) if inside else (pretrained, None)


def checksums() -> Path:
    """Hashes of fetched files that no one publishes, as first seen; git knows the file."""
    return root() / "data" / "checksums.txt"


def prepared(dataset: str) -> Path:
    return Path("data/prepared") / dataset


def embeddings(grid: str, dataset: str, variant: str) -> Path:
    return EMBEDDINGS[grid] / dataset / variant


def baselines(dataset: str) -> Path:
    return Path("experiments/baselines") / dataset


def run(grid: str, dataset: str, variant: str, seed: int) -> Path:
    return GRIDS[grid] / dataset / variant / str(seed)


def state() -> Path:
    """Resumable states: no output of DVC, shared by `dvc exp run --temp`."""
    return root() / "experiments" / "state"


def wandb() -> Path:
    """The folder in which W&B makes its own folder `wandb`."""
    return root() / "experiments"
