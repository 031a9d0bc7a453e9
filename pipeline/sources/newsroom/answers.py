"""The best answers to generated texts, kept beside the file that has the real format: line n answers record n."""

from collections.abc import Iterable
from pathlib import Path

FILE = "answers.txt"


def write_answers(raw: Path, answers: Iterable[str]) -> None:
    """Writes one answer per line into the folder `raw`."""
    (raw / FILE).write_text("".join(f"{answer}\n" for answer in answers), encoding="utf-8")


def read_answers(raw: Path) -> list[str]:
    """The answers in the order of their records."""
    return (raw / FILE).read_text(encoding="utf-8").splitlines()
