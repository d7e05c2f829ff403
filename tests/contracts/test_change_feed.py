"""A reader that follows the rules of `/events` ends with exactly the store's state."""

from __future__ import annotations

import asyncio
import json
import math
import selectors
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.feed import feed as feed_module
from inspector.service.feed import narrowing as narrowing_module
from inspector.service.feed import tail as tail_module
from inspector.service.feed import viewing
from inspector.service.feed.feed import Feed
from inspector.service.feed.narrowing import Narrowing
from inspector.service.feed.viewing import NO_SESSION, FeedTiming
from inspector.service.model.records import SessionRecord
from inspector.service.present import rows as presenter
from inspector.service.query import QueryScope, parse_query
from inspector.service.query.tree import All, Node
from inspector.service.search.evaluator import may_fit
from inspector.service.storage import open_store
from tests.support.models.schedules import Step, controlled_schedules
from tests.support.services.recorder_rig import FedRig, Rig, play
from tests.support.services.viewer import Row, Viewer
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import (
    incoming,
    log,
    paused,
    progressed,
    resumed,
    started,
    trace_hex,
)

# Once the rows of other sessions were sent, a connection gets no more of them.
_LIST_ONCE = FeedTiming(interval_s=0.0, list_interval_s=1e9, keep_alive_s=0.01)


def reload(rig: FedRig, viewer: Viewer) -> None:
    """Read all lists again, as `Gap` asks for."""
    viewer.sessions, viewer.spans, viewer.requests = {}, {}, {}
    viewer.must_reload = False
    with rig.store.read() as reader:
        for record in reader.newest_sessions(All(), None, 1000).rows:
            viewer.sessions[record.row.id] = presenter.session(record).model_dump(mode="json")
            for one in reader.spans_of(record.row.id):
                row = presenter.span_row(one.row()).model_dump(mode="json")
                viewer.spans[one.trace_id, one.span_id] = (record.row.id, row)
        for request in reader.requests(most=1000).rows:
            title = viewer.sessions[request.row.session_id]["title"]
            row = presenter.request(request.row, title).model_dump(mode="json")
            viewer.requests[request.row.id] = row
        viewer.last_id = rig.feed.position(reader.head)


async def follow(rig: FedRig, viewer: Viewer, event_count: int | None) -> None:
    """Read that many events, or all there are, and cut the connection."""
    stream = rig.feed.stream(viewer.last_id)
    try:
        async with asyncio.timeout(10):
            async for event in _events(stream):
                if event_count is not None and event_count <= 0:
                    return
                viewer.read(event)
                event_count = None if event_count is None else event_count - 1
                if viewer.must_reload:
                    reload(rig, viewer)
                if viewer.last_id == rig.position:
                    return
    finally:
        await stream.aclose()


async def _events(stream: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
    async for block in stream:
        for event in block.decode().removesuffix("\n\n").split("\n\n"):
            yield event


def shown(viewer: Viewer) -> tuple[object, ...]:
    # Of a request that is over nobody is told when its session is called otherwise.
    requests = {
        request_id: request if request["status"] == "pending" else request | {"session_title": ""}
        for request_id, request in viewer.requests.items()
    }
    return viewer.sessions, viewer.spans, requests


def stored(rig: FedRig) -> tuple[object, ...]:
    truth = Viewer()
    reload(rig, truth)
    return shown(truth)


@pytest.mark.slow
@pytest.mark.parametrize("url", ["memory:", "sqlite:///{folder}/store.sqlite3"])
@given(
    steps=controlled_schedules,
    readings=st.lists(st.integers(0, 6), min_size=14, max_size=14),
    tail_entries=st.sampled_from([0, 2, 1000]),
)
def test_a_reader_that_follows_the_rules_ends_with_the_stores_state(
    url: str, steps: list[Step], readings: list[int], tail_entries: int
) -> None:
    """Any writes, any breaks and restarts, from memory or from the store."""

    async def scenario(folder: str) -> None:
        rig = FedRig(open_store(url.format(folder=folder)))
        viewer = Viewer(last_id=rig.feed.position(0))
        try:
            for step, event_count in zip(steps, readings, strict=False):
                play(rig, step)
                await follow(rig, viewer, event_count)
            await follow(rig, viewer, None)
            assert shown(viewer) == stored(rig)
        finally:
            rig.store.close()

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_module, "TAIL_ROWS", tail_entries)
        patch.setattr(tail_module, "CHUNK", 3)
        patch.setattr(feed_module, "CHUNK", 3)
        asyncio.run(scenario(folder))


class _Follower(Viewer):
    """A viewer of some sessions, which stays connected until it is cut off."""

    def __init__(self, rig: FedRig, session_ids: frozenset[str]) -> None:
        super().__init__(last_id=rig.feed.position(0))
        self._rig = rig
        self._session_ids = session_ids
        self.narrowing: Narrowing | None = None
        self._events: AsyncGenerator[str, None] | None = None
        self._feed = rig.feed

    async def follow(self, event_count: int | None) -> None:
        """Read that many events and be cut off, or all there are and stay connected."""
        if self._events is None or self._feed is not self._rig.feed:
            self._feed = self._rig.feed
            stream = self._feed.stream(self.last_id, self._session_ids, self.narrowing)
            self._events = _events(stream)
            self.read(await anext(self._events))
        types_before = len(self.types)
        async with asyncio.timeout(10):
            while len(self.types) - types_before != event_count:
                self.read(await anext(self._events))
                if self.types[-1] == "Heartbeat" and event_count is None:
                    return
        await self.cut()

    async def cut(self) -> None:
        if self._events is not None:
            await self._events.aclose()
            self._events = None

    def read(self, event: str) -> None:
        super().read(event)
        if self.must_reload:
            reload(self._rig, self)
        moved_from = json.loads(event.partition("data: ")[2]).get("moved_from")
        if moved_from in self.sessions and moved_from in self._session_ids:
            self.spans = {k: v for k, v in self.spans.items() if v[0] != moved_from}
            with self._rig.store.read() as reader:
                for one in reader.spans_of(moved_from):
                    row = presenter.span_row(one.row()).model_dump(mode="json")
                    self.spans[one.trace_id, one.span_id] = (moved_from, row)

    def shows(self) -> tuple[object, ...]:
        return self._narrowed(shown(self))

    def should_show(self) -> tuple[object, ...]:
        return self._narrowed(stored(self._rig))

    def _narrowed(self, state: tuple[object, ...]) -> tuple[object, ...]:
        sessions, spans, requests = state
        assert isinstance(spans, dict)
        return (
            sessions,
            {key: one for key, one in spans.items() if one[0] in self._session_ids},
            requests,
        )


@given(
    steps=controlled_schedules,
    readings=st.lists(st.none() | st.integers(1, 4), min_size=14, max_size=14),
    session_ids=st.sampled_from([frozenset({"S"}), frozenset({"C", trace_hex(1)})]),
    tail_entries=st.sampled_from([2, 1000]),
    chunk=st.sampled_from([1, 3, 500]),
)
def test_a_viewer_of_some_sessions_ends_with_the_stores_state_though_others_wait(
    steps: list[Step],
    readings: list[int | None],
    session_ids: frozenset[str],
    tail_entries: int,
    chunk: int,
) -> None:
    """Cut off while rows of other sessions wait, it gets them next."""

    async def scenario() -> None:
        rig = FedRig(open_store("memory:"), _LIST_ONCE)
        viewer = _Follower(rig, session_ids)
        try:
            for step, event_count in zip(steps, readings, strict=False):
                play(rig, step)
                await viewer.follow(event_count)
            await viewer.cut()
            async with asyncio.timeout(30):
                while viewer.last_id != rig.position:
                    await viewer.follow(None)
            assert viewer.shows() == viewer.should_show()
        finally:
            await viewer.cut()
            rig.store.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_module, "TAIL_ROWS", tail_entries)
        patch.setattr(tail_module, "CHUNK", chunk)
        patch.setattr(feed_module, "CHUNK", chunk)
        asyncio.run(scenario())


class _PartFollower(_Follower):
    """A viewer of a part of the list."""

    def __init__(self, rig: FedRig, session_ids: frozenset[str], narrowing: Narrowing) -> None:
        super().__init__(rig, session_ids)
        self.narrowing = narrowing
        self._listed = set[str]()

    def read(self, event: str) -> None:
        super().read(event)
        message = json.loads(event.partition("data: ")[2])
        match message:
            case {"session": {"id": id_}} if message.get("fits", True):
                self._listed.add(id_)
            case {"session": {"id": id_}}:
                self._listed.discard(id_)
            case {"type": "LeftOut" | "Gap"}:
                self.read_list()

    def read_list(self) -> None:
        with self._rig.store.read() as reader:
            rows = reader.newest_sessions(All(), None, 1000).rows
        self.sessions = {one.row.id: presenter.session(one).model_dump(mode="json") for one in rows}
        assert self.narrowing is not None
        tree = parse_query(self.narrowing.query, QueryScope.SESSION, START_NS)
        self._listed = {
            one.row.id for one in rows if may_fit(tree, one, one.changed_ns) is not False
        }

    def _narrowed(self, state: tuple[object, ...]) -> tuple[object, ...]:
        sessions, spans, requests = super()._narrowed(state)
        assert isinstance(sessions, dict)
        assert self.narrowing is not None
        wanted = self._listed | self.narrowing.row_ids | self._session_ids
        wanted |= {id_ for id_, row in sessions.items() if row["waiting_since"]}
        return (
            self._listed & sessions.keys(),
            {id_: row for id_, row in sessions.items() if id_ in wanted},
            spans,
            requests,
        )

    def should_show(self) -> tuple[object, ...]:
        truth = _PartFollower(
            self._rig, self._session_ids, self.narrowing or Narrowing("", frozenset())
        )
        reload(self._rig, truth)
        truth.read_list()
        return truth.shows()


@given(
    steps=controlled_schedules,
    readings=st.lists(st.none() | st.integers(1, 4), min_size=14, max_size=14),
    session_ids=st.sampled_from([frozenset({NO_SESSION}), frozenset({"S"})]),
    narrowing=st.builds(
        Narrowing,
        st.sampled_from(
            ["", "status:running", "-status:running", "spans<2", "kind:tool", "errors>0"]
        ),
        st.sampled_from([frozenset[str](), frozenset({"C"})]),
    ),
    list_rows=st.sampled_from([1, 2, 200]),
    list_interval_s=st.sampled_from([0.0, 1e9]),
    tail_entries=st.sampled_from([2, 1000]),
    chunk=st.sampled_from([1, 3, 500]),
)
def test_a_viewer_of_a_part_of_the_list_ends_with_that_part_of_the_store(
    steps: list[Step],
    readings: list[int | None],
    session_ids: frozenset[str],
    narrowing: Narrowing,
    list_rows: int,
    list_interval_s: float,
    tail_entries: int,
    chunk: int,
) -> None:
    """Whatever is left out: it reads the list again when that is reported."""

    async def scenario() -> None:
        timing = FeedTiming(0.0, list_interval_s=list_interval_s, keep_alive_s=0.01)
        rig = FedRig(open_store("memory:"), timing)
        viewer = _PartFollower(rig, session_ids, narrowing)
        try:
            for step, event_count in zip(steps, readings, strict=False):
                play(rig, step)
                await viewer.follow(event_count)
            async with asyncio.timeout(30):
                while viewer.last_id != rig.position:
                    await viewer.cut()  # a new connection need not wait for the next second
                    await viewer.follow(None)
            assert viewer.shows() == viewer.should_show()
        finally:
            await viewer.cut()
            rig.store.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_module, "TAIL_ROWS", tail_entries)
        patch.setattr(tail_module, "CHUNK", chunk)
        patch.setattr(feed_module, "CHUNK", chunk)
        patch.setattr(viewing, "LIST_ROWS", list_rows)
        asyncio.run(scenario())


async def _read_all(rig: FedRig, stream: AsyncGenerator[bytes, None]) -> list[Row]:
    """Return the messages up to the present position, without keep-alives."""
    messages: list[Row] = []
    async with asyncio.timeout(10):
        async for event in _events(stream):
            fields = dict(line.split(": ", 1) for line in event.splitlines())
            message = json.loads(fields["data"])
            if message["type"] != "Heartbeat":
                messages.append(message)
            if fields.get("id") == rig.position:
                break
    return messages


def _sent_rows(messages: list[Row]) -> list[tuple[str, bool]]:
    return [(one["session_id"], one.get("fits", True)) for one in messages if "session" in one]


_IN_ONE_SECOND = FeedTiming(0.0, list_interval_s=1e9, keep_alive_s=0.01)
_A_SECOND_EACH = FeedTiming(0.0, list_interval_s=0.0, keep_alive_s=0.01)


async def test_a_row_that_does_not_fit_any_more_is_sent_once_to_each_viewer() -> None:
    rig = FedRig(open_store("memory:"), _A_SECOND_EACH)
    one, other = trace_hex(1), trace_hex(2)
    few = Narrowing("spans<2", frozenset())
    first = rig.feed.stream(None, (), few)
    await anext(first)
    rig.record(started(span(trace=1)), started(span(trace=2)), started(span(trace=2, span_id=2)))
    assert _sent_rows(await _read_all(rig, first)) == [(one, True)]
    late = rig.feed.stream(rig.position, (), few)
    await anext(late)
    rig.record(started(span(trace=1, span_id=3)))
    for stream in (first, late):
        assert _sent_rows(await _read_all(rig, stream)) == [(one, False)]
    rig.record(started(span(trace=1, span_id=4)), started(span(trace=2, span_id=4)))
    for stream in (first, late):
        assert _sent_rows(await _read_all(rig, stream)) == []
        await stream.aclose()
    named = rig.feed.stream(rig.position, (), Narrowing("spans<2", frozenset({other})))
    await anext(named)
    rig.record(started(span(trace=2, span_id=5)))
    assert _sent_rows(await _read_all(rig, named)) == [(other, False)]
    await named.aclose()


async def test_a_session_that_waits_is_sent_whatever_fits_and_once_when_it_goes_on() -> None:
    rig = FedRig(open_store("memory:"), _A_SECOND_EACH)
    rig.record(started(span(trace=1)))
    stream = rig.feed.stream(None, (), Narrowing("status:failed", frozenset()))
    await anext(stream)
    rig.record(paused(1, 1, START_NS), started(span(trace=1, span_id=2)))
    rig.record(started(span(trace=2)))
    [waiting] = [one for one in await _read_all(rig, stream) if "session" in one]
    assert waiting["session"]["waiting_since"] is not None
    rig.record(resumed(1, 1, START_NS + SECOND_NS))
    rig.record(started(span(trace=1, span_id=3)))
    [going_on] = [one for one in await _read_all(rig, stream) if "session" in one]
    assert (going_on["session"]["waiting_since"], going_on["fits"]) == (None, False)
    await stream.aclose()


async def test_of_too_many_rows_those_named_come_and_a_report_of_how_many_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(viewing, "LIST_ROWS", 2)
    rig = FedRig(open_store("memory:"), _A_SECOND_EACH)
    stream = rig.feed.stream(None, (), Narrowing("", frozenset({trace_hex(1)})))
    await anext(stream)
    rig.record(*(started(span(trace=number)) for number in range(1, 6)))
    left_out, *others = await _read_all(rig, stream)
    assert (left_out["type"], left_out["count"]) == ("LeftOut", 3)
    assert left_out["through"] == rig.position
    assert _sent_rows(others) == [(trace_hex(1), True), (trace_hex(5), True)]
    await stream.aclose()


async def test_a_query_is_evaluated_once_a_row_however_many_viewers_have_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = Counter[tuple[str, int]]()

    def counted(tree: Node, session: SessionRecord, now_ns: int) -> bool | None:
        seen[session.row.id, session.change] += 1
        return may_fit(tree, session, now_ns)

    monkeypatch.setattr(narrowing_module, "may_fit", counted)
    rig = FedRig(open_store("memory:"), _A_SECOND_EACH)
    streams = [
        rig.feed.stream(None, (), Narrowing("spans<3", frozenset({str(number)})))
        for number in range(20)
    ]
    for stream in streams:
        await anext(stream)
    for number in range(1, 5):
        rig.record(*(started(span(trace=trace, span_id=number)) for trace in (1, 2)))
        for stream in streams:
            await _read_all(rig, stream)
    assert len(seen) == 8
    assert set(seen.values()) == {1}
    for stream in streams:
        await stream.aclose()


@pytest.mark.parametrize("tail_rows", [0, 1000])
async def test_cut_off_before_rows_that_were_left_out_are_reported_a_viewer_hears_of_them_next(
    monkeypatch: pytest.MonkeyPatch, tail_rows: int
) -> None:
    monkeypatch.setattr(tail_module, "TAIL_ROWS", tail_rows)
    monkeypatch.setattr(viewing, "LIST_ROWS", 2)
    rig = FedRig(open_store("memory:"), _IN_ONE_SECOND)
    stream = rig.feed.stream(None, (), Narrowing("", frozenset()))
    await anext(stream)
    rig.record(started(span(trace=1)))
    assert _sent_rows(await _read_all(rig, stream)) == [(trace_hex(1), True)]
    viewer = Viewer(last_id=rig.position)
    rig.record(*(started(span(trace=number)) for number in range(2, 6)))
    events = _events(stream)
    while viewer.types.count("Heartbeat") < 5:
        viewer.read(await anext(events))
    assert "LeftOut" not in viewer.types
    await stream.aclose()
    again = rig.feed.stream(viewer.last_id, (), Narrowing("", frozenset()))
    assert [one["count"] for one in await _read_all(rig, again) if one["type"] == "LeftOut"] == [2]
    await again.aclose()


async def test_rows_of_other_sessions_wait_unless_they_came_or_settled() -> None:
    rig = FedRig(open_store("memory:"), _LIST_ONCE)
    rig.record(started(span(trace=1)), started(span(trace=2)))
    stream = rig.feed.stream(None, [trace_hex(1)])
    await anext(stream)
    viewer = Viewer()

    async def read() -> list[str]:
        viewer.types.clear()
        for event in (await _rows(stream)).decode().removesuffix("\n\n").split("\n\n"):
            viewer.read(event)
        return [kind for kind in viewer.types if kind.startswith("Session")]

    rig.record(started(span(trace=2, span_id=2)))
    assert await read() == ["SessionUpdated"]  # the first after silence is sent at once
    seen = viewer.last_id
    rig.record(started(span(trace=2, span_id=3)))
    rig.record(started(span(trace=1, span_id=2)))
    assert await read() == ["SessionUpdated"]
    assert viewer.sessions[trace_hex(1)]["span_count"] == 2
    assert viewer.sessions[trace_hex(2)]["span_count"] == 2
    assert viewer.last_id == seen  # cut off now, it gets what waits
    rig.record(started(span(trace=3)))
    assert await read() == ["SessionStarted"]
    await stream.aclose()


@pytest.mark.parametrize("is_behind", [True, False])
async def test_of_a_list_in_pieces_none_waits(
    monkeypatch: pytest.MonkeyPatch, is_behind: bool
) -> None:
    for module in (tail_module, feed_module):
        monkeypatch.setattr(module, "CHUNK", 1)
    rig = FedRig(open_store("memory:"), _LIST_ONCE)
    rig.record(*(started(span(trace=number)) for number in (1, 2, 3)))
    with rig.store.read() as reader:
        behind = rig.feed.position(reader.head - 1)
    stream = rig.feed.stream(behind if is_behind else None, [trace_hex(1)])
    await anext(stream)
    rig.record(*(started(span(trace=number, span_id=2)) for number in (2, 3)))
    viewer, events = Viewer(), _events(stream)
    async with asyncio.timeout(5):
        for number in (2, 3):
            while viewer.sessions.get(trace_hex(number), {}).get("span_count") != 2:
                viewer.read(await anext(events))
    await stream.aclose()


async def test_a_session_that_came_and_changed_since_is_sent_once_to_a_viewer_of_some(
    fed: FedRig,
) -> None:
    stream = fed.feed.stream(None, [trace_hex(1)])
    await anext(stream)
    for number in (1, 2, 1):
        fed.record(started(span(trace=number)), started(span(trace=number, span_id=2 + number)))
        fed.record(started(span(trace=number, span_id=9)))
    assert (await _rows(stream)).count(b"SessionStarted") == 2
    await stream.aclose()


async def test_a_reader_without_a_position_hears_only_what_comes(fed: FedRig) -> None:
    fed.record(span(trace=1))
    stream = fed.feed.stream()
    viewer = Viewer()
    viewer.read((await anext(stream)).decode())
    assert viewer.types == ["Heartbeat"]
    fed.record(span(trace=2))
    while not viewer.sessions:  # on a busy machine a heartbeat is due before
        for event in (await anext(stream)).decode().removesuffix("\n\n").split("\n\n"):
            viewer.read(event)
    assert set(viewer.sessions) == {trace_hex(2)}
    await stream.aclose()


@pytest.mark.parametrize(
    "position", ["", "x", "other.1", "{id}.99", "{id}.-1", "{id}.1e3", "{id}."]
)
async def test_a_position_that_means_nothing_here_is_a_gap(fed: FedRig, position: str) -> None:
    fed.record(span())
    stream = fed.feed.stream(position.format(id=fed.store.id))
    viewer = Viewer()
    viewer.read((await anext(stream)).decode())
    assert viewer.types == ["Gap"]
    assert viewer.last_id == fed.position
    await stream.aclose()


@pytest.mark.parametrize("is_behind", [True, False])
async def test_a_commit_that_is_stored_and_not_yet_published_is_no_gap(
    fed: FedRig, is_behind: bool
) -> None:
    viewer = Viewer(last_id=fed.position)
    fed.record(span(trace=1))
    changes = fed.recorder.record([incoming(span(trace=2))], [], fed.now_ns)
    Rig.commit(fed, changes)
    if not is_behind:
        reload(fed, viewer)
    stream = fed.feed.stream(viewer.last_id)
    events = _events(stream)
    while viewer.types.count("Heartbeat") < 3:
        viewer.read(await anext(events))
    fed.feed.publish(changes)
    while viewer.last_id != fed.position:
        viewer.read(await anext(events))
    assert "Gap" not in viewer.types
    assert shown(viewer) == stored(fed)
    await stream.aclose()


async def test_a_reader_too_far_behind_reads_the_lists_instead(
    fed: FedRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewing, "MAX_BEHIND", 3)
    for number in range(1, 4):
        fed.record(span(trace=number))
    stream = fed.feed.stream(fed.feed.position(0))
    assert b'"Gap"' in await anext(stream)
    await stream.aclose()


async def test_spans_of_other_sessions_are_left_out_sessions_never(fed: FedRig) -> None:
    stream = fed.feed.stream(None, [trace_hex(1)])
    await anext(stream)
    fed.record(span(trace=1), span(trace=2))
    viewer = Viewer()
    while len(viewer.sessions) < 2:  # a heartbeat may come first
        for event in (await anext(stream)).decode().removesuffix("\n\n").split("\n\n"):
            viewer.read(event)
    assert set(viewer.sessions) == {trace_hex(1), trace_hex(2)}
    assert [trace_id for trace_id, _ in viewer.spans] == [trace_hex(1)]
    await stream.aclose()


async def test_what_nobody_follows_is_not_remembered_and_comes_from_the_store_when_somebody_does(
    fed: FedRig,
) -> None:
    before = fed.position
    first = fed.feed.stream(None, [trace_hex(1)])
    await anext(first)
    fed.record(span(trace=1), span(trace=2), log("inspector.progress", trace=2, span_id=1))
    assert set(fed.feed._tail._own) == {trace_hex(1)}
    second = fed.feed.stream(before, [trace_hex(2)])
    await anext(second)
    assert b'"SpanEnded"' in await anext(second)
    await first.aclose()
    fed.record(span(trace=1, span_id=2), span(trace=2, span_id=2))
    assert set(fed.feed._tail._own) >= {trace_hex(2)}
    assert (await anext(second)).count(b'"SpanEnded"') == 1
    await second.aclose()
    assert fed.feed._tail.row_count == 0


async def test_only_the_newest_version_is_sent(fed: FedRig) -> None:
    fed.record(started(span()))
    for number in range(20):
        fed.record(progressed(span(f"step {number}"), START_NS + number))
    viewer = Viewer(last_id=fed.feed.position(0))
    await follow(fed, viewer, None)
    assert viewer.types == ["Heartbeat", "SpanStarted", "SessionStarted"]


async def test_a_span_starts_is_updated_and_ends(fed: FedRig) -> None:
    viewer = Viewer(last_id=fed.position)
    for item in (
        started(span()),
        progressed(span("renamed"), START_NS + 1),
        span("renamed"),
    ):
        fed.record(item)
        await follow(fed, viewer, None)
    assert [kind for kind in viewer.types if kind.startswith("Span")] == [
        "SpanStarted",
        "SpanUpdated",
        "SpanEnded",
    ]


async def test_moments_have_messages_of_their_own_and_others_show_on_their_span(
    fed: FedRig,
) -> None:
    fed.record(started(span()))
    viewer = Viewer(last_id=fed.position)
    for name in (
        "inspector.session.paused",
        "inspector.session.resumed",
        "inspector.decision",
        "inspector.progress",
        "inspector.model.selected",
    ):
        fed.record(log(name, trace=1, span_id=1))
        await follow(fed, viewer, None)
    types = [kind for kind in viewer.types if kind not in {"Heartbeat", "SessionUpdated"}]
    assert types == [
        "SpanUpdated",  # it waits
        "WaitingOnSignal",
        "SpanUpdated",  # it does not any more
        "SignalReceived",
        "DecisionMade",
        "ProgressUpdate",
        "SpanUpdated",
    ]


async def test_a_resource_that_was_read_is_reported_beside_its_end(fed: FedRig) -> None:
    viewer = Viewer(last_id=fed.position)
    fed.record(span(attributes={"mcp.method.name": "resources/read"}))
    await follow(fed, viewer, None)
    assert {"ResourceFetched", "SpanEnded"} <= set(viewer.types)


async def test_a_trace_that_moves_says_where_from_and_where_to(fed: FedRig) -> None:
    fed.record(span(span_id=2, parent=1))
    viewer = Viewer(last_id=fed.feed.position(0))
    await follow(fed, viewer, None)
    fed.record(span(attributes={"session.id": "S"}))
    await follow(fed, viewer, None)
    assert shown(viewer) == stored(fed)
    assert set(viewer.sessions) == {"S"}


async def test_a_session_that_a_trace_left_is_forgotten(
    fed: FedRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "TAIL_ROWS", 3)
    stream = fed.feed.stream()
    await anext(stream)
    fed.record(span(span_id=2, parent=1))
    fed.record(span(attributes={"session.id": "S"}))
    for number in range(2, 5):
        fed.record(span(trace=number))
    assert not {trace_hex(1), "S"} & set(fed.feed._tail._own)
    await stream.aclose()


async def test_an_idle_stream_stays_alive_with_the_services_clock(fed: FedRig) -> None:
    feed = Feed(fed.store, timing=FeedTiming(0.0, keep_alive_s=0.01), clock=lambda: 7 * SECOND_NS)
    stream = feed.stream()
    await anext(stream)
    async with asyncio.timeout(5):
        beat = (await anext(stream)).decode()
    assert '"type":"Heartbeat"' in beat
    assert '"now_ns":"7000000000"' in beat
    await stream.aclose()


async def test_streams_end_when_the_feed_is_closed(fed: FedRig) -> None:
    stream = fed.feed.stream()
    await anext(stream)

    async def read_to_the_end() -> list[bytes]:
        return [message async for message in stream]

    waiting = asyncio.ensure_future(read_to_the_end())
    await asyncio.sleep(0)
    await fed.feed.close()
    async with asyncio.timeout(5):
        rest = await waiting
    assert all(b"Heartbeat" in message for message in rest)  # on a slow machine one fits in


async def test_a_burst_is_one_write_to_each_viewer(fed: FedRig) -> None:
    feed = Feed(fed.store, timing=FeedTiming(interval_s=0.05), clock=lambda: START_NS)
    fed.feed = feed
    stream = feed.stream()
    await anext(stream)
    fed.record(span(trace=1))
    first = await anext(stream)
    for number in range(2, 30):
        fed.record(span(trace=number))
    second = await anext(stream)
    assert first.count(b"SpanEnded") == 1
    assert second.count(b"SpanEnded") == 28
    await stream.aclose()


@pytest.mark.slow
async def test_of_two_hundred_viewers_one_that_stalls_holds_nobody_up_and_costs_nothing(
    fed: FedRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "TAIL_ROWS", 20)
    stalled = fed.feed.stream()
    await anext(stalled)
    viewers = [Viewer(last_id=fed.position) for _ in range(199)]
    for number in range(1, 61):
        fed.record(span(trace=number))
    await asyncio.gather(*(follow(fed, viewer, None) for viewer in viewers))
    assert all(len(viewer.spans) == 60 for viewer in viewers)
    assert fed.feed._tail.row_count <= 20  # all that is kept, for whoever is behind
    late = Viewer()
    async with asyncio.timeout(10):
        while len(late.spans) < 60:
            for event in (await anext(stalled)).decode().removesuffix("\n\n").split("\n\n"):
                late.read(event)
    await stalled.aclose()


async def test_what_viewers_of_different_positions_share_is_bounded(
    fed: FedRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "TAIL_ROWS", 20)
    stream = fed.feed.stream()
    await anext(stream)
    fed.record(*(started(span(trace=1, span_id=number)) for number in range(1, 15)))
    for change in range(fed.feed._tail.head):
        viewer = Viewer(last_id=fed.feed.position(change))
        await follow(fed, viewer, None)
    rows = sum(found.entry_count for found in fed.feed._tail._found.values())
    assert rows <= 20
    await stream.aclose()


class _NoWaiting(selectors.DefaultSelector):
    """Moves the time on in place of waiting, in whole milliseconds."""

    now_ms = 8 * 3_600_000

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now_ms += math.ceil(round((timeout or 0) * 1000, 3))
        return super().select(0)


class _LoopOfMilliseconds(asyncio.SelectorEventLoop):
    """A loop that counts whole milliseconds, as uvloop does, of a machine that is up for hours."""

    def __init__(self) -> None:
        self._selected = _NoWaiting()
        super().__init__(self._selected)

    def time(self) -> float:
        return self._selected.now_ms / 1000


def test_news_comes_in_time_in_a_loop_that_counts_milliseconds() -> None:
    async def scenario() -> None:
        rig = FedRig(open_store("memory:"))
        timing = FeedTiming(row_s=1.0, keep_alive_s=60.0)
        rig.feed = Feed(rig.store, timing=timing, clock=lambda: START_NS)
        stream = rig.feed.stream()
        await anext(stream)
        for number in range(1, 100):
            rig.record(span(trace=number))
            async with asyncio.timeout(5):
                assert b"SpanEnded" in await anext(stream)
        await stream.aclose()

    with asyncio.Runner(loop_factory=_LoopOfMilliseconds) as runner:
        runner.run(scenario())


async def _rows(stream: AsyncIterator[bytes]) -> bytes:
    """Return the next write that has rows of sessions: a keep-alive may come before it."""
    async with asyncio.timeout(30):
        return await anext(write async for write in stream if b'"Session' in write)


@pytest.fixture
async def fed() -> AsyncIterator[FedRig]:
    rig = FedRig(open_store("memory:"))
    yield rig
    await rig.feed.close()
