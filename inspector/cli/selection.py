"""The default object of a command: the only candidate.

If there are several, they are listed and nothing is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.cli import session_spans
from inspector.cli.output import say_missing
from inspector.cli.reader import ServiceReader
from inspector.errors import RefusedError

_PAUSED = ("paused", "waiting")
"""Statuses of paused sessions; `paused_since` must be set, too."""
STATUSES: Mapping[str, tuple[str, ...]] = {
    "pause": ("running", "waiting"),
    "cancel": ("running", "waiting", "paused"),
    "resume": _PAUSED,
    "step": _PAUSED,
}
"""Statuses of the candidates of each verb."""

_MOST = 50
"""Limit of candidates."""
_ANSWERED_ELSE = "question"
"""The kind of request that needs `inspector answer`."""

Row = dict[str, Any]


def newest_session(reader: ServiceReader) -> Row:
    """Return the session with the newest start.

    Raises:
        RefusedError: There is none.
    """
    found, _, missing = session_spans.pages(reader, "sessions", 1, sort="-started")
    say_missing(missing)
    if not found:
        raise RefusedError("No sessions yet.")
    return found[0]


def only_session(reader: ServiceReader, verb: str) -> Row:
    """Return the only session that `verb` applies to.

    Raises:
        RefusedError: There is none, or there are several.
    """
    from inspector.cli import console  # noqa: PLC0415 - rich takes a while

    found: list[Row] = []
    for status in STATUSES[verb]:
        listed, _, missing = session_spans.pages(reader, "sessions", _MOST, status=status)
        _check_whole(missing)
        found += listed
    *most, last = STATUSES[verb]
    how = f"{', '.join(most)} or {last}"
    if STATUSES[verb] is _PAUSED:
        how, found = "paused", [one for one in found if one["paused_since"]]
    return _only(found, "session", how, console.name_sessions)


def only_request(reader: ServiceReader) -> Row:
    """Return the only open request that can be allowed or denied.

    Raises:
        RefusedError: There is none, or there are several.
    """
    from inspector.cli import requests  # noqa: PLC0415 - rich takes a while

    found, _, missing = session_spans.pages(
        reader, "requests", _MOST, "/requests", status="pending"
    )
    _check_whole(missing)
    fitting = [one for one in found if one["kind"] != _ANSWERED_ELSE]
    if found and not fitting:
        requests.name_requests(found)
        raise RefusedError(
            "The open request is a question: use `inspector answer`. Nothing was done."
        )
    return _only(fitting, "request", "open", requests.name_requests)


def _check_whole(missing: Sequence[Row]) -> None:
    """Refuse to take the only one of a list for the only one there is."""
    for one in missing:
        if one["part"] == "writer":
            raise RefusedError(f"{one['why']} It may have others: name one. Nothing was done.")


def _only(
    found: Sequence[Row], what: str, how: str, show_candidates: Callable[[Sequence[Row]], None]
) -> Row:
    if not found:
        raise RefusedError(f"No {what} is {how}. Nothing was done.")
    if len(found) > 1:
        show_candidates(found)
        raise RefusedError(f"{len(found)} {what}s are {how}. Name one. Nothing was done.")
    return found[0]
