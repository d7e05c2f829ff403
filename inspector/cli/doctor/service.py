"""Checks of the service: whether it runs, its ports, and its forwarding targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from inspector import runfile
from inspector.cli.doctor.finding import FAIL, OK, WARN, CheckResult
from inspector.cli.doctor.probe import ask, health, listens
from inspector.errors import InspectorError
from inspector.runfile import environment_token
from inspector.service.analysis.formatting import plural
from inspector.service.settings import PREFIX, Settings
from inspector.version import VERSION

_DEFAULT_PORTS = {"http": 80, "https": 443, "grpc": 4317, "grpcs": 4317}
START = "Start one with `inspector serve`."
RETRIED = "Senders keep their spans and retry until it is fixed."


def examine_service(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check the service that commands and agents of this environment find."""
    if url := environ.get(f"{PREFIX}URL"):
        url, token = url.rstrip("/"), environment_token(environ)
        where = f"at {without_user(url)} (INSPECTOR_URL)"
        if not runfile.is_address(url):
            advice = "Set it to an address such as http://127.0.0.1:7800, or unset it."
            yield CheckResult(FAIL, "service", f"{where[3:]} is not an address", advice)
            return
    elif running := runfile.read(environ):
        # As agents do: the environment comes first.
        url, token = running.url, environment_token(environ) or running.token
        where = f"at {url}, process {running.pid}, store {running.store}"
    else:
        yield from _examine_run_files(environ)
        yield CheckResult(WARN, "service", "no running service found for this user", START)
        if settings.history:
            yield _try_history(settings.history, settings.history_password)
        return
    found = health(url, token)
    if found is None:
        is_other = ask(f"{url}/", None) is not None
        message = f"another program answers {where}" if is_other else f"no answer {where}"
        advice = "Set INSPECTOR_URL to the address of a service." if is_other else START
        yield CheckResult(FAIL, "service", message, advice)
        return
    yield from _examine_health(found, where)
    answer = ask(f"{url}/sessions?limit=1", token)
    if answer and answer[0] == 401:
        advice = "Unset INSPECTOR_TOKEN, or set it to what `inspector token` prints there."
        yield CheckResult(
            FAIL, "service", "the service rejects the token of this environment", advice
        )


def _examine_health(found: Mapping[str, object], where: str) -> Iterator[CheckResult]:
    version = found.get("version")
    writers, advice = found.get("writers"), ""
    if isinstance(writers, list):
        where = f"{where}, a reader of {plural(len(writers), 'service')}"
        advice = "It receives nothing: agents need the address of one of its services."
    if found.get("ready") is not True and writers is None:
        yield CheckResult(FAIL, "service", f"{version} {where} is not ready", "See its log.")
    elif version != VERSION:
        advice = "Restart the service to use the installed version."
        yield CheckResult(WARN, "service", f"{version} {where}: this is {VERSION}", advice)
    else:
        yield CheckResult(OK, "service", f"{version} {where}", advice)
    store = found.get("store")
    if isinstance(store, dict) and store.get("state") != "ok" and writers is None:
        message = f"the service reports: {store.get('message') or store.get('state')}"
        yield CheckResult(FAIL, "store", message, RETRIED)
    history = found.get("history")
    if isinstance(history, dict):
        yield from _examine_history(history)


def _examine_history(found: Mapping[str, Any]) -> Iterator[CheckResult]:
    match found["state"]:
        case "ok" if found["message"]:
            yield CheckResult(WARN, "history", str(found["message"]))
        case "ok":
            behind = plural(found["behind"], "change")
            yield CheckResult(OK, "history", f"copied, {behind} behind")
        case "starting":
            yield CheckResult(OK, "history", "starts")
        case state:
            level = WARN if state == "away" else FAIL
            advice = "Spans are stored all the same, and copied later."
            yield CheckResult(level, "history", str(found["message"]), advice)
    for trouble in found.get("replicas", ()):
        advice = "The others are written all the same. It is tried again."
        yield CheckResult(WARN, "history", str(trouble), advice)


def _try_history(text: str, password: SecretStr | None) -> CheckResult:
    """Connect to the history of this environment, which no service reports on."""
    from inspector.service.history.address import HistoryAddress  # noqa: PLC0415 - seldom wanted
    from inspector.service.history.clickhouse import ClickHouse  # noqa: PLC0415

    address = HistoryAddress.parse(text)
    try:
        with closing(ClickHouse(address, password.get_secret_value() if password else "")) as found:
            return CheckResult(OK, "history", f"{address}: ClickHouse {found.connect()}")
    except InspectorError as error:
        return CheckResult(FAIL, "history", str(error))


def _examine_run_files(environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Report run-files that are not trusted."""
    for directory in runfile.directories(environ):
        path = directory / runfile.NAME
        if path.exists():
            advice = f"If no service runs, remove it: rm {path}"
            message = f"{path} is stale, or writable by others, and is ignored"
            yield CheckResult(WARN, "run-file", message, advice)


def examine_ports(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check the ports that the service of these settings would use."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    scheme = "https" if settings.tls_cert else "http"
    name = f"[{host}]" if ":" in host else host
    for what in ("port", "otlp_http_port", "otlp_grpc_port"):
        port = getattr(settings, what)
        if not port:
            continue
        if not listens(host, port):
            yield CheckResult(OK, what, f"{port} is free")
        elif what == "otlp_grpc_port":
            yield CheckResult(OK, what, f"{port} is in use, by the service if it is running")
        elif health(f"{scheme}://{name}:{port}"):
            yield CheckResult(OK, what, f"{port} is used by an Inspector service")
        else:
            advice = f"Set {PREFIX}{what.upper()}, or stop the program that uses it."
            yield CheckResult(WARN, what, f"{port} is used by another program", advice)


def examine_forwarding(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check that the targets of forwarding can be reached from here."""
    for target in settings.forward_otlp:
        shown = without_user(target)
        try:
            parts = urlsplit(target)
            host, port = parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme)
        except ValueError:
            host = port = None
        if not host or not port:
            yield CheckResult(
                FAIL, "forward", f"{shown} is not an address", "See `inspector serve --help`."
            )
        elif listens(host, port):
            yield CheckResult(OK, "forward", f"{shown} accepts connections")
        else:
            advice = "Spans wait in a queue on disk until it answers."
            yield CheckResult(WARN, "forward", f"{shown} does not answer", advice)


def without_user(url: str) -> str:
    """Return `url` without user and password: people paste the output into reports."""
    before, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{before}{mark}{host.rpartition('@')[2]}{slash}{path}"
