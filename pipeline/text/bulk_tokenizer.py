"""Thousands of texts cut into words at a time: the words that tokenizer.py gives, as numbers.

A tokenizer that looks at one character at a time and at no others is a table from characters to classes; numpy finds
where the class changes, and Arrow numbers the words between. Others, as treebank, are called text by text.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import regex
from numpy.typing import NDArray

from pipeline.text.tokenizer import tokenizer

Bytes = NDArray[np.uint8]
BLANK, WORD, MARKS, SINGLE = range(4)
"""Classes of characters. A word is a run of WORD, a run of MARKS, or one SINGLE."""

SLICE = 1 << 18
"""Bytes that are looked at together: what numpy makes of them stays in the processor's cache."""


@dataclass(frozen=True)
class Words:
    """The words of texts: text i has `lengths[i]` of `numbers`, each the place of a word in `types`."""

    numbers: NDArray[np.int32]
    lengths: NDArray[np.int64]
    types: list[str]

    def cut(self, longest: int) -> "Words":
        """The texts with their first `longest` words."""
        if not len(self.lengths) or self.lengths.max() <= longest:
            return self
        place = np.arange(len(self.numbers)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        return Words(self.numbers[place < longest], np.minimum(self.lengths, longest), self.types)


def split_texts(texts: pa.StringArray, name: str, *, lowercase: bool) -> Words:
    """The words of every text by the tokenizer of that name, lower-cased after the cut if so wished."""
    if name not in BY_CLASSES:
        return _one_by_one(texts, name, lowercase)
    by_classes = BY_CLASSES[name]
    lowercase |= by_classes.lowers
    pieces, lengths = [], []
    for data, offsets in by_classes.prepare(texts):
        piece, counts = _words_of(data, offsets, by_classes.classes(), lowercase)
        pieces.append(piece)
        lengths.append(counts)
    encoded = pa.chunked_array(pieces, pa.binary()).dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    types = encoded.dictionary.cast(pa.string()).to_pylist()
    numbers = encoded.indices.to_numpy().astype(np.int32, copy=False)
    found = Words(numbers, np.concatenate([np.zeros(0, np.int64), *lengths]), types)
    return _lowered(found) if lowercase else found


def _one_by_one(texts: pa.StringArray, name: str, lowercase: bool) -> Words:
    split = tokenizer(name, lowercase=lowercase)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    cut = [[numbers[word] for word in split(text)] for text in texts.to_pylist()]
    lengths = np.array([len(words) for words in cut], np.int64)
    flat = np.fromiter((number for words in cut for number in words), np.int32, int(lengths.sum()))
    return Words(flat, lengths, list(numbers))


def _lowered(words: Words) -> Words:
    """Words whose lower case is the same made one. ASCII is lower-cased already."""
    if all(word.isascii() for word in words.types):
        return words
    lower: dict[str, int] = {}
    place = np.array([lower.setdefault(word.lower(), len(lower)) for word in words.types], np.int32)
    return Words(place[words.numbers], words.lengths, list(lower))


def _words_of(data: Bytes, offsets: NDArray[np.int64], classes: Bytes, lowercase: bool) -> tuple[Any, Any]:
    """The words of texts, as Arrow's bytes, and how many each has. Text i is data[offsets[i]:offsets[i + 1]]."""
    kinds = classes[:0x100].take(data)
    if (beyond := data >= 0x80).any():
        kinds[beyond] = _classes_beyond_ascii(data[beyond], classes)
    # A word ends where the class changes, after every SINGLE, and with the text.
    change = np.empty(len(data) + 1, np.bool_)
    np.not_equal(kinds[1:], kinds[:-1], out=change[1:-1])
    if (single := kinds == SINGLE).any():
        change[1:] |= single
    change[offsets] = True
    inside = kinds != BLANK
    starts = np.flatnonzero(change[:-1] & inside)
    ends = np.flatnonzero(change[1:] & inside)
    kept = np.compress(inside, data)
    if lowercase:
        kept |= ((kept - ord("A")) < 26).view(np.uint8) << 5  # of an ASCII capital
    places = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(ends - starts + 1, out=places[1:])
    words = pa.Array.from_buffers(pa.binary(), len(starts), [None, pa.py_buffer(places), pa.py_buffer(kept)])
    return words, np.diff(np.searchsorted(starts, offsets))


def _classes_beyond_ascii(data: Bytes, classes: Bytes) -> Bytes:
    """The class of every byte of UTF-8 that holds no ASCII: that of the character to which it belongs."""
    points = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.uint32)
    sizes = 2 + (points > 0x7FF).astype(np.int64) + (points > 0xFFFF)
    return np.repeat(classes[points], sizes)


def _slices(texts: pa.StringArray) -> Iterator[tuple[Bytes, NDArray[np.int64]]]:
    """The texts' bytes in portions, and where each text of it begins, and the last one ends."""
    _, places, content = texts.buffers()
    if not len(texts):
        return
    offsets = np.frombuffer(places, np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = np.frombuffer(content, np.uint8) if content else np.zeros(0, np.uint8)
    first = 0
    while first < len(texts):
        last = max(int(np.searchsorted(offsets, offsets[first] + SLICE, "right")) - 1, first + 1)
        yield data[offsets[first] : offsets[last]], offsets[first : last + 1] - offsets[first]
        first = last


def _slices_of_basic_english(texts: pa.StringArray) -> Iterator[tuple[Bytes, NDArray[np.int64]]]:
    """The texts' bytes after what torchtext's basic_english does across characters.

    It lower-cases the text (where a capital sigma's lower case hangs on what follows), drops quotation marks, which may
    join what stands on both sides, and makes `<br />` a blank.
    """
    for data, offsets in _slices(texts):
        content = data.tobytes()
        if content.isascii() and b'"' not in content and b"<" not in content:
            yield data, offsets
            continue
        pieces = []
        for start, end in itertools.pairwise(offsets.tolist()):
            text = content[start:end]
            text = text.lower() if text.isascii() else text.decode().lower().encode()
            pieces.append(text.replace(b'"', b"").replace(b"<br />", b" "))
        yield np.frombuffer(b"".join(pieces), np.uint8), np.cumsum([0, *map(len, pieces)])


@cache
def _wordpunct_classes() -> Bytes:
    classes = np.full(0x110000, MARKS, np.uint8)
    characters = _every_character()
    for kind, pattern in ((WORD, r"\w+"), (BLANK, r"\s+")):
        for run in regex.finditer(pattern, characters):
            classes[run.start() : run.end()] = kind
    return classes


@cache
def _basic_english_classes() -> Bytes:
    classes = np.full(0x110000, WORD, np.uint8)
    classes[[place for place, sign in enumerate(_every_character()) if sign.isspace()]] = BLANK
    classes[[ord(sign) for sign in ";:"]] = BLANK
    classes[[ord(sign) for sign in "'.,()!?"]] = SINGLE
    return classes


@cache
def _every_character() -> str:
    """All code points in their order, a letter standing for the surrogates, which no text holds."""
    return "".join(chr(point) if not 0xD800 <= point < 0xE000 else "a" for point in range(0x110000))


@dataclass(frozen=True)
class _ByClasses:
    classes: Callable[[], Bytes]
    prepare: Callable[[pa.StringArray], Iterator[tuple[Bytes, NDArray[np.int64]]]]
    lowers: bool
    """Whether words are lower-cased in any case."""


BY_CLASSES = {
    "wordpunct": _ByClasses(_wordpunct_classes, _slices, lowers=False),
    "basic_english": _ByClasses(_basic_english_classes, _slices_of_basic_english, lowers=True),
}
