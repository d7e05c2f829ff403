"""Parse JSON text within a depth that every reader can walk; deeper values stay text.

How deep a value may be is limited differently by each parser, each Python and each library that
walks a tree. This one limit is below all of theirs, and all JSON text of a trace is parsed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

MAX_DEPTH: Final = 64
"""Objects and arrays within each other that are values; the next one is the text of itself."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{\]}]', re.DOTALL)
"""A string, to its end or that of the text, or a bracket outside of strings."""


def parse(text: str, loads: Callable[[str], Any] = json.loads) -> Any:
    """Return the value in `text`; below `MAX_DEPTH` it has text, digit for digit.

    Raises:
        ValueError: It is not JSON.
    """
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return loads(text)
    try:
        if not is_too_deep(value := loads(text)):
            return value
    except (ValueError, RecursionError):
        pass  # perhaps only too deep for this parser
    return loads(levelled(text, MAX_DEPTH))


def is_too_deep(value: Any) -> bool:
    """Return whether `value` is nested deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def levelled(text: str, max_depth: int) -> str:
    """Return JSON text in which values deeper than `max_depth` are strings.

    Raises:
        ValueError: It is not JSON.
    """
    quoted: list[str] = []
    depth = done = begun = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in ("{", "["):
            depth += 1
            if depth == max_depth + 1:
                begun = found.start()
        elif token in ("}", "]"):
            if depth == max_depth + 1:
                quoted += (text[done:begun], json.dumps(text[begun : found.end()]))
                done = found.end()
            depth -= 1
    if depth > 0:
        raise ValueError("unclosed brackets")
    return "".join((*quoted, text[done:]))
