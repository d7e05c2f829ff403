r"""Make text from traces safe to show: control and invisible characters are escaped.

A name or a content may have escape sequences that move a cursor, marks that change the direction of
writing, and invisible letters. Each becomes its escape in Python (`\x1b`, `\u202e`), for terminals
and for models.
"""

from __future__ import annotations

import re
from functools import lru_cache

_BREAKS = frozenset("\n\t")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0e\U000e0100-\U000e01ef]"
)
"""Printable by Unicode, and yet without a shape: fillers, and selectors that hide bytes."""
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


def visible(text: str) -> str:
    """Return `text` with all invisible characters escaped; lines and tabs stay."""
    if text.isprintable() and not _UNSEEN.search(text):
        return text
    return "".join(char if char in _BREAKS else _shown(char) for char in text)


def visible_line(text: str, most: int) -> str:
    """Return `text` as one line of at most `most` characters; `…` stands for what is left out."""
    shown = "".join(map(_shown, text[: most + 1]))
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def visible_part(text: str, offset: int, most: int) -> tuple[str, int]:
    """Return the part of `text` that fits in `most` characters, and its end in `text`.

    Args:
        text: All of it.
        offset: Index of its first character that is shown.
        most: Characters of the answer; written out, one character may take ten.
    """
    shown: list[str] = []
    room = most
    for place, char in enumerate(text[offset : offset + most]):
        one = char if char in _BREAKS else _shown(char)
        room -= len(one)
        if room < 0:
            return "".join(shown), offset + place
        shown.append(one)
    return "".join(shown), min(len(text), offset + most)


def as_written(shown: str) -> str:
    """Return the text of which `visible` made `shown`, if that had no backslashes."""
    return _ESCAPE.sub(_char, shown)


@lru_cache(8_192)
def _shown(char: str) -> str:
    if char.isprintable() and not _UNSEEN.match(char):
        return char
    if char == "\u00a0":
        return " "
    code = ord(char)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )


def _char(escape: re.Match[str]) -> str:
    code = int(escape[1] or escape[2] or escape[3], 16)
    return chr(code) if code < 0x110000 else escape[0]
