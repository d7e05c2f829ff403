"""`inspector tail`: live events, as a tree, as lines, or as JSON.

If the stream breaks off or the service restarts, it resumes at its position, with one message.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from inspector.cli import session_spans
from inspector.cli import show as showing
from inspector.cli.client import Client, NoServiceError
from inspector.cli.console import session_head, span_row
from inspector.cli.console_tree import plain, print_line, span_line, tree_lines
from inspector.cli.requests import headline, time_ns_of
from inspector.cli.tail_state import LiveSession, LiveSessions
from inspector.service.analysis.formatting import duration
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanStatus

RETRY_S = 1.0
_FRAMES_A_SECOND = 8
_MIN_LINES = 3
_LIVE_QUERY = "status:running,waiting,paused"
_MAX_LIVE = 50
_MAX_PENDING = 200
_MAX_REQUEST_LINES = 3
"""Limit of lines for the requests of one session."""

Row = dict[str, Any]


class EventView:
    """A display of events; without a screen, messages go to stderr."""

    def begin(self, client: Client) -> str:
        """Show the current state, if any; return the position to follow from."""
        return str(client.get("/sessions", limit=1)["as_of"])

    def show(self, client: Client, event: Row) -> None:
        """Show an event."""
        raise NotImplementedError

    def notify(self, message: str) -> None:
        """Report on the connection."""
        sys.stderr.write(f"inspector: {message}\n")
        sys.stderr.flush()


def follow(wanted: Sequence[str], *, print_json: Callable[[object], None] | None) -> None:
    """Show events until interrupted.

    Args:
        wanted: Prefixes of session ids; none: all sessions.
        print_json: Prints an event for programs; None: for people.

    Raises:
        NoServiceError: No service runs.
        RefusedError: The service refuses, or has no such session.
    """
    client = Client.find()
    ids = [session_spans.one_session(client, one)["id"] for one in wanted]
    console = Console()
    view: EventView
    around: AbstractContextManager[Any] = nullcontext()
    if print_json:
        view = JsonLines(print_json)
    elif console.is_terminal:
        live = LiveView(console, ids)
        view, around = live, live.shown
    else:
        view = EventLines(console, ids)
    after = view.begin(client)
    trouble = ""
    with around:
        for source, event in _endless(client, after, ids, view.notify):
            if event["type"] == "Gap":
                view.begin(source)
            elif event["type"] == "Heartbeat" and trouble != event["store"]["message"]:
                trouble = event["store"]["message"]
                view.notify(trouble or "The service is well again.")
            view.show(source, event)


def _endless(
    client: Client, after: str, ids: Sequence[str], notify: Callable[[str], None]
) -> Iterator[tuple[Client, Row]]:
    """Yield events with their service, also after a restart at another address."""
    is_lost = False
    while True:
        try:
            for event_id, event in client.events(after=after, session_ids=ids):
                if is_lost:
                    notify("Reconnected.")
                    is_lost = False
                after = event_id or after
                yield client, event
        except NoServiceError as error:
            if not is_lost:
                notify(f"{error} Reconnecting.")
                is_lost = True
            time.sleep(RETRY_S)
            with suppress(NoServiceError):  # it may be at another address now
                client = Client.find()


class JsonLines(EventView):
    """Unchanged events as JSON, for programs."""

    def __init__(self, print_json: Callable[[object], None]) -> None:
        self._print = print_json

    def show(self, client: Client, event: Row) -> None:
        """Print the event."""
        self._print(event)


class EventLines(EventView):
    """A line for each notable event, for a pipe or a log."""

    def __init__(self, console: Console, ids: Sequence[str]) -> None:
        self._console = console
        self._ids = frozenset(ids)
        self._statuses: dict[str, str] = {}

    def show(self, client: Client, event: Row) -> None:
        """Print the line of an event, if it has one."""
        if self._ids and event.get("session_id") not in self._ids:
            return
        if text := self._describe(event):
            tail = Text(f"  {plain(event['session_id'])}", "bright_black")
            line = Text(f"{event['time'][11:23]}  ", "bright_black") + text + tail
            print_line(self._console, line)
            self._console.file.flush()

    def _describe(self, event: Row) -> Text | None:
        match event:
            case {"type": "SpanStarted" | "SpanEnded" as what, "span": span}:
                word = "began " if what == "SpanStarted" else "ended "
                return Text(word) + span_line(span_row(span, event["session_id"]))
            case {"session": session}:
                before = self._statuses.get(session["id"])
                self._statuses[session["id"]] = session["status"]
                if before == session["status"]:
                    return None
                return Text("session ") + session_head(session)
            case {"request": {"status": "pending"} as request}:
                return Text("asks  ", "bold yellow") + Text(f"{headline(request)}  {_id(request)}")
            case {"request": {} as request}:
                return Text(f"{_outcome(request)}  {_id(request)}")
            case {"type": "WaitingOnSignal" | "SignalReceived" as what}:
                return Text("waits" if what == "WaitingOnSignal" else "continues")
            case {"type": "DecisionMade", "attributes": attributes}:
                action = attributes.get("inspector.decision.action") or "something"
                if action == "continue":  # nobody objected: most decisions are that
                    return None
                reason = attributes.get("inspector.decision.reason")
                return Text(plain(f"decided {action}" + (f": {reason}" if reason else "")))
        return None


class LiveView(EventView):
    """The trees of running sessions; ended ones scroll away above."""

    def __init__(self, console: Console, ids: Sequence[str]) -> None:
        self._console = console
        self._ids = frozenset(ids)
        self._known = LiveSessions()
        self._lock = threading.Lock()  # a thread of its own draws the screen
        self.shown = Live(
            console=console,
            get_renderable=self._drawn,
            refresh_per_second=_FRAMES_A_SECOND,
            redirect_stdout=False,
            transient=True,
        )

    def begin(self, client: Client) -> str:
        """Read the running sessions."""
        page = client.get("/sessions", q=_LIVE_QUERY, limit=_MAX_LIVE)
        known = LiveSessions()
        for session in page["sessions"]:
            if self._ids and session["id"] not in self._ids:
                continue
            found = session_spans.spans(client, session["id"])
            known.live[session["id"]] = alive = LiveSession(session)
            for span in found:
                alive.put(span_row(span, session["id"]))
        for request in client.get("/requests", status="pending", limit=_MAX_PENDING)["requests"]:
            if session := known.live.get(request["session_id"]):
                session.requests[request["id"]] = request
        with self._lock:
            self._known = known
        return str(page["as_of"])

    def show(self, client: Client, event: Row) -> None:
        """Apply an event; print the session that it ends."""
        if self._ids and event.get("session_id", "") not in self._ids and "session_id" in event:
            return
        with self._lock:
            ended = self._known.apply(event, time.time_ns())
        if ended:
            self._show_ended(client, ended)

    def notify(self, message: str) -> None:
        """Print above the trees; stderr would write into them."""
        self._console.print(Text(f"inspector: {message}", "yellow"))

    def _show_ended(self, client: Client, session: Row) -> None:
        found = session_spans.spans(client, session["id"])
        tree = SpanTree.of([span_row(span, session["id"]) for span in found])
        showing.show_tree(client, session, tree, self._console)

    def _drawn(self) -> Group:
        with self._lock:
            now_ns = time.time_ns() + self._known.ahead_ns
            sessions = [*self._known.live.values()]
            lines = list(screen(sessions, self._console, now_ns))
        return Group(*lines)


def screen(sessions: Sequence[LiveSession], console: Console, now_ns: int) -> Iterator[Text]:
    """Yield as many sessions as fit on the screen, the newest last."""
    if not sessions:
        yield _line("No running sessions. Press Ctrl-C to stop.", "bright_black")
        return
    height = max(console.height - 2, _MIN_LINES + 1)
    most = max(1, height // (_MIN_LINES + 1))
    if len(sessions) > most:
        yield _line(f"… {len(sessions) - most} more running sessions", "bright_black")
    room = max(_MIN_LINES, height // min(most, len(sessions)) - 1)
    for session in sessions[-most:]:
        yield from _session_lines(session, room, now_ns, is_ascii=console.options.ascii_only)


def _session_lines(
    session: LiveSession, room: int, now_ns: int, *, is_ascii: bool
) -> Iterator[Text]:
    epoch_ns = int(session.row["epoch_ns"])
    elapsed = Text(f"  {_elapsed(session.row, now_ns)}", "bright_black")
    yield _cut(session_head(session.row) + elapsed)
    request = _request_lines(session, room - 1)
    yield from request
    tree, lines = session.outline(room - len(request))

    def describe(place: int) -> Text:
        row = tree.rows[place]
        is_running = row.status is SpanStatus.RUNNING
        return span_line(
            row,
            elapsed_ns=max(now_ns - epoch_ns - row.offset_ns, 0) if is_running else None,
            is_waiting=is_running and session.waits(row),
        )

    for text in tree_lines(tree, lines, describe, is_ascii=is_ascii):
        yield _cut(text)


def _elapsed(session: Row, now_ns: int) -> str:
    """Return the running time of a session, which grows while a span runs."""
    since = session.get("idle_since")
    until_ns = now_ns if since is None else time_ns_of(since)
    idle_ns = round(session.get("idle_ms", 0.0) * 1e6)
    ran = duration(max(until_ns - int(session["epoch_ns"]) - idle_ns, 0))
    return f"{ran}…" if since is None else ran


def _request_lines(session: LiveSession, room: int) -> list[Text]:
    """Return the requests of a session in at most `room` lines."""
    pending = [*session.requests.values()]
    most = min(_MAX_REQUEST_LINES, room)
    shown = pending if len(pending) <= most else pending[: most - 1]
    texts = [f"  asks  {headline(request)}  {_id(request)}" for request in shown]
    if more := len(pending) - len(shown):
        texts.append(f"  asks  {more} more; see `inspector requests`")
    return [_line(text, "bold yellow") for text in texts]


def _id(request: Row) -> str:
    return plain(request["id"], 80)


def _outcome(request: Row) -> str:
    """Return the end of a request in words."""
    if answer := request["answer"]:
        edited = ", edited" if answer["is_edited"] else ""
        who = f"{plain(answer['actor'], 80)} ({answer['origin']})"
        return f"answered  {answer['decision']}{edited} by {who}"
    return f"{request['status']}"


def _line(text: str, style: str) -> Text:
    return _cut(Text(text, style))


def _cut(text: Text) -> Text:
    text.no_wrap, text.overflow = True, "ellipsis"
    return text
