"""A generated store: sessions of some fifty spans, the same for the same seed.

Written straight into the store, without the rules of sessions: a million spans take minutes.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from inspector.service.model.records import Changes, Content, SessionRecord, SpanRecord, TraceRecord
from inspector.service.model.rows import Engine, SessionRow, SessionStatus, SpanKind, SpanStatus
from inspector.service.storage.base import Store
from tests.support.telemetry.otlp import key_values

SESSION_SPANS = 50
END_NS = 1_795_000_000 * 10**9
"""End of the newest session."""
EVERY_NS = 30 * 10**9
"""Interval between the starts of sessions."""

_SERVICES = ("planner", "triage", "research", "support", "billing")
_TOOLS = ("read_file", "search", "fetch", "git_log", "git_status", "git_push", "send_mail", "sql")
_MODELS = ("gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-pro")
_TAGS = ("nightly", "prod", "staging", "eval")


class StoreFiller:
    """Adds sessions to a store, the oldest first."""

    def __init__(self, store: Store, session_count: int, seed: int = 7) -> None:
        self._store = store
        self._random = random.Random(seed)
        self._session_count = session_count
        self._next = 0
        self._head = 0
        self._created: dict[str, int] = {}
        self._words = _vocabulary(self._random)
        self._weights = list(itertools.accumulate(1 / (n + 3) for n in range(len(self._words))))

    def fill(self, session_count: int) -> None:
        """Add sessions up to the count."""
        while self._next < session_count:
            changes = Changes(first=self._head + 1)
            for _ in range(min(20, session_count - self._next)):
                self._add_session(changes, SESSION_SPANS)
            changes.head = self._head
            self._store.commit(changes)

    def fill_one(self, span_count: int) -> str:
        """Add one long session; return its id."""
        for _ in range(span_count // 10_000):
            changes = Changes(first=self._head + 1)
            self._add_session(changes, 10_000, session_id="long")
            changes.head = self._head
            self._store.commit(changes)
        return "long"

    def _add_session(self, changes: Changes, span_count: int, session_id: str = "") -> None:
        number, self._next = self._next, self._next + 1
        pick = self._random
        began_ns = END_NS - (self._session_count - number) * EVERY_NS
        session_id = session_id or f"session-{number:07d}"
        trace_id = pick.randbytes(16).hex()
        service = _SERVICES[number % len(_SERVICES)]
        origin = _origin(service, number % 7)
        spans: list[SpanRecord] = []
        for place in range(span_count):
            spans.append(self._span(changes, spans, place, session_id, trace_id, began_ns, origin))
        changes.spans += spans
        changes.traces.append(TraceRecord(trace_id, session_id, b"{}"))
        self._head += 1
        row = _session_row(session_id, began_ns, service, spans, pick)
        created = self._created.setdefault(session_id, self._head)
        record = SessionRecord(row, b"{}", self._head, created, self._head, END_NS)
        changes.sessions.append(record)

    def _span(
        self,
        changes: Changes,
        before: list[SpanRecord],
        place: int,
        session_id: str,
        trace_id: str,
        began_ns: int,
        origin: bytes,
    ) -> SpanRecord:
        pick = self._random
        self._head += 1
        kind = SpanKind.AGENT if place % 25 == 0 else (SpanKind.LLM, SpanKind.TOOL)[place % 2]
        parent = None if place == 0 else before[place - 1 - (place - 1) % 25]
        subject = {
            SpanKind.AGENT: ("invoke_agent", "planner" if place == 0 else "worker"),
            SpanKind.LLM: ("chat", pick.choice(_MODELS)),
            SpanKind.TOOL: ("execute_tool", pick.choice(_TOOLS)),
        }[kind]
        start_ns = began_ns + place * 10**8
        duration_ns = int(pick.paretovariate(1.3) * 5 * 10**7)
        is_error = pick.random() < 0.01
        model = subject[1] if kind is SpanKind.LLM else None
        tokens = int(pick.paretovariate(1.1) * 300) if model else None
        span_id = pick.randbytes(8)
        message = Span(
            trace_id=bytes.fromhex(trace_id),
            span_id=span_id,
            parent_span_id=bytes.fromhex(parent.span_id) if parent else b"",
            name=" ".join(subject),
            start_time_unix_nano=start_ns,
            end_time_unix_nano=start_ns + duration_ns,
            status=Status(code=Status.STATUS_CODE_ERROR if is_error else Status.STATUS_CODE_UNSET),
            attributes=key_values(self._attributes(kind, subject[1], session_id, is_error)),
        )
        payload = message.SerializeToString()
        changes.contents[self._head] = Content(payload, origin)
        return SpanRecord(
            trace_id=trace_id,
            span_id=span_id.hex(),
            session_id=session_id,
            epoch_ns=began_ns,
            parent_span_id=parent.span_id if parent else None,
            name=message.name,
            kind=kind,
            status=SpanStatus.ERROR if is_error else SpanStatus.UNSET,
            start_ns=start_ns,
            end_ns=start_ns + duration_ns,
            is_root=parent is None,
            process_id=f"process-{began_ns % 97}",
            model=model,
            input_tokens=tokens,
            output_tokens=tokens and tokens // 8,
            cost_usd=tokens and tokens * 2e-6,
            is_counted=model is not None,
            size_bytes=len(payload),
            change=self._head,
            created=self._head,
            settled=self._head,
            content=self._head,
            changed_ns=start_ns,
        )

    def _attributes(
        self, kind: SpanKind, subject: str, session_id: str, is_error: bool
    ) -> dict[str, str | int]:
        found: dict[str, str | int] = {"session.id": session_id, "code.line.number": 12}
        if is_error:
            found |= {"error.type": "TimeoutError", "exception.message": self._text(12)}
        if kind is SpanKind.LLM:
            answer = self._text(60).replace('"', "")
            return found | {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": subject,
                "gen_ai.response.id": f"resp_{self._random.randbytes(8).hex()}",
                "gen_ai.input.messages": f'[{{"role": "user", "content": "{self._text(90)}"}}]',
                "gen_ai.output.messages": f'[{{"role": "assistant", "content": "{answer}"}}]',
            }
        if kind is SpanKind.TOOL:
            status = 503 if is_error else 200
            return found | {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": subject,
                "gen_ai.tool.call.id": f"call_{self._random.randbytes(8).hex()}",
                "gen_ai.tool.call.arguments": f'{{"path": "src/{self._text(1)}.py"}}',
                "gen_ai.tool.call.result": self._text(30),
                "http.response.status_code": status,
            }
        return found | {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": subject}

    def _text(self, count: int) -> str:
        words = self._random.choices(self._words, cum_weights=self._weights, k=count)
        luck = self._random.random()
        if luck < 0.002:
            words[0:0] = ["merge", "conflict"]
        elif luck < 0.00202:
            words.append("zanzibar")
        return " ".join(words)


def _session_row(
    session_id: str, began_ns: int, service: str, spans: list[SpanRecord], pick: random.Random
) -> SessionRow:
    errors = sum(span.status is SpanStatus.ERROR for span in spans)
    tokens = sum(span.input_tokens or 0 for span in spans)
    return SessionRow(
        id=session_id,
        title=f"{service}: {pick.choice(_TOOLS)} {pick.randrange(10_000)}",
        status=SessionStatus.FAILED if errors > 2 else SessionStatus.COMPLETED,
        engine=Engine.OTLP,
        epoch_ns=began_ns,
        started_ns=began_ns,
        ended_ns=max(span.end_ns or 0 for span in spans),
        span_count=len(spans),
        error_count=errors,
        llm_calls=sum(span.kind is SpanKind.LLM for span in spans),
        tool_calls=sum(span.kind is SpanKind.TOOL for span in spans),
        input_tokens=tokens,
        output_tokens=tokens // 8,
        cost_usd=tokens * 2e-5,
        models=tuple({span.model: 0 for span in spans if span.model}),
        services=(service,),
        agents=("planner", "worker"),
        tags=(pick.choice(_TAGS),),
    )


def _origin(service: str, host: int) -> bytes:
    attributes = {
        "service.name": service,
        "host.name": f"host-{host}",
        "telemetry.sdk.language": "python",
        "deployment.environment.name": "prod",
    }
    scopes = [ScopeSpans(scope=InstrumentationScope(name="agents", version="1.2"))]
    resource = Resource(attributes=key_values(attributes))
    return ResourceSpans(resource=resource, scope_spans=scopes).SerializeToString()


def _vocabulary(pick: random.Random) -> list[str]:
    letters = "abcdefghijklmnoprstuvw"

    def words() -> Iterator[str]:
        yield from ("the", "summary", "conflict", "config", "merge", "session", "error", "file")
        while True:
            yield "".join(pick.choices(letters, k=pick.randint(3, 9)))

    return list(itertools.islice(words(), 40_000))
