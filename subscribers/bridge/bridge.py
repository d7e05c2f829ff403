"""The bridge: it starts, updates and ends spans from hooks, and leaves none open.

Every call-back is a plain function, runs on the emitter's thread and in its context, and costs the
emitter only the reading of its values: what is sent is sent by another thread. Whatever fails in
here stays in here (the bus logs it).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter_ns
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind, StatusCode, Tracer

from instrument import Bus
from subscribers.bridge.event_time import explicit_time_ns
from subscribers.bridge.facts import (
    RpcFacts,
    agent_name,
    as_key,
    is_answer_to_notification,
    is_notification,
    target_matches,
    uri_text,
)
from subscribers.bridge.failures import (
    CANCELLED,
    Failure,
    failure_of_exception,
    failure_of_hook,
    is_callers_fault,
)
from subscribers.bridge.location import OpenOperation, TraceLocation
from subscribers.bridge.metrics import Metrics, duration_s
from subscribers.bridge.moments import LiveRecords, Moments
from subscribers.bridge.prices import COST, FROM_PRICES, SOURCE, PriceList
from subscribers.bridge.propagation import parent_over_mcp
from subscribers.bridge.sessions import SESSION_ID, Sessions
from subscribers.bridge.spans import (
    Call,
    OwnedSpan,
    SpanTable,
    current_owned,
    mark_duplicate,
    nearest_open,
)
from subscribers.content.paths import compile_path, read_path, step
from subscribers.options import SpanMode
from subscribers.spec.engine import TRUNCATED, Attributes, Engine
from subscribers.spec.model import HookSpec, SpanSpec

INCOMPLETE = "inspector.incomplete"
ORPHAN = "inspector.orphan"

_KINDS = {kind.name.lower(): kind for kind in SpanKind}
_QUIET_NOTIFICATIONS = frozenset({"notifications/progress", "notifications/cancelled"})
_OF_THE_OPERATION_ALONE = frozenset(
    {"error.type", "inspector.cancelled", "mcp.error.code", "mcp.error.message", "mcp.status.code"}
)


class Bridge:
    """Turns the events of one bus into spans of one tracer."""

    def __init__(
        self,
        engine: Engine,
        tracer: Tracer,
        *,
        live: LiveRecords | None = None,
        session_id: Callable[[], str | None] | None = None,
        metrics: Metrics | None = None,
        prices: PriceList | None = None,
    ) -> None:
        self._engine = engine
        self._official = engine.in_official_words()
        self._is_enriching = engine.options.mode is SpanMode.ENRICH
        self._metrics = metrics
        self._prices = prices
        self._spec = engine.spec
        self._tracer = tracer
        self._live = live
        self._sessions = Sessions(session_id)
        self._table = SpanTable()
        self._rpc = RpcFacts()
        self._moments = Moments(
            engine,
            self._table,
            self._sessions,
            self._rpc,
            live=live,
            metrics=metrics,
            reap=self._reap,
        )
        self._key_paths = {span.name: compile_path(span.key) for span in self._spec.spans.values()}
        nouns = {span.noun for span in self._spec.spans.values()}
        self._spans_of = {noun: self._spec.spans_of(noun) for noun in nouns}

    # --- registration -------------------------------------------------------------------------

    def subscribe(self, bus: Bus) -> Callable[[], None]:
        """Observe every hook of the spec; the returned function stops and ends open spans."""
        offs = [
            bus.observe("operation_opened", self._on_opened),
            bus.observe("operation_closed", self._on_closed),
        ]
        offs.extend(
            bus.observe(hook.name, self._observer(hook))
            for hook in self._spec.hooks.values()
            if hook.name not in {"operation_opened", "operation_closed"}
        )

        def off() -> None:
            for undo in offs:
                undo()
            self.end_open_spans()

        return off

    def end_open_spans(self) -> None:
        """End all open spans and mark them incomplete, as nothing else will end them."""
        for owned in self._table.open_spans():
            self._reap(owned)

    def place_of(self, call_id: str | None = None) -> TraceLocation:
        """Return the location of an operation (from any thread), or of the running code."""
        call = self._table.calls.get(call_id or "")
        owned = nearest_open(call.owned) if call is not None else None
        owned = owned or current_owned()
        return _place(
            owned.span if owned is not None else trace.get_current_span(),
            self._sessions.current_id() if owned is None else owned.attributes.get(SESSION_ID),
        )

    def open_operations(self) -> list[OpenOperation]:
        """Return the open operations. Thread-safe."""
        found = []
        for owned in self._table.open_spans():
            parent = nearest_open(owned.parent)
            found.append(
                OpenOperation(
                    owned.call_id,
                    _place(owned.span, owned.attributes.get(SESSION_ID)),
                    None if parent is None else _place(parent.span, None).span_id,
                    owned.began_ns,
                    owned.task,
                )
            )
        return found

    def _observer(self, hook: HookSpec) -> Callable[..., None]:
        match hook.action:
            case "start":
                return lambda **kwargs: self._on_before(hook, kwargs)
            case "end":
                return lambda **kwargs: self._on_outcome(hook, kwargs)
            case "remember":
                return lambda **kwargs: self._moments.remember(hook, kwargs)
            case _:
                return lambda **kwargs: self._moments.happen(hook, kwargs)

    # --- starting -----------------------------------------------------------------------------

    def _on_opened(self, **event: Any) -> None:
        call_id, noun, kwargs = (event.get(name) for name in ("call_id", "noun", "kwargs"))
        if not (isinstance(call_id, str) and isinstance(noun, str) and isinstance(kwargs, Mapping)):
            return
        given = {**kwargs, "call_id": call_id, "parent_call_id": event.get("parent_call_id")}
        _check_identity(given)
        if noun in self._spans_of:
            self._start(f"before_{noun}", noun, given, is_announced=True)
        elif f"before_{noun}" in self._spec.hooks:
            self._put_call(call_id, self._alias(noun, given, is_announced=True))
        else:
            self._start_custom(noun, kwargs, given)

    def _on_before(self, hook: HookSpec, kwargs: dict[str, Any]) -> None:
        _check_identity(kwargs)
        call = self._table.calls.get(kwargs.get("call_id") or "")
        if call is None:
            span = self._spec.spans[hook.span or ""]
            self._start(hook.name, span.noun, kwargs, is_announced=False)
        elif call.owned is not None and not call.is_merged:
            self._decided(hook, call.owned, kwargs)

    def _start(
        self, hook: str, noun: str, kwargs: dict[str, Any], *, is_announced: bool
    ) -> OwnedSpan | None:
        began_ns, call_id = perf_counter_ns(), kwargs.get("call_id")
        spec = self._choose(noun, kwargs)
        if noun in {"rpc_request", "rpc_handle"}:
            kwargs["$rpc"] = self._rpc.of_request(kwargs)
            if self._is_taken_in(noun, hook, kwargs, is_announced=is_announced):
                return None
        parent, context, links = self._place(noun, kwargs, spec, is_announced=is_announced)
        self._add_known(kwargs, spec, parent)
        attributes = self._engine.attributes(hook, kwargs)
        borrowed = self._table.borrow() if self._is_enriching else None
        span = borrowed or self._tracer.start_span(
            self._engine.span_name(spec, attributes),
            context,
            _KINDS[spec.kind],
            attributes,
            links,
            explicit_time_ns(),
        )
        owned = OwnedSpan(span, spec.name, self._key(spec, kwargs), parent, call_id, attributes)
        owned.template, owned.began_ns = spec, began_ns
        if self._official is not self._engine:
            owned.facts = self._official.attributes(hook, kwargs)
        if noun == "agent_call":
            owned.agent = agent_name(kwargs) or owned.agent
        if borrowed is not None:
            self._enrich(owned, context)
        else:
            mark_duplicate(trace.get_current_span(context), owned)
            owned.enter(context)
        self._remember_open(owned, noun, kwargs, is_announced=is_announced)
        return owned

    def _enrich(self, owned: OwnedSpan, context: Context) -> None:
        """Let the emitter's own span carry what hooks say; its name, kind and end are its own."""
        owned.is_borrowed = True
        owned.span.set_attributes(owned.attributes)
        owned.enter(context)
        if self._live is not None:
            self._live.progress(owned.span, owned.attributes)

    def _place(
        self, noun: str, kwargs: dict[str, Any], spec: SpanSpec, *, is_announced: bool
    ) -> tuple[OwnedSpan | None, Context, Sequence[Link]]:
        """Return the owned parent, the context to start in, and links: whose child a span is."""
        links: Sequence[Link] = ()
        if noun == "rpc_handle":
            remote, links = parent_over_mcp(
                kwargs.get("envelope"),
                otel_context.get_current(),
                is_trusted=self._engine.options.trusts_remote_context,
            )
            if remote is not None:
                return None, remote, links
        parent, context = self._table.parent_of(
            kwargs,
            is_operation=is_announced or "parent_call_id" in kwargs,
            family=spec.name if noun == "rpc_request" else None,
        )
        return parent, context, links

    def _start_custom(self, noun: str, kwargs: Mapping[str, Any], given: dict[str, Any]) -> None:
        """Start a span for a noun that the catalogue does not have."""
        parent, context = self._table.parent_of(given, is_operation=True)
        values = {"noun": noun, "kwargs": dict(kwargs)}
        self._sessions.add_to(values, is_root=parent is None)
        attributes = self._engine.attributes("operation_opened", values)
        span = self._tracer.start_span(noun, context, SpanKind.INTERNAL, attributes)
        owned = OwnedSpan(span, noun, None, parent, given["call_id"], attributes)
        owned.enter(context)
        self._remember_open(owned, noun, given, is_announced=True)

    def _remember_open(
        self, owned: OwnedSpan, noun: str, kwargs: dict[str, Any], *, is_announced: bool
    ) -> None:
        if owned.call_id is not None:
            self._put_call(owned.call_id, Call(noun, owned, is_announced=is_announced))
        elif (oldest := self._table.add_bare(owned)) is not None:
            self._reap(oldest)
        if is_announced:
            owned.kwargs = kwargs
            return
        # Nobody promised an end: it comes with its hook, its parent's end, or its task's death.
        if owned.parent is not None:
            owned.parent.children[owned] = None
        if owned.task is not None:
            on_done = partial(self._on_task_done, owned)
            owned.task.add_done_callback(on_done)
            owned.unwatch = partial(owned.task.remove_done_callback, on_done)

    def _put_call(self, call_id: str, call: Call) -> None:
        """Let `call_id` stand for `call`; an id that is used twice ends its first span."""
        for former in self._table.put_call(call_id, call):
            if former.owned is not None and not former.is_merged:
                self._reap(former.owned)

    def _on_task_done(self, owned: OwnedSpan, task: asyncio.Task[Any]) -> None:
        """End a span whose task died: an emitter's `except Exception` sees no cancellation."""
        if not owned.is_open:
            return
        if task.cancelled():
            self._reap(owned, CANCELLED)
        elif (error := task.exception()) is not None:
            self._reap(owned, failure_of_exception(error, self._engine.redactor))

    def _choose(self, noun: str, kwargs: Mapping[str, Any]) -> SpanSpec:
        for spec in self._spans_of[noun]:
            if spec.when is None or read_path(kwargs, spec.when) is True:
                return spec
        return self._spans_of[noun][-1]

    def _key(self, spec: SpanSpec, kwargs: Mapping[str, Any]) -> Any:
        value = self._key_paths[spec.name](kwargs)
        if spec.noun in {"rpc_request", "rpc_handle"}:
            rpc = kwargs.get("$rpc") or {}
            return (as_key(value), is_notification(rpc.get("method")))
        if spec.noun == "resource_fetch":
            value = uri_text(value)
        return value if isinstance(value, str | int) else id(value)

    def _add_known(self, kwargs: dict[str, Any], spec: SpanSpec, parent: OwnedSpan | None) -> None:
        self._sessions.add_to(kwargs, is_root=parent is None)
        kwargs["$agent"] = parent.agent if parent is not None else None
        if spec.noun == "llm_generate":
            kwargs["$operation_name"] = "chat" if spec.kind == "client" else "invoke_agent"
            kwargs["$unknown_provider"] = "unknown"
            kwargs["$is_inference"] = spec.name == "llm"
            kwargs["$is_loop"] = spec.name == "llm_loop"
        elif (workflow := kwargs.get("workflow")) is not None and spec.noun == "workflow_run":
            kwargs["$workflow_class"] = type(workflow).__qualname__

    def _is_taken_in(
        self, noun: str, hook: str, kwargs: dict[str, Any], *, is_announced: bool
    ) -> bool:
        """Whether a request gets no span of its own: a quiet notification, or merged.

        The first `tools/call` inside the tool's own span is the same operation (MCP conventions:
        no second span); what it says is added there.
        """
        call_id, rpc = kwargs.get("call_id"), kwargs["$rpc"]
        if rpc.get("method") in _QUIET_NOTIFICATIONS:
            if call_id is not None:
                alias = self._alias(noun, kwargs, is_announced=is_announced)
                self._put_call(call_id, alias)
            return True
        if noun == "rpc_handle":
            return False
        parent, _ = self._table.parent_of(kwargs, is_operation="parent_call_id" in kwargs)
        is_inner = parent is not None and target_matches(parent.family, parent.key, rpc)
        if parent is None or not is_inner or parent.aliases:
            return False
        parent.aliases.append(call_id or "")
        if call_id is not None:
            merged = Call("rpc_request", parent, is_announced=is_announced, is_merged=True)
            self._put_call(call_id, merged)
        attributes = self._engine.attributes(hook, kwargs)
        self._update(parent, {k: v for k, v in attributes.items() if k not in parent.attributes})
        self._learn(parent, hook, kwargs, is_merged=True)
        return True

    def _alias(self, noun: str, kwargs: dict[str, Any], *, is_announced: bool) -> Call:
        """A call without a span: what happens inside it belongs to its parent's."""
        parent, _ = self._table.parent_of(kwargs, is_operation="parent_call_id" in kwargs)
        return Call(noun, parent, is_announced=is_announced, is_merged=True)

    # --- while it runs ------------------------------------------------------------------------

    def _decided(self, hook: HookSpec, owned: OwnedSpan, kwargs: dict[str, Any]) -> None:
        """Take over what interceptors decided between `operation_opened` and the before hook."""
        opened, owned.kwargs = owned.kwargs, None
        if opened is None:
            return
        for key, value in kwargs.items():  # not `all(...)`: a generator costs more than the loop
            if opened.get(key) is not value:
                break
        else:
            return
        if owned.family in {"rpc", "rpc_handle"}:
            kwargs["$rpc"] = self._rpc.of_request(kwargs)
        if owned.template is not None:
            self._add_known(kwargs, owned.template, owned.parent)
        self._update(owned, self._engine.attributes(hook.name, kwargs))
        self._learn(owned, hook.name, kwargs)

    def _learn(
        self, owned: OwnedSpan, hook: str, kwargs: Mapping[str, Any], *, is_merged: bool = False
    ) -> None:
        """Keep what a hook says in the official vocabulary, where another is written."""
        if self._official is not self._engine:
            said = self._official.attributes(hook, kwargs)
            owned.facts = {**said, **owned.facts} if is_merged else {**owned.facts, **said}

    def _update(self, owned: OwnedSpan, attributes: Attributes, *, is_last: bool = False) -> None:
        """Set what is new; tell it live, unless the end follows at once."""
        if not owned.is_open:
            return
        known = owned.attributes
        if TRUNCATED in attributes:
            marks = [*known.get(TRUNCATED, ()), *attributes[TRUNCATED]]
            attributes[TRUNCATED] = list(dict.fromkeys(marks))
        changed = {key: value for key, value in attributes.items() if known.get(key) != value}
        if not changed:
            return
        known.update(changed)
        if owned.is_borrowed and not owned.span.is_recording():
            return  # its emitter ended it before its last hook
        owned.span.set_attributes(changed)
        if (
            owned.template is not None
            and not owned.is_borrowed
            and self._engine.may_rename(owned.template, changed)
        ):
            name = self._engine.span_name(owned.template, known)
            if name != getattr(owned.span, "name", name):
                owned.span.update_name(name)
        if self._live is not None and not is_last:
            self._live.progress(owned.span, changed)

    # --- ending -------------------------------------------------------------------------------

    def _on_outcome(self, hook: HookSpec, kwargs: dict[str, Any]) -> None:
        _check_identity(kwargs)
        spec = self._spec.spans[hook.span or ""]
        failure = failure_of_hook(hook.failure, kwargs, self._engine.redactor)
        call = self._table.calls.get(kwargs.get("call_id") or "")
        if spec.noun == "rpc_request" and failure is None:
            self._rpc.note_response(kwargs)
        if call is not None and call.is_merged:
            self._merged_outcome(hook, call.owned, kwargs, failure, call.began_ns)
            if not call.is_announced:
                self._table.calls.pop(kwargs["call_id"], None)
            return
        owned = call.owned if call is not None else self._find_bare(spec, kwargs)
        if owned is None:
            if not self._is_taken_in_bare(hook, spec, kwargs, failure):
                self._orphan(hook, spec, kwargs, failure)
            return
        self._finish(hook, owned, kwargs, failure)
        if call is None or not call.is_announced:
            self._end(owned)

    def _on_closed(self, **kwargs: Any) -> None:
        call_id = kwargs.pop("call_id", None)
        call = self._table.calls.get(call_id) if isinstance(call_id, str) else None
        if call is None:
            return
        if call.is_merged or call.owned is None:
            self._table.calls.pop(call_id, None)
            return
        owned, hook = call.owned, self._spec.hooks["operation_closed"]
        kwargs["$is_inference"] = owned.family == "llm"
        first_chunk_ns = step(kwargs.get("stream"), "first_chunk_ns")
        if self._metrics is not None and owned.family == "llm" and isinstance(first_chunk_ns, int):
            self._metrics.first_chunk(owned.facts, first_chunk_ns)
        is_error = kwargs.get("status") == "error"
        if owned.is_finished and owned.failure is None and is_error:  # done well, and not wanted
            failure = failure_of_exception(kwargs.get("exc"), self._engine.redactor)
            kwargs |= {"$failure": failure, "$status": "error"}
            owned.failure = failure
            owned.span.set_status(StatusCode.ERROR, failure.message or None)
        elif owned.is_finished and kwargs.get("stream") is None:
            self._end(owned)
            return
        if owned.is_finished:
            attributes = self._engine.attributes("operation_closed", kwargs)
            self._update(owned, attributes, is_last=True)
        else:
            self._finish(hook, owned, kwargs, self._closing_failure(kwargs))
        self._end(owned)

    def _closing_failure(self, kwargs: dict[str, Any]) -> Failure | None:
        """An operation that closed without its after or error hook: denied, stopped, cut off."""
        match kwargs.get("status"):
            case "cancelled":
                return CANCELLED
            case "denied":
                failure = failure_of_exception(kwargs.get("exc"), self._engine.redactor)
                return Failure("denied", "DENIED", failure.message)
            case "error":
                return failure_of_exception(kwargs.get("exc"), self._engine.redactor)
            case _:
                return None

    def _finish(
        self, hook: HookSpec, owned: OwnedSpan, kwargs: dict[str, Any], failure: Failure | None
    ) -> None:
        if not owned.is_open:
            return
        kwargs["$failure"], ended_by = failure, failure
        if failure is not None and owned.family == "rpc_handle" and is_callers_fault(failure):
            kwargs["$failure"], failure = {"rpc_code": failure.rpc_code}, None
        kwargs["$status"] = "ok" if failure is None else "error"
        kwargs["$is_inference"] = owned.family == "llm"
        attributes = self._engine.attributes(hook.name, kwargs)
        self._update(owned, attributes, is_last=True)
        self._learn(owned, hook.name, kwargs)
        self._account(owned, kwargs, ended_by)
        owned.is_finished, owned.failure = True, failure
        if failure is None or not owned.span.is_recording():
            return
        owned.span.set_status(StatusCode.ERROR, failure.message or None)
        if failure.exception_type is not None and not owned.is_borrowed:
            exception = {
                "exception.type": failure.exception_type,
                "exception.message": failure.message,
            }
            owned.span.add_event("exception", exception)

    def _account(
        self, owned: OwnedSpan, kwargs: Mapping[str, Any], failure: Failure | None
    ) -> None:
        """Count what has ended, and price it unless it came with its cost."""
        if self._prices is not None and owned.family == "llm" and COST not in owned.facts:
            cost = self._prices.cost(owned.facts)
            if cost is not None and self._official is self._engine:
                self._update(owned, {COST: cost, SOURCE: FROM_PRICES}, is_last=True)
        if self._metrics is not None and not owned.is_finished:
            took_s = duration_s(kwargs, owned.began_ns)
            self._metrics.finished(owned.family, owned.facts, took_s, failure)

    def _merged_outcome(
        self,
        hook: HookSpec,
        owned: OwnedSpan | None,
        kwargs: dict[str, Any],
        failure: Failure | None,
        began_ns: int | None = None,
    ) -> None:
        """Add what a merged request's end says; whether the tool failed, its own hook tells."""
        if owned is None or not owned.is_open or kwargs.get("envelope") is None:
            return
        kwargs["$failure"] = failure
        attributes = self._engine.attributes(hook.name, kwargs)
        for key in _OF_THE_OPERATION_ALONE:
            attributes.pop(key, None)
        self._update(owned, attributes)
        self._learn(owned, hook.name, kwargs, is_merged=True)
        if self._metrics is not None and (began_ns is not None or "duration_ms" in kwargs):
            took_s = duration_s(kwargs, began_ns or owned.began_ns)
            self._metrics.finished("rpc", owned.facts, took_s, failure)

    def _find_bare(self, spec: SpanSpec, kwargs: dict[str, Any]) -> OwnedSpan | None:
        """Find the span that a hook without a known `call_id` ends."""
        if spec.noun in {"rpc_request", "rpc_handle"}:
            envelope = kwargs.get("envelope")
            # After a failure the envelope is the request; else it is the answer.
            is_quiet = (
                is_notification(step(envelope, "method"))
                if "exc" in kwargs
                else is_answer_to_notification(envelope)
            )
            return self._table.find_bare(spec.name, (as_key(kwargs.get("transport")), is_quiet))
        for family in self._spans_of[spec.noun]:
            owned = self._table.find_bare(family.name, self._key(spec, kwargs))
            if owned is not None:
                return owned
        return None

    def _is_taken_in_bare(
        self,
        hook: HookSpec,
        spec: SpanSpec,
        kwargs: dict[str, Any],
        failure: Failure | None,
    ) -> bool:
        """Whether a bare RPC outcome belongs to a merged request, or to a quiet notification."""
        if spec.noun not in {"rpc_request", "rpc_handle"}:
            return False
        owned = current_owned() if spec.noun == "rpc_request" else None
        if owned is not None and "" in owned.aliases:
            self._merged_outcome(hook, owned, kwargs, failure)
            return True
        return failure is None and is_answer_to_notification(kwargs.get("envelope"))

    def _orphan(
        self, hook: HookSpec, spec: SpanSpec, kwargs: dict[str, Any], failure: Failure | None
    ) -> None:
        """Show an end whose beginning was never seen as a span of no length."""
        before = f"before_{spec.noun}"
        given = {key: value for key, value in kwargs.items() if key not in {"result", "exc"}}
        owned = self._start(before, spec.noun, given, is_announced=False)
        if owned is not None:
            if not owned.is_borrowed:
                owned.span.set_attribute(ORPHAN, True)
            owned.is_finished = True  # nothing is known of how long it took
            self._finish(hook, owned, kwargs, failure)
            self._end(owned)

    def _end(self, owned: OwnedSpan) -> None:
        if not self._table.close(owned):
            return
        self._moments.release_progress(owned)
        failure = owned.failure
        cause = CANCELLED if failure is not None and failure.is_cancelled else None
        for child in list(owned.children):
            self._reap(child, cause)
        if not owned.is_borrowed:
            owned.span.end(explicit_time_ns())
        owned.leave()
        self._table.forget(owned)
        self._release(owned)

    def _release(self, owned: OwnedSpan) -> None:
        """Let go of what ended: a parent or a task that lives on must not keep it."""
        owned.kwargs = owned.task = None
        unwatch, owned.unwatch = owned.unwatch, None
        if unwatch is not None:
            unwatch()
        if owned.parent is not None:
            owned.parent.children.pop(owned, None)

    def _reap(self, owned: OwnedSpan, failure: Failure | None = None) -> None:
        """End a span whose end was never told."""
        if not owned.is_open:
            return
        if failure is not None:
            values: dict[str, Any] = {}
            self._finish(self._spec.hooks["operation_closed"], owned, values, failure)
        if not owned.is_borrowed and (failure is None or not failure.is_cancelled):
            owned.span.set_attribute(INCOMPLETE, True)
        self._end(owned)


def _place(span: trace.Span, session_id: object) -> TraceLocation:
    context = span.get_span_context()
    session = session_id if isinstance(session_id, str) else None
    if not context.is_valid:
        return TraceLocation(session)
    return TraceLocation(
        session, trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id)
    )


def _check_identity(kwargs: dict[str, Any]) -> None:
    """Leave out a `call_id` or `parent_call_id` that is none."""
    for name in ("call_id", "parent_call_id"):
        if not isinstance(kwargs.get(name, ""), str):
            kwargs[name] = None
