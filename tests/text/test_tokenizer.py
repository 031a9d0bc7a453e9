"""Tokenizers against the libraries they stand for."""

import nltk
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer

from pipeline import registry
from pipeline.text.tokenizer import joined, sentences, tokenizer

SENTENCES = [
    "It isn't bad, it's 'fine' -- don't you think?",
    'He said: "we cannot, and won\'t, pay $3.50 (or 4%)."',
    "Wait... what?! An e-mail to me@example.com & a half.",
    "Ångström naïve \u00a0 日本語 \U0001f600",
]


@settings(derandomize=True, max_examples=200, deadline=None, database=None)
@given(st.text())
@example("a\u00a0b_c\u2028d\x85e")
@example("don't -- e.g.\tstop!!! \U0001f600\U0001f600")
def test_wordpunct_is_nltks(text: str) -> None:
    assert tokenizer("wordpunct", lowercase=False)(text) == nltk.wordpunct_tokenize(text)


def test_wordpunct_keeps_combining_marks_in_their_words() -> None:
    assert tokenizer("wordpunct", lowercase=False)("cafe\u0301 हिन्दी") == ["cafe\u0301", "हिन्दी"]


def test_wordpunct_keeps_runs_of_punctuation_together() -> None:
    assert tokenizer("wordpunct", lowercase=False)("Isn't it?! No...") == ["Isn", "'", "t", "it", "?!", "No", "..."]


@pytest.mark.parametrize("text", [*SENTENCES, "<br /> A;b: C", ""])
def test_basic_english_is_torchtexts(text: str) -> None:
    from torchtext.data.utils import get_tokenizer

    assert tokenizer("basic_english", lowercase=True)(text) == get_tokenizer("basic_english")(text)


def test_basic_english_lower_cases_and_sets_marks_apart() -> None:
    assert tokenizer("basic_english", lowercase=True)('A "B", c!') == ["a", "b", ",", "c", "!"]


@pytest.mark.parametrize("text", SENTENCES)
def test_treebank_is_nltks_within_a_sentence(text: str) -> None:
    assert tokenizer("treebank", lowercase=False)(text) == NLTKWordTokenizer().tokenize(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It broke. Then it worked.", ["It", "broke", ".", "Then", "it", "worked", "."]),
        ("Bad! 3 stars.", ["Bad", "!", "3", "stars", "."]),
        ('So? "No." (Yes.) No.', ["So", "?", "``", "No", ".", "''", "(", "Yes", ".", ")", "No", "."]),
        ('He said "no". (Good!) So.', ["He", "said", "``", "no", "''", ".", "(", "Good", "!", ")", "So", "."]),
        ("about 3.5 e.g. this one.", ["about", "3.5", "e.g.", "this", "one", "."]),
        ("", []),
    ],
)
def test_treebank_sets_the_end_of_a_sentence_apart(text: str, words: list[str]) -> None:
    assert tokenizer("treebank", lowercase=False)(text) == words


@pytest.mark.parametrize("name", registry.TOKENIZERS)
def test_lowercase_is_that_of_the_words(name: str) -> None:
    text = "Good. The END is İstanbul's."
    cased = tokenizer(name, lowercase=False)(text)
    assert tokenizer(name, lowercase=True)(text) == [word.lower() for word in cased]


@pytest.mark.parametrize("name", registry.TOKENIZERS)
def test_white_space_has_no_words(name: str) -> None:
    assert tokenizer(name, lowercase=True)(" \t\n\u00a0 ") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('It fell by $4.5 million. "Why?" he asked.', ["It fell by $4.5 million.", '"Why?" he asked.']),
        ("It was No. 7. So it was.", ["It was No. 7.", "So it was."]),
        ("Gov. J. R. Smith met Dr. (Ann) Lee. So did Mr. X.", ["Gov. J. R. Smith met Dr. (Ann) Lee.", "So did Mr. X."]),
        ("It was in the U.S. He left Cairo. Then ...", ["It was in the U.S. He left Cairo.", "Then ..."]),
        ("they ( e.g. those ) grew .  p < 0.05 !", ["they ( e.g. those ) grew .", "p < 0.05 !"]),
        ("One.\n\nTwo?", ["One.", "Two?"]),
        (" \n ", []),
        ("no mark", ["no mark"]),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@settings(derandomize=True, max_examples=200, deadline=None, database=None)
@given(st.text(alphabet="aB1 .!?\"'\n"))
def test_sentences_hold_the_whole_text(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("name", ["wordpunct", "treebank"])
def test_joined_tokens_can_be_read(name: str) -> None:
    text = "It rose to $4.5 million (half of 1,200), says Ms O'Hara; it doesn't pay 9% at 03:39, does it?"
    assert joined(tokenizer(name, lowercase=False)(text)) == text


@settings(derandomize=True, max_examples=200, deadline=None, database=None)
@given(st.lists(st.sampled_from(["a", "1", ".", ",", "$", "(", ")", "'s", "n't", "'", '"', "b", "2"])))
def test_joining_drops_nothing_but_blanks(tokens: list[str]) -> None:
    assert joined(tokens).replace(" ", "") == "".join(tokens)
