"""Emission of hooks as by an agent, and the resulting spans and records."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import SpanContext

from subscribers import Spec
from subscribers.bridge.sessions import in_connection
from tests.support.telemetry.hook_examples import EXAMPLES, TRANSPORT, Kwargs, Planner
from tests.unit.subscribers.conftest import SPEC, Traced

WAITED = "inspector.session.wait_ms"


@dataclass
class Moments:
    """The live records, in memory."""

    records: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def progress(self, span: trace.Span, attributes: Mapping[str, Any]) -> None:
        """Nothing: the span will have them."""

    def soon(self, span: trace.Span, changes: Callable[[], Mapping[str, Any]]) -> None:
        """Nothing: nobody streams."""

    def moment(
        self, name: str, time_ns: int, span: SpanContext | None, attributes: Mapping[str, Any]
    ) -> None:
        """Keep it."""
        self.records.append((name, attributes))


class Starts(SpanProcessor):
    """The attributes of each span at its start."""

    def __init__(self) -> None:
        self.attributes: dict[int, Mapping[str, Any]] = {}

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Keep its attributes."""
        assert span.context is not None
        self.attributes[span.context.span_id] = dict(span.attributes or {})


@dataclass(frozen=True)
class Fired:
    """The spans and records of emitted hooks."""

    spans: list[ReadableSpan]
    moments: list[tuple[str, Mapping[str, Any]]]
    starts: Mapping[int, Mapping[str, Any]]

    def at_start(self, span: ReadableSpan) -> Mapping[str, Any]:
        """Return the attributes that `span` was started with."""
        assert span.context is not None
        return self.starts[span.context.span_id]

    def attributes(self) -> list[dict[str, Any]]:
        """Return the attributes of every span, span event and record, in a fixed order."""
        spans = sorted(self.spans, key=lambda span: span.start_time or 0)
        found = [dict(span.attributes or {}) for span in spans]
        found += [dict(event.attributes or {}) for span in spans for event in span.events]
        found += [dict(attributes) for _, attributes in self.moments]
        for attributes in found:
            if WAITED in attributes:
                attributes[WAITED] = 0  # it depends on the clock
        return found


def fire(
    hooks: Iterable[str], spec: Spec = SPEC, *, has_connection: bool = False, **options: Any
) -> Fired:
    """Fire `hooks`, with what belongs before and after.

    Every example in a session: alone, and in an agent. With `has_connection`, before that the first
    example of each in an MCP connection without a session.
    """

    def run(traced: Traced) -> None:
        emit, ids = traced.bus._emit_sync, count()
        traced.details |= {"user": "ada", "tags": ("release",)}
        with in_connection("connection-1"):
            for hook in hooks if has_connection else ():
                _sequence(traced, hook, EXAMPLES[hook][0], f"call-{next(ids)}", None)
        emit("session_started", **EXAMPLES["session_started"][0])
        emit("transport_connected", **TRANSPORT)
        for hook in hooks:
            for example in EXAMPLES[hook]:
                _sequence(traced, hook, example, f"call-{next(ids)}", None)
                outer = f"call-{next(ids)}"
                agent: Kwargs = {"agent": Planner(), "call_id": outer, "parent_call_id": None}
                emit("before_agent_call", **agent)
                _sequence(traced, hook, example, f"call-{next(ids)}", outer)
                emit("after_agent_call", **agent, result=None)

    return _fired(run, spec, options)


def fire_all(*emitted: tuple[str, Kwargs], **options: Any) -> Fired:
    """Fire these hooks in their order."""

    def run(traced: Traced) -> None:
        for hook, kwargs in emitted:
            traced.bus._emit_sync(hook, **kwargs)

    return _fired(run, SPEC, options)


def _fired(run: Callable[[Traced], None], spec: Spec, options: Kwargs) -> Fired:
    moments, starts = Moments(), Starts()

    def in_a_context_of_its_own() -> Traced:
        traced = Traced(spec=spec, live=moments, **options)
        traced.provider.add_span_processor(starts)
        run(traced)
        traced.off()
        return traced

    traced = contextvars.Context().run(in_a_context_of_its_own)
    return Fired(traced.spans, moments.records, starts.attributes)


def _sequence(traced: Traced, hook: str, example: Kwargs, call_id: str, parent: str | None) -> None:
    emit = traced.bus._emit_sync
    identity = {"call_id": call_id, "parent_call_id": parent}
    spec = traced.spec.hooks[hook]
    match hook, spec.action:
        case "operation_opened", _:
            emit(hook, **{**example, **identity})
            emit("operation_closed", **{**EXAMPLES["operation_closed"][-1], "call_id": call_id})
        case "operation_closed", _:
            noun = example["noun"]
            kwargs = EXAMPLES.get(f"before_{noun}", [{}])[0]
            emit("operation_opened", noun=noun, kwargs=kwargs, **identity)
            emit(hook, **{**example, "call_id": call_id})
        case _, "start":
            error = f"error{hook.removeprefix('before')}"
            emit(hook, **example, **identity)
            emit(error, **EXAMPLES[error][0], **identity)
        case _, "end":
            before = f"before_{traced.spec.spans[spec.span or ''].noun}"
            emit(before, **EXAMPLES[before][-1 if "rpc" in before else 0], **identity)
            emit(hook, **example, **identity)
        case _, "remember":
            emit(hook, **example)
            emit("after_model_select", **EXAMPLES["after_model_select"][0])
        case "session_resumed", _:
            emit("session_paused", **EXAMPLES["session_paused"][0])
            emit(hook, **example)
        case _:
            changed = {"call_id": parent} if "call_id" in example else {}
            emit(hook, **{**example, **changed})
