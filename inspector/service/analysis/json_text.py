"""Indent and compare JSON text without parsing it: only white space between tokens changes.

To parse and write it again would change numbers (`9007199254740993`, `1.0`), repeated names and
escapes, and the text has to be shown as it is.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|"', re.DOTALL)
_OPENING, _CLOSING = frozenset("{["), frozenset("}]")
_MAX_INDENT = 40
"""Deeper levels are not indented: text of brackets alone would grow with its square."""
_MAX_COMPARED_LINES = 2_000


def indented(text: str) -> str:
    """Return JSON text with each value on its own line; empty containers stay on one."""
    parts: list[str] = _PART.findall(text)
    shown: list[str] = []
    depth = 0
    for place, part in enumerate(parts):
        before = parts[place - 1] if place else ""
        if part in _CLOSING:
            depth -= 1
            shown.append(part if before in _OPENING else _line(depth) + part)
        elif before in _OPENING:
            shown.append(_line(depth) + part)
        else:
            shown.append(part)
        if part in _OPENING:
            depth += 1
        elif part == ",":
            shown.append(_line(depth))
        elif part == ":":
            shown.append(" ")
    return "".join(shown)


def differences(before: str, after: str) -> Iterator[str]:
    """Yield the lines in which two JSON texts differ, with `-` and `+`, and some around them."""
    left, right = indented(before).splitlines(), indented(after).splitlines()
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    changed = left[start : len(left) - end], right[start : len(right) - end]
    if max(map(len, changed)) > _MAX_COMPARED_LINES:  # the comparison takes quadratic time
        yield from (f"- {line}" for line in changed[0])
        yield from (f"+ {line}" for line in changed[1])
        return
    yield from (line for line in difflib.ndiff(*changed) if line[0] != "?")


def _line(depth: int) -> str:
    return "\n" + "  " * max(0, min(depth, _MAX_INDENT))
