"""Words of many texts at once: those of the tokenizer, text by text."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline import registry
from pipeline.text import bulk_tokenizer
from pipeline.text.bulk_tokenizer import split_texts
from pipeline.text.tokenizer import tokenizer

# Two sigmas, whose lower case hangs on what follows; a dotted capital I, whose lower case is two characters.
ODD = "aAz'\".,()!?;:-_/<br />BR \u03a3\u03c3\u0391\u0130\u017f\u00df\u00e9\u0301\u0939\u093f"
ODD += "\n\t\x0b\x1c\x85\u00a0\u2028\ufeff\U0001f600\U0001d400"
TEXTS = st.text(st.sampled_from(ODD), max_size=12) | st.text(max_size=12) | st.sampled_from(["<br />", 'a"b', "<BR />"])


def words(texts: list[str], name: str, lowercase: bool) -> list[list[str]]:
    found = split_texts(pa.array(texts, pa.string()), name, lowercase=lowercase)
    flat = iter(found.types[number] for number in found.numbers)
    split = [[next(flat) for _ in range(length)] for length in found.lengths]
    assert next(flat, None) is None
    assert len(set(found.types)) == len(found.types)
    return split


@pytest.mark.parametrize("size", [1, 9, 1 << 18])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("name", registry.TOKENIZERS)
def test_words_are_those_of_the_tokenizer(
    name: str, lowercase: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_tokenizer, "SLICE", size)
    plain = tokenizer(name, lowercase=lowercase)

    @settings(derandomize=True, max_examples=80, deadline=None, database=None)
    @given(st.lists(TEXTS, max_size=6))
    @example(
        [
            "\u0391\u03a3.\u0391",
            "\u0391\u03a3",
            "\u0391\u03a3'b",
            '\u03a3"\u03a3"',
            '<b"r />',
            "a<br />b<br/>c",
            "",
            " ",
            "ab",
            "cd",
        ]
    )
    @example(["\U0001f600\U0001f600a", "don't", "Don't -- e.g. İİ", "हिन्दी"])
    def same(texts: list[str]) -> None:
        assert words(texts, name, lowercase) == [plain(text) for text in texts]

    same()


@pytest.mark.parametrize("name", bulk_tokenizer.BY_CLASSES)
def test_every_character_is_in_its_class(name: str) -> None:
    plain = tokenizer(name, lowercase=False)
    points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for start in range(0, len(points), 1 << 16):
        # Beside a letter, a mark and itself: which of them it joins tells its class.
        text = " ".join(f"a{chr(p)}a-{chr(p)}-{chr(p)}{chr(p)}" for p in points[start : start + (1 << 16)])
        assert words([text], name, False) == [plain(text)]


def test_texts_of_a_slice_of_an_array_are_its_own() -> None:
    array = pa.array(["a b", "c", "", "d e f"]).slice(1, 2)
    found = split_texts(array, "wordpunct", lowercase=True)
    assert (found.types, found.lengths.tolist()) == (["c"], [1, 0])


def test_cut_texts_keep_their_first_words() -> None:
    found = split_texts(pa.array(["a b c", "", "b", "c c c c"]), "wordpunct", lowercase=True)
    cut = found.cut(2)
    assert [found.types[number] for number in cut.numbers] == ["a", "b", "b", "c", "c"]
    assert cut.lengths.tolist() == [2, 0, 1, 2]
    assert found.cut(4) is found


@pytest.mark.parametrize("name", registry.TOKENIZERS)
def test_texts_are_cut_without_torch(name: str, root: Path) -> None:
    code = (
        "import sys, pyarrow; from pipeline.text.bulk_tokenizer import split_texts; "
        f"split_texts(pyarrow.array(['A text.']), {name!r}, lowercase=True); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
