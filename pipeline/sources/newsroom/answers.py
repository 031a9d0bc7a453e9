"""The best answers to generated texts, kept beside the file that has the real format: line n answers record n."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pipeline.errors import UserError
from pipeline.sources.base import Document

FILE = "answers.txt"


def write_answers(raw: Path, answers: Iterable[str]) -> None:
    """Writes one answer per line into the folder `raw`."""
    (raw / FILE).write_text("".join(f"{answer}\n" for answer in answers), encoding="utf-8")


def read_answers(raw: Path) -> list[str]:
    """The answers in the order of their records."""
    return (raw / FILE).read_text(encoding="utf-8").splitlines()


def answered(documents: Iterable[Document], path: Path, legal: Collection[str]) -> Iterator[Document]:
    """The documents out of the file `path`, each with the best answer to it; their origin is that file's own name.

    Raises UserError where a document has none of the `legal` ones.
    """
    answers = read_answers(path.parent)
    for document in documents:
        line = int(document.origin.rpartition(":")[2])
        if line > len(answers) or answers[line - 1] not in legal:
            raise UserError(f"{path}:{line}: has no best answer beside it; run fetch again")
        yield replace(document, origin=f"{path.name}:{line}", best=answers[line - 1])
