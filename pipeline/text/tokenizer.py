"""Tokenizers: a text to its list of words."""

from collections.abc import Callable

import regex

from pipeline import registry

Tokenizer = Callable[[str], list[str]]

_WORD_OR_PUNCTUATION = regex.compile(r"\w+|[^\w\s]+")
_SENTENCE_BREAK = regex.compile(r"""(?:(?<=[.!?])|(?<=[.!?]["')\]]))\s+(?=["'(\[]?[A-Z0-9])""")


def tokenizer(name: str, *, lowercase: bool) -> Tokenizer:
    """The tokenizer that params.yaml names. Words are lower-cased after the cut, which may look at capitals."""
    split: Tokenizer = registry.load(registry.TOKENIZERS, name)()
    return (lambda text: [word.lower() for word in split(text)]) if lowercase else split


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
