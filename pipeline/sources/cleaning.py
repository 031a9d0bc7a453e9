"""Upstream text as readers hand it on: what is no text is mended, and what was mended is named."""

import html
import re

LINE_BREAKS = "line-break tags"
ENTITIES = "HTML entities"
CP1252 = "mis-decoded cp1252"
CONTROLS = "control characters"
BROKEN = "not UTF-8"

_LINE_BREAK = re.compile(r"</?br\b[^<>]*>", re.IGNORECASE)
# With the semicolon only: without it `?a=1&copy=2` would hold a copyright sign, and `P&G` is a name.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_HIGH_CONTROL = re.compile("[\x80-\x9f]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]+")
_DIRT = re.compile(f"[{_CONTROL.pattern[1:-1]}\ud800-\udfff]")
_ASCII_CONTROLS = bytes(byte for byte in range(0x80) if _CONTROL.match(chr(byte)))
_OF_CP1252 = {
    byte: bytes([byte]).decode("cp1252") for byte in range(0x80, 0xA0) if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def _has_dirt(text: str) -> bool:
    """Whether a character is none; of ASCII, `bytes` tells in a tenth of a pattern's time."""
    if text.isascii():
        return len(text.encode().translate(None, _ASCII_CONTROLS)) < len(text)
    return bool(_DIRT.search(text))


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """The text mended, without white space around it, and the names of what was mended.

    - Bytes that aren't UTF-8 (decoded with `surrogateescape`) and halves of a surrogate pair: U+FFFD for each run.
    - HTML entities become what they stand for, then tags of `br` a blank. Other tags stay: readers of forums and shops
      write `<3` and `<- this`.
    - U+0080 to U+009F, where cp1252 has a character: that character, U+0085 being an ellipsis and no line end.
    - NUL and other control characters: a blank. Tab, LF and CR are white space and stay.
    """
    if "&" not in text and "<" not in text and not _has_dirt(text):
        return text.strip(), ()  # most texts
    changes = []
    text, count = _SURROGATES.subn("\ufffd", text)
    if count:
        changes.append(BROKEN)
    if "&" in text and (unescaped := _ENTITY.sub(lambda match: html.unescape(match[0]), text)) != text:
        text = unescaped
        changes.append(ENTITIES)
    text, count = _LINE_BREAK.subn(" ", text)
    if count:
        changes.append(LINE_BREAKS)
    if _HIGH_CONTROL.search(text) and (decoded := text.translate(_OF_CP1252)) != text:
        text = decoded
        changes.append(CP1252)
    text, count = _CONTROL.subn(" ", text)
    if count:
        changes.append(CONTROLS)
    return text.strip(), tuple(changes)
