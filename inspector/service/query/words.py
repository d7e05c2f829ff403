"""Split text into words: one definition for queries, the index of words and the evaluator.

Letters and digits make words; all else separates them, so `a/b.py` is three words in a row. Case
and accents do not count. In scripts without spaces, and of symbols such as emoji, each character
is a word, so that any part of a text is found.
"""

from __future__ import annotations

import re
import unicodedata

# By code point. `str.translate` keeps characters beyond the table.
_ASCII = "".join(chr(code).lower() if chr(code).isalnum() else " " for code in range(128))
_ACCENTS = re.compile("[\u0300-\u036f\ufe00-\ufe0f]+")
_BETWEEN = re.compile(r"[\W_]+")
_ALONE = re.compile(
    "(["
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2190-\u2bff"  # arrows, technical signs, shapes, dingbats
    "\u2e80-\u30ff\u3100-\u312f\u31f0-\u9fff\uf900-\ufaff"  # Chinese and Japanese
    "\U0001f000-\U0001faff"  # emoji
    "\U00020000-\U0003ffff"  # rarer Chinese
    "])"
)


def fold(text: str) -> str:
    """Return the words of `text`, lower-case and without accents, with a space between them."""
    if text.isascii():
        return " ".join(text.translate(_ASCII).split())
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    plain = unicodedata.normalize("NFKC", bare.casefold())
    pieces = _ALONE.split(plain)
    # Every second piece is one of those characters, which need not be a letter.
    pieces[::2] = [_BETWEEN.sub(" ", piece) for piece in pieces[::2]]
    return " ".join(" ".join(pieces).split())


def has_words(text: str, words: str, *, is_prefix: bool = False) -> bool:
    """Return whether `words` occur in `text` in a row; both are folded.

    Args:
        text: To search in.
        words: At least one.
        is_prefix: The last word may be the beginning of one.
    """
    if is_prefix:
        return f" {words}" in f" {text}"
    return f" {words} " in f" {text} "
