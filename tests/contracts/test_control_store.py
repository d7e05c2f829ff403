"""Requests, commands and the audit log in every store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.service.ingest.requests import transitions
from inspector.service.model.records import Changes, CommandEnd, RequestRecord, Tombstone, Waiting
from inspector.service.model.rows import (
    AnswerRow,
    AuditRow,
    CommandRow,
    ProcessRow,
    RequestStatus,
    RequestSubject,
)
from inspector.service.storage import Store
from inspector.service.storage.base import MAX_REQUESTS_BYTES, SUBJECT_CHARS
from tests.contracts.test_store import session
from tests.support.agents.request_rows import AGENT, request_row
from tests.support.telemetry.otlp import START_NS
from tests.support.telemetry.records import trace_hex

PENDING, ANSWERED, EXPIRED, WITHDRAWN, LOST = RequestStatus


def record(change: int, request_id: str = "r1", **fields: object) -> RequestRecord:
    row = request_row(request_id, **fields)
    return RequestRecord(row, change, change, START_NS + change)


def command(seq: int, process_id: str = "p1", **fields: object) -> CommandRow:
    row = CommandRow(seq, process_id, "answer", "S", (trace_hex(1),), "Ann", "cli", START_NS)
    return replace(row, **fields)  # type: ignore[arg-type]  # of any field


def entry(id_: int, **fields: object) -> AuditRow:
    row = AuditRow(START_NS + id_, "Ann", "browser", "127.0.0.1", "answer", "accepted", id=id_)
    return replace(row, **fields)  # type: ignore[arg-type]  # of any field


def commit(store: Store, head: int, **parts: object) -> None:
    store.commit(Changes(first=head, head=head, **parts))  # type: ignore[arg-type]  # of any kind


def test_a_request_is_read_back_field_by_field(store: Store) -> None:
    answer = AnswerRow("allow", "Ann", "browser", START_NS, "ok", True, 7, False, "too late")
    one = record(
        1,
        trace_id=trace_hex(1),
        span_id="ab" * 8,
        options=("yes", "no"),
        args_json='{"n":9007199254740993,"s":"\U0001f600\\u0000"}',
        args_text="\x00 text",
        form_json="{}",
        signal_name="go",
        keeps_args=True,
        expires_ns=START_NS + 1,
        closed_ns=START_NS + 2,
        status=ANSWERED,
        answer=answer,
    )
    one.row = transitions.opened(one.row, START_NS, AGENT)
    commit(store, 1, requests=[one])
    with store.read() as reader:
        assert reader.request("r1") == one
        assert reader.requests_of_trace(trace_hex(1)) == [one]
        assert reader.request("r2") is None
        assert reader.changes(0, 10) == [one]


def test_a_new_version_takes_the_place_of_the_old_one_in_the_feed(store: Store) -> None:
    commit(store, 1, requests=[record(1)])
    newer = RequestRecord(request_row(status=WITHDRAWN, session_id="T"), 2, 1, START_NS)
    commit(store, 2, requests=[newer])
    with store.read() as reader:
        assert reader.changes(0, 10) == [newer]
        assert reader.requests(session_id="S").rows == []
        assert reader.requests(session_id="T").rows == [newer]
        assert (reader.pending_count(), reader.head) == (0, 2)


def test_requests_come_a_page_at_a_time_newest_first(store: Store) -> None:
    statuses = [PENDING, LOST, PENDING, EXPIRED, PENDING]
    records = [
        record(n + 1, f"r{n}", created_ns=START_NS + n // 2, status=status)
        for n, status in enumerate(statuses)
    ]
    commit(store, 5, requests=records)
    with store.read() as reader:
        seen: list[str] = []
        place = None
        while True:
            page = reader.requests(after=place, most=2)
            seen += [one.row.id for one in page.rows]
            if (place := page.next) is None:
                break
        assert seen == ["r4", "r3", "r2", "r1", "r0"]
        pending = reader.requests(PENDING, "S", most=2)
        assert [one.row.id for one in pending.rows] == ["r4", "r2"]
        rest = reader.requests(PENDING, "S", pending.next, 2)
        assert ([one.row.id for one in rest.rows], rest.next) == (["r0"], None)
        assert reader.requests(PENDING, "other").rows == []
        assert reader.pending_count() == 3


def test_a_page_is_short_where_arguments_are_long(store: Store) -> None:
    large = "x" * (MAX_REQUESTS_BYTES // 2)
    commit(store, 3, requests=[record(n, f"r{n}", args_json=large) for n in (1, 2, 3)])
    with store.read() as reader:
        page = reader.requests(most=100)
        assert [one.row.id for one in page.rows] == ["r3"]
        rest = reader.requests(after=page.next, most=100)
        assert [one.row.id for one in rest.rows] == ["r2"]
        assert rest.next is not None


def test_what_waits_is_pending_or_answered_and_not_yet_applied(store: Store) -> None:
    def answered(applied: bool | None) -> AnswerRow:
        return AnswerRow("allow", "Ann", "cli", START_NS, None, False, 9, applied)

    records = [
        record(1, "r1", created_ns=3, expires_ns=5),
        record(2, "r2", created_ns=2, status=ANSWERED, answer=answered(None), process_id="p2"),
        record(3, "r3", status=ANSWERED, answer=answered(True)),
        record(4, "r4", status=ANSWERED),
        record(5, "r5", status=LOST),
    ]
    commit(store, 5, requests=records)
    shown = len('Delete it?{"path":"/a"}')
    with store.read() as reader:
        assert reader.waiting_requests() == [
            Waiting("r2", "p2", "S", ANSWERED, None, shown),
            Waiting("r1", "p1", "S", PENDING, 5, shown),
        ]


def test_commands_wait_in_order_until_they_end(store: Store) -> None:
    rows = [command(3, args_json="{}", request_id="r1"), command(1), command(2, "p2")]
    commit(store, 3, commands=rows)
    with store.read() as reader:
        assert reader.commands("p1", 0, 10) == [rows[1], rows[0]]
        assert reader.commands("p1", 0, 1) == [rows[1]]
        assert reader.commands("p1", 1, 10) == [rows[0]]
        assert reader.command(2) == rows[2]
        assert (reader.command_count("p1"), reader.command_count("p3")) == (2, 0)
    commit(store, 4, ended_commands=[CommandEnd(1, applied=True), CommandEnd(9, applied=False)])
    with store.read() as reader:
        assert reader.command(1) is None
        assert reader.commands("p1", 0, 10) == [rows[0]]


def test_processes_come_and_go(store: Store) -> None:
    one, two = ProcessRow("p1", "a", 1, "h"), ProcessRow("p2", "b", 2, "h")
    commit(store, 0, processes=[two, one])
    again = replace(one, name="again")
    commit(store, 0, processes=[again], gone_processes=["p2", "p3"])
    with store.read() as reader:
        assert reader.processes() == [again]
        assert (reader.process("p1"), reader.process("p2")) == (again, None)


def test_the_audit_log_is_read_from_either_end(store: Store) -> None:
    rows = [entry(n, detail="x" * n, code="c", decision="allow", args_hash="h") for n in (1, 4, 6)]
    commit(store, 6, audit=rows)
    with store.read() as reader:
        assert reader.audit(None, 2) == [rows[2], rows[1]]
        assert reader.audit(4, 10) == [rows[0]]
        assert reader.audit_after(0, 2) == rows[:2]
        assert reader.audit_after(4, 10) == [rows[2]]


def test_what_requests_are_about_is_read_in_short(store: Store) -> None:
    long = record(3, "r2", session_id="T", tool_name=None, prompt="é" * (SUBJECT_CHARS + 1))
    commit(store, 3, requests=[record(2, prompt="Delete it?"), long])
    with store.read() as reader:
        assert reader.request_subjects(["r1", "r2", "r3"]) == {
            "r1": RequestSubject(record(2).row.tool_name, "Delete it?", "S"),
            "r2": RequestSubject(None, "é" * SUBJECT_CHARS, "T"),
        }


def test_a_deleted_session_takes_its_requests_and_commands_and_no_audit_entry(
    store: Store,
) -> None:
    commit(
        store,
        9,
        sessions=[session("S", 1), session("T", 2)],
        requests=[record(3), record(4, "r2", session_id="T")],
        commands=[
            command(5),
            command(6, session_id="elsewhere", request_id="r1"),
            command(7, session_id="T", request_id="r2"),
        ],
        audit=[entry(8, session_id="S")],
    )
    commit(store, 10, departures=[Tombstone("S", None, change=10)])
    with store.read() as reader:
        assert reader.request("r1") is None
        assert [one.seq for one in reader.commands("p1", 0, 10)] == [7]
        assert [one.row.id for one in reader.requests().rows] == ["r2"]
        assert len(reader.audit(None, 10)) == 1
        kinds = [type(one).__name__ for one in reader.changes(0, 10)]
        assert kinds == ["SessionRecord", "RequestRecord", "Tombstone"]


def test_a_session_that_was_merged_leaves_requests_where_they_went(store: Store) -> None:
    commit(store, 2, sessions=[session("S", 1)], requests=[record(2)])
    moved = RequestRecord(request_row(session_id="T"), 4, 2, START_NS)
    departures = [Tombstone("S", "T", change=5)]
    commit(store, 5, sessions=[session("T", 3)], requests=[moved], departures=departures)
    with store.read() as reader:
        assert reader.request("r1") == moved


def test_an_empty_store_has_nothing_of_it(store: Store) -> None:
    with store.read() as reader:
        assert reader.requests().rows == []
        assert reader.waiting_requests() == []
        assert reader.commands("p1", 0, 10) == []
        assert reader.audit(None, 10) == []
        assert reader.pending_count() == 0


@pytest.mark.parametrize(
    "part",
    [
        {"requests": [record(1)]},
        {"commands": [command(1)]},
        {"ended_commands": [CommandEnd(1, applied=True)]},
        {"processes": [ProcessRow("p1", "a", 1, "h")]},
        {"gone_processes": ["p1"]},
        {"audit": [entry(1)]},
    ],
    ids=lambda part: next(iter(part)),
)
def test_a_commit_of_any_of_it_is_not_empty(part: dict[str, object]) -> None:
    assert Changes().is_empty
    assert not Changes(**part).is_empty  # type: ignore[arg-type]  # of any kind
