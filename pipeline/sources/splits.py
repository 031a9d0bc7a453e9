"""Seeded, stratified splits that keep groups and repeated texts together."""

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from pipeline.errors import UserError
from pipeline.sources.base import SPLITS
from pipeline.sources.columns import Columns, Indices, first_equal


def cut(documents: Columns, shares: dict[str, float], seed: int) -> NDArray[np.uint8]:
    """A split for every document, as its place in SPLITS: those of `shares`, and "train" for the rest.

    Documents of one group, or of one text, stay together. Stratified by label: a group counts under its most frequent
    one. Raises UserError where a label has too few groups to be in every split.
    """
    units, unit_of = np.unique(_groups(documents), return_inverse=True)
    names = sorted(documents.names)
    strata = _most_frequent_labels(documents, names, unit_of)
    for label, count in enumerate(np.bincount(strata, minlength=len(names)).tolist()):
        if 0 < count <= len(shares):
            raise UserError(
                f"label {names[label]!r} has {count} different text(s), too few for {len(shares) + 1} splits; "
                "add texts, merge the label with another, or name files of your own for validation and test"
            )
    split_of = np.zeros(len(units), np.uint8)
    rest, spelt = np.arange(len(units)), np.array(names)
    left = 1.0
    for name, share in sorted(shares.items()):
        try:
            rest, taken = train_test_split(
                rest, test_size=share / left, random_state=seed, stratify=spelt[strata[rest]]
            )
        except ValueError as error:
            raise UserError(f"too few texts to cut off {name}: {error}; add texts") from None
        split_of[taken] = SPLITS.index(name)
        left -= share
    split: NDArray[np.uint8] = split_of[unit_of]
    return split


def _most_frequent_labels(documents: Columns, names: list[str], unit_of: Indices) -> Indices:
    """For each unit the label, as its place in `names`, of most of its documents; among equals the first."""
    rank = np.array([names.index(name) for name in documents.names])
    pairs, sizes = np.unique(unit_of * len(names) + rank[documents.labels], return_counts=True)
    units, labels = np.divmod(pairs, len(names))
    order = np.lexsort((labels, -sizes, units))
    _, first = np.unique(units[order], return_index=True)
    most: Indices = labels[order][first]
    return most


def _groups(documents: Columns) -> Indices:
    """For every document the number of its group: those joined by a group's name or by an equal text."""
    parent = first_equal(documents.same_texts)
    if documents.groups is not None:
        tree = parent.tolist()

        def find(node: int) -> int:
            while tree[node] != node:
                tree[node] = tree[tree[node]]
                node = tree[node]
            return node

        first: dict[str, int] = {}
        for index, group in enumerate(documents.groups):
            if group:
                tree[find(index)] = find(first.setdefault(group, index))
        parent = np.array(tree, np.int64)
    while not np.array_equal(parent, above := parent[parent]):
        parent = above
    return parent
