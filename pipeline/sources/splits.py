"""Seeded, stratified splits that keep groups and repeated texts together."""

from collections import Counter, defaultdict

from sklearn.model_selection import train_test_split

from pipeline.errors import UserError
from pipeline.sources.base import Document


def cut(documents: list[Document], shares: dict[str, float], seed: int) -> list[str]:
    """A split's name for every document: those of `shares`, and "train" for the rest.

    Documents of one group, or of one text, stay together. Stratified by label: a group counts under its most frequent
    one. Raises UserError where a label has too few groups to be in every split.
    """
    groups = _groups(documents)
    members: dict[int, Counter[str]] = defaultdict(Counter)
    for document, group in zip(documents, groups, strict=True):
        members[group][document.label] += 1
    units = sorted(members)
    strata = {unit: min(members[unit].items(), key=lambda item: (-item[1], item[0]))[0] for unit in units}
    for label, count in sorted(Counter(strata.values()).items()):
        if count <= len(shares):
            raise UserError(
                f"label {label!r} has {count} different text(s), too few for {len(shares) + 1} splits; add texts, "
                "merge the label with another, or name files of your own for validation and test"
            )
    split_of: dict[int, str] = {}
    left = 1.0
    for name, share in sorted(shares.items()):
        try:
            units, taken = train_test_split(
                units, test_size=share / left, random_state=seed, stratify=[strata[unit] for unit in units]
            )
        except ValueError as error:
            raise UserError(f"too few texts to cut off {name}: {error}; add texts") from None
        split_of |= dict.fromkeys(taken, name)
        left -= share
    return [split_of.get(group, "train") for group in groups]


def _groups(documents: list[Document]) -> list[int]:
    """For every document the number of its group: those joined by a group's name or by an equal text."""
    parent = list(range(len(documents)))

    def find(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    first: dict[tuple[str, str], int] = {}
    for index, document in enumerate(documents):
        keys = [("text", document.same_text)] + ([("group", document.group)] if document.group else [])
        for key in keys:
            parent[find(index)] = find(first.setdefault(key, index))
    return [find(index) for index in range(len(documents))]
