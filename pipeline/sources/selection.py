"""Which of a data set's records are used: repeated texts, and a sample of those that are left."""

import random
from collections import Counter

import numpy as np

from pipeline.section import SourceOptions, SplitOptions
from pipeline.sources.columns import NO_SPLIT, Columns, Indices, first_equal

REPEATED = "repeated text"
NOT_DRAWN = "not in the sample"


def select(documents: Columns, options: SourceOptions, skipped: Counter[str]) -> Indices:
    """The documents that the options leave, in their order; those that they don't are counted in `skipped`.

    Repeats go first, so that a sample holds as many different texts as it has documents.
    """
    chosen = np.arange(len(documents))
    if not isinstance(options, SplitOptions):
        return chosen
    if options.drop_repeated:
        chosen = first_of_each(documents, chosen, skipped)
    if sample := getattr(options, "sample", None):
        chosen = chosen[drawn(len(chosen), sample, options.splits.seed, skipped)]
    return without_leaks(documents, chosen, skipped) if options.drop_repeated else chosen


def first_of_each(documents: Columns, chosen: Indices, skipped: Counter[str]) -> Indices:
    """The chosen less those whose text came before; upstream's own validation and test documents all pass."""
    training = np.flatnonzero(documents.for_training[chosen])
    first = first_equal(documents.texts[chosen[training]])
    return _without(chosen, training[first != np.arange(len(training))], skipped)


def without_leaks(documents: Columns, chosen: Indices, skipped: Counter[str]) -> Indices:
    """The chosen less those for training whose text stands in upstream's own validation or test."""
    text = first_equal(documents.same_texts[chosen])
    training = documents.for_training[chosen]
    return _without(chosen, np.flatnonzero(training & np.isin(text, text[~training])), skipped)


def _without(chosen: Indices, dropped: Indices, skipped: Counter[str]) -> Indices:
    if len(dropped):
        skipped[REPEATED] += len(dropped)
    return np.delete(chosen, dropped)


def drawn(count: int, size: int, seed: int, skipped: Counter[str]) -> Indices:
    """`size` of so many documents drawn with equal chances (a reservoir), in their order; all where there are fewer."""
    generator = random.Random(seed)
    chosen = list(range(min(size, count)))
    for number in range(size, count):
        if (place := generator.randrange(number + 1)) < size:
            chosen[place] = number
    if count > size:
        skipped[NOT_DRAWN] += count - size
    return np.array(sorted(chosen), np.int64)


def repeated(documents: Columns) -> dict[str, int]:
    """How many texts repeat an earlier one of their split, and how many stand in more than one; see `same_texts`."""
    text = first_equal(documents.same_texts)
    stands = np.zeros((len(documents), NO_SPLIT + 1), np.bool_)  # whether a text stands in a split
    stands[text, documents.splits] = True
    return {
        "within_a_split": len(documents) - int(stands.sum()),
        "across_splits": int((stands.sum(axis=1) > 1).sum()),
    }
