"""The words of the training split and their ids."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pipeline.files import write_text

PAD, UNKNOWN = "<pad>", "<unk>"
PAD_ID, UNKNOWN_ID = 0, 1
SPECIALS = (PAD, UNKNOWN)


def build(texts: Iterable[list[str]], *, min_count: int, max_words: int | None) -> list[tuple[str, int]]:
    """The entries of these texts; see `of_counts`."""
    return of_counts(Counter(word for text in texts for word in text).items(), min_count=min_count, max_words=max_words)


def of_counts(
    counts: Iterable[tuple[str, int]],
    *,
    min_count: int,
    max_words: int | None,
    specials: tuple[str, ...] = SPECIALS,
) -> list[tuple[str, int]]:
    """(word, count) pairs in the order of their ids: `<pad>`, `<unk>`, then by falling count, ties by word.

    The order of torchtext's Vocab. Each of `counts` is of another word. `<unk>` counts the training words that are too
    rare. Words are text and nothing else: "null", "nan" and "NA" stay.
    """
    total = 0
    kept: list[tuple[int, str]] = []
    for word, count in counts:
        total += count
        if count >= max(min_count, 1) and word not in specials:
            kept.append((-count, word))
    words = [(word, -less) for less, word in sorted(kept)[:max_words]]
    more = [(special, 0) for special in specials[len(SPECIALS) :]]
    return [(PAD, 0), (UNKNOWN, total - sum(count for _, count in words)), *more, *words]


def write(path: Path, entries: list[tuple[str, int]]) -> None:
    """A JSON array with one [word, count] a line: no word needs quoting rules of its own."""
    spelt = json.JSONEncoder(ensure_ascii=False).encode
    write_text(path, "[\n" + ",\n".join(f"[{spelt(word)}, {count}]" for word, count in entries) + "\n]\n")


def read(path: Path) -> list[tuple[str, int]]:
    """What `write` wrote."""
    return [(word, count) for word, count in json.loads(path.read_text(encoding="utf-8"))]


def encode(text: list[str], ids: dict[str, int]) -> list[int]:
    """Ids of words; a word that `ids` lacks becomes `<unk>`, and so does one that is spelt `<pad>`, whose id is 0."""
    return [ids.get(word) or UNKNOWN_ID for word in text]
