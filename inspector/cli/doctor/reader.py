"""Checks of a reader: its services, their clocks, and what arrives at two of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import time_ns
from typing import Any

from inspector.cli.client import Client
from inspector.cli.doctor.finding import FAIL, OK, WARN, CheckResult
from inspector.cli.doctor.probe import health
from inspector.cli.doctor.service import RETRIED, without_user
from inspector.errors import InspectorError
from inspector.runfile import environment_token, is_address
from inspector.service.model.writer_names import WriterAddress
from inspector.service.settings import PREFIX, Settings

_NEWEST = 200
"""Sessions of each service that are compared."""
_MOST_NAMED = 3
_LEAST_APART_NS = 1_000_000_000
_AWAY = "Start it, or correct INSPECTOR_WRITERS of the reader. Until then lists lack what it has."


@dataclass(frozen=True)
class _Service:
    """A service of the reader.

    Attributes:
        trouble: Why it does not answer, or cannot store; empty: nothing is wrong.
        advice: What to do about it.
        note: What else the reader says of it.
        own: Asks it directly; None where its address is not known here.
    """

    name: str
    own: Client | None
    trouble: str = ""
    advice: str = ""
    note: str = ""


def is_reader(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Return whether the named service is a reader, or one that starts here would be."""
    return bool(settings.writers) or _writers(environ) is not None


def examine_writers(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check each service of the reader."""
    services = _services(settings, environ)
    for one in services:
        if one.trouble:
            yield CheckResult(FAIL, "writer", f"{one.name}: {one.trouble}", one.advice)
        elif one.note:
            yield CheckResult(WARN, "writer", f"{one.name} answers", one.note)
        else:
            yield CheckResult(OK, "writer", f"{one.name} answers")
    answering = [one for one in services if not one.trouble]
    yield from _examine_clocks(answering)
    yield from _examine_arrival(answering, environ)


def _writers(environ: Mapping[str, str]) -> list[dict[str, Any]] | None:
    """Return what the named service reports of its services; None where it is no reader."""
    url = environ.get(f"{PREFIX}URL", "").rstrip("/")
    if not is_address(url):
        return None
    return (health(url, environment_token(environ)) or {}).get("writers")


def _services(settings: Settings, environ: Mapping[str, str]) -> list[_Service]:
    token = environment_token(environ)
    tokens = settings.tokens_of_writers()
    addresses = [WriterAddress.parse(one) for one in settings.writers]
    own = {one.name: Client(one.url, tokens.get(one.name, token)) for one in addresses}
    reported = _writers(environ)
    if reported is None:
        return [
            _Service(name, client)
            if health(client.url, client.token)
            else _Service(name, client, f"no answer at {without_user(client.url)}", _AWAY)
            for name, client in own.items()
        ]
    return [_reported(one["name"], own.get(one["name"]), one["store"]) for one in reported]


def _reported(name: str, own: Client | None, store: Mapping[str, str]) -> _Service:
    message = store["message"].removeprefix(f"{name}: ")
    match store["state"]:
        case "ok":
            return _Service(name, own, note=message)
        case "incomplete":
            return _Service(name, own, message, _AWAY)
        case _:
            return _Service(name, own, message, RETRIED)


def _examine_clocks(services: list[_Service]) -> Iterator[CheckResult]:
    """Compare the clocks of services whose addresses are known here."""
    ahead_ns = {one.name: ns for one in services if (ns := _ahead_ns(one.own)) is not None}
    if len(ahead_ns) < 2:
        return
    first, *_, last = sorted(ahead_ns, key=ahead_ns.__getitem__)
    apart_ns = ahead_ns[last] - ahead_ns[first]
    if apart_ns > _LEAST_APART_NS:
        message = f"that of {last} is {apart_ns / 1e9:.1f} s ahead of that of {first}"
        advice = "Synchronise them: lists of a reader are sorted by time."
        yield CheckResult(WARN, "clocks", message, advice)
    else:
        yield CheckResult(OK, "clocks", "less than a second apart")


def _ahead_ns(own: Client | None) -> int | None:
    """Return by how much a service's clock is ahead of ours, as its first heartbeat says."""
    if own is not None:
        with suppress(InspectorError):
            sent_ns = time_ns()
            for _, event in own.events(after="", session_ids=["-"]):
                if event["type"] == "Heartbeat":
                    return int(event["now_ns"]) - (sent_ns + time_ns()) // 2
    return None


def _examine_arrival(services: list[_Service], environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Look for sessions whose telemetry is split: they are in two services."""
    found: dict[str, dict[str, Any]] = {}
    for one in services:
        with suppress(InspectorError):
            for own_id, row in _newest(one, environ):
                found.setdefault(own_id, {})[one.name] = row
    split = {own_id: rows for own_id, rows in found.items() if len(rows) > 1}
    if not split:
        return
    named = [
        f"{own_id} ({_from(rows)}) at {' and '.join(rows)}"
        for own_id, rows in [*split.items()][:_MOST_NAMED]
    ]
    more = f"; {len(split) - len(named)} more" if len(split) > len(named) else ""
    yield CheckResult(
        WARN,
        "arrival",
        f"a session arrives at two services: {', '.join(named)}{more}",
        "Send all telemetry of a process to the same service, logs as well as spans.",
    )


def _newest(service: _Service, environ: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the newest sessions of a service by their own ids."""
    if service.own is not None:
        for row in service.own.get("/sessions", limit=_NEWEST)["sessions"]:
            yield row["id"], row
        return
    before = f"{service.name}:"
    reader = Client(environ[f"{PREFIX}URL"].rstrip("/"), environment_token(environ))
    page = reader.get("/sessions", q=f"id:{before}*", limit=_NEWEST)
    for row in page["sessions"]:
        if row["id"].startswith(before):
            yield row["id"].removeprefix(before), row


def _from(rows: Mapping[str, dict[str, Any]]) -> str:
    """Return the programs that a session is from, or else its title."""
    programs = dict.fromkeys(name for row in rows.values() for name in row["services"])
    return ", ".join(programs) or next(iter(rows.values()))["title"]
