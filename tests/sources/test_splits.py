"""Splits: whole, repeatable, stratified, and never through a group or a repeated text."""

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from pipeline.errors import UserError
from pipeline.sources import splits as module
from pipeline.sources.base import SPLITS, Document
from tests.sources.documents import columns, same_text

SHARES = {"validation": 0.2, "test": 0.2}

DOCUMENTS = st.lists(
    st.builds(
        Document,
        text=st.integers(0, 90).map("text {}".format),
        label=st.sampled_from(["bad", "good"]),
        origin=st.just("a.csv:2"),
        group=st.none() | st.integers(0, 60).map("group {}".format),
    ),
    min_size=60,
    max_size=140,
)


def cut(documents: list[Document], shares: dict[str, float], seed: int) -> list[str]:
    """The splits' names."""
    return [SPLITS[number] for number in module.cut(columns(documents), shares, seed)]


def plain_cut(documents: list[Document], shares: dict[str, float], seed: int) -> list[str]:
    """The same, a document at a time."""
    parent = list(range(len(documents)))

    def find(node: int) -> int:
        return node if parent[node] == node else find(parent[node])

    first: dict[tuple[str, str], int] = {}
    for index, document in enumerate(documents):
        keys = [("text", same_text(document.text))] + ([("group", document.group)] if document.group else [])
        for key in keys:
            parent[find(index)] = find(first.setdefault(key, index))
    members: dict[int, Counter[str]] = {}
    for index, document in enumerate(documents):
        members.setdefault(find(index), Counter())[document.label] += 1
    units, left = sorted(members), 1.0
    label_of = {unit: min(members[unit].items(), key=lambda item: (-item[1], item[0]))[0] for unit in units}
    split_of: dict[int, str] = {}
    for name, share in sorted(shares.items()):
        strata = [label_of[unit] for unit in units]
        units, taken = train_test_split(units, test_size=share / left, random_state=seed, stratify=strata)
        split_of |= dict.fromkeys(taken, name)
        left -= share
    return [split_of.get(find(index), "train") for index in range(len(documents))]


def plain(count: int, label: str) -> list[Document]:
    return [Document(f"{label} {i}", label, f"a.csv:{i}") for i in range(count)]


@settings(derandomize=True, max_examples=40, deadline=None, database=None)
@given(DOCUMENTS, st.integers(0, 2**31 - 1))
def test_every_document_has_a_split_that_tears_nothing_apart(documents: list[Document], seed: int) -> None:
    try:
        splits = cut(documents, SHARES, seed)
    except UserError as error:
        assert "too few" in str(error)
        assume(False)
    assert len(splits) == len(documents)
    assert set(splits) == {"train", "validation", "test"}
    split_of: dict[tuple[str, str], str] = {}
    for document, split in zip(documents, splits, strict=True):
        assert split_of.setdefault(("text", document.text), split) == split
        assert document.group is None or split_of.setdefault(("group", document.group), split) == split
    assert cut(documents, SHARES, seed) == splits
    assert plain_cut(documents, SHARES, seed) == splits


@settings(derandomize=True, max_examples=25, deadline=None, database=None)
@given(st.lists(st.integers(20, 80), min_size=2, max_size=4), st.integers(0, 1000))
def test_every_label_is_shared_out_alike(counts: list[int], seed: int) -> None:
    documents = [document for i, count in enumerate(counts) for document in plain(count, f"label{i}")]
    found = Counter(zip((d.label for d in documents), cut(documents, SHARES, seed), strict=True))
    for i, count in enumerate(counts):
        assert all(abs(found[f"label{i}", split] - 0.2 * count) <= 2 for split in SHARES)


def test_another_seed_is_another_split() -> None:
    documents = plain(50, "bad") + plain(50, "good")
    assert cut(documents, SHARES, 1) != cut(documents, SHARES, 2)


def test_one_share_cuts_one_split() -> None:
    documents = plain(50, "bad") + plain(50, "good")
    assert Counter(cut(documents, {"test": 0.3}, 1)) == {"train": 70, "test": 30}


def test_a_chain_of_groups_and_texts_stays_together() -> None:
    chain = [Document(f"text {i // 2}", "good", "a.csv:1", group=f"group {(i + 1) // 2}") for i in range(20)]
    splits = cut(chain + plain(40, "good") + plain(40, "bad"), SHARES, 1)
    assert len(set(splits[:20])) == 1


@pytest.mark.parametrize("count", [1, 2])
def test_a_label_too_rare_is_named(count: int) -> None:
    with pytest.raises(UserError, match=rf"^label 'rare' has {count} different text\(s\), too few for 3 splits; add"):
        cut(plain(50, "good") + plain(50, "bad") + plain(count, "rare"), SHARES, 1)


def test_repeats_of_a_rare_text_dont_make_it_frequent() -> None:
    with pytest.raises(UserError, match=r"label 'rare' has 1 different text"):
        cut(plain(50, "good") + plain(1, "rare") * 30, SHARES, 1)


def test_too_few_texts_for_a_share_are_told() -> None:
    with pytest.raises(UserError, match=r"^too few texts to cut off test: .*; add texts$"):
        cut(plain(5, "good") + plain(5, "bad"), {"validation": 0.05, "test": 0.05}, 1)
