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
    """(word, count) pairs in the order of their ids: `<pad>`, `<unk>`, then by falling count, ties by word.

    `<unk>` counts the training words that are too rare. Words are text and nothing else: "null", "nan" and "NA" stay.
    """
    counts = Counter(word for text in texts for word in text)
    return of_counts(counts, min_count=min_count, max_words=max_words, specials=SPECIALS)


def of_counts(
    counts: Counter[str], *, min_count: int, max_words: int | None, specials: tuple[str, ...]
) -> list[tuple[str, int]]:
    """As `build`, of words that are counted already; `specials` begin with `<pad>` and `<unk>`.

    A word that is spelt like one of `specials` isn't one: it counts as too rare.
    """
    # torchtext imports torch, which everything else here does without.
    from torchtext.vocab import Vocab

    vocabulary = Vocab(counts, max_size=max_words, min_freq=min_count, specials=list(specials))
    words = vocabulary.itos[len(specials) :]
    rare = counts.total() - sum(counts[word] for word in words)
    return [(PAD, 0), (UNKNOWN, rare), *((special, 0) for special in specials[2:]), *((w, counts[w]) for w in words)]


def write(path: Path, entries: list[tuple[str, int]]) -> None:
    """A JSON array with one [word, count] a line: no word needs quoting rules of its own."""
    write_text(path, "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]\n")


def read(path: Path) -> list[tuple[str, int]]:
    """What `write` wrote."""
    return [(word, count) for word, count in json.loads(path.read_text(encoding="utf-8"))]


def encode(text: list[str], ids: dict[str, int]) -> list[int]:
    """Ids of words; a word that `ids` lacks becomes `<unk>`, and so does one that is spelt `<pad>`, whose id is 0."""
    return [ids.get(word) or UNKNOWN_ID for word in text]
