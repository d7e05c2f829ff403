"""The bridge: the life cycle of spans, started and ended by hooks, with none left open.

Every callback is a plain function. It runs on the emitter's thread and in its context, and costs
the emitter only the reading of its values: another thread sends. The bus logs what fails in here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter_ns
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context, get_current
from opentelemetry.trace import Link, SpanKind, Tracer

from instrument import Bus
from subscribers.bridge.enrichment import Enrichment
from subscribers.bridge.event_time import explicit_time_ns
from subscribers.bridge.facts import RpcFacts, agent_name, as_key, is_notification, uri_text
from subscribers.bridge.failures import (
    CANCELLED,
    Failure,
    failure_of_exception,
    failure_of_hook,
)
from subscribers.bridge.location import OpenOperation, TraceLocation
from subscribers.bridge.metrics import Metrics
from subscribers.bridge.moments import LiveRecords, Moments
from subscribers.bridge.prices import PriceList
from subscribers.bridge.propagation import parent_over_mcp
from subscribers.bridge.rpc import RPC_NOUNS, RequestMerging, bare_key
from subscribers.bridge.sessions import SESSION_ID, Details, Sessions
from subscribers.bridge.spans import (
    Call,
    OwnedSpan,
    SpanTable,
    current_owned,
    mark_duplicate,
    nearest_open,
    span_in,
)
from subscribers.bridge.streaming import Streaming
from subscribers.content.paths import compile_path, read_path
from subscribers.options import SpanMode
from subscribers.spec.engine import Engine
from subscribers.spec.model import HookSpec, SpanSpec

INCOMPLETE = "inspector.incomplete"
ORPHAN = "inspector.orphan"

_KINDS = {kind.name.lower(): kind for kind in SpanKind}


class Bridge:
    """Turns the events of one bus into spans of one tracer."""

    def __init__(
        self,
        engine: Engine,
        tracer: Tracer,
        *,
        live: LiveRecords | None = None,
        session_id: Callable[[], str | None] | None = None,
        session_details: Details | None = None,
        metrics: Metrics | None = None,
        prices: PriceList | None = None,
    ) -> None:
        self._engine = engine
        self._is_enriching = engine.options.mode is SpanMode.ENRICH
        self._spec = engine.spec
        self.tracer = tracer
        """Where its spans begin; may be replaced."""
        self._sessions = Sessions(session_id, session_details)
        self._table = SpanTable()
        self._rpc = RpcFacts()
        self._enrichment = Enrichment(
            engine, self._sessions, live=live, metrics=metrics, prices=prices
        )
        self._merging = RequestMerging(engine, self._table, self._enrichment, metrics)
        self._moments = Moments(
            engine,
            self._table,
            self._sessions,
            self._rpc,
            live=live,
            metrics=metrics,
            reap=self._reap,
        )
        self._streaming = None if live is None else Streaming(engine, self._table, live)
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
        if self._streaming is not None:
            offs.append(bus.observe_chunks(self._streaming.on_chunk))

        def off() -> None:
            for undo in offs:
                undo()
            self.end_open_spans()

        return off

    def end_open_spans(self) -> None:
        """End all open spans and mark them incomplete, as nothing else will end them."""
        for owned in self._table.open_spans():
            self._reap(owned)

    def location_of(self, call_id: str | None = None) -> TraceLocation:
        """Return the location of an operation (from any thread), or of the running code."""
        call = self._table.calls.get(call_id or "")
        owned = nearest_open(call.owned) if call is not None else None
        owned = owned or current_owned()
        return _location(
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
                    _location(owned.span, owned.attributes.get(SESSION_ID)),
                    None if parent is None else _location(parent.span, None).span_id,
                    owned.began_ns,
                    owned.task,
                )
            )
        return found

    def _observer(self, hook: HookSpec) -> Callable[..., None]:
        match hook.action:
            case "start":
                return partial(self._on_before, hook)
            case "end":
                return partial(self._on_outcome, hook)
            case "remember":
                return lambda **kwargs: self._moments.remember(hook, kwargs)
            case _:
                return lambda **kwargs: self._moments.report_hook(hook, kwargs)

    # --- starting -----------------------------------------------------------------------------

    def _on_opened(
        self,
        *,
        call_id: object = None,
        noun: object = None,
        kwargs: object = None,
        parent_call_id: object = None,
        **_: object,
    ) -> None:
        if not (isinstance(call_id, str) and isinstance(noun, str)):
            return
        if type(kwargs) is not dict and not isinstance(kwargs, Mapping):  # the first is cheaper
            return
        parent_call_id = parent_call_id if isinstance(parent_call_id, str) else None
        before = {**kwargs, "call_id": call_id, "parent_call_id": parent_call_id}
        if noun in self._spans_of:
            self._start(f"before_{noun}", noun, before, is_announced=True)
        elif f"before_{noun}" in self._spec.hooks:
            self._put_call(call_id, self._merging.without_span(before, is_announced=True))
        else:
            self._start_custom(noun, before, dict(kwargs))

    def _on_before(self, hook: HookSpec, /, **kwargs: Any) -> None:
        call = self._call_of(kwargs)
        if call is None:
            span = self._spec.spans[hook.span or ""]
            self._start(hook.name, span.noun, kwargs, is_announced=False)
        elif call.owned is not None and not call.is_merged:
            self._apply_decisions(hook.name, call.owned, kwargs)

    def _call_of(self, kwargs: dict[str, Any]) -> Call | None:
        """Return the call that kwargs name; clear ids in them that are not strings."""
        for name in ("call_id", "parent_call_id"):
            if not isinstance(kwargs.get(name, ""), str):
                kwargs[name] = None
        return self._table.calls.get(kwargs.get("call_id") or "")

    def _start(
        self, hook: str, noun: str, kwargs: dict[str, Any], *, is_announced: bool
    ) -> OwnedSpan | None:
        began_ns, call_id, current = perf_counter_ns(), kwargs.get("call_id"), get_current()
        spec = self._choose(noun, kwargs)
        if noun in RPC_NOUNS:
            kwargs["$rpc"] = self._rpc.of_request(kwargs)
            call = self._merging.merge(hook, kwargs, is_announced=is_announced)
            if call is not None:
                if call_id is not None:
                    self._put_call(call_id, call)
                return None
        parent, context, links = self._find_parent(
            noun, kwargs, spec, current, is_announced=is_announced
        )
        self._enrichment.add_context(kwargs, spec, parent)
        attributes = self._engine.attributes(hook, kwargs)
        borrowed = self._table.borrow() if self._is_enriching else None
        span = borrowed or self.tracer.start_span(
            self._engine.span_name(spec, attributes),
            context,
            # What a server does itself is no request of a client.
            SpanKind.INTERNAL if kwargs.get("is_served") is True else _KINDS[spec.kind],
            attributes,
            links,
            explicit_time_ns(),
        )
        key = self._key(spec, kwargs)
        owned = OwnedSpan(span, spec.name, key, parent, call_id, attributes, began_ns)
        owned.template = spec
        if borrowed is not None:
            owned.is_borrowed = True
        if noun == "agent_call":
            owned.agent = agent_name(kwargs) or owned.agent
        self._enrichment.start(owned, hook, kwargs)
        around = span_in(context)
        if (
            around is not None
            and borrowed is None
            and (parent is None or parent.span is not around)
        ):
            mark_duplicate(around, owned)
        owned.enter(context, current)
        self._register(owned, kwargs, is_announced=is_announced)
        return owned

    def _find_parent(
        self,
        noun: str,
        kwargs: dict[str, Any],
        spec: SpanSpec,
        current: Context,
        *,
        is_announced: bool,
    ) -> tuple[OwnedSpan | None, Context, Sequence[Link]]:
        """Return the owned parent of a new span, the context to start in, and links."""
        links: Sequence[Link] = ()
        if noun == "rpc_handle":
            remote, links = parent_over_mcp(
                kwargs.get("envelope"),
                current,
                is_trusted=self._engine.options.trusts_remote_context,
            )
            if remote is not None:
                return None, remote, links
        parent, context = self._table.parent_of(
            kwargs,
            current,
            is_operation=is_announced or "parent_call_id" in kwargs,
            family=spec.name if noun == "rpc_request" else None,
        )
        return parent, context, links

    def _start_custom(self, noun: str, kwargs: dict[str, Any], arguments: dict[str, Any]) -> None:
        """Start a span for a noun that the catalogue does not have."""
        current = get_current()
        parent, context = self._table.parent_of(kwargs, current, is_operation=True)
        began_ns = perf_counter_ns()
        values: dict[str, Any] = {"noun": noun, "kwargs": arguments}
        self._sessions.add_to(values, is_root=parent is None)
        attributes = self._engine.attributes("operation_opened", values)
        span = self.tracer.start_span(noun, context, SpanKind.INTERNAL, attributes)
        owned = OwnedSpan(span, noun, None, parent, kwargs["call_id"], attributes, began_ns)
        owned.enter(context, current)
        self._register(owned, kwargs, is_announced=True)

    def _register(self, owned: OwnedSpan, kwargs: dict[str, Any], *, is_announced: bool) -> None:
        """Enter an open span into the table, and watch for its end if none is promised."""
        if owned.call_id is not None:
            call = Call(owned, owned.began_ns, is_announced=is_announced)
            self._put_call(owned.call_id, call)
        elif (oldest := self._table.add_bare(owned)) is not None:
            self._reap(oldest)
        if is_announced:
            owned.kwargs = kwargs
            return
        # The end comes with its hook, its parent's end, or its task's death.
        if owned.parent is not None:
            owned.parent.children[owned] = None
        if owned.task is not None:
            on_done = partial(self._on_task_done, owned)
            owned.task.add_done_callback(on_done)
            owned.unwatch = partial(owned.task.remove_done_callback, on_done)

    def _put_call(self, call_id: str, call: Call) -> None:
        """Store `call` under its id; an id that is used twice ends its first span."""
        for former in self._table.put_call(call_id, call):
            if former.owned is not None and not former.is_merged:
                self._reap(former.owned)

    def _on_task_done(self, owned: OwnedSpan, task: asyncio.Task[Any]) -> None:
        """End a span whose task failed: an emitter's `except Exception` sees no cancellation."""
        if not owned.is_open:
            return
        if task.cancelled():
            self._reap(owned, CANCELLED)
        elif (error := task.exception()) is not None:
            self._reap(owned, failure_of_exception(error, self._engine))

    def _choose(self, noun: str, kwargs: Mapping[str, Any]) -> SpanSpec:
        for spec in self._spans_of[noun]:
            if spec.when is None or read_path(kwargs, spec.when) is True:
                return spec
        return self._spans_of[noun][-1]

    def _key(self, spec: SpanSpec, kwargs: Mapping[str, Any]) -> Any:
        value = self._key_paths[spec.name](kwargs)
        if spec.noun in RPC_NOUNS:
            rpc = kwargs.get("$rpc") or {}
            return (as_key(value), is_notification(rpc.get("method")))
        if type(value) is str:
            return value
        if spec.noun == "resource_fetch":
            value = uri_text(value)
        return value if isinstance(value, str | int) else id(value)

    # --- while it runs ------------------------------------------------------------------------

    def _apply_decisions(self, hook: str, owned: OwnedSpan, kwargs: dict[str, Any]) -> None:
        """Write what interceptors changed between `operation_opened` and the before hook."""
        opened, owned.kwargs = owned.kwargs, None
        if opened is None:
            return
        for key, value in kwargs.items():  # `all(...)` would cost more: it takes a generator
            if opened.get(key) is not value:
                break
        else:
            return
        if owned.family in {"rpc", "rpc_handle"}:
            kwargs["$rpc"] = self._rpc.of_request(kwargs)
        if owned.template is not None:
            self._enrichment.add_context(kwargs, owned.template, owned.parent)
        self._enrichment.update(owned, self._engine.attributes(hook, kwargs))
        self._enrichment.learn(owned, hook, kwargs)

    # --- ending -------------------------------------------------------------------------------

    def _on_outcome(self, hook: HookSpec, /, **kwargs: Any) -> None:
        call = self._call_of(kwargs)
        spec = self._spec.spans[hook.span or ""]
        failure = failure_of_hook(hook.failure, kwargs, self._engine)
        if spec.noun == "rpc_request" and failure is None:
            self._rpc.note_response(kwargs)
        if call is not None and call.is_merged:
            self._merging.finish(hook.name, call.owned, kwargs, failure, call.began_ns)
            if not call.is_announced:
                self._table.calls.pop(kwargs["call_id"], None)
            return
        owned = call.owned if call is not None else self._find_bare(spec, kwargs)
        if owned is None:
            if not self._merging.is_without_span(hook.name, spec, kwargs, failure):
                self._show_orphan(hook.name, spec, kwargs, failure)
            return
        self._enrichment.finish(hook.name, owned, kwargs, failure)
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
        self._enrichment.close(call.owned, kwargs)
        self._end(call.owned)

    def _find_bare(self, spec: SpanSpec, kwargs: dict[str, Any]) -> OwnedSpan | None:
        """Find the span that a hook without a known `call_id` ends."""
        if spec.noun in RPC_NOUNS:
            return self._table.find_bare(spec.name, bare_key(kwargs))
        for family in self._spans_of[spec.noun]:
            owned = self._table.find_bare(family.name, self._key(spec, kwargs))
            if owned is not None:
                return owned
        return None

    def _show_orphan(
        self, hook: str, spec: SpanSpec, kwargs: dict[str, Any], failure: Failure | None
    ) -> None:
        """Show an end without a beginning as a span of no length."""
        before = {key: value for key, value in kwargs.items() if key not in {"result", "exc"}}
        owned = self._start(f"before_{spec.noun}", spec.noun, before, is_announced=False)
        if owned is not None:
            if not owned.is_borrowed:
                owned.span.set_attribute(ORPHAN, True)
            owned.is_finished = True  # nothing is known of how long it took
            self._enrichment.finish(hook, owned, kwargs, failure)
            self._end(owned)

    def _end(self, owned: OwnedSpan) -> None:
        if not self._table.close(owned):
            return
        self._moments.release_progress(owned)
        failure = owned.failure
        cause = CANCELLED if failure is not None and failure.is_cancelled else None
        for child in list(owned.children) if owned.children else ():
            self._reap(child, cause)
        if not owned.is_borrowed:
            owned.span.end(explicit_time_ns())
        owned.leave()
        self._table.forget(owned)
        self._release(owned)

    def _release(self, owned: OwnedSpan) -> None:
        """Drop the references to and from a span that has ended; its parent or task may live on."""
        owned.kwargs = owned.task = owned.streamed = None
        unwatch, owned.unwatch = owned.unwatch, None
        if unwatch is not None:
            unwatch()
        if owned.parent is not None:
            owned.parent.children.pop(owned, None)

    def _reap(self, owned: OwnedSpan, failure: Failure | None = None) -> None:
        """End a span whose end is never reported."""
        if not owned.is_open:
            return
        if failure is not None:
            self._enrichment.finish("operation_closed", owned, {}, failure)
        if not owned.is_borrowed and (failure is None or not failure.is_cancelled):
            owned.span.set_attribute(INCOMPLETE, True)
        self._end(owned)


def _location(span: trace.Span, session_id: object) -> TraceLocation:
    context = span.get_span_context()
    session = session_id if isinstance(session_id, str) else None
    if not context.is_valid:
        return TraceLocation(session)
    return TraceLocation(
        session, trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id)
    )
