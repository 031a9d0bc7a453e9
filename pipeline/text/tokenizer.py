"""Tokenizers: a text to its list of words."""

from collections.abc import Callable

import regex

from pipeline import registry

Tokenizer = Callable[[str], list[str]]

_WORD_OR_PUNCTUATION = regex.compile(r"\w+|[^\w\s]+")
_ABBREVIATIONS = "Mr|Mrs|Ms|Dr|Prof|St|No|Gov|Sen|Rep|Gen|Col|Lt|Sgt|Capt|[A-Z]"
"""Titles, numbers and initials: the words of news behind which a full stop seldom ends a sentence."""

_SENTENCE_BREAK = regex.compile(
    rf"""(?:(?<=[.!?])(?<!\b(?:{_ABBREVIATIONS})\.)|(?<=[.!?]["')\]]))\s+(?=["'(\[]?[A-Z0-9])"""
)
_FREE_MARK = regex.compile(r"(?<=\s[.!?])\s+")

_GLUED = (
    (regex.compile(r"(?<=\d) ([.,:]) (?=\d)"), r"\1"),
    (regex.compile(r" (?=[.,;:!?%)\]}]+(?:\s|$))"), ""),
    (regex.compile(r"(?<=(?:^|\s)[$(\[{]) "), ""),
    (regex.compile("(?<=\\w) (['\u2019]) (?=\\w)"), r"\1"),
    (regex.compile(r"(?<=\w) (?=n't\b|'(?:s|re|ve|ll|d|m)\b)"), ""),
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order.

    One ends at `.`, `!` or `?`, with its closing quote or bracket, before white space and a capital or digit; or at
    such a mark that stands alone, as in texts that upstream has tokenised; not behind a title, `No.` or an initial.
    """
    found = (part.strip() for piece in _SENTENCE_BREAK.split(text) for part in _FREE_MARK.split(piece))
    return [part for part in found if part]


def tokenizer(name: str, *, lowercase: bool) -> Tokenizer:
    """The tokenizer that params.yaml names. Words are lower-cased after the cut, which may look at capitals."""
    split: Tokenizer = registry.load(registry.TOKENIZERS, name)()
    return (lambda text: [word.lower() for word in split(text)]) if lowercase else split


def joined(tokens: list[str]) -> str:
    """Tokens as a text to read: no blank before a closing mark, after an opening one, or within a number.

    What a tokenizer drops, as how many blanks there were, can't be brought back.
    """
    text = " ".join(tokens)
    for pattern, replacement in _GLUED:
        text = pattern.sub(replacement, text)
    return text


def wordpunct() -> Tokenizer:
    """Runs of word characters and runs of punctuation: NLTK's wordpunct_tokenize, which the official code uses.

    Like NLTK since 3.10 with the package regex, which keeps combining marks (as Hindi has) inside their words.
    """
    split: Tokenizer = _WORD_OR_PUNCTUATION.findall
    return split


def basic_english() -> Tokenizer:
    """torchtext's basic_english: lower-cased, a few marks set apart, the rest cut at white space."""
    from torchtext.data.utils import get_tokenizer

    split: Tokenizer = get_tokenizer("basic_english")
    return split


def treebank() -> Tokenizer:
    """NLTK's word_tokenize (the paper's tokenizer, Section 4.1) without its download.

    word_tokenize finds sentences with the Punkt model; here one ends at `.`, `!` or `?`, with its closing quote or
    bracket, before white space and a capital or digit, so that only a text's abbreviations are cut differently.
    """
    from nltk.tokenize.destructive import NLTKWordTokenizer

    words = NLTKWordTokenizer()

    def split(text: str) -> list[str]:
        return [word for sentence in _SENTENCE_BREAK.split(text) for word in words.tokenize(sentence)]

    return split
