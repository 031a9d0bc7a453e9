"""Cleaning of upstream text: what is mended, what stays, and that it is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.sources.cleaning import BROKEN, CONTROLS, CP1252, ENTITIES, LINE_BREAKS, clean

MENDED = [
    ("one<br />two<BR>three<br/><br>four</br>five", "one two three  four five", (LINE_BREAKS,)),
    ('one<br clear="all">two', "one two", (LINE_BREAKS,)),
    ("fish &amp; chips &#38; &#x26; &eacute;", "fish & chips & & é", (ENTITIES,)),
    ("one&lt;br /&gt;two", "one two", (ENTITIES, LINE_BREAKS)),
    ("a dash &#151; here", "a dash — here", (ENTITIES,)),
    ("wait\x85 it\x92s \x93fine\x94 \x96", "wait\u2026 it\u2019s \u201cfine\u201d \u2013", (CP1252,)),
    ("no such byte\x81here", "no such byte here", (CONTROLS,)),
    ("a\x00b\x1bc\x7fd", "a b c d", (CONTROLS,)),
    ("na\udcefve \ud83d", "na\ufffdve \ufffd", (BROKEN,)),
    ("\udce2\udc82 cut", "\ufffd cut", (BROKEN,)),
    ("<br>", "", (LINE_BREAKS,)),
]


@pytest.mark.parametrize(("text", "expected", "changes"), MENDED)
def test_dirt_is_mended_and_named(text: str, expected: str, changes: tuple[str, ...]) -> None:
    assert clean(text) == (expected, changes)


@pytest.mark.parametrize(
    "text",
    [
        "I <3 it <- really",
        "<b>bold</b>",
        "P&G, AT&T and ?a=1&copy=2",
        "no &such; entity",
        "a\ttab, a\nline\r\nand\u2028more",
        "<brown> & <bread>",
        "é 😀 \u200b",
    ],
)
def test_what_is_text_stays(text: str) -> None:
    assert clean(text) == (text, ())


def test_white_space_around_goes_unnamed() -> None:
    assert clean(" \n a text \u00a0 ") == ("a text", ())


@settings(derandomize=True, max_examples=200, deadline=None, database=None)
@given(st.text(st.characters(exclude_categories=()) | st.sampled_from("<br/>&#;\x85\udc80"), max_size=40))
def test_any_text_becomes_utf8_without_controls(text: str) -> None:
    cleaned, changes = clean(text)
    cleaned.encode()
    assert not any(character < " " and character not in "\t\n\v\f\r\x1c\x1d\x1e\x1f" for character in cleaned)
    assert not any("\x7f" <= character <= "\x9f" for character in cleaned)
    assert cleaned == cleaned.strip()
    assert (cleaned == text.strip()) or changes


@settings(derandomize=True, max_examples=100, deadline=None, database=None)
@given(st.binary(max_size=40))
def test_any_bytes_become_text_and_broken_ones_are_named(content: bytes) -> None:
    cleaned, changes = clean(content.decode("utf-8", "surrogateescape"))
    cleaned.encode()
    try:
        content.decode()
    except UnicodeDecodeError:
        assert BROKEN in changes
    else:
        assert BROKEN not in changes
