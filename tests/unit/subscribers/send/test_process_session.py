"""Which spans are of the session of their process."""

from __future__ import annotations

import logging

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags

from subscribers.bridge.location import TraceLocation
from subscribers.send import process_session
from subscribers.send.process_session import IDLE_S, ProcessSession, session_of_process

ELSEWHERE = TraceLocation("s", "f" * 32, None)


class Listening(SpanProcessor):
    """Asks for the session of each span that starts."""

    def __init__(self, session: ProcessSession) -> None:
        self.session = session
        self.ids: list[str | None] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self.ids.append(self.session.id_of(span, parent_context))

    def on_end(self, span: ReadableSpan) -> None:
        self.session.keep_active()


class Program:
    """A program with these modules, and the sessions of its spans."""

    def __init__(self, *modules: str, is_kernel: bool = False) -> None:
        self.modules = set(modules)
        self._listening = Listening(ProcessSession(self.modules, is_kernel=is_kernel))
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(self._listening)
        self.tracer = provider.get_tracer("t")

    def begin(self, kind: SpanKind = SpanKind.INTERNAL, **attributes: str) -> None:
        named = {key.replace("_", "."): value for key, value in attributes.items()}
        self.tracer.start_span("s", context=Context(), kind=kind, attributes=named).end()

    def begin_in(self, trace_id: int) -> None:
        flags = TraceFlags(TraceFlags.SAMPLED)
        there = NonRecordingSpan(SpanContext(trace_id, 7, is_remote=True, trace_flags=flags))
        self.tracer.start_span("s", context=trace.set_span_in_context(there, Context())).end()

    @property
    def session(self) -> ProcessSession:
        return self._listening.session

    @property
    def ids(self) -> list[str | None]:
        return self._listening.ids


@pytest.fixture(autouse=True)
def script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_session, "program", lambda: "my_agent")


def test_what_begins_in_a_script_is_one_session_and_what_is_inside_says_nothing() -> None:
    script = Program("asyncio", "uvicorn", "pytest")
    script.begin()
    with script.tracer.start_as_current_span("outer"):
        script.tracer.start_span("inner").end()
    script.begin(SpanKind.CLIENT, mcp_method_name="tools/list")
    first, outer, inner, client = script.ids
    assert first is not None
    assert (outer, inner, client) == (first, None, first)


@pytest.mark.parametrize("kind", [SpanKind.SERVER, SpanKind.CONSUMER])
def test_a_process_that_serves_has_no_session_of_its_own(kind: SpanKind) -> None:
    server = Program()
    server.begin(kind)
    server.begin()
    assert server.ids == [None, None]


@pytest.mark.parametrize("server", ["uvicorn.lifespan", "werkzeug.serving"])
def test_servers_and_test_runners_are_known_by_what_they_import(server: str) -> None:
    program = Program()
    program.begin()
    program.modules.add(server)
    program.begin()
    assert program.ids[0] is not None
    assert program.ids[1] is None
    tests = Program("_pytest.runner")
    tests.begin()
    assert tests.ids == [None]


def test_who_is_called_from_elsewhere_serves_but_not_who_calls_itself() -> None:
    program = Program()
    with program.tracer.start_as_current_span("client", context=Context()) as span:
        program.begin_in(span.get_span_context().trace_id)  # a server in memory, with its context
    program.begin()
    assert program.ids[0] == program.ids[2] is not None
    program.begin_in(99)
    program.begin()
    assert program.ids[3:] == [None, None]


def test_a_server_of_mcp_inside_a_script_is_a_part_of_it() -> None:
    program = Program()
    program.begin(SpanKind.SERVER, mcp_method_name="initialize")
    program.begin()
    assert program.ids[0] == program.ids[1] is not None
    served = Program("uvicorn.lifespan")
    served.begin(SpanKind.SERVER, mcp_method_name="initialize")
    assert served.ids == [None], "its session is the connection's"


def test_a_notebook_begins_another_session_after_half_an_hour_in_which_nothing_ran(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 0.0
    monkeypatch.setattr(process_session, "monotonic", lambda: now_s)
    script, kernel = Program(), Program(is_kernel=True)
    script.begin()
    kernel.begin()
    now_s = IDLE_S - 1
    script.begin()
    kernel.begin()
    running = kernel.tracer.start_span("long", context=Context())
    now_s = 3 * IDLE_S
    running.end()
    kernel.begin()
    assert len(set(kernel.ids)) == 1
    now_s = 4 * IDLE_S + 1
    script.begin()
    kernel.begin()
    assert len(set(kernel.ids)) == 2
    assert len(set(script.ids)) == 1


def test_a_location_names_the_run_of_its_trace() -> None:
    program = Program()
    with program.tracer.start_as_current_span("s", context=Context()) as span:
        trace_id = trace.format_trace_id(span.get_span_context().trace_id)
    known = TraceLocation(None, trace_id, "1" * 16)
    there = {"of the script": known, "nowhere": TraceLocation(), "elsewhere": ELSEWHERE}
    locate = program.session.locating(lambda call_id: there[str(call_id)])
    assert locate("of the script").run_id == program.ids[0]
    assert locate("nowhere") == TraceLocation()
    assert locate("elsewhere") == ELSEWHERE
    for _ in range(1_000):
        program.begin()
    assert len(program.session._traces) < 500


def test_without_a_word_each_trace_is_a_session_and_a_wrong_word_is_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert session_of_process({}) is None
    assert session_of_process({"INSPECTOR_SESSION": "per-trace"}) is None
    assert session_of_process({"INSPECTOR_SESSION": " Per-Process "}) is not None
    with caplog.at_level(logging.WARNING, logger="inspector"):
        assert session_of_process({"INSPECTOR_SESSION": "per-day"}) is None
    assert "INSPECTOR_SESSION=per-day is invalid: use per-process or per-trace." in caplog.text
