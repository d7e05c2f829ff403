"""How long sessions are stored."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.sessions.retention import MOST_SESSIONS, MOST_SPANS, Retention
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import heartbeat, paused, started, trace_hex

DAY_S = 86_400


@pytest.mark.parametrize(
    ("text", "age_s", "size_bytes"),
    [
        ("30d,20GB", 30 * DAY_S, 20 * 10**9),
        ("20 gb , 4w", 28 * DAY_S, 20 * 10**9),
        ("12h", 12 * 3600, None),
        ("1.5GB", None, 1_500_000_000),
        ("off", None, None),
        (" OFF ", None, None),
    ],
)
def test_an_age_a_size_or_both(text: str, age_s: int | None, size_bytes: int | None) -> None:
    age_ns = None if age_s is None else age_s * SECOND_NS
    retention = Retention.parse(text)
    assert retention == Retention(age_ns, size_bytes)
    assert Retention.parse(str(retention)) == retention


@pytest.mark.parametrize(
    "text", ["", "30", "d", "30y", "-1d", "0d", "1d,2d", "1GB,2GB", "30d;20GB", "nan d", "1e9d"]
)
def test_anything_else_is_refused_with_how_to_write_it(text: str) -> None:
    with pytest.raises(ValueError, match="use `30d,20GB`"):
        Retention.parse(text)


@pytest.mark.parametrize(
    ("text", "within"),
    [("1d,2GB", "1d,1GB"), ("1d,2MB", "1d,2MB"), ("2GB", "1GB"), ("1d", "1d"), ("off", "off")],
)
def test_a_store_with_less_room_keeps_less_where_a_size_was_set(text: str, within: str) -> None:
    assert Retention.parse(text).within(10**9) == Retention.parse(within)


@given(st.text())
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        Retention.parse(text)


def overdue(rig: Rig, retention: Retention) -> list[str]:
    with rig.store.read() as reader:
        return retention.overdue(reader, reader.oldest_settled(MOST_SESSIONS), rig.now_ns)


def filled(traces: int, spans_each: int = 1) -> Rig:
    """Return a rig with sessions that came a day apart, and are over."""
    rig = Rig()
    for trace in range(1, traces + 1):
        rig.record(*(span(trace=trace, span_id=n) for n in range(1, spans_each + 1)))
        rig.now_ns += DAY_S * SECOND_NS
        rig.commit(rig.recorder.tick(rig.now_ns))
    return rig


def test_sessions_that_did_not_change_for_so_long_are_overdue_oldest_first() -> None:
    rig = filled(5)
    assert overdue(rig, Retention(max_age_ns=2 * DAY_S * SECOND_NS)) == [
        trace_hex(1),
        trace_hex(2),
    ]


def test_a_session_that_changed_lately_stays_however_old_its_spans_are() -> None:
    rig = Rig()
    rig.now_ns = START_NS + 400 * DAY_S * SECOND_NS
    rig.record(span())  # it is of 400 days ago, and came now
    rig.wait(10)
    assert overdue(rig, Retention(max_age_ns=30 * DAY_S * SECOND_NS)) == []


def test_the_oldest_go_while_the_store_is_too_large() -> None:
    rig = filled(3)
    with rig.store.read() as reader:
        used_bytes = reader.used_bytes()
    assert overdue(rig, Retention(max_bytes=used_bytes)) == []
    assert overdue(rig, Retention(max_bytes=used_bytes - 1)) == [trace_hex(1)]


def test_what_runs_or_waits_stays_whatever_its_age_and_the_size() -> None:
    rig = Rig()
    rig.record(heartbeat("p1"), started(span(trace=1), "p1"))
    rig.record(started(span(trace=2), "p1"), paused(2, 1, START_NS))
    rig.record(span(trace=3))
    rig.wait(6)
    assert overdue(rig, Retention(max_bytes=0)) == [trace_hex(3)]
    assert {row.status.value for row in rig.sessions().values()} == {
        "running",
        "waiting",
        "completed",
    }


@pytest.mark.slow
def test_one_commit_lets_go_of_so_much_and_no_more() -> None:
    few_large = filled(4, spans_each=MOST_SPANS + 1)
    assert overdue(few_large, Retention(max_bytes=0)) == [trace_hex(1)]
    many_small = Rig()
    many_small.record(*(span(trace=number) for number in range(1, MOST_SESSIONS + 50)))
    many_small.wait(10)
    assert len(overdue(many_small, Retention(max_age_ns=1))) == MOST_SESSIONS


def test_without_retention_nothing_is_overdue() -> None:
    assert overdue(filled(2), Retention()) == []
