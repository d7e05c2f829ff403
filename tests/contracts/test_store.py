"""The contract of every store."""

from __future__ import annotations

import pytest

from inspector.errors import StoreUnavailableError
from inspector.service.model.records import (
    Changes,
    Content,
    MomentRecord,
    SessionRecord,
    SpanRecord,
    Tombstone,
    TraceRecord,
)
from inspector.service.model.rows import Engine, SessionRow, SessionStatus, SpanKind, SpanStatus
from inspector.service.query.tree import All
from inspector.service.storage import Store
from inspector.service.storage.base import SpanPosition
from tests.support.telemetry.otlp import START_NS
from tests.support.telemetry.records import span_hex, trace_hex


def session(id_: str, change: int, *, title: str = "", started_ns: int = START_NS) -> SessionRecord:
    row = SessionRow(
        id=id_,
        title=title or id_,
        status=SessionStatus.RUNNING,
        engine=Engine.OTLP,
        epoch_ns=START_NS,
        started_ns=started_ns,
        ended_ns=None,
        models=("m1", "m2"),
        cost_usd=0.25,
    )
    return SessionRecord(row, b'{"any": ["state"]}', change, change, 0, START_NS)


def trace(number: int, session_id: str | None = "S") -> TraceRecord:
    return TraceRecord(trace_hex(number), session_id, b'{"rank": 1}')


def span(
    number: int,
    change: int,
    *,
    trace_number: int = 1,
    session_id: str = "S",
    start_ns: int = START_NS,
    end_ns: int | None = START_NS + 5,
    process_id: str = "p1",
    created: int = 0,
) -> SpanRecord:
    return SpanRecord(
        trace_id=trace_hex(trace_number),
        span_id=span_hex(number),
        session_id=session_id,
        epoch_ns=START_NS,
        parent_span_id=None if number == 1 else span_hex(1),
        name=f"span {number}",
        kind=SpanKind.TOOL,
        status=SpanStatus.RUNNING if end_ns is None else SpanStatus.OK,
        start_ns=start_ns,
        end_ns=end_ns,
        is_root=number == 1,
        process_id=process_id,
        model="m1",
        input_tokens=3,
        output_tokens=None,
        cost_usd=0.5,
        is_counted=True,
        wait_ns=2,
        waits=2,
        waited=((start_ns, start_ns + 2), (start_ns + 4, end_ns)),
        size_bytes=9,
        change=change,
        created=created or change,
        settled=0 if end_ns is None else change,
        content=change,
        changed_ns=START_NS + change,
    )


def moment(
    change: int, *, trace_id: str | None = trace_hex(1), span_number: int | None = 1
) -> MomentRecord:
    return MomentRecord(
        trace_id=trace_id,
        span_id=None if span_number is None else span_hex(span_number),
        session_id="S",
        time_ns=START_NS + change,
        name="note",
        content=Content(b"", b"origin"),
        digest=bytes([change]),
        change=change,
        changed_ns=START_NS,
    )


def content_of(*changes: int) -> dict[int, Content]:
    return {change: Content(f"payload {change}".encode(), b"origin") for change in changes}


def fill(store: Store) -> None:
    """One session S with one trace of two spans, and a moment on the first."""
    store.commit(
        Changes(
            first=1,
            head=4,
            sessions=[session("S", 1)],
            traces=[trace(1)],
            spans=[span(1, 2), span(2, 3, start_ns=START_NS - 1)],
            contents=content_of(2, 3),
            moments=[moment(4)],
        )
    )


def test_what_was_committed_is_read_back_field_by_field(store: Store) -> None:
    fill(store)
    with store.read() as reader:
        assert reader.head == 4
        assert reader.session("S") == session("S", 1)
        assert reader.traces([trace_hex(1), trace_hex(9)]) == [trace(1)]
        assert reader.spans(trace_hex(1), [span_hex(1), span_hex(9)]) == [span(1, 2)]
        assert reader.content(span(1, 2)) == Content(b"payload 2", b"origin")
        assert reader.moments(trace_hex(1), span_hex(1), None) == [moment(4)]


def test_many_are_looked_up_at_once(store: Store) -> None:
    count = 150
    store.commit(
        Changes(
            first=1,
            head=3 * count,
            sessions=[session(f"S{n}", n) for n in range(1, count + 1)],
            traces=[trace(n, f"S{n}") for n in range(1, count + 1)],
            spans=[span(n, count + n, session_id="S1") for n in range(1, count + 1)],
            contents=content_of(*range(count + 1, 2 * count + 1)),
        )
    )
    with store.read() as reader:
        for some in ([1], [1, 2], range(1, count + 1), range(count, 2 * count)):
            known = [n for n in some if n <= count]
            ids = {record.row.id for record in reader.sessions([f"S{n}" for n in some])}
            assert ids == {f"S{n}" for n in known}
            traces = {record.trace_id for record in reader.traces([trace_hex(n) for n in some])}
            assert traces == {trace_hex(n) for n in known}
            spans = {one.span_id for one in reader.spans(trace_hex(1), list(map(span_hex, some)))}
            assert spans == {span_hex(n) for n in known}


def test_a_trace_may_stand_in_for_its_process(store: Store) -> None:
    mine, other = f"trace:{trace_hex(1)}", f"trace:{trace_hex(2)}"
    store.commit(
        Changes(
            first=1,
            head=6,
            sessions=[session("S", 1)],
            traces=[trace(1), trace(2)],
            spans=[
                span(1, 2, end_ns=None, process_id=mine),
                span(2, 3, end_ns=None, trace_number=2, process_id=mine),
                span(3, 4, end_ns=None, trace_number=2, process_id=other),
                span(4, 5, end_ns=None, process_id="trace:but not of one"),
            ],
            contents=content_of(2, 3, 4, 5),
        )
    )
    with store.read() as reader:
        assert reader.open_processes() == {mine, other, "trace:but not of one"}
        assert [one.change for one in reader.open_spans(mine)] == [2, 3]
        assert [one.process_id for one in reader.open_spans(other)] == [other]
        assert [one.change for one in reader.open_spans("trace:but not of one")] == [5]
    ended = span(1, 7, process_id=mine, created=2)
    store.commit(Changes(first=7, head=7, spans=[ended], contents=content_of(7)))
    with store.read() as reader:
        assert [one.change for one in reader.open_spans(mine)] == [3]


def test_unknown_ids_give_nothing(store: Store) -> None:
    with store.read() as reader:
        assert reader.head == 0
        assert reader.session("nobody") is None
        assert reader.destination("nobody") is None
        assert reader.spans(trace_hex(1), [span_hex(1)]) == []
        assert reader.spans(trace_hex(1)) == []
        assert reader.spans_of("nobody") == []
        assert reader.moments(trace_hex(1), None, None) == []
        assert reader.moments(None, None, "nobody") == []
        assert reader.moments_of("nobody") == []
        assert reader.changes(0, 10) == []


def test_a_snapshot_does_not_see_what_is_committed_later_and_the_next_one_does(
    store: Store,
) -> None:
    with store.read() as before:
        assert before.head == 0
    fill(store)
    with store.read() as after:
        assert (after.head, len(after.spans_of("S"))) == (4, 2)


def test_a_new_version_of_a_span_replaces_the_row_its_content_and_its_place_in_the_feed(
    store: Store,
) -> None:
    store.commit(
        Changes(
            first=1,
            head=2,
            sessions=[session("S", 1)],
            traces=[trace(1)],
            spans=[span(1, 2, end_ns=None)],
            contents=content_of(2),
        )
    )
    ended = span(1, 3, created=2)
    store.commit(Changes(first=3, head=3, spans=[ended], contents=content_of(3)))
    with store.read() as reader:
        assert reader.spans(trace_hex(1)) == [ended]
        assert reader.content(ended).payload == b"payload 3"
        assert [row.change for row in reader.changes(0, 10)] == [1, 3]
        assert reader.open_spans("p1") == []


def test_a_new_version_without_new_content_keeps_the_content(store: Store) -> None:
    fill(store)
    renamed = span(1, 5, created=2)
    renamed.content = 2
    store.commit(Changes(first=5, head=5, spans=[renamed]))
    with store.read() as reader:
        assert reader.content(renamed).payload == b"payload 2"


def test_spans_come_by_start_then_id_page_by_page(store: Store) -> None:
    numbers = [5, 3, 1, 2, 4]
    rows = [span(n, 1 + n, start_ns=START_NS + n // 2) for n in numbers]
    store.commit(
        Changes(
            first=1,
            head=6,
            sessions=[session("S", 1)],
            traces=[trace(1)],
            spans=rows,
            contents=content_of(2, 3, 4, 5, 6),
        )
    )
    seen: list[str] = []
    position = None
    with store.read() as reader:
        while page := reader.spans_of("S", position, 2):
            seen += [row.name for row in page]
            last = page[-1]
            position = SpanPosition(last.start_ns, last.span_id, last.trace_id)
    assert seen == ["span 1", "span 2", "span 3", "span 4", "span 5"]


def test_spans_of_two_traces_with_the_same_start_and_id_are_both_listed(store: Store) -> None:
    store.commit(
        Changes(
            first=1,
            head=3,
            sessions=[session("S", 1)],
            traces=[trace(1), trace(2)],
            spans=[span(1, 2), span(1, 3, trace_number=2)],
            contents=content_of(2, 3),
        )
    )
    with store.read() as reader:
        first = reader.spans_of("S", None, 1)[0]
        position = SpanPosition(first.start_ns, first.span_id, first.trace_id)
        second = reader.spans_of("S", position, 1)
    assert [first.trace_id, *(row.trace_id for row in second)] == [trace_hex(1), trace_hex(2)]


def test_sessions_are_looked_at_newest_first_a_stretch_at_a_time(store: Store) -> None:
    records = [session(f"S{n}", n, started_ns=START_NS + n // 2) for n in range(1, 6)]
    store.commit(Changes(first=1, head=5, sessions=records))
    seen: list[list[str]] = []
    after, is_more = None, True
    with store.read() as reader:
        while is_more:
            chunk = reader.newest_sessions(All(), after, 2)
            seen.append([record.row.id for record in chunk.rows])
            after, is_more = chunk.next, chunk.next is not None
    assert seen == [["S5", "S4"], ["S3", "S2"], ["S1"]]


def test_spans_are_looked_at_last_changed_first_a_stretch_at_a_time(store: Store) -> None:
    rows = [span(n, change=n + 1) for n in range(1, 5)]
    contents = {row.content: Content(b"", b"") for row in rows}
    store.commit(Changes(1, 5, [session("S", 1)], [trace(1)], spans=rows, contents=contents))
    with store.read() as reader:
        newest = reader.newest_spans(All(), None, 3)
        assert [(row.change) for row in newest.rows] == [5, 4, 3]
        rest = reader.newest_spans(All(), newest.next, 3)
        assert [row.change for row in rest.rows] == [2]
        assert rest.next is None


def test_open_spans_are_found_by_their_process(store: Store) -> None:
    rows = [
        span(1, 2, end_ns=None),
        span(2, 3, end_ns=None, process_id="p2"),
        span(3, 4),
    ]
    store.commit(
        Changes(
            first=1,
            head=4,
            sessions=[session("S", 1)],
            traces=[trace(1)],
            spans=rows,
            contents=content_of(2, 3, 4),
        )
    )
    with store.read() as reader:
        assert reader.open_processes() == {"p1", "p2"}
        assert [row.span_id for row in reader.open_spans("p2")] == [span_hex(2)]


def test_changes_come_in_order_and_stop_at_the_limit(store: Store) -> None:
    fill(store)
    with store.read() as reader:
        assert [row.change for row in reader.changes(1, 2)] == [2, 3]
        assert [row.change for row in reader.changes(3, 10)] == [4]


def test_changes_stop_where_their_moments_are_large(store: Store) -> None:
    size = len(b"origin")
    moments = [moment(number) for number in (3, 4, 5)]
    spans = [span(1, 2), span(2, 6)]
    store.commit(
        Changes(1, 6, [session("S", 1)], [trace(1)], spans, content_of(2, 6), moments=moments)
    )
    with store.read() as reader:
        for most_bytes, last in ((1, 3), (size, 3), (size + 1, 4), (3 * size + 1, 6)):
            found = [row.change for row in reader.changes(1, 10, most_bytes)]
            assert found == list(range(2, last + 1))
        assert [row.change for row in reader.changes(1, 2, 3 * size)] == [2, 3]


def test_a_moment_belongs_to_the_session_of_its_trace_wherever_that_is_now(store: Store) -> None:
    store.commit(Changes(first=1, head=1, traces=[trace(1, None)], moments=[moment(1)]))
    with store.read() as reader:
        assert reader.moments(trace_hex(1), span_hex(1), None)[0].session_id is None
    store.commit(Changes(first=2, head=2, sessions=[session("S", 2)], traces=[trace(1)]))
    with store.read() as reader:
        assert [row.session_id for row in reader.moments_of("S")] == ["S"]


def test_a_session_moment_without_a_trace_is_found_by_its_session(store: Store) -> None:
    alone = moment(2, trace_id=None, span_number=None)
    store.commit(Changes(first=1, head=2, sessions=[session("S", 1)], moments=[alone]))
    with store.read() as reader:
        assert reader.moments(None, None, "S") == [alone]
        assert reader.moments_of("S") == [alone]
        assert reader.has_moment(alone)


def test_the_last_change_of_a_session_is_that_of_whatever_is_of_it(store: Store) -> None:
    fill(store)
    other = span(1, 6, trace_number=2, session_id="T")
    store.commit(
        Changes(
            first=5,
            head=6,
            sessions=[session("T", 5)],
            traces=[trace(2, "T")],
            spans=[other],
            contents=content_of(6),
        )
    )
    assert [last_change(store, id_) for id_ in ("S", "T", "nobody")] == [4, 6, 0]
    store.commit(Changes(first=7, head=7, spans=[span(2, 7, created=3)], contents=content_of(7)))
    assert [last_change(store, id_) for id_ in ("S", "T")] == [7, 6]
    alone = moment(8, trace_id=None, span_number=None)
    store.commit(Changes(first=8, head=8, moments=[alone]))
    assert [last_change(store, id_) for id_ in ("S", "T")] == [8, 6]


def last_change(store: Store, session_id: str) -> int:
    with store.read() as reader:
        return reader.last_change(session_id)


def test_a_moment_is_known_by_place_time_and_content(store: Store) -> None:
    fill(store)
    with store.read() as reader:
        assert reader.has_moment(moment(4))
        other = moment(4)
        other.digest = b"other"
        assert not reader.has_moment(other)


def test_a_merged_session_points_to_where_it_went_even_over_two_moves(store: Store) -> None:
    store.commit(Changes(first=1, head=2, sessions=[session("A", 1), session("B", 2)]))
    store.commit(Changes(first=3, head=3, departures=[Tombstone("A", "B", change=3)]))
    store.commit(
        Changes(
            first=4,
            head=5,
            sessions=[session("C", 4)],
            departures=[Tombstone("B", "C", change=5)],
        )
    )
    with store.read() as reader:
        assert reader.session("A") is None
        assert (reader.destination("A"), reader.destination("B")) == ("C", "C")
        assert reader.destination("C") is None
        assert [row.change for row in reader.changes(0, 10)] == [3, 4, 5]


def test_sessions_that_were_merged_in_a_circle_lead_nowhere(store: Store) -> None:
    departures = [Tombstone("A", "B", change=1), Tombstone("B", "A", change=2)]
    store.commit(Changes(first=1, head=2, departures=departures))
    with store.read() as reader:
        newest = [reader.newest_departures(*wanted) for wanted in ((9, 9), (9, 1), (1, 9))]
        assert newest == [[2, 1], [2], [1]]
    with store.read() as reader:
        assert reader.destination("A") is None


def test_a_session_that_only_lost_a_trace_stays(store: Store) -> None:
    store.commit(Changes(first=1, head=2, sessions=[session("A", 1), session("B", 2)]))
    part = Tombstone("A", "B", is_whole=False, change=3)
    store.commit(Changes(first=3, head=3, departures=[part]))
    with store.read() as reader:
        assert reader.session("A") is not None
        assert reader.changes(2, 10) == [part]


def test_a_deleted_session_takes_all_it_had_and_leaves_only_the_news(store: Store) -> None:
    fill(store)
    store.commit(Changes(first=5, head=5, departures=[Tombstone("S", None, change=5)]))
    with store.read() as reader:
        assert reader.session("S") is None
        assert reader.destination("S") is None
        assert reader.traces([trace_hex(1)]) == []
        assert reader.spans(trace_hex(1)) == []
        assert reader.moments(trace_hex(1), span_hex(1), None) == []
        assert reader.changes(0, 10) == [Tombstone("S", None, change=5)]


def test_a_deleted_session_leaves_what_its_trace_took_along_when_it_moved(store: Store) -> None:
    fill(store)
    store.commit(Changes(first=5, head=5, sessions=[session("B", 5)], traces=[trace(1, "B")]))
    store.commit(Changes(first=6, head=6, departures=[Tombstone("S", None, change=6)]))
    with store.read() as reader:
        moments = reader.moments(trace_hex(1), span_hex(1), None)
        assert [found.session_id for found in moments] == ["B"]


def test_a_deleted_session_may_begin_anew(store: Store) -> None:
    fill(store)
    store.commit(Changes(first=5, head=5, departures=[Tombstone("S", None, change=5)]))
    store.commit(
        Changes(
            first=6,
            head=7,
            sessions=[session("S", 6)],
            traces=[trace(1)],
            spans=[span(1, 7)],
            contents=content_of(7),
        )
    )
    with store.read() as reader:
        assert [row.change for row in reader.spans_of("S")] == [7]


def test_sessions_that_shared_with_a_deleted_one_keep_what_they_shared(store: Store) -> None:
    fill(store)
    other = span(3, 7, trace_number=2, session_id="T")
    store.commit(
        Changes(
            first=5,
            head=7,
            sessions=[session("T", 5)],
            traces=[trace(2, "T")],
            spans=[other],
            contents=content_of(7),
        )
    )
    store.commit(Changes(first=8, head=8, departures=[Tombstone("S", None, change=8)]))
    with store.read() as reader:
        assert reader.spans_of("T") == [other]
        assert reader.content(other) == Content(b"payload 7", b"origin")


def test_what_came_with_a_deleted_session_may_come_again_with_another(store: Store) -> None:
    fill(store)
    store.commit(Changes(first=5, head=5, departures=[Tombstone("S", None, change=5)]))
    others = {6: ("T", 2, "p2", b"else"), 8: ("S", 1, "p1", b"origin")}
    for first, (session_id, number, process_id, origin) in others.items():
        row = span(1, first + 1, trace_number=number, session_id=session_id, process_id=process_id)
        store.commit(
            Changes(
                first=first,
                head=first + 1,
                sessions=[session(session_id, first)],
                traces=[trace(number, session_id)],
                spans=[row],
                contents={first + 1: Content(b"again", origin)},
            )
        )
    with store.read() as reader:
        for session_id, _, process_id, origin in others.values():
            (found,) = reader.spans_of(session_id)
            assert found.process_id == process_id
            assert reader.content(found) == Content(b"again", origin)


def test_spans_with_usage_below_are_remembered_before_they_arrive(store: Store) -> None:
    store.commit(
        Changes(
            first=1,
            head=1,
            sessions=[session("S", 1)],
            traces=[trace(1)],
            usage_ancestors=[(trace_hex(1), span_hex(7)), (trace_hex(1), span_hex(7))],
        )
    )
    with store.read() as reader:
        assert reader.usage_ancestors(trace_hex(1)) == {span_hex(7)}
        assert reader.usage_ancestors(trace_hex(2)) == set()


def test_a_closed_store_refuses_to_write(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreUnavailableError, match="Cannot write"):
        store.commit(Changes(first=1, head=1, sessions=[session("S", 1)]))
