"""Write the rules of redaction for the agent side in TypeScript.

They are those of `subscribers.content.redaction`, pattern by pattern. JavaScript has neither
possessive repeats nor inline flags: the first become a look-ahead and a reference to what it saw,
the second both cases of each letter.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from subscribers.content import redaction
from subscribers.send import foreign

# As Python reads a pattern; the two are not typed.
ops: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

PATH = Path("sdks/typescript/src/redaction/rules.gen.ts")
_HELPERS = frozenset({"quote", "mark"})
"""Named groups that hold a quote, not a secret."""
_SPECIAL = frozenset("\\^$.*+?()[]{}|/")
_SPECIAL_IN_SET = frozenset("\\]^-[")
_CATEGORIES = {
    "CATEGORY_SPACE": r"\s\x1c-\x1f\x85",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_WORD": r"\w",
}
_PLACES = {"AT_END": r"(?=\n?(?![\s\S]))", "AT_END_STRING": r"(?![\s\S])", "AT_BOUNDARY": r"\b"}


def outputs() -> dict[Path, str]:
    """Return the module."""
    return {PATH: _module()}


class _Writer:
    """A writer of one pattern, which counts its groups."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._count = 0
        self._numbers: dict[int, int] = {}
        self.text = self._sequence(parser.parse(pattern.pattern, pattern.flags), pattern.flags)
        self.groups = [
            (self._numbers[number], name)
            for name, number in pattern.groupindex.items()
            if name not in _HELPERS
        ]

    def _sequence(self, items: Iterable[tuple[Any, Any]], flags: int) -> str:
        return "".join(self._item(str(op), value, flags) for op, value in items)

    def _item(self, op: str, value: Any, flags: int) -> str:  # noqa: C901 - a case for each kind
        match op:
            case "LITERAL" | "NOT_LITERAL":
                if op == "LITERAL" and not (flags & re.IGNORECASE and chr(value).isalpha()):
                    return _literal(value)
                return self._set([(ops.LITERAL, value)], flags, is_negated=op == "NOT_LITERAL")
            case "ANY":
                return r"[\s\S]" if flags & re.DOTALL else r"[^\n]"
            case "IN":
                return self._set(value, flags)
            case "AT":
                return _PLACES[str(value)]
            case "BRANCH":
                return f"(?:{'|'.join(self._sequence(one, flags) for one in value[1])})"
            case "SUBPATTERN":
                return self._group(value, flags)
            case "GROUPREF":
                return rf"(?:\{self._numbers[value]})"
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeat(value, flags) + ("?" if op == "MIN_REPEAT" else "")
            case "POSSESSIVE_REPEAT":
                return self._atomic(lambda: self._repeat(value, flags))
            case "ATOMIC_GROUP":
                return self._atomic(lambda: self._sequence(value, flags))
            case "ASSERT" | "ASSERT_NOT":
                direction, inner = value
                sign = ("" if direction > 0 else "<") + ("=" if op == "ASSERT" else "!")
                return f"(?{sign}{self._sequence(inner, flags)})"
            case "FAILURE":
                return "(?!)"
        raise NotImplementedError(op)

    def _group(self, group: tuple[int | None, int, int, Any], flags: int) -> str:
        number, added, removed, inner = group
        flags = (flags | added) & ~removed
        if number is None:
            return f"(?:{self._sequence(inner, flags)})"
        self._count += 1
        self._numbers[number] = self._count
        return f"({self._sequence(inner, flags)})"

    def _atomic(self, write: Any) -> str:
        self._count += 1
        number = self._count
        return rf"(?=({write()}))(?:\{number})"

    def _repeat(self, repeat: tuple[int, Any, Any], flags: int) -> str:
        least, most, inner = repeat
        text = self._sequence(inner, flags)
        if len(inner) != 1 or str(inner[0][0]) not in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            text = f"(?:{text})"
        is_open = most is ops.MAXREPEAT
        counts = {(0, True): "*", (1, True): "+"}.get((least, is_open))
        if (least, most) == (0, 1):
            counts = "?"
        if counts is None:
            counts = f"{{{least}}}" if least == most else f"{{{least},{'' if is_open else most}}}"
        return text + counts

    def _set(self, members: Any, flags: int, *, is_negated: bool = False) -> str:
        pieces = []
        for op, value in members:
            match str(op):
                case "NEGATE":
                    is_negated = True
                case "LITERAL":
                    pieces += [_in_set(ord(c)) for c in _cases(chr(value), flags)]
                case "RANGE":
                    lower, upper = (_cases(chr(end), flags) for end in value)
                    ends = zip(lower, upper, strict=True)
                    pieces += [f"{_in_set(ord(a))}-{_in_set(ord(b))}" for a, b in ends]
                case "CATEGORY":
                    pieces.append(_CATEGORIES[str(value)])
        return f"[{'^' if is_negated else ''}{''.join(dict.fromkeys(pieces))}]"


def _cases(char: str, flags: int) -> list[str]:
    if not flags & re.IGNORECASE:
        return [char]
    return list(dict.fromkeys((char.lower(), char.upper())))


def _literal(code: int) -> str:
    char = chr(code)
    return f"\\{char}" if char in _SPECIAL else _plain(code)


def _in_set(code: int) -> str:
    char = chr(code)
    return f"\\{char}" if char in _SPECIAL_IN_SET else _plain(code)


def _plain(code: int) -> str:
    if 32 <= code < 127:
        return "\\/" if code == ord("/") else chr(code)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def _rule(rule: redaction._Rule) -> str:
    pattern = _Writer(rule.pattern)
    groups = ", ".join(f"[{number}, {_text(name)}]" for number, name in pattern.groups)
    return (
        f"  {{\n    stem: {_text(rule.stem)},\n    gate: {_text(rule.gate)},\n"
        f"    isNamed: {_text(rule.is_named)},\n    isAnyCase: {_text(rule.is_any_case)},\n"
        f"    pattern: /{pattern.text}/g,\n    groups: [{groups}],\n  }},\n"
    )


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)


def _module() -> str:
    rules = "".join(_rule(rule) for rule in redaction._RULES)
    lists = {
        "SECRET_KEYS": sorted(redaction._SECRET_KEYS),
        "SECRET_SUFFIXES": list(redaction._SECRET_SUFFIXES),
        "PUBLIC_TOKENS": sorted(redaction._PUBLIC_TOKENS),
        "OUTCOMES": list(redaction._OUTCOMES),
        "EVENT_BODY_KEYS": sorted(foreign._EVENT_BODY_KEYS),
    }
    listed = "".join(
        f"export const {name}: readonly string[] = {json.dumps(words, indent=2)};\n\n"
        for name, words in lists.items()
    )
    content_key = _Writer(foreign._CONTENT_KEY).text
    return f"""\
/** Rules of redaction, made of those in Python by `make gen`: change them there. */

export interface Rule {{
  /** Literal; in lower case it matches any case. */
  readonly stem: string;
  /** Characters, one of which is in every match; empty: any text may match. */
  readonly gate: string;
  /** The stem is part of a name, which decides whether the value is a secret. */
  readonly isNamed: boolean;
  readonly isAnyCase: boolean;
  readonly pattern: RegExp;
  /** The groups that hold the secret, and their names; none: the whole match is one. */
  readonly groups: readonly (readonly [number, string])[];
}}

export const REDACTED = {_text(redaction.REDACTED)};

export const SIGNS = {_text(redaction._SIGNS)};

{listed}/** Keys of other instrumentations' attributes that hold content. */
export const CONTENT_KEY = /^(?:{content_key})$/;

export const RULES: readonly Rule[] = [
{rules}];
"""
