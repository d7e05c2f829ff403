"""Open spans of the bridge: their parents, their lookup and the ambient context.

A span is found again by `call_id`. Hooks that come without one are matched by a stack: each owned
span is reachable from the OTel context it was put into, the innermost open one of the same family
and key is meant (telemetry mapping, correlation rule), and a table for the whole process helps
where the end comes from another task.

Contexts are never detached. `detach` in a task other than the one that attached logs an error, and
resets what others have put there since. When a span ends, and what is current is still exactly the
context we made for it, the one before is put back; otherwise nothing is touched, and closed spans
are skipped when a parent is looked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from threading import Lock
from time import perf_counter_ns
from typing import Any, TypeAlias
from weakref import ReferenceType, ref

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import Span
from opentelemetry.trace import SpanKind

BRIDGE_SCOPE = "mcp-agent-inspector.bridge"
DUPLICATE_OF = "inspector.duplicate_of"

_OWNED = otel_context.create_key("inspector-owned-span")
_CURRENT = next(iter(trace.set_span_in_context(trace.INVALID_SPAN, Context())))
"""The key under which the API keeps the current span."""
_EMPTY = Context()

FrameKey: TypeAlias = tuple[str, Any]
"""(family, what tells two spans of the family apart)."""

MAX_OPEN_BARE = 10_000
"""Open spans without a `call_id`; beyond it the oldest is taken for lost."""

MAX_CALLS = 100_000
"""Call ids that stand for something; beyond it the oldest is taken for lost."""


class OwnedSpan:
    """A span of ours, from start to end."""

    __slots__ = (
        "_made", "agent", "aliases", "attributes", "began_ns", "call_id", "children", "facts",
        "failure", "family", "has_duplicate", "is_borrowed", "is_finished", "is_open", "key",
        "kwargs", "outer", "parent", "span", "task", "template", "unwatch",
    )  # fmt: skip

    def __init__(
        self,
        span: trace.Span,
        family: str,
        key: Any,
        parent: OwnedSpan | None,
        call_id: str | None,
        attributes: dict[str, Any],
    ) -> None:
        self.span = span
        self.family = family
        self.key = key
        self.parent = parent
        self.call_id = call_id
        self.attributes = attributes
        """All that was set so far."""
        self.facts = attributes
        """The same in the official vocabulary, whichever is written."""
        self.began_ns = perf_counter_ns()
        self.agent: str | None = parent.agent if parent is not None else None
        self.children: dict[OwnedSpan, None] = {}
        """Those that nobody promised to close: they end with this one at the latest."""
        self.aliases: list[str] = []
        """The `call_id`s of RPC requests that were taken for this operation."""
        self.has_duplicate = False
        """Whether a foreign span was marked as the same operation told again."""
        self.is_open = True
        self.is_borrowed = False
        """Whether `span` is the emitter's own, which is enriched and never ended."""
        self.is_finished = False
        """Whether an after or error hook was seen."""
        self.failure: Any = None
        self.kwargs: dict[str, Any] | None = None
        """What it was opened with, until its before hook came."""
        self.task = running_task()
        """In which it began."""
        self.template: Any = None
        self.unwatch: Callable[[], object] | None = None
        """Stops watching the task that it was started in."""
        self.outer: Context = _EMPTY
        self._made: ReferenceType[Context] | None = None
        """The context made for it; weak, as a cycle would keep all it says until a collection."""

    def enter(self, base: Context) -> None:
        """Make this span current, on top of `base`."""
        self.outer = _skip_closed(otel_context.get_current())
        # As `trace.set_span_in_context` and `set_value` do, with one copy instead of four.
        context = Context({**base, _CURRENT: self.span, _OWNED: self})
        self._made = ref(context)
        otel_context.attach(context)

    def leave(self) -> None:
        """Restore the context before this span, if this context is still ours."""
        if self.is_own(otel_context.get_current()):
            otel_context.attach(_skip_closed(self.outer))

    def is_own(self, context: Context) -> bool:
        """Return whether `context` is the one made for this span, not one made inside it."""
        return self._made is not None and self._made() is context


class Call:
    """The state of a call, found by `call_id`."""

    __slots__ = ("began_ns", "is_announced", "is_merged", "owned")

    def __init__(
        self, owned: OwnedSpan | None, *, is_announced: bool, is_merged: bool = False
    ) -> None:
        self.owned = owned
        """Its span; that of its parent when it has none of its own."""
        self.is_announced = is_announced
        """Whether `operation_opened` was seen, so that `operation_closed` will come."""
        self.is_merged = is_merged
        """Whether `owned` belongs to another call."""
        self.began_ns = perf_counter_ns()


class SpanTable:
    """All open spans of one bridge. Safe to use from several threads."""

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}
        self._bare: dict[FrameKey, list[OwnedSpan]] = {}
        self._bare_count = 0
        self._borrowed: set[int] = set()
        self._lock = Lock()

    def borrow(self) -> Span | None:
        """Return the current span, if it is the emitter's own and stands for no operation yet."""
        current = trace.get_current_span()
        if not isinstance(current, Span) or not current.is_recording() or _is_ours(current):
            return None
        span_id = current.get_span_context().span_id
        with self._lock:
            if span_id in self._borrowed:
                return None
            self._borrowed.add(span_id)
        return current

    def parent_of(
        self, kwargs: dict[str, Any], *, is_operation: bool, family: str | None = None
    ) -> tuple[OwnedSpan | None, Context]:
        """Return the owned parent, if any, and the OTel context to start the new span in.

        A span of another instrumentation that was started inside the owned parent, and is
        current, comes between the two.

        Args:
            kwargs: Of the hook; `parent_call_id` counts.
            is_operation: The bus knows the parent, also that there is none.
            family: Of the new span, where one of its kind cannot be its parent.
        """
        current = otel_context.get_current()
        innermost = owned_of(current)
        call = self.calls.get(kwargs.get("parent_call_id") or "")
        if call is not None:
            parent = _innermost_bare(innermost, nearest_open(call.owned))
        elif is_operation:
            # The bus says that no operation surrounds it: what a generator left behind here,
            # spans with a call id, is not its parent; a bare hook's may be.
            parent = innermost
            while parent is not None and (parent.call_id or not parent.is_open):
                parent = parent.parent
        else:
            # Bare requests of one task are never inside each other: they only overlap.
            parent = nearest_open(innermost, not_a=family)
        if parent is None:
            return None, _outside(current)
        span = trace.get_current_span(current)
        if innermost is parent and (span is parent.span or span.is_recording()):
            return parent, current
        return parent, trace.set_span_in_context(parent.span, current)

    def close(self, owned: OwnedSpan) -> bool:
        """Claim the end of a span; False if another thread has already claimed it."""
        with self._lock:
            was_open, owned.is_open = owned.is_open, False
        return was_open

    def put_call(self, call_id: str, call: Call) -> list[Call]:
        """Let `call_id` stand for `call`; return those that it takes the place of."""
        former = self.calls.pop(call_id, None)
        self.calls[call_id] = call
        replaced = [] if former is None else [former]
        if len(self.calls) > MAX_CALLS:
            replaced.append(self.calls.pop(next(iter(self.calls))))
        return replaced

    def add_bare(self, owned: OwnedSpan) -> OwnedSpan | None:
        """Remember a span without a `call_id`; return one that must go to make room."""
        with self._lock:
            self._bare.setdefault((owned.family, owned.key), []).append(owned)
            self._bare_count += 1
            if self._bare_count <= MAX_OPEN_BARE:
                return None
            return next(iter(self._bare.values()))[0]

    def find_bare(self, family: str, key: Any) -> OwnedSpan | None:
        """Return the innermost open span of this family and key; here, else in the process."""
        for owned in _chain(owned_of(otel_context.get_current())):
            is_bare = owned.is_open and owned.call_id is None
            if is_bare and owned.family == family and owned.key == key:
                return owned
        with self._lock:
            candidates = self._bare.get((family, key), ())
            return next((owned for owned in reversed(candidates) if owned.is_open), None)

    def forget(self, owned: OwnedSpan) -> None:
        """Drop a span that has ended."""
        if owned.is_borrowed:
            self._borrowed.discard(owned.span.get_span_context().span_id)
        for call_id in (*owned.aliases, owned.call_id or ""):
            call = self.calls.get(call_id)
            if call is not None and call.owned is owned:
                del self.calls[call_id]
        if owned.call_id is not None:
            return
        with self._lock:
            frames = self._bare.get((owned.family, owned.key), [])
            if owned in frames:
                frames.remove(owned)
                self._bare_count -= 1
            if not frames:
                self._bare.pop((owned.family, owned.key), None)

    def open_spans(self) -> list[OwnedSpan]:
        """Return every open span, those without a `call_id` first."""
        with self._lock:
            bare = [owned for frames in self._bare.values() for owned in frames]
        named = [call.owned for call in list(self.calls.values()) if call.owned is not None]
        return list(dict.fromkeys(owned for owned in bare + named if owned.is_open))


def duplicated(span: Span, parent_context: Context | None) -> OwnedSpan | None:
    """Return our span that a just started foreign span duplicates.

    An MCP SDK that traces itself makes a span for the request that our span above it stands for.
    """
    context = parent_context if parent_context is not None else otel_context.get_current()
    owned = owned_of(context)
    parent = span.parent
    if owned is None or parent is None or owned.is_borrowed or _is_ours(span):
        return None
    if parent.span_id != owned.span.get_span_context().span_id:
        return None
    if not _is_same_operation(span, owned):
        return None
    owned.has_duplicate = True
    return owned


def mark_duplicate(current: trace.Span, owned: OwnedSpan) -> None:
    """Mark the foreign span around a new one of ours, if it is there for the same operation."""
    if not isinstance(current, Span) or not current.is_recording() or _is_ours(current):
        return
    if DUPLICATE_OF in (current.attributes or {}):
        return
    if _is_same_operation(current, owned):
        owned.has_duplicate = True
        ours = owned.span.get_span_context().span_id
        current.set_attribute(DUPLICATE_OF, trace.format_span_id(ours))


def mark_inner(theirs: trace.Span) -> None:
    """Mark a foreign span that was just started for the operation that is current here.

    For one whose parent is not ours, or whose attributes do not tell yet what it is for.
    """
    ours = trace.get_current_span()
    if isinstance(ours, Span) and _is_ours(ours) and theirs is not ours:
        theirs.set_attribute(DUPLICATE_OF, trace.format_span_id(ours.get_span_context().span_id))


def _is_ours(span: Span) -> bool:
    scope = span.instrumentation_scope
    return scope is not None and scope.name == BRIDGE_SCOPE


_TARGETS = {
    "execute_tool": "gen_ai.tool.name",
    "invoke_agent": "gen_ai.agent.name",
    "invoke_workflow": "gen_ai.workflow.name",
}
"""Not the model calls: which of the two knows the usage shows only at their end."""
_CARRIED_BY = {"tool": "tools/call", "resource": "resources/read", "prompt": "prompts/get"}
"""Families of spans to the request that carries them out; an SDK's span for it starts first."""


def _is_same_operation(span: Span, owned: OwnedSpan) -> bool:
    theirs, ours = span.attributes or {}, owned.facts
    # A server may pass the request that it handles on: same method, another operation.
    if (span.kind is SpanKind.SERVER) != (owned.family == "rpc_handle"):
        return False
    method = theirs.get("mcp.method.name")
    if method is not None and _CARRIED_BY.get(owned.family) == method:
        return not owned.has_duplicate  # the first is the same operation, a later round is its own
    if method is not None:
        return bool(method == ours.get("mcp.method.name"))
    operation = theirs.get("gen_ai.operation.name")
    target = _TARGETS.get(operation) if isinstance(operation, str) else None
    if target is None or operation != ours.get("gen_ai.operation.name"):
        return False
    return theirs.get(target) is not None and theirs.get(target) == ours.get(target)


def running_task() -> asyncio.Task[Any] | None:
    """Return the current task; None where no loop runs."""
    # Not `asyncio.current_task()`: raising, where no loop runs, costs more than all of this.
    loop = asyncio._get_running_loop()
    return None if loop is None else asyncio.current_task(loop)


def current_owned() -> OwnedSpan | None:
    """Return the innermost open span of ours in the current context."""
    return nearest_open(owned_of(otel_context.get_current()))


def owned_of(context: Context) -> OwnedSpan | None:
    """Return the span of ours that `context` was made for."""
    owned = context.get(_OWNED)
    return owned if isinstance(owned, OwnedSpan) else None


def nearest_open(owned: OwnedSpan | None, *, not_a: str | None = None) -> OwnedSpan | None:
    """Return `owned`, or its nearest ancestor, that is open (and not of a family)."""
    while owned is not None and not (owned.is_open and owned.family != not_a):
        owned = owned.parent
    return owned


def _innermost_bare(innermost: OwnedSpan | None, outer: OwnedSpan | None) -> OwnedSpan | None:
    """Return the innermost open span inside `outer` that the bus knows nothing of; else `outer`."""
    if innermost is outer:
        return outer
    for owned in _chain(innermost):
        if owned is outer:
            break
        if owned.is_open and owned.call_id is None and (outer is None or outer in _chain(owned)):
            return owned
    return outer


def _chain(owned: OwnedSpan | None) -> Iterator[OwnedSpan]:
    while owned is not None:
        yield owned
        owned = owned.parent


def _outside(context: Context) -> Context:
    """Return the context that was current before any span of ours."""
    while (owned := owned_of(context)) is not None:
        context = owned.outer
    return context


def _skip_closed(context: Context) -> Context:
    while (owned := owned_of(context)) is not None and not owned.is_open:
        if not owned.is_own(context):
            break
        context = owned.outer
    return context
