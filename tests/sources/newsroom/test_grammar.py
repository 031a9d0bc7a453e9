"""Templates become sentences."""

import random

import pytest

from pipeline.sources.newsroom.grammar import capital, expand, sentence


def expanded(template: str, **slots: str) -> str:
    return expand(template, slots, random.Random(1))


def test_slots_are_filled_and_parts_are_drawn() -> None:
    found = {expand("[a|the] {thing}", {"thing": "plan"}, random.Random(seed)) for seed in range(20)}
    assert found == {"a plan", "the plan"}


def test_choices_in_slots_and_slots_in_choices() -> None:
    assert expanded("[{one}|{one}] [x|[x|x]]", one="[y|y]") == "y x"


def test_a_part_may_be_empty() -> None:
    assert expanded("so [|] it is[|] .", one="") == "so it is."


def test_a_slot_without_a_value_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        expanded("{nobody}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a apple", "an apple"),
        ("A open door", "An open door"),
        ("a hour or a house", "an hour or a house"),
        ("a union, a unit, a user, a one-off, a European", "a union, a unit, a user, a one-off, a European"),
        ("a unusual, a uninvited guest", "an unusual, an uninvited guest"),
        ("a 8 percent rise, a 18-month term, a 11", "an 8 percent rise, an 18-month term, an 11"),
        ("a 180-page book, a 66-year-old", "a 180-page book, a 66-year-old"),
        ("extra effort", "extra effort"),
    ],
)
def test_a_before_a_vowel_is_an(text: str, expected: str) -> None:
    assert expanded(text) == expected


def test_blanks_are_single_and_none_stands_before_a_mark() -> None:
    assert expanded("  one   two , three  ") == "one two, three"


def test_the_same_generator_gives_the_same_text() -> None:
    assert len({expand("[a|b|c][d|e|f]", {}, random.Random(5)) for _ in range(9)}) == 1


def test_a_sentence_begins_with_a_capital_and_ends_with_a_mark() -> None:
    assert sentence("the end") == "The end."
    assert sentence("is it?") == "Is it?"
    assert sentence('"Yes," she said. "No."') == '"Yes," she said. "No."'
    assert capital("a title") == "A title"
