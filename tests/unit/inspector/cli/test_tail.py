import io
from typing import Any

from rich.console import Console, Group

from inspector.cli.tail import EventLines, screen
from inspector.cli.tail_state import MAX_SPANS, LiveSession, LiveSessions, chosen
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanStatus
from tests.support.telemetry.span_rows import MS, row, rows_from_text

SESSION: dict[str, Any] = {
    "id": "run",
    "title": "A run \x1b[2J",
    "status": "running",
    "epoch_ns": "0",
    "duration_ms": None,
    "waiting_ms": 0,
    "span_count": 3,
    "error_count": 1,
    "input_tokens": 10,
    "output_tokens": 2,
    "cost_usd": None,
}
SPAN: dict[str, Any] = {
    "trace_id": "0" * 31 + "1",
    "span_id": "0" * 15 + "1",
    "parent_span_id": None,
    "name": "execute_tool fetch\x1b]0;evil\x07",
    "kind": "tool",
    "status": "running",
    "offset_ns": 0,
    "duration_ns": None,
    "wait_ns": 0,
    "waits": 0,
    "waited": [],
    "model": None,
    "input_tokens": None,
    "output_tokens": None,
    "cost_usd": None,
    "size_bytes": 0,
    "duplicate_of": None,
}
TIME = "2026-11-01T09:30:00.123000000Z"


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "time": TIME, "session_id": "run", **fields}


def started() -> LiveSessions:
    known = LiveSessions()
    known.apply(event("SessionStarted", session=SESSION), 0)
    known.apply(event("SpanStarted", span=SPAN), 0)
    return known


def drawn(known: LiveSessions, *, width: int = 80, height: int = 24, now_ns: int = 5 * MS) -> str:
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=False)
    console.print(Group(*screen([*known.live.values()], console, now_ns)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_running_span_is_shown_with_the_time_since_it_began() -> None:
    shown = drawn(started())
    assert r"A run \x1b[2J" in shown
    assert r"└─ tool execute_tool fetch\x1b]0;evil\x07  running  5.0 ms…" in shown


def test_the_time_is_that_of_the_service() -> None:
    known = started()
    known.apply({"type": "Heartbeat", "time": TIME, "now_ns": str(7_000 * MS)}, 1_000 * MS)
    assert known.ahead_ns == 6_000 * MS


def test_a_span_that_waits_for_a_person_is_marked_until_it_goes_on() -> None:
    known = started()
    place = {"trace_id": SPAN["trace_id"], "span_id": SPAN["span_id"]}
    known.apply(event("WaitingOnSignal", **place), 0)
    assert "waiting  5.0 ms" in drawn(known)
    known.apply(event("SignalReceived", **place), 0)
    assert "running  5.0 ms" in drawn(known)


def request(**fields: Any) -> dict[str, Any]:
    defaults = {
        "id": "req-1",
        "kind": "approval",
        "status": "pending",
        "tool_name": "delete_file",
        "hook": None,
        "prompt": "Sure?",
        "args_json": '{"path":"/etc\x1b[2J"}',
        "args_text": None,
        "answer": None,
    }
    return {**defaults, **fields}


def test_a_span_with_an_open_wait_is_shown_as_waiting() -> None:
    known = started()
    known.apply(event("SpanUpdated", span={**SPAN, "waited": [[1, None]]}), 0)
    assert "waiting  5.0 ms" in drawn(known)


def test_a_request_is_shown_until_it_is_answered() -> None:
    known = started()
    known.apply(event("ApprovalRequested", request=request()), 0)
    assert r'asks  delete_file {"path":"/etc\x1b[2J"}  req-1' in drawn(known)
    for number in range(2, 9):
        question = request(id=f"req-{number}", kind="question", prompt="Which one?")
        known.apply(event("WaitingOnSignal", request=question), 0)
    lines = drawn(known, height=5).splitlines()
    assert len(lines) <= 5
    assert "asks  7 more" in "".join(lines)
    known.apply(event("ApprovalResolved", request=request(status="answered")), 0)
    assert "delete_file" not in drawn(known)


def test_a_session_that_ends_is_reported_once_and_dropped() -> None:
    known = started()
    ended = {**SESSION, "status": "failed"}
    assert known.apply(event("SessionFinished", session=ended), 0) == ended
    assert known.apply(event("SessionUpdated", session=ended), 0) is None
    assert known.live == {}
    assert "No running sessions" in drawn(known)


def test_a_deleted_session_is_gone() -> None:
    known = started()
    known.apply(event("SessionDeleted", moved_to=None), 0)
    assert known.live == {}


def test_several_sessions_share_the_screen_and_nothing_is_wider_or_higher_than_it() -> None:
    known = LiveSessions()
    for number in range(30):
        name = f"run-{number}"
        known.apply(event("SessionStarted", session={**SESSION, "id": name}), 0)
        for span in range(40):
            one = {**SPAN, "span_id": f"{span + 1:016x}", "name": "x" * 300}
            known.apply({**event("SpanStarted", span=one), "session_id": name}, 0)
    for width, height in ((80, 24), (30, 10), (200, 60)):
        lines = drawn(known, width=width, height=height).splitlines()
        assert len(lines) <= height
        assert max(map(len, lines)) <= width
        assert "more running sessions" in lines[0]


def test_running_spans_are_chosen_before_ended_ones() -> None:
    tree = SpanTree.of(
        rows_from_text(
            """
            agent lead status=running
              tool one
              tool two status=running
              tool three
              tool four
            """
        )
    )
    places = chosen(tree, range(len(tree.rows) - 1, -1, -1), 3)
    assert sorted(tree.rows[place].name for place in places) == ["four", "lead", "two"]


def test_a_session_that_runs_for_long_takes_no_more_and_more_memory() -> None:
    session = LiveSession(SESSION)
    session.put(row(1, None, "lead", status=SpanStatus.RUNNING))
    for number in range(2, 3 * MAX_SPANS):
        session.put(row(number, 1))
    assert len(session.spans) <= 2 * MAX_SPANS
    assert ("0" * 31 + "1", "0" * 15 + "1") in session.spans, "what runs is not forgotten"


def test_a_pipe_gets_a_line_for_each_notable_event() -> None:
    console = Console(file=io.StringIO(), force_terminal=False)
    lines = EventLines(console, [])
    done = {**SPAN, "status": "error", "duration_ns": 12 * MS, "input_tokens": 5}
    for one in (
        event("SessionStarted", session=SESSION),
        event("SpanStarted", span=SPAN),
        event("SessionUpdated", session=SESSION),
        event("SpanUpdated", span=SPAN),
        event("DecisionMade", attributes={"inspector.decision.action": "continue"}),
        event("DecisionMade", attributes={"inspector.decision.action": "deny"}),
        event("WaitingOnSignal", attributes={}),
        event("SpanEnded", span=done),
        {"type": "Heartbeat", "time": TIME, "now_ns": "1"},
    ):
        lines.show(None, one)  # type: ignore[arg-type]  # nobody is asked
    assert isinstance(console.file, io.StringIO)
    output = console.file.getvalue().splitlines()
    assert [line[14:19].strip() for line in output] == ["sessi", "began", "decid", "waits", "ended"]
    assert all(line.startswith("09:30:00.123") and line.endswith("  run") for line in output)
    assert "error  12 ms  5→0 tokens" in output[-1]
    assert "\x1b" not in console.file.getvalue()


def test_a_pipe_gets_a_line_for_each_request_and_answer() -> None:
    console = Console(file=io.StringIO(), force_terminal=False)
    lines = EventLines(console, [])
    answer = {"decision": "allow", "actor": "ada\x1b[2J", "origin": "browser", "is_edited": True}
    answered = request(status="answered", answer=answer, args_json=None)
    lines.show(None, event("ApprovalRequested", request=request()))  # type: ignore[arg-type]
    lines.show(None, event("ApprovalResolved", request=answered))  # type: ignore[arg-type]
    lines.show(None, event("ApprovalResolved", request=request(status="expired")))  # type: ignore[arg-type]
    assert isinstance(console.file, io.StringIO)
    output = [line[14:] for line in console.file.getvalue().splitlines()]
    assert output == [
        r'asks  delete_file {"path":"/etc\x1b[2J"}  req-1  run',
        r"answered  allow, edited by ada\x1b[2J (browser)  req-1  run",
        "expired  req-1  run",
    ]
