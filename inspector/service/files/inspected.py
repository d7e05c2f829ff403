"""Parse the output of Node's `util.inspect`, which JavaScript's console exporter prints."""

from __future__ import annotations

import re
from typing import Any

from inspector.errors import BadDataError

_LOOKS_SO = re.compile(rb"\{\s*(?:[A-Za-z_$][\w$]*|'[^'\n]*')\s*:")
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)
    |(?P<number>[+-]?(?:Infinity|NaN|\d+(?:\.\d+)?(?:e[+-]?\d+)?)n?)(?![\w$-])
    |(?P<more>\.\.\.\s\d+\smore\s\w+)
    |(?P<left_out>\[(?:Object|Array|Circular[^\]]*|Getter[^\]]*|(?:Async)?Function[^\]]*)\])
    |(?P<mark>[{}\[\]:,+])
    |(?P<word>[^\s{}\[\]:,+'"`]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_Token = tuple[str, str]


def is_inspected(text: bytes) -> bool:
    """Return whether a text is an object as `util.inspect` prints it, and no JSON."""
    return _LOOKS_SO.match(text) is not None


def read_inspected(text: bytes) -> Any:
    """Return the value; omitted parts (`[Object]`) stay as this text.

    Raises:
        BadDataError: It is something else.
    """
    return _Parser(text.decode("utf-8", "replace")).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = [
            (str(found.lastgroup), found[str(found.lastgroup)]) for found in _TOKEN.finditer(text)
        ]
        self._place = 0

    def whole(self) -> Any:
        value = self._value()
        if self._place < len(self._tokens):
            raise self._error()
        return value

    def _next(self) -> _Token:
        if self._place >= len(self._tokens):
            raise BadDataError("The Node output is truncated")
        self._place += 1
        return self._tokens[self._place - 1]

    def _peek(self) -> _Token:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("", "")

    def _error(self) -> BadDataError:
        near = " ".join(text for _, text in self._tokens[self._place - 1 : self._place + 3])
        return BadDataError(f"Not Node's object format, near {near[:60]!r}")

    def _value(self) -> Any:
        kind, text = self._next()
        match kind, text:
            case "mark", "{":
                return self._object()
            case "mark", "[":
                return self._list()
            case "string", _:
                return self._string(text)
            case "number", _:
                return _number(text)
            case "left_out", _:
                return text
            case "word", _:
                if self._peek() == ("mark", "{"):  # the name of a class
                    return self._value()
                return _WORDS.get(text, text)
        raise self._error()

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (token := self._next()) != ("mark", "}"):
            kind, text = token
            if kind == "more" or token == ("mark", ","):
                continue
            if kind not in ("string", "word", "number") or self._next() != ("mark", ":"):
                raise self._error()
            found[_unquoted(text) if kind == "string" else text] = self._value()
        return found

    def _list(self) -> list[Any]:
        found: list[Any] = []
        while (token := self._next()) != ("mark", "]"):
            if token[0] == "more" or token == ("mark", ","):
                continue
            self._place -= 1
            found.append(self._value())
        return found

    def _string(self, text: str) -> str:
        parts = [_unquoted(text)]
        while self._peek() == ("mark", "+"):
            self._place += 1
            parts.append(_unquoted(self._next()[1]))
        if self._peek()[0] == "more":
            self._place += 1
        return "".join(parts)


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])


def _number(text: str) -> int | float:
    digits = text.removesuffix("n")
    if digits.lstrip("+-").isdecimal():
        return int(digits[:400])
    return float(digits)
