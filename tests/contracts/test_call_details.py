"""Details of LLM calls that are read again where they changed are those that are read anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.analysis.model_calls import CallDetails, read_details
from inspector.service.analysis.span_table import SpanTable
from inspector.service.model.records import Changes, Content, SessionRecord, SpanRecord, TraceRecord
from inspector.service.model.rows import Engine, SessionRow, SessionStatus, SpanKind, SpanStatus
from inspector.service.storage import Store, open_store
from tests.support.telemetry.otlp import key_values
from tests.support.telemetry.records import span_hex, trace_hex

_Step = dict[int, tuple[str, int, int | None]]
"""By number of a span: its session, its start, and its new content."""
_FIRST: _Step = {number: ("S", number, number) for number in range(1, 9)}
_STEPS: st.SearchStrategy[list[_Step]] = st.lists(
    st.dictionaries(
        st.integers(1, 12),
        st.tuples(st.sampled_from("SSST"), st.integers(0, 9), st.none() | st.integers(1, 99)),
        max_size=4,
    ),
    max_size=5,
)


class _Story:
    """A store with two sessions, whose spans come, change and move."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._head = 2
        rows = [SessionRow(id_, "", SessionStatus.RUNNING, Engine.OTLP, 0, 0, None) for id_ in "ST"]
        sessions = [SessionRecord(row, b"{}", at, at) for at, row in enumerate(rows, start=1)]
        trace = TraceRecord(trace_hex(1), "S", b"{}")
        store.commit(Changes(1, 2, sessions=sessions, traces=[trace]))
        self._contents: dict[int, int] = {}

    def commit(self, step: _Step) -> None:
        changes = Changes(self._head + 1)
        for number, (session_id, start_ns, chunk_count) in step.items():
            self._head += 1
            if chunk_count is not None or number not in self._contents:
                self._contents[number] = self._head
                attributes = key_values({"inspector.stream.chunk_count": chunk_count or 0})
                payload = Span(attributes=attributes).SerializeToString()
                changes.contents[self._head] = Content(payload, b"")
            changes.spans.append(
                SpanRecord(
                    trace_hex(1),
                    span_hex(number),
                    session_id,
                    0,
                    None,
                    "chat",
                    SpanKind.LLM,
                    SpanStatus.OK,
                    start_ns,
                    None,
                    True,
                    "p",
                    change=self._head,
                    content=self._contents[number],
                )
            )
        changes.head = self._head
        self.store.commit(changes)

    def read(self, before: CallDetails | None) -> CallDetails:
        with self.store.read() as reader:
            return read_details(reader, SpanTable(reader.span_columns("S", 100)), before)


@given(_STEPS)
def test_what_was_read_before_makes_no_difference(steps: list[_Step]) -> None:
    story = _Story(open_store("memory:"))
    found: CallDetails | None = None
    for step in (_FIRST, *steps):
        story.commit(step)
        found = story.read(found)
        assert found == story.read(None)
    story.store.close()
