"""Validation of user input, with messages that name the allowed values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from instrument.guidance.errors import GuidanceValueError

MAX_NAME_CHARS = 200
MAX_TAG_CHARS = 64

_TAG = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{MAX_TAG_CHARS - 1}}}")
_DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]")  # no file on Windows can have these names
_APP = re.compile(rf"[^:\s]{{1,{MAX_NAME_CHARS}}}")


def choice(attempt: str, name: str, value: object, allowed: Iterable[str]) -> None:
    """Raise `GuidanceValueError` unless `value` is one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise wrong(attempt, name, value, f"one of {', '.join(allowed)}")


def names(attempt: str, name: str, value: object) -> tuple[str, ...]:
    """Return `value` as a tuple of strings; a bare string is refused."""
    if isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping):
        items = tuple(value)
        if all(isinstance(item, str) for item in items):
            return items
    raise wrong(attempt, name, value, "a list of strings")


def scope(attempt: str, name: str, value: object) -> str | None:
    """Return a request or session id as a string; MCP request ids may be numbers."""
    if value is None:
        return None
    if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
        return str(value)
    raise wrong(attempt, name, value, "an id, or omit it")


def check_app(attempt: str, value: object) -> None:
    """Raise `GuidanceValueError` unless `value` can be the first part of an id."""
    if not isinstance(value, str) or not _APP.fullmatch(value):
        raise wrong(attempt, "app", value, "a short name without spaces or colons")


def check_tag(attempt: str, value: object) -> None:
    """Raise `GuidanceValueError` unless `value` can name a file on any system."""
    if not isinstance(value, str) or not _TAG.fullmatch(value):
        wanted = f"1 to {MAX_TAG_CHARS} of a-z, 0-9, - and _, starting with a letter or digit"
        raise wrong(attempt, "tag", value, wanted)
    if _DEVICE.fullmatch(value):
        raise wrong(attempt, "tag", value, "another word: this is a reserved file name on Windows")


def check_line(attempt: str, name: str, value: object) -> None:
    """Raise `GuidanceValueError` unless `value` is one line.

    A name becomes a heading, so a line break in it could forge another section.
    """
    is_line = isinstance(value, str) and value.strip() and value.splitlines() == [value]
    if not is_line or len(str(value)) > MAX_NAME_CHARS:
        raise wrong(attempt, name, value, f"one line of 1 to {MAX_NAME_CHARS} characters")


def check_text(attempt: str, name: str, value: object) -> None:
    """Raise `GuidanceValueError` unless `value` is text or None."""
    if value is not None and (not isinstance(value, str) or not value or "\0" in value):
        raise wrong(attempt, name, value, "a string, or omit it")


def wrong(attempt: str, name: str, value: object, wanted: str) -> GuidanceValueError:
    """Return the error for `value`, with the expected form, `wanted`."""
    shown = repr(value)
    if len(shown) > MAX_NAME_CHARS:
        shown = f"{shown[:MAX_NAME_CHARS]}…"
    return GuidanceValueError(f"Cannot {attempt}: {name} is {shown}. Give {wanted}.")
