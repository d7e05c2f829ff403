"""`inspector requests`, `approve`, `answer`, `cancel` and so on: control from a terminal.

Exit codes beside the common ones: 4 sent, not yet acknowledged by the agent; 5 not done: not
the first answer, already over, or rejected by the agent.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from urllib.parse import quote

import typer

from inspector.cli import selection, session_spans
from inspector.cli.client import Client
from inspector.cli.files import STDIO, input_file, output_file
from inspector.cli.output import Json, print_json, say_missing
from inspector.errors import RefusedError, SettingsError
from inspector.service.analysis.sanitise import visible

app = typer.Typer()

ON_ITS_WAY, NOT_DONE = 4, 5
_MAX_ARGS_BYTES = 4 * 1024 * 1024

Row = dict[str, Any]
RequestId = Annotated[str, typer.Argument(help="Request id, or its first characters.")]
OnlyRequestId = Annotated[
    str | None,
    typer.Argument(
        help="Request id, or its first characters. Default on a terminal: the only open one."
    ),
]
SessionId = Annotated[str, typer.Argument(help="Session id, or its first characters.")]
RunningId = Annotated[
    str | None,
    typer.Argument(help="Session id, or its first characters. Default: the only running one."),
]
PausedId = Annotated[
    str | None,
    typer.Argument(help="Session id, or its first characters. Default: the only paused one."),
]


def _json_text(text: str | None) -> str | None:
    """Return the text as it is: it is sent unchanged, with all its digits."""
    try:
        json.loads(text or "null")
    except ValueError as error:
        raise typer.BadParameter(f"this is not JSON: {error}") from error
    return text


Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Reason = Annotated[
    str | None, typer.Option(help="Reason, sent to the agent and written to the audit log.")
]


class NotDoneError(RefusedError):
    """The service refused, or another answer came first."""

    code = "not_done"


@app.command()
def requests(
    request_id: Annotated[
        str | None,
        typer.Argument(help="Show this request in full: its id, or the first characters."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Include closed requests.")] = False,
    session: Annotated[
        str | None,
        typer.Option(help="Only requests of this session: its id, or the first characters."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of results.")] = 100,
    as_json: Json = False,
) -> None:
    """List open requests, newest first, or show one in full."""
    from inspector.cli import requests as showing  # noqa: PLC0415 - rich takes a while

    client = _client()
    if request_id is not None:
        found = one_request(client, request_id)
        return print_json(found) if as_json else showing.show_request(found)
    session_id = session_spans.one_session(client, session)["id"] if session else None
    status = None if every else "pending"
    listed, has_more, missing = session_spans.pages(
        client, "requests", limit, "/requests", status=status, session_id=session_id
    )
    if has_more:
        typer.echo(f"Showing the newest {limit}; use --limit for more.", err=True)
    say_missing(missing)
    return print_json(listed) if as_json else showing.show_requests(listed)


@app.command()
def approve(
    request_id: OnlyRequestId = None,
    always: Annotated[
        bool,
        typer.Option(
            "--always", help="Also approve later requests from the same policy in this session."
        ),
    ] = False,
    args: Annotated[
        str | None,
        typer.Option(help="File with edited arguments, as JSON; `-` reads standard input."),
    ] = None,
    reason: Reason = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Approve a request after showing it, with its arguments or edited ones."""
    client = _client()
    request = _request(client, request_id, is_sure=yes)
    _check_shown(request)
    edited = None if args is None else _read(args)
    if not yes:
        _confirm(request, edited, always=always)
    body = {
        "decision": "allow_always" if always else "allow",
        "args_hash": request["args_hash"],
        "args_json": edited,
        "reason": reason,
    }
    _answer(client, request, body, as_json=as_json)


@app.command()
def deny(request_id: OnlyRequestId = None, reason: Reason = None, as_json: Json = False) -> None:
    """Deny a request. Without an id, show it and ask first."""
    client = _client()
    request = _request(client, request_id, is_sure=False)
    if request_id is None:
        _ask_about(request, "Deny it?")
    body = {"decision": "deny", "args_hash": request["args_hash"], "reason": reason}
    _answer(client, request, body, as_json=as_json)


@app.command()
def answer(
    request_id: RequestId,
    text: Annotated[str | None, typer.Option(help="Answer, as plain text.")] = None,
    payload: Annotated[
        str | None, typer.Option("--json", callback=_json_text, help="Answer, as JSON.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(help="Field of a form, as `name=value` or `object.name=value`; repeatable."),
    ] = None,
    decline: Annotated[bool, typer.Option("--decline", help="Decline.")] = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Dismiss the question without an answer.")
    ] = False,
    reason: Reason = None,
) -> None:
    """Answer a question. On a terminal, prompt for the missing values."""
    from inspector.cli import form_input as filling  # noqa: PLC0415 - rich takes a while

    if sum((text is not None, payload is not None, bool(field), decline, cancel)) > 1:
        raise SettingsError("Use only one of --text, --json, --field, --decline and --cancel.")
    client = _client()
    request = one_request(client, request_id)
    body: Row = {"decision": "answer", "args_hash": request["args_hash"], "reason": reason}
    if decline or cancel:
        body["decision"] = "decline" if decline else "cancel"
    elif payload is not None:
        body["payload_json"] = payload
    elif text is not None:
        body["payload_json"] = json.dumps(text)
    elif field:
        body["payload_json"] = filling.of_pairs(request["form_json"], field)
    elif _is_terminal():
        body["payload_json"] = filling.by_asking(request)
    else:
        raise SettingsError("No answer given. Use --text, --json, --field or --decline.")
    _answer(client, request, body, as_json=False)


@app.command()
def cancel(session_id: RunningId = None, reason: Reason = None, as_json: Json = False) -> None:
    """Cancel a session and everything that runs in it."""
    _verb("cancel", session_id, reason, as_json=as_json)


@app.command()
def pause(session_id: RunningId = None, reason: Reason = None, as_json: Json = False) -> None:
    """Pause a session before its next operation."""
    _verb("pause", session_id, reason, as_json=as_json)


@app.command()
def resume(session_id: PausedId = None, reason: Reason = None, as_json: Json = False) -> None:
    """Resume a paused session."""
    _verb("resume", session_id, reason, as_json=as_json)


@app.command()
def step(session_id: PausedId = None, reason: Reason = None, as_json: Json = False) -> None:
    """Let a paused session run one operation."""
    _verb("step", session_id, reason, as_json=as_json)


@app.command()
def signal(
    session_id: SessionId,
    name: Annotated[str, typer.Argument(help="Name of the signal.")],
    payload: Annotated[
        str | None, typer.Option("--json", callback=_json_text, help="Payload, as JSON.")
    ] = None,
    reason: Reason = None,
) -> None:
    """Send a signal to a session. This answers an open question with that name."""
    client = _client()
    found = session_spans.one_session(client, session_id)
    body = {"signal_name": name, "payload_json": payload, "reason": reason}
    with _refusals():
        result = client.post(f"/signal/{quote(found['id'], safe='')}", body)
    _print_result(result, as_json=False)


@app.command()
def audit(
    export: Annotated[
        str | None,
        typer.Option(help="Write the whole log to this file, as JSON lines; `-` prints it."),
    ] = None,
    search: Annotated[str | None, typer.Option(help="Only entries with this text.")] = None,
    via: Annotated[
        Literal["browser", "cli", "api", "mcp", "agent", "service"] | None,
        typer.Option(help="Only from there."),
    ] = None,
    outcome: Annotated[
        Literal["accepted", "applied", "not_applied", "refused"] | None,
        typer.Option(help="Only with this outcome."),
    ] = None,
    is_all: Annotated[
        bool, typer.Option("--all", help="Include actions of agents and of the service.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of results.")] = 50,
    as_json: Json = False,
) -> None:
    """Show the audit log of people's actions, newest first."""
    client = _client()
    if export is not None:
        with output_file(export) as file:
            size_bytes = sum(file.write(piece) for piece in client.download("/audit/export"))
        if export != STDIO:
            typer.echo(f"{export}: {size_bytes} bytes")
        return None
    entries, _, missing = session_spans.pages(
        client,
        "entries",
        limit,
        "/audit",
        by="all" if is_all or via is not None else "people",
        q=search,
        origin=via,
        result=outcome,
    )
    say_missing(missing)
    if as_json:
        return print_json(entries)
    from inspector.cli.requests import show_audit  # noqa: PLC0415 - rich takes a while

    return show_audit(entries)


def one_request(client: Client, wanted: str) -> Row:
    """Return the request whose id is or begins with `wanted`, preferably an open one.

    Raises:
        RefusedError: There is none, or there are several.
    """
    try:
        found: Row = client.get(f"/requests/{quote(wanted, safe='')}")
    except RefusedError as error:
        if error.problem.get("code") != "no_such_request":
            raise
    else:
        return found
    return session_spans.one_of_requests(client, wanted, ("pending", None))


def _client() -> Client:
    found = Client.find()
    with contextlib.suppress(OSError, KeyError, ImportError):  # a user without a name
        return Client(found.url, found.token, actor=getpass.getuser())
    return found


def _check_shown(request: Row) -> None:
    """Refuse to approve arguments that differ from their hash."""
    text = request["args_json"]
    if text is None:
        return
    shown = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    if shown != request["args_hash"]:
        raise NotDoneError("The arguments do not match the agent's hash of them. Nothing was sent.")


def _request(client: Client, wanted: str | None, *, is_sure: bool) -> Row:
    """Return the named request, else the only open one."""
    if wanted is not None:
        return one_request(client, wanted)
    found = selection.only_request(client)
    if is_sure or not _is_terminal():
        why = "--yes needs the id of a request" if is_sure else "This is not a terminal"
        raise SettingsError(
            f"{why}. Name the request to answer it: {found['id']}. Nothing was done."
        )
    return found


def _confirm(request: Row, edited: str | None, *, always: bool) -> None:
    if not _is_terminal():
        raise SettingsError("This is not a terminal. Use --yes to approve without confirmation.")
    what = "Run it with the edited arguments?" if edited is not None else "Run it?"
    if always:
        what = f"{what} Also approve later requests from the same policy in this session?"
    _ask_about(request, what, edited)


def _ask_about(request: Row, what: str, edited: str | None = None) -> None:
    """Show a request whole, and ask the person at the terminal."""
    from rich.console import Console  # noqa: PLC0415 - it takes a while

    from inspector.cli import requests as showing  # noqa: PLC0415

    console = Console(stderr=True)
    showing.show_request(request, console)
    if edited is not None:
        showing.show_edit(request, edited, console)
    if not typer.confirm(what, default=False, err=True):
        raise typer.Abort


def _answer(client: Client, request: Row, body: Row, *, as_json: bool) -> None:
    with _refusals():
        result = client.post(f"/requests/{quote(request['id'], safe='')}", body)
    _print_result(result, as_json=as_json)


def _verb(verb: str, session_id: str | None, reason: str | None, *, as_json: bool) -> None:
    client = _client()
    if session_id is None:
        found = selection.only_session(client, verb)
        typer.echo(f"{verb} {visible(found['id'])}: {visible(found['title'])}", err=True)
    else:
        found = session_spans.one_session(client, session_id)
    with _refusals():
        result = client.post(f"/sessions/{quote(found['id'], safe='')}/{verb}", {"reason": reason})
    _print_result(result, as_json=as_json)


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except RefusedError as error:
        raise NotDoneError(str(error), error.problem) from error


def _print_result(result: Row, *, as_json: bool) -> None:
    """Report the result, by text and by exit code."""
    if as_json:
        print_json(result)
    else:
        typer.echo(visible(result["message"]), err=result["applied"] is not True)
    if result["applied"] is None and result.get("processes") != 0:
        raise typer.Exit(ON_ITS_WAY)
    if not result["applied"]:
        raise typer.Exit(NOT_DONE)


def _read(name: str) -> str:
    """Return the text of a file: it is sent unchanged, and only the agent parses it as JSON."""
    try:
        with input_file(name) as (file, _):
            data = file.read(_MAX_ARGS_BYTES + 1)
        if len(data) > _MAX_ARGS_BYTES:
            raise SettingsError(f"{name} is larger than {_MAX_ARGS_BYTES} bytes.")
        return data.decode("utf-8-sig").strip()
    except OSError as error:
        raise SettingsError(f"Cannot read {name}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{name} is not UTF-8 text.") from error


def _is_terminal() -> bool:
    return sys.stdin.isatty()
