"""Stage `check`: the whole of params.yaml, and what it needs of files, disk and machine, before time is spent."""

import subprocess

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import write_json
from pipeline.params import PRETRAINED, Params
from pipeline.preflight import downloads, machine
from pipeline.sources.chosen import source_of


def run(params: Params) -> None:
    """Writes data/check.json, which is always the same, so that a good edit makes nothing stale, and prints the plan.

    Raises UserError with all that is wrong; params.yaml itself was checked when it was read.
    """
    problems = []
    for dataset in params.datasets:
        paths.local(dataset).mkdir(parents=True, exist_ok=True)  # DVC wants the folder even where nothing is in it
        try:
            source_of(params, dataset).check(paths.local(dataset))
        except UserError as error:
            problems.append(f"data set {dataset}: {error}")
    if params.vectors.pretrained not in PRETRAINED:
        path = paths.local("vectors") / paths.vector_file(params.vectors.pretrained)[0]
        if not path.is_file():
            problems.append(f"{path}: no such file; copy or link your vectors there, or set vectors.pretrained")
    files = downloads.needed(params)
    wrong, unread = downloads.wrong(files)
    problems += [*wrong, *downloads.without_room(files), *machine.missing(params)]
    if problems:
        raise UserError("\n".join(problems))
    write_json(paths.CHECK, {"checked": True})
    print(plan(params))
    for line in (*downloads.plan(files, unread), machine.earlier(params)):
        if line:
            print(line)
    if not has_git_identity():
        print("note: `dvc exp run` needs a git identity: `git config user.name` and `git config user.email` set one")


def plan(params: Params) -> str:
    """A line that says what params.yaml spans."""
    main = len(params.datasets) * len(params.variants) * len(params.seeds)
    ablations = len(params.ablations.datasets) * len(params.ablations.variants) * len(params.seeds)
    return f"params.yaml is sound: {main} training(s) on {', '.join(params.datasets)}, {ablations} for ablations"


def has_git_identity() -> bool:
    """Whether git knows who commits, by its settings or the environment."""
    asked = ["git", "var", "GIT_COMMITTER_IDENT"]
    return subprocess.run(asked, capture_output=True, stdin=subprocess.DEVNULL, check=False).returncode == 0
