"""Plain text of Markdown, for one line of a list: what people and models write, without its signs.

What only looks like Markdown stays: `src/**/*.py`, `f(**kw)`, `__init__`, `#12`.
"""

from __future__ import annotations

import re

_SIGN = re.compile(r"[`*#\[~]")
_FENCE = re.compile(r"^[ \t]{0,3}(?:```+|~~~+)[^`\n]*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
_LINK = re.compile(r"(?<!\w)!?\[([^\[\]\n]{1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){1,2000}\)")
_BOLD = re.compile(r"(?<![\w/*])\*\*(?=[^\s*/])([^*\n]{1,300})(?<=\S)\*\*(?![\w/*])")
_CODE = re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)")


def plain_line(markdown: str, most_read: int) -> str:
    """Return the text of a beginning of Markdown on one line.

    Args:
        markdown: What was written.
        most_read: Limit of the characters that are read.
    """
    text = markdown[:most_read]
    if _SIGN.search(text):
        text = _FENCE.sub("", text) if _FENCE.search(text) else _HEADING.sub("", text)
        for sign in (_LINK, _BOLD, _CODE):
            text = sign.sub(r"\1", text)
    return " ".join(text.split())
