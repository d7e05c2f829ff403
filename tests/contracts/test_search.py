"""A search finds all matches, each once, in every store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.records import Changes, Content, SessionRecord, SpanRecord
from inspector.service.model.rows import Json, SessionStatus, SpanKind, SpanStatus
from inspector.service.query import QueryScope, parse_query
from inspector.service.query.fields import SESSION_FIELDS, SPAN_FIELDS
from inspector.service.query.tree import All, Node
from inspector.service.search import Search, histogram, open_search
from inspector.service.search.evaluator import Evaluator
from inspector.service.search.fields import SESSION_READERS, SPAN_READERS
from inspector.service.search.histogram import Buckets, count_all, count_sessions
from inspector.service.search.indexing import Indexer
from inspector.service.search.usage import UsageKey, UsageSum, group_usage
from inspector.service.storage import Store, open_store, sqlite_reader
from inspector.service.storage.base import Reader, TooLateError
from inspector.service.storage.orders import Order, SortKey, place_of
from inspector.service.storage.sqlite_narrowing import SESSION_COLUMNS, SPAN_COLUMNS
from inspector.service.storage.word_index import WordIndex
from tests.contracts.test_store import session, span, trace
from tests.support.models.store import ModelStore
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, key_values
from tests.support.telemetry.otlp import span as otlp_span
from tests.support.telemetry.records import incoming, span_hex, started

NOW_NS = START_NS + 100 * SECOND_NS
_INDEXES = ("no index", "index", "index of half")


def story(store: Store, between: Callable[[], None] = lambda: None) -> None:
    """An agent that calls a model and two tools, and a session where little happened.

    It is recorded twice: at first all of it still runs, with fewer attributes.
    """
    rig = Rig(store)
    rig.record(
        started(otlp_span("invoke_agent planner", span_id=1, duration_ns=None)),
        started(
            otlp_span(
                "chat gpt-5", span_id=2, parent=1, duration_ns=None, attributes={"note": "thinking"}
            )
        ),
    )
    rig.record(
        otlp_span(
            "invoke_agent planner", span_id=1, attributes={"gen_ai.operation.name": "invoke_agent"}
        ),
        otlp_span(
            "chat gpt-5",
            span_id=2,
            parent=1,
            duration_ns=2 * SECOND_NS,
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "gpt-5",
                "gen_ai.usage.input_tokens": 1200,
                "gen_ai.usage.output_tokens": 30,
                "gen_ai.input.messages": (
                    r'[{"role": "user", "content": "Line\nMerge Conflict in src/añadir.py!"},'
                    ' {"role": "user", "content": "合并冲突 🔥"}]'
                ),
            },
        ),
        otlp_span(
            "execute_tool git_status",
            span_id=3,
            parent=1,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "http.status": 503,
                "on": True,
                "n.max": 9_223_372_036_854_775_807,
                "n.min": -9_223_372_036_854_775_808,
                "n.odd": 9_007_199_254_740_993,
            },
        ),
    )
    between()
    rig.record(
        otlp_span(
            "execute_tool fetch",
            span_id=4,
            parent=2,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "urls": ["a.example", "b.example"],
            },
            events=[
                Span.Event(
                    name="exception", attributes=key_values({"exception.message": "sk-12 x"})
                )
            ],
        ),
    )
    rig.record(incoming(otlp_span("nightly", span_id=5, trace=2), service="batch"))
    rig.wait(60)


@dataclass(frozen=True)
class Searched:
    """A store with the story."""

    store: Store
    words: WordIndex | None


@pytest.fixture(scope="module", params=[f"{s}, {i}" for s in ("model", "sqlite") for i in _INDEXES])
def searched(request: pytest.FixtureRequest) -> Iterator[Searched]:
    kind, _, index = request.param.partition(", ")
    with TemporaryDirectory() as folder:
        opened: Store = ModelStore() if kind == "model" else open_store(f"sqlite:///{folder}/store")
        with closing(opened) as store, closing(WordIndex(None, store.id, 1)) as words:
            if index == "index of half":
                story(store, between=lambda: catch_up(store, words))
            else:
                story(store)
            if index == "index":
                catch_up(store, words)
            yield Searched(store, None if index == "no index" else words)


def catch_up(store: Store, words: WordIndex) -> None:
    indexer = Indexer(store, words, is_running=False)
    while indexer.step():
        pass


def found_spans(store: Store, text: str, words: WordIndex | None = None) -> set[str]:
    wanted = parse_query(text, QueryScope.SPAN, NOW_NS)
    with open_search(store, words, NOW_NS, page_s=60) as search:
        search.page_s = 60
        page = search.spans(wanted, None, 100)
    assert page.next is None
    return {row.name.split()[-1] for row in page.rows}


def found_sessions(store: Store, text: str, words: WordIndex | None = None) -> set[str]:
    wanted = parse_query(text, QueryScope.SESSION, NOW_NS)
    with open_search(store, words, NOW_NS, page_s=60) as search:
        search.page_s = 60
        page = search.sessions(wanted, None, 100)
    assert page.next is None
    return {service for record in page.rows for service in record.row.services}


EVERY = {"planner", "gpt-5", "git_status", "fetch", "nightly"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", EVERY),
        ("kind:llm", {"gpt-5"}),
        ("kind:llm,tool", {"gpt-5", "git_status", "fetch"}),
        ("-kind:llm,tool", {"planner", "nightly"}),
        ("tool:git_*", {"git_status"}),
        ("tool:*", {"git_status", "fetch"}),
        ("agent:PLANNER", {"planner"}),
        ("name~FETCH", {"fetch"}),
        ("tokens>1k", {"gpt-5"}),
        ("-tokens>1k", EVERY - {"gpt-5"}),
        ("duration>=2s", {"gpt-5"}),
        ("root:yes", {"planner", "nightly"}),
        ("parent(agent:planner)", {"gpt-5", "git_status"}),
        ("ancestor(kind:agent)", {"gpt-5", "git_status", "fetch"}),
        ("child(tool:fetch)", {"gpt-5"}),
        ("descendant(tool:fetch)", {"planner", "gpt-5"}),
        ("-descendant(tool:fetch) kind:agent", set()),
        ('"merge conflict"', {"gpt-5"}),
        ("merge conflict", {"gpt-5"}),
        ('"conflict merge"', set()),
        ("conflict merge", {"gpt-5"}),
        ("onflict", set()),
        ("conf*", {"gpt-5"}),
        ("merge", {"gpt-5"}),
        ("nmerge", set()),
        ("src/anadir.py", {"gpt-5"}),
        ("SRC/AÑA*", {"gpt-5"}),
        ("并冲", {"gpt-5"}),
        ("冲并", set()),
        ("🔥", {"gpt-5"}),
        ("thinking", set()),
        ("sk-12", {"fetch"}),
        ("sk-1", set()),
        ("exception OR git", {"fetch", "git_status"}),
        ("-exception kind:tool", {"git_status"}),
        ("a.example", {"fetch"}),
        ("@http.status>=500", {"git_status"}),
        ("@http.status:503", {"git_status"}),
        ("@http.status>=504", set()),
        ("@on:true", {"git_status"}),
        ("@urls:b.*", {"fetch"}),
        ("@urls:b.example", {"fetch"}),
        ("@urls:*", {"fetch"}),
        ("@http.status:503.0", {"git_status"}),
        ("@n.max:9223372036854775807", {"git_status"}),
        ("@n.max>=9223372036854775807", {"git_status"}),
        ("@n.max:9223372036854775806", set()),
        ("@n.max>9223372036854775806", {"git_status"}),
        ("@n.min:-9223372036854775808", {"git_status"}),
        ("@n.min:-9223372036854775807", set()),
        ("@n.min<-9223372036854775807", {"git_status"}),
        ("@n.odd:9007199254740993", {"git_status"}),
        ("@n.odd:9007199254740992", set()),
        ("@n.odd>9007199254740992", {"git_status"}),
        ("@http.status:504", set()),
        ("tool:fetch @urls~A.EX", {"fetch"}),
        ("@service.name:batch", {"nightly"}),
        ("service:batch", {"nightly"}),
        ("session(errors:0 spans>1) kind:agent", {"planner"}),
        ("(kind:agent OR kind:llm) -tokens:*", {"planner"}),
        ("started>2999-01-01", set()),
    ],
)
def test_spans_are_found(searched: Searched, text: str, names: set[str]) -> None:
    assert found_spans(searched.store, text, searched.words) == names


@pytest.mark.parametrize(
    ("text", "services"),
    [
        ("", {"demo", "batch"}),
        ("nightly", {"batch"}),
        ("MERGE", {"demo"}),
        ("merge conflict", {"demo"}),
        ("merge exception", {"demo"}),
        ("span(merge exception)", set()),
        ("thinking", set()),
        ("-merge", {"batch"}),
        ("merge OR nightly", {"demo", "batch"}),
        ("service:batch", {"batch"}),
        ("service:demo @http.status:503", {"demo"}),
        ("kind:llm", {"demo"}),
        ("-kind:llm", {"batch"}),
        ("span(kind:llm tokens>1k)", {"demo"}),
        ("span(kind:tool tokens>1k)", set()),
        ("model:gpt-*", {"demo"}),
        ("tokens:1230", {"demo"}),
        ("spans:1", {"batch"}),
        ("status:completed service:demo", {"demo"}),
        ("parent(kind:llm)", {"demo"}),
        ("duration>=2s", {"demo"}),
    ],
)
def test_sessions_are_found(searched: Searched, text: str, services: set[str]) -> None:
    assert found_sessions(searched.store, text, searched.words) == services


@pytest.mark.parametrize("is_indexed", [False, True])
def test_tools_and_agents_are_found_by_the_names_that_attributes_give_them(
    store: Store, is_indexed: bool
) -> None:
    tool: dict[str, Json] = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather"}
    agent: dict[str, Json] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "planner",
    }
    rig = Rig(store)
    rig.record(
        started(otlp_span("ai.toolCall", span_id=1, duration_ns=None, attributes=tool)),
        otlp_span("agent run", span_id=2, attributes=agent),
    )
    with closing(WordIndex(None, store.id, 1)) as words:
        catch_up(store, words)
        index = words if is_indexed else None
        assert found_spans(store, "tool:weather", index) == {"ai.toolCall"}
        assert found_spans(store, "agent:plan*", index) == {"run"}
        assert found_spans(store, "tool:ai.toolCall OR agent:run", index) == set()


def test_every_field_can_be_read() -> None:
    assert SESSION_READERS.keys() == SESSION_FIELDS.keys()
    assert SPAN_READERS.keys() == SPAN_FIELDS.keys()
    assert SESSION_COLUMNS.keys() <= SESSION_FIELDS.keys()
    assert SPAN_COLUMNS.keys() <= SPAN_FIELDS.keys()


def test_pages_end_when_their_time_is_up_and_go_on_where_they_ended(store: Store) -> None:
    rows = [span(n, change=n) for n in range(1, 8)]
    contents = {row.content: Content(b"", b"") for row in rows}
    store.commit(Changes(1, 7, [session("S", 8)], [trace(1)], spans=rows, contents=contents))
    wanted = parse_query("kind:tool", QueryScope.SPAN, NOW_NS)
    seen: list[list[str]] = []
    before: int | None = None
    with store.read() as reader:
        ticks = iter(range(100))  # a page of three ticks: its first, and two rows
        search = Search(reader, NOW_NS, page_s=2, clock=lambda: float(next(ticks)))
        while True:
            page = search.spans(wanted, before, 100)
            seen.append([row.span_id for row in page.rows])
            if page.next is None:
                break
            before = page.next
    assert [id_ for ids in seen for id_ in ids] == [span_hex(n) for n in range(7, 0, -1)]
    assert max(map(len, seen)) == 2


def test_a_full_page_has_a_cursor_only_when_more_fits(store: Store) -> None:
    records = [session(f"S{n}", n, started_ns=START_NS + n) for n in range(1, 5)]
    store.commit(Changes(1, 4, records))
    with store.read() as reader:
        search = Search(reader, NOW_NS, page_s=60)
        everything = parse_query("", QueryScope.SESSION, NOW_NS)
        first = search.sessions(everything, None, 2)
        assert [one.row.id for one in first.rows] == ["S4", "S3"]
        assert first.next == (START_NS + 3, "S3")
        assert search.sessions(everything, first.next, 2).next is None


def test_a_session_with_many_spans_is_left_to_the_page_that_begins_with_it(store: Store) -> None:
    rows = [span(n, change=n, session_id="S1") for n in range(1, 600)]
    contents = {row.content: Content(b"", b"") for row in rows}
    records = [session(f"S{n}", 1000 + n, started_ns=START_NS + n) for n in (1, 2)]
    changes = Changes(1, 1010, records, [trace(1, "S1")], spans=rows, contents=contents)
    store.commit(changes)
    wanted = parse_query("span(needle)", QueryScope.SESSION, NOW_NS)
    after: tuple[int, str] | None = None
    places: list[str] = []
    with store.read() as reader:
        while not places or after is not None:
            page = _page_of_three_ticks(reader).sessions(wanted, after, 10)
            assert page.rows == []
            after = page.next
            places.append(after[1] if after else "end")
    assert places == ["S2", "end"]


def test_where_no_page_follows_a_session_that_takes_long_is_left_out(store: Store) -> None:
    _commit_long_sessions(store)
    wanted = parse_query('"span 1"', QueryScope.SESSION, NOW_NS)  # the last that is looked at
    with store.read() as reader:
        search = Search(reader, NOW_NS, page_s=0)
        found = search.sessions(wanted, (START_NS + 1, ""), 10).rows
        assert [record.row.id for record in found] == ["S0"]
        assert search.sessions(wanted, (START_NS + 1, ""), 10, has_next=False).rows == []


def test_a_statement_over_many_rows_ends_when_it_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reader, "_STEPS", 100)
    with closing(open_store("memory:")) as store:
        _commit_long_sessions(store)
        wanted = parse_query("-status:error", QueryScope.SESSION, NOW_NS)
        with store.read() as reader:
            with pytest.raises(TooLateError), reader.until(lambda: True):
                reader.newest_sessions(wanted, None, 10)
            assert len(reader.newest_sessions(wanted, None, 10).rows) == 3


@pytest.mark.slow
@pytest.mark.parametrize("query", ["-status:error", "kind:tool parent(kind:tool)", "kind:llm"])
@pytest.mark.parametrize("is_indexed", [False, True])
def test_pages_that_are_late_at_once_find_all_sessions(
    store: Store, query: str, is_indexed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_reader, "_STEPS", 100)
    _commit_long_sessions(store)
    wanted = parse_query(query, QueryScope.SESSION, NOW_NS)
    with closing(WordIndex(None, store.id, 1)) as words:
        if is_indexed:
            catch_up(store, words)
        with open_search(store, words if is_indexed else None, NOW_NS, page_s=0) as search:
            pages = [search.sessions(wanted, None, 10)]
            while (after := pages[-1].next) is not None:
                pages.append(search.sessions(wanted, after, 10))
            search.page_s = 60
            assert [row for page in pages for row in page.rows] == search.sessions(
                wanted, None, 10
            ).rows
    assert max(len(page.rows) for page in pages) <= 1


def _commit_long_sessions(store: Store) -> None:
    """Three sessions of 600 spans, the last one first; each has the next one as its parent."""
    rows = [
        replace(
            span(n, n, trace_number=1 + n // 600, session_id=f"S{n // 600}"),
            start_ns=START_NS - n,
            parent_span_id=span_hex(n + 1),
        )
        for n in range(1, 1_800)
    ]
    contents = {row.content: Content(b"", b"") for row in rows}
    records = [session(f"S{n}", 2_000 + n, started_ns=START_NS + n) for n in range(3)]
    traces = [trace(1 + n, f"S{n}") for n in range(3)]
    store.commit(Changes(1, 2_010, records, traces, spans=rows, contents=contents))


def _page_of_three_ticks(reader: Reader) -> Search:
    ticks = iter(range(10_000))
    return Search(reader, NOW_NS, page_s=3, clock=lambda: float(next(ticks)))


def test_a_circle_of_parents_is_gone_round_once(store: Store) -> None:
    rows = [replace(span(n, change=n), parent_span_id=span_hex(3 - n)) for n in (1, 2)]
    contents = {row.content: Content(b"", b"") for row in rows}
    store.commit(Changes(1, 2, [session("S", 3)], [trace(1)], spans=rows, contents=contents))
    assert found_spans(store, "ancestor(kind:llm)") == set()
    assert found_spans(store, "descendant(kind:llm)") == set()
    assert found_spans(store, "ancestor(kind:tool)") == {"1", "2"}


def test_a_text_of_a_parent_fits_in_any_case_of_any_alphabet(store: Store) -> None:
    kelvin = "8\u212a"  # a sign, and a k in another case
    rows = [replace(span(1, change=1), kind=SpanKind.AGENT, subject=kelvin, name="CAFÉ")]
    rows.append(replace(span(2, change=2), parent_span_id=span_hex(1)))
    contents = {row.content: Content(b"", b"") for row in rows}
    store.commit(Changes(1, 3, [session("S", 3)], [trace(1)], spans=rows, contents=contents))
    assert found_spans(store, "parent(agent:8k)") == {"2"}
    assert found_spans(store, "parent(name:café)") == {"2"}
    assert found_spans(store, "parent(agent:8)") == set()


# --- what a store leaves out beforehand would not have fitted --------------------------------

_TERMS = [
    "kind:llm", "kind:tool,agent", "status:ok", "status:running", "status:failed", "root:yes",
    "tokens>2", "input_tokens<=3", "input_tokens:*", "output_tokens:1..4", "cost>0.5", "cost:*",
    "duration>2ns", "ended:*", "started<2026-01-01", "size<4", "waiting>1ns", "model:m*", "name~2",
    "engine:otlp", "parent(kind:llm)", "child(status:ok)", "tokens:2..4", "duration<=1ns",
    "active>1ns", "session(status:failed)", "span(kind:llm tokens>2)", "parent(parent(kind:tool))",
    "ancestor(tokens>3)", "descendant(kind:agent)", "started>2026-01-01", "spans>0", "agent:one",
    "parent(agent:one)", "parent(model:m1 kind:llm)", "span(tool:one)", "parent(-tool:one)",
]  # fmt: skip
_queries = st.recursive(
    st.sampled_from(_TERMS),
    lambda inner: (
        st.builds("-({})".format, inner)
        | st.builds("({} OR {})".format, inner, inner)
        | st.builds("({} {})".format, inner, inner)
    ),
    max_leaves=6,
)
_small = st.none() | st.integers(0, 5)


@st.composite
def _rows(draw: st.DrawFn, number: int) -> SpanRecord:
    start_ns = START_NS + draw(st.integers(0, 5))
    ended = draw(st.none() | st.integers(0, 5))
    return replace(
        span(number, change=number, start_ns=start_ns),
        end_ns=None if ended is None else start_ns + ended,
        parent_span_id=draw(st.none() | st.integers(1, 6).map(span_hex)),
        kind=draw(st.sampled_from([SpanKind.LLM, SpanKind.TOOL, SpanKind.AGENT])),
        status=draw(st.sampled_from(SpanStatus)),
        is_root=draw(st.booleans()),
        model=draw(st.none() | st.sampled_from(["M1", "x"])),
        subject=draw(st.none() | st.sampled_from(["One", "two"])),
        input_tokens=draw(_small),
        output_tokens=draw(_small),
        cost_usd=draw(st.none() | st.floats(0, 1)),
        wait_ns=draw(st.integers(0, 3)),
        waited=((start_ns, None),) if draw(st.booleans()) else (),
        size_bytes=draw(st.integers(0, 9)),
    )


@pytest.mark.slow
@given(
    st.tuples(*(_rows(number) for number in range(1, 7))),
    st.sampled_from(SessionStatus),
    _queries,
    st.sampled_from(QueryScope),
)
def test_sqlite_finds_what_the_plain_reading_of_every_row_finds(
    rows: tuple[SpanRecord, ...], status: SessionStatus, text: str, scope: QueryScope
) -> None:
    one = session("S", 8)
    one.row = replace(one.row, status=status)
    contents = {row.content: Content(b"", b"") for row in rows}
    changes = Changes(1, 8, [one], [trace(1)], spans=list(rows), contents=contents)
    wanted = parse_query(text, scope, NOW_NS)
    plain = ModelStore()
    plain.commit(changes)
    with plain.read() as reader:
        evaluator = Evaluator(reader, NOW_NS)
        subjects = [one] if scope is QueryScope.SESSION else rows
        expected = {_id(subject) for subject in subjects if evaluator.fits(wanted, subject)}
    with TemporaryDirectory() as folder, closing(open_store(f"sqlite:///{folder}/s")) as sqlite:
        sqlite.commit(changes)
        with sqlite.read() as reader:
            assert _found(Search(reader, NOW_NS, page_s=60), wanted, scope) == expected


def _found(search: Search, wanted: Node, scope: QueryScope) -> set[str]:
    if scope is QueryScope.SESSION:
        return {_id(row) for row in search.sessions(wanted, None, 100).rows}
    return {_id(row) for row in search.spans(wanted, None, 100).rows}


def _id(subject: SpanRecord | SessionRecord) -> str:
    return subject.row.id if isinstance(subject, SessionRecord) else subject.span_id


# --- any other order ---------------------------------------------------------------------------


@st.composite
def _sessions(draw: st.DrawFn) -> list[SessionRecord]:
    records = []
    for number in range(1, draw(st.integers(2, 9))):
        started_ns = START_NS + draw(st.integers(0, 3)) * SECOND_NS
        row = replace(
            session(f"S{number}", number, started_ns=started_ns).row,
            title=draw(st.sampled_from(["alpha", "Alpha", "beta", "Ärger", "合并", "🔥", ""])),
            status=draw(st.sampled_from([SessionStatus.RUNNING, SessionStatus.FAILED])),
            ended_ns=draw(st.none() | st.sampled_from([started_ns, started_ns + SECOND_NS])),
            waiting_ns=draw(st.integers(0, 2)) * SECOND_NS,
            waiting_since_ns=draw(st.none() | st.just(NOW_NS - 2 * SECOND_NS)),
            span_count=draw(st.integers(0, 3)),
            error_count=draw(st.integers(0, 3)),
            llm_calls=draw(st.integers(0, 3)),
            tool_calls=draw(st.integers(0, 3)),
            input_tokens=draw(st.integers(0, 3)),
            output_tokens=draw(st.integers(0, 3)),
            cost_usd=draw(st.none() | st.sampled_from([0.0, 0.1, 0.30000000000000004, 2.0])),
        )
        records.append(SessionRecord(row, b"{}", number, number, 0, START_NS))
    return records


@given(
    _sessions(),
    st.sampled_from(SortKey),
    st.sampled_from(["", "status:failed", "errors>1", "s1 OR s2 OR s3", "-tokens>=3"]),
    st.integers(1, 3),
)
def test_every_store_gives_every_order_whole_page_by_page(
    records: list[SessionRecord], key: SortKey, text: str, limit: int
) -> None:
    wanted = parse_query(text, QueryScope.SESSION, NOW_NS)
    with TemporaryDirectory() as folder, closing(open_store(f"sqlite:///{folder}/s")) as sqlite:
        for store in (ModelStore(), sqlite):
            store.commit(Changes(1, len(records), records))
            with store.read() as reader:
                for is_descending in (False, True):
                    order = Order(key, is_descending, NOW_NS)
                    assert _paged(reader, wanted, order, limit) == _ordered(
                        reader, wanted, order, records
                    )


def _paged(reader: Reader, wanted: Node, order: Order, limit: int) -> list[str]:
    search = Search(reader, NOW_NS, page_s=60)
    seen, after = list[str](), None
    while len(seen) <= 100:  # more than there are: a page that leads back ends, too
        page = search.sorted_sessions(wanted, order, after, limit)
        seen += [one.row.id for one in page.rows]
        if (after := page.next) is None:
            break
    return seen


def _ordered(reader: Reader, wanted: Node, order: Order, records: list[SessionRecord]) -> list[str]:
    evaluator = Evaluator(reader, NOW_NS)
    fitting = [one for one in records if evaluator.fits(wanted, one)]
    places = [place_of(one.row, one.change, order) for one in fitting]
    return [session_id for _, session_id in sorted(places, reverse=order.is_descending)]


@pytest.mark.parametrize("is_descending", [False, True])
def test_what_is_not_known_comes_last_in_either_direction(
    store: Store, is_descending: bool
) -> None:
    records = [session(f"S{n}", n) for n in range(1, 5)]
    for one, cost in zip(records, [None, 0.0, 5.0, None], strict=True):
        one.row = replace(one.row, cost_usd=cost)
    store.commit(Changes(1, 4, records))
    order = Order(SortKey.COST, is_descending, NOW_NS)
    with store.read() as reader:
        found = Search(reader, NOW_NS, page_s=60).sorted_sessions(All(), order, None, 9).rows
    known, unknown = found[:2], found[2:]
    assert [one.row.id for one in known] == (["S3", "S2"] if is_descending else ["S2", "S3"])
    assert {one.row.id for one in unknown} == {"S1", "S4"}


# --- the chart over the list -------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "status:failed", "s2 OR s5", "span(kind:llm)"])
def test_sessions_are_counted_by_start_and_status(store: Store, text: str) -> None:
    statuses = [SessionStatus.FAILED, SessionStatus.COMPLETED, SessionStatus.RUNNING]
    records = [session(f"s{n}", n, started_ns=START_NS + n * 10) for n in range(1, 9)]
    for number, one in enumerate(records):
        one.row = replace(one.row, status=statuses[number % 3])
    store.commit(Changes(1, 8, records))
    node = parse_query(text, QueryScope.SESSION, NOW_NS)
    buckets = Buckets(START_NS + 20, 25, 2)
    with open_search(store, None, NOW_NS, page_s=60) as search:
        found = count_sessions(search, node, buckets)
        evaluator = Evaluator(search.reader, NOW_NS)
        expected = Counter(
            ((one.row.started_ns - START_NS - 20) // 25, one.row.status)
            for one in records
            if evaluator.fits(node, one) and 20 <= one.row.started_ns - START_NS < 70
        )
    assert found.counts == expected
    assert found.counted_from_ns is None


def test_a_count_that_runs_out_of_time_says_from_when_it_is_whole(store: Store) -> None:
    records = [session(f"s{n}", n, started_ns=START_NS + n) for n in range(1, 9)]
    store.commit(Changes(1, 8, records))
    ticks = iter(range(1000))
    with store.read() as reader:
        search = Search(reader, NOW_NS, page_s=2, clock=lambda: float(next(ticks)))
        node = parse_query("s*", QueryScope.SESSION, NOW_NS)
        found = count_sessions(search, node, Buckets(START_NS, 1, 100))
    assert found.counted_from_ns == START_NS + 7
    assert found.counts.total() == 2


def test_a_count_that_looks_at_no_session_ends_in_time_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlite_reader, "_STEPS", 1)
    monkeypatch.setattr(histogram, "_ROWS_A_STEP", 2)
    records = [session(f"s{n}", n, started_ns=START_NS + n) for n in range(1, 10)]
    node = parse_query("status:running", QueryScope.SESSION, NOW_NS)
    with closing(open_store("memory:")) as store:
        store.commit(Changes(1, 9, records))
        ticks = iter(range(10_000))
        with store.read() as reader:
            search = Search(reader, NOW_NS, page_s=0.4, clock=lambda: float(next(ticks)))
            pages = [count_all(search, node, None)]
            while (after := pages[-1].next) is not None:
                pages.append(count_all(search, node, after))
            assert [page.count for page in pages] == [4, 4, 1]
            slow = Search(reader, NOW_NS, page_s=20, clock=lambda: float(next(ticks)))
            found = count_sessions(slow, node, Buckets(START_NS, 3, 4))
    assert found.counted_from_ns is not None
    assert START_NS < found.counted_from_ns < START_NS + 12
    assert found.counts.total() == START_NS + 10 - found.counted_from_ns


@pytest.mark.parametrize("text", ["", "status:failed", "s2 OR s5", "s*", "nothing"])
def test_all_sessions_of_a_filter_are_counted_in_pages_that_end_in_time(
    store: Store, text: str
) -> None:
    records = [session(f"s{n}", n, started_ns=START_NS + n) for n in range(1, 9)]
    records[0].row = replace(records[0].row, status=SessionStatus.FAILED)
    store.commit(Changes(1, 8, records))
    node = parse_query(text, QueryScope.SESSION, NOW_NS)
    ticks = iter(range(1000))
    with store.read() as reader:
        search = Search(reader, NOW_NS, page_s=2, clock=lambda: float(next(ticks)))
        expected = sum(Evaluator(reader, NOW_NS).fits(node, one) for one in records)
        page = count_all(search, node, None)
        counted = page.count
        while page.next is not None:
            page = count_all(search, node, page.next)
            counted += page.count
    assert counted == expected


def test_usage_is_added_up_by_model_from_the_spans_that_count(store: Store) -> None:
    small: dict[str, Any] = {
        "kind": SpanKind.LLM, "model": "small", "input_tokens": 3, "output_tokens": 1,
        "cost_usd": None, "is_counted": True,
    }  # fmt: skip
    tool = small | {"kind": SpanKind.TOOL, "model": None}
    spans = [
        replace(span(1, 3), **small | {"cost_usd": 0.5}),
        replace(span(2, 4, trace_number=2, session_id="T"), **small),
        replace(span(3, 5), **small | {"is_counted": False, "duplicate_of": span_hex(1)}),
        replace(span(4, 6), **tool),
        replace(span(5, 7), **tool | {"is_counted": False}),
    ]
    store.commit(
        Changes(1, 7, [session("S", 1), session("T", 2)], [trace(1), trace(2, "T")], spans)
    )
    with open_search(store, None, NOW_NS, page_s=60) as search:
        found = group_usage(search, All(), UsageKey.MODEL)
    assert found.counted_from_ns is None
    assert found.groups == {
        "small": UsageSum(2, 2, 0, 6, 2, 0.5, 1),
        "": UsageSum(1, 0, 0, 3, 1, None, 1),
    }


def test_usage_that_runs_out_of_time_says_from_when_it_is_whole(store: Store) -> None:
    records = [session(f"s{n}", n, started_ns=START_NS + n) for n in range(1, 9)]
    store.commit(Changes(1, 8, records))
    ticks = iter(range(1000))
    with store.read() as reader:
        search = Search(reader, NOW_NS, page_s=2, clock=lambda: float(next(ticks)))
        found = group_usage(search, parse_query("s*", QueryScope.SESSION, NOW_NS), UsageKey.USER)
    assert found.counted_from_ns is not None
    assert found.groups[""].session_count < 8
