"""A fast first check for secrets: most bytes hold none, and a full one costs 100 times more.

The patterns are run by pydantic's engine, which takes some 2 µs for each KB where `re` takes 10,
and a time that only grows with the length. It has no look-behind, and so this is coarser than
`subscribers.content.redaction`, which decides: what is found there must be found here, not the
other way round.

The first look is at lower-case letters only, coarser still: a group of some forty prefixes in one
case is found by the processor's vector instructions, all of them in both cases by a table, byte by
byte. What it finds is looked at again, letters as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from pydantic_core import SchemaValidator, core_schema

from subscribers.content.redaction import TOKENS

_SHORT = 4
_ASCII = bytes(range(128)) + bytes([127]) * 128
_LOWERED = _ASCII.lower()
_TOKENS = {
    prefix: f"(?{'i' if prefix.islower() else ''}:{re.escape(prefix)}[{chars}]{{{at_least}}})"
    for chars, at_least, listed in TOKENS
    for prefix in listed.split()
}
_OTHER_TOKENS = (
    r"(?i:xox[abeoprs]-[a-z0-9-]{10})",
    r":AA[A-Za-z0-9_-]{33}",
    r"[0-9]Q~[A-Za-z0-9_~.-]{31}",
    r"SG\.[A-Za-z0-9_-]{16}",
    r"eyJ[A-Za-z0-9_-]{8}[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8}",
    r"eyJ[A-Za-z0-9_-]{200}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY",
    r"(?i:bearer)[ \t][ \t]*[A-Za-z0-9._~+/=-]{16}",
    r"Basic[ \t][ \t]*[A-Za-z0-9+/]{12}",
    r"\[type=[a-z_]+, input_value=",  # the fields that pydantic refused
)
_ADDRESSES = (
    r"(?i:hooks\.slack\.com/|\.webhook\.office\.com/|/api/webhooks/[0-9]{6}|/bot[0-9]{6})",
    r"(?i:pat[a-z0-9]{14}\.[0-9a-f]{32})",
)
_USERS = (
    r":(?:\\?/){2}[^/\s\"'<>\\]+@",
    r"(?i:%3a%2f%2f)[^\s\"'<>&/]+%40",
    r"(?i:curl[ \t](?:[^\r\n]*[ \t])?(?:-u|--user|--proxy-user))[ \t=]*[\"']?[^\s\"':]+:",
    r"(?i:identified[ \t\r\n]|(?:create|alter) (?:user|role)[ \t\r\n])",
)
_NAMES = (
    r"(?i:token|auth(?:[ _.-]?header)?|authorization|cookies?|secrets?|signature|sig|credentials?"
    r"|creds|pass|passwords?|passwd|passphrase|passcode|password[ _.-]?confirm(?:ation)?|pwd|jwt"
    r"|bearer|[icgnrseht][ _.-]{0,3}keys?)"
)
_QUOTED_OR_BARE = r"[ \t]*(?:\\*[\"']|(?i:bearer|basic)[ \t]|[^\s\"',;&{}\\]{4})"
# Each has a character that all its matches hold: by that, and not by the names, it is looked for.
_NAMED = (
    # "name": "value", name=value
    _NAMES + r"[0-9]{0,2}\\*[\"']?[ \t]*:" + _QUOTED_OR_BARE,
    _NAMES + r"[0-9]{0,2}\\*[\"']?[ \t]*=" + _QUOTED_OR_BARE,
    # The key of an attribute, then its value in protobuf: a text, a list, a map, bytes.
    _NAMES + r"[ _.-]?[0-9]*\x12(?s:.){1,5}[\x0a*2:]",
    # --name value, and the same as two items of a list
    r"-[A-Za-z0-9_-]*" + _NAMES + r"[0-9]*(?:[ \t]|\x0a)",
)


def _text(*patterns: str) -> core_schema.CoreSchema:
    return core_schema.str_schema(pattern="|".join(patterns), regex_engine="rust-regex")


def _finder(*schemas: core_schema.CoreSchema) -> SchemaValidator:
    return SchemaValidator(core_schema.union_schema([*schemas], mode="left_to_right"))


def _lowered(pattern: str) -> str:
    return pattern.lower().replace("(?i:", "(?:")


def _groups(patterns: dict[str, str]) -> Iterator[list[str]]:
    """Divide the patterns of tokens so that the prefixes of each group are found together.

    Few in a group, and the shortest apart: they are where the others are not.
    """

    def shape(prefix: str) -> tuple[str, bool]:
        return prefix[-1] if prefix[-1] in "-_" else "", len(prefix) < _SHORT

    for _, prefixes in groupby(sorted(patterns, key=shape), shape):
        yield [patterns[prefix] for prefix in prefixes]


_FIRST_LOOK = _finder(
    *(_text(*map(_lowered, group)) for group in _groups(_TOKENS)),
    *(_text(*map(_lowered, group)) for group in (_ADDRESSES, _OTHER_TOKENS, _USERS)),
    *map(_text, _NAMED),
)
_SECOND_LOOK = _finder(
    _text(*_TOKENS.values(), *_ADDRESSES, *_OTHER_TOKENS, *_USERS), *map(_text, _NAMED)
)


def may_hold_secret(data: bytes) -> bool:
    """Return whether `data`, a protobuf message, has anything that looks like a secret."""
    # Outside of ASCII a byte is as good as any other, and ASCII is handed over as it is.
    return _FIRST_LOOK.isinstance_python(
        data.translate(_LOWERED).decode("ascii")
    ) and _SECOND_LOOK.isinstance_python(data.translate(_ASCII).decode("ascii"))
