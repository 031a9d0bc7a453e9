"""Which of a data set's records are used: repeated texts, and a sample of those that are left."""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.section import SourceOptions, SplitOptions
from pipeline.sources.base import Document

REPEATED = "repeated text"
NOT_DRAWN = "not in the sample"


@dataclass
class Tally:
    """What a reader gave: how many records, and in how many of them which kind of dirt was cleaned."""

    records: int = 0
    cleaned: Counter[str] = field(default_factory=Counter)

    def of(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents, counted as they pass."""
        for document in documents:
            self.records += 1
            self.cleaned.update(document.cleaned)
            yield document


def select(documents: Iterable[Document], options: SourceOptions, skipped: Counter[str]) -> list[Document]:
    """The documents that the options leave, in their order; those that they don't are counted in `skipped`.

    Repeats go first, so that a sample holds as many different texts as it has documents. A set larger than memory can
    be sampled: documents are held only as long as they may be drawn.
    """
    if not isinstance(options, SplitOptions):
        return list(documents)
    if options.drop_repeated:
        documents = first_of_each(documents, skipped)
    if sample := getattr(options, "sample", None):
        documents = drawn(documents, sample, options.splits.seed, skipped)
    chosen = list(documents)
    return without_leaks(chosen, skipped) if options.drop_repeated else chosen


def first_of_each(documents: Iterable[Document], skipped: Counter[str]) -> Iterator[Document]:
    """The documents less those whose text came before; upstream's own validation and test documents all pass."""
    seen: set[bytes] = set()
    for document in documents:
        if is_for_training(document):
            # 16 bytes for a text: what is remembered of millions must fit into memory.
            digest = hashlib.blake2b(document.text.encode(), digest_size=16).digest()
            if digest in seen:
                skipped[REPEATED] += 1
                continue
            seen.add(digest)
        yield document


def without_leaks(documents: Sequence[Document], skipped: Counter[str]) -> list[Document]:
    """The documents less those for training whose text stands in upstream's own validation or test."""
    held_out = {document.same_text for document in documents if not is_for_training(document)}
    kept = [document for document in documents if not (is_for_training(document) and document.same_text in held_out)]
    if len(kept) < len(documents):
        skipped[REPEATED] += len(documents) - len(kept)
    return kept


def drawn(documents: Iterable[Document], size: int, seed: int, skipped: Counter[str]) -> list[Document]:
    """`size` documents drawn with equal chances (a reservoir), in their order; all of them where there are fewer."""
    generator = random.Random(seed)
    chosen: list[tuple[int, Document]] = []
    for number, document in enumerate(documents):
        if number < size:
            chosen.append((number, document))
            continue
        skipped[NOT_DRAWN] += 1
        if (place := generator.randrange(number + 1)) < size:
            chosen[place] = (number, document)
    return [document for _, document in sorted(chosen, key=lambda entry: entry[0])]


def is_for_training(document: Document) -> bool:
    """Whether the document is in upstream's training split, or in none yet."""
    return document.split in (None, "train")


def repeated(documents: Sequence[Document]) -> dict[str, int]:
    """How many texts repeat an earlier one of their split, and how many stand in more than one; see `same_text`."""
    where: dict[str, Counter[str]] = {}
    for document in documents:
        where.setdefault(document.same_text, Counter())[document.split or ""] += 1
    return {
        "within_a_split": sum(sum(counts.values()) - len(counts) for counts in where.values()),
        "across_splits": sum(len(counts) > 1 for counts in where.values()),
    }
