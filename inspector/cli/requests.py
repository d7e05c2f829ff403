"""Requests and the audit log on a terminal.

The text of a request comes from the agent and its peers. A bar before each of its lines keeps it
from passing for a question of ours; invisible characters are escaped.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.cli.console_tree import plain, print_line
from inspector.service.analysis.formatting import duration
from inspector.service.analysis.json_text import differences, indented
from inspector.service.analysis.sanitise import visible

Row = dict[str, Any]

_STYLES = {
    "pending": "bold yellow",
    "answered": "green",
    "expired": "magenta",
    "lost": "magenta",
    "withdrawn": "bright_black",
    "refused": "bold red",
    "not_applied": "red",
    "applied": "green",
    "accepted": "cyan",
}
_BAR = "│ "
_ASCII_BAR = "| "
_LINE_CHARS = 120
_WIDE_CHARS = 100
"""Narrower terminals get fewer columns."""
_ID_CHARS = 40
_SESSION_CHARS = 24
_GAP_CHARS = 2


def show_requests(requests: Sequence[Row]) -> None:
    """Print a table: each request, its session, and its remaining time."""
    _list(requests, Console())


def name_requests(requests: Sequence[Row]) -> None:
    """List the candidate requests on standard error."""
    _list(requests, Console(stderr=True))


def _list(requests: Sequence[Row], console: Console) -> None:
    if not requests:
        console.print("No pending requests.")
        return
    is_wide = console.width >= _WIDE_CHARS
    are_open = all(request["status"] == "pending" for request in requests)
    columns = {"id": [Text(plain(one["id"], _ID_CHARS)) for one in requests]}
    if is_wide or not are_open:
        columns["status"] = [
            Text(one["status"], _STYLES.get(one["status"], "")) for one in requests
        ]
    if is_wide:
        now_ns = time.time_ns()
        columns["asked"] = [
            Text(f"{duration(max(now_ns - time_ns_of(one['created_at']), 0))} ago")
            for one in requests
        ]
    if are_open:
        columns["left"] = [
            Text("-" if one["expires_at"] is None else duration(_left_ns(one))) for one in requests
        ]
    most = _SESSION_CHARS if is_wide else _SESSION_CHARS // 2
    columns["session"] = [Text(plain(one["session_title"], most)) for one in requests]
    columns["what"] = [Text(headline(one)) for one in requests]
    console.print(_table(columns, console.width))


def _table(columns: dict[str, list[Text]], width: int) -> Table:
    """Return a table that shortens the last column only, because people copy ids."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    left = width
    *short, last = columns
    for name in short:
        needed = max(cell_len(name), *(cell.cell_len for cell in columns[name]))
        table.add_column(name, no_wrap=True, width=needed)
        left -= needed + _GAP_CHARS
    table.add_column(last, no_wrap=True, overflow="ellipsis", width=max(left, 1))
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    return table


def headline(request: Row) -> str:
    """Return a request in one line."""
    arguments = request["args_json"] or request["args_text"] or ""
    if request["kind"] == "question":
        return plain(f"? {request['prompt']}", _LINE_CHARS)
    named = request["tool_name"] or request["hook"] or request["kind"]
    return plain(f"{named} {arguments or request['prompt']}", _LINE_CHARS)


def show_request(request: Row, console: Console | None = None) -> None:
    """Print a request in full: its source, its content, and its history."""
    console = console or Console()
    head = Text.assemble(
        (f"{request['kind']} ", "bold"),
        (plain(request["tool_name"] or request["hook"] or ""), "bold"),
        "  ",
        (request["status"], _STYLES.get(request["status"], "")),
        (f"  {_until(request)}", "bright_black"),
    )
    print_line(console, head)
    session = f"{plain(request['session_title'])}  {plain(request['session_id'])}"
    print_line(console, Text(f"session    {session}", "bright_black"))
    print_line(console, Text(f"request    {plain(request['id'])}", "bright_black"))
    if request["interceptor"]:
        print_line(console, Text(f"asked by   {plain(request['interceptor'])}", "bright_black"))
    if request["prompt"]:
        console.print("prompt")
        _barred(console, request["prompt"])
    if request["options"]:
        console.print("options")
        _barred(console, "\n".join(request["options"]))
    _show_args(console, request)
    if request["form_json"]:
        console.print("answer, as this JSON Schema requires")
        _barred(console, indented(request["form_json"]))
    for one in request["transitions"]:
        reason = f": {plain(one['reason'])}" if one["reason"] else ""
        who = f"{plain(one['actor'])} ({one['origin']})"
        print_line(
            console, Text(f"{one['at'][:19]}Z  {one['status']} by {who}{reason}", "bright_black")
        )
    if answer := request["answer"]:
        print_line(console, Text(f"answer     {_answered(answer)}"))


def show_edit(request: Row, edited: str, console: Console) -> None:
    """Print the changes of an edit."""
    console.print("edited")
    lines = list(differences(request["args_json"] or "", edited)) or ["  (only white space)"]
    for line in lines:
        style = {"-": "red", "+": "green"}.get(line[:1], "")
        _barred(console, line, style)


def show_audit(entries: Sequence[Row]) -> None:
    """Print the audit log, newest first."""
    console = Console()
    for one in entries:
        rest = " ".join(
            plain(one[name], 80)
            for name in ("request_id", "session_id", "process_id", "code", "detail")
            if one[name]
        )
        who = f"{plain(one['actor'], 80)} ({one['origin']})"
        action = " ".join(plain(one[name], 40) for name in ("action", "decision") if one[name])
        action += " with edits" if one["is_edited"] else ""
        subject = plain(one["tool_name"] or one["question"] or "", 60)
        where = plain(one["session_title"] or "", 60)
        print_line(
            console,
            Text.assemble(
                (f"{one['at'][:19]}Z  ", "bright_black"),
                (f"{one['result']:<11}  ", _STYLES.get(one["result"], "")),
                "  ".join(filter(None, (who, action, subject, where))),
                (f"  {rest}", "bright_black"),
            ),
        )
    if not entries:
        console.print("No entries.")


def _show_args(console: Console, request: Row) -> None:
    if request["args_json"] is not None:
        size_bytes = len(request["args_json"].encode("utf-8", "surrogatepass"))
        console.print(Text(f"arguments  {size_bytes} bytes, {_hash(request)}"))
        _barred(console, indented(request["args_json"]))
    elif request["args_text"] is not None:
        console.print(Text(f"arguments (can be allowed or denied, not edited)  {_hash(request)}"))
        _barred(console, request["args_text"])


def _hash(request: Row) -> str:
    return f"sha256 {(request['args_hash'] or '')[:16]}"


def _barred(console: Console, text: str, style: str = "") -> None:
    bar = _ASCII_BAR if console.options.ascii_only else _BAR
    for line in text.split("\n"):
        shown = Text.assemble((bar, "bright_black"), (visible(line), style))
        console.print(shown, soft_wrap=True, highlight=False)


def _answered(answer: Row) -> str:
    needed = {
        True: "received by the agent",
        False: "rejected by the agent",
        None: "sent, not yet acknowledged",
    }
    why = f": {plain(answer['applied_reason'])}" if answer["applied_reason"] else ""
    edited = ", edited" if answer["is_edited"] else ""
    who = f"{plain(answer['actor'])} ({answer['origin']})"
    return f"{answer['decision']}{edited} by {who}, {needed[answer['applied']]}{why}"


def _until(request: Row) -> str:
    if request["status"] != "pending":
        return ""
    if request["expires_at"] is None:
        return "no timeout"
    if (left_ns := _left_ns(request)) == 0:
        return f"expires now to {plain(request['default'])}"
    return f"in {duration(left_ns)}: {plain(request['default'])}"


def _left_ns(request: Row) -> int:
    return max(time_ns_of(request["expires_at"]) - time.time_ns(), 0)


def time_ns_of(at: str) -> int:
    """Return an RFC 3339 time of the API as Unix ns, to the second."""
    return int(datetime.fromisoformat(f"{at[:19]}+00:00").timestamp()) * 1_000_000_000
