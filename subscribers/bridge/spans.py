"""Open spans of the bridge: their parents, their lookup and the ambient context.

A span is found by its `call_id`. Hooks without one are matched by a stack: each owned span is
reachable from the OTel context that it was put into, and the innermost open span of the same family
and key counts. A table for the whole process finds it when the end comes from another task.

Contexts are never detached. `detach` in a task other than the one that attached logs an error and
discards later changes. When a span ends while its own context is current, the context before it is
restored; otherwise nothing changes, and the search for a parent skips closed spans.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, TypeAlias
from weakref import ReferenceType, ref

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import Span
from opentelemetry.trace import SpanKind

from subscribers.exits import when_forked

BRIDGE_SCOPE = "mcp-agent-inspector.bridge"
DUPLICATE_OF = "inspector.duplicate_of"

_OWNED = otel_context.create_key("inspector-owned-span")
_CURRENT = next(iter(trace.set_span_in_context(trace.INVALID_SPAN, Context())))
"""The key under which the API keeps the current span."""
_EMPTY = Context()

FrameKey: TypeAlias = tuple[str, Any]
"""(family, key of the span within the family)."""

MAX_OPEN_BARE = 10_000
"""Limit of open spans without a `call_id`; beyond it the oldest counts as lost."""

MAX_CALLS = 100_000
"""Limit of call ids; beyond it the oldest counts as lost."""


class OwnedSpan:
    """A span of ours, from start to end."""

    # Defaults are of the class: most spans end without another value.
    aliases: tuple[str, ...] = ()
    """The `call_id`s of RPC requests that were merged into this operation."""
    has_duplicate = False
    """Whether a foreign span was marked as a duplicate of this operation."""
    is_open = True
    is_borrowed = False
    """Whether `span` belongs to the emitter: it is enriched and never ended."""
    is_finished = False
    """Whether an after or error hook was seen."""
    failure: Any = None
    streamed: Any = None
    """What came of a streamed answer; see `streaming`."""
    kwargs: dict[str, Any] | None = None
    """Kwargs of `operation_opened`, until the before hook comes."""
    template: Any = None
    unwatch: Callable[[], object] | None = None
    """Stops watching the task in which it began."""
    outer: Context = _EMPTY
    _made: ReferenceType[Context] | None = None
    """The context made for it; weak, as a cycle would stay in memory until a collection."""

    def __init__(
        self,
        span: trace.Span,
        family: str,
        key: Any,
        parent: OwnedSpan | None,
        call_id: str | None,
        attributes: dict[str, Any],
        began_ns: int,
    ) -> None:
        self.span = span
        self.family = family
        self.key = key
        self.parent = parent
        self.call_id = call_id
        self.attributes = attributes
        """All attributes set so far."""
        self.facts = attributes
        """The same in the official vocabulary, whichever is written."""
        self.began_ns = began_ns
        self.agent: str | None = parent.agent if parent is not None else None
        self.children: dict[OwnedSpan, None] = {}
        """Spans without a promised end: they end with this one at the latest."""
        self.task = running_task()
        """Task in which it began."""

    def enter(self, base: Context, current: Context) -> None:
        """Make this span current, on top of `base` and in place of `current`."""
        self.outer = _skip_closed(current)
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
        self,
        owned: OwnedSpan | None,
        began_ns: int,
        *,
        is_announced: bool,
        is_merged: bool = False,
    ) -> None:
        self.owned = owned
        """Its span, or the span of its parent."""
        self.is_announced = is_announced
        """Whether `operation_opened` was seen, so that `operation_closed` will come."""
        self.is_merged = is_merged
        """Whether `owned` belongs to another call."""
        self.began_ns = began_ns


class SpanTable:
    """All open spans of one bridge. Safe to use from several threads."""

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}
        self._bare: dict[FrameKey, list[OwnedSpan]] = {}
        self._bare_count = 0
        self._borrowed: set[int] = set()
        self._lock = Lock()
        when_forked(self._leave_to_parent)

    def borrow(self) -> Span | None:
        """Return the current span, if it is the emitter's own and stands for no operation yet."""
        current = trace.get_current_span()
        if not isinstance(current, Span) or not current.is_recording() or is_ours(current):
            return None
        span_id = current.get_span_context().span_id
        with self._lock:
            if span_id in self._borrowed:
                return None
            self._borrowed.add(span_id)
        return current

    def parent_of(
        self,
        kwargs: dict[str, Any],
        current: Context,
        *,
        is_operation: bool,
        family: str | None = None,
    ) -> tuple[OwnedSpan | None, Context]:
        """Return the owned parent, if any, and the OTel context to start the new span in.

        The current span of another instrumentation, started inside the owned parent, comes between
        the two.

        Args:
            kwargs: Kwargs of the hook, with `parent_call_id`.
            current: The current context.
            is_operation: Whether the bus knows the parent, or that there is none.
            family: Family of the new span, if a span of the same family cannot be its parent.
        """
        innermost = owned_of(current)
        call = self.calls.get(kwargs.get("parent_call_id") or "")
        if call is not None:
            parent = _innermost_bare(innermost, nearest_open(call.owned))
        elif is_operation:
            # The bus knows no operation around it: spans with a call id are left behind by a
            # generator and not its parent; the span of a bare hook may be.
            parent = innermost
            while parent is not None and (parent.call_id or not parent.is_open):
                parent = parent.parent
        else:
            # Bare requests of one task overlap, but never contain each other.
            parent = nearest_open(innermost, not_a=family)
        if parent is None:
            return None, _outside(current)
        if innermost is parent and span_in(current) is parent.span:
            return parent, current
        if innermost is parent and trace.get_current_span(current).is_recording():
            return parent, current
        return parent, trace.set_span_in_context(parent.span, current)

    def close(self, owned: OwnedSpan) -> bool:
        """Claim the end of a span; False if another thread has already claimed it."""
        with self._lock:
            was_open, owned.is_open = owned.is_open, False
        return was_open

    def put_call(self, call_id: str, call: Call) -> Sequence[Call]:
        """Store `call` under `call_id`; return the calls that it replaces."""
        former = self.calls.pop(call_id, None)
        self.calls[call_id] = call
        if former is None and len(self.calls) <= MAX_CALLS:
            return ()
        replaced = [] if former is None else [former]
        if len(self.calls) > MAX_CALLS:
            replaced.append(self.calls.pop(next(iter(self.calls))))
        return replaced

    def add_bare(self, owned: OwnedSpan) -> OwnedSpan | None:
        """Add a span without a `call_id`; return the one to end when there are too many."""
        with self._lock:
            self._bare.setdefault((owned.family, owned.key), []).append(owned)
            self._bare_count += 1
            if self._bare_count <= MAX_OPEN_BARE:
                return None
            return next(iter(self._bare.values()))[0]

    def find_bare(self, family: str, key: Any) -> OwnedSpan | None:
        """Return the innermost open span of this family and key: in this context, else anywhere."""
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
        """Return every open span, first the ones without a `call_id`."""
        with self._lock:
            bare = [owned for frames in self._bare.values() for owned in frames]
        named = [call.owned for call in list(self.calls.values()) if call.owned is not None]
        return list(dict.fromkeys(owned for owned in bare + named if owned.is_open))

    def _leave_to_parent(self) -> None:
        """Keep open spans as parents in a forked child; the parent process ends them."""
        self._lock = Lock()  # a thread of the parent may have locked the old one
        for owned in self.open_spans():
            owned.span = trace.NonRecordingSpan(owned.span.get_span_context())


def duplicated(span: Span, parent_context: Context | None) -> OwnedSpan | None:
    """Return our span that a new foreign span duplicates.

    An MCP SDK that traces itself makes a span for a request that our span above already represents.
    """
    context = parent_context if parent_context is not None else otel_context.get_current()
    owned = owned_of(context)
    parent = span.parent
    if owned is None or parent is None or owned.is_borrowed or is_ours(span):
        return None
    if parent.span_id != owned.span.get_span_context().span_id:
        return None
    if not _is_same_operation(span, owned):
        return None
    owned.has_duplicate = True
    return owned


def mark_duplicate(current: object, owned: OwnedSpan) -> None:
    """Mark the foreign span around a new span of ours if both are the same operation."""
    if not isinstance(current, Span) or not current.is_recording() or is_ours(current):
        return
    if DUPLICATE_OF in (current.attributes or {}):
        return
    if _is_same_operation(current, owned):
        owned.has_duplicate = True
        ours = owned.span.get_span_context().span_id
        current.set_attribute(DUPLICATE_OF, trace.format_span_id(ours))


def mark_inner(theirs: trace.Span) -> None:
    """Mark a new foreign span as a duplicate of the current operation.

    For spans whose parent is not ours, or whose attributes do not show their operation yet.
    """
    ours = trace.get_current_span()
    if isinstance(ours, Span) and is_ours(ours) and theirs is not ours:
        theirs.set_attribute(DUPLICATE_OF, trace.format_span_id(ours.get_span_context().span_id))


def is_ours(span: Span) -> bool:
    """Return whether the bridge made a span."""
    scope = span.instrumentation_scope
    return scope is not None and scope.name == BRIDGE_SCOPE


_TARGETS = {
    "execute_tool": "gen_ai.tool.name",
    "invoke_agent": "gen_ai.agent.name",
    "invoke_workflow": "gen_ai.workflow.name",
}
"""Operation → its target attribute. LLM calls: only their end shows which span has the usage."""
_CARRIED_BY = {"tool": "tools/call", "resource": "resources/read", "prompt": "prompts/get"}
"""Family of a span to the request that carries it out."""


def _is_same_operation(span: Span, owned: OwnedSpan) -> bool:
    theirs, ours = span.attributes or {}, owned.facts
    # A server may forward the request that it handles: same method, another operation.
    if (span.kind is SpanKind.SERVER) != (owned.family == "rpc_handle"):
        return False
    method = theirs.get("mcp.method.name")
    if method is not None and _CARRIED_BY.get(owned.family) == method:
        return not owned.has_duplicate  # only the first is the same operation
    if method is not None:
        return bool(method == ours.get("mcp.method.name"))
    operation = theirs.get("gen_ai.operation.name")
    target = _TARGETS.get(operation) if isinstance(operation, str) else None
    if target is None or operation != ours.get("gen_ai.operation.name"):
        return False
    return theirs.get(target) is not None and theirs.get(target) == ours.get(target)


def running_task() -> asyncio.Task[Any] | None:
    """Return the current task; None where no loop runs."""
    # Without a loop, `asyncio.current_task()` raises, which costs more than all of this.
    loop = asyncio._get_running_loop()
    return None if loop is None else asyncio.current_task(loop)


def current_owned() -> OwnedSpan | None:
    """Return the innermost open span of ours in the current context."""
    return nearest_open(owned_of(otel_context.get_current()))


def owned_of(context: Context) -> OwnedSpan | None:
    """Return our span of `context`."""
    owned: OwnedSpan | None = context.get(_OWNED)  # type: ignore[assignment]  # only ours
    return owned


def span_in(context: Context) -> object:
    """Return the current span of `context`, of anybody; None if there is none."""
    return context.get(_CURRENT)


def nearest_open(owned: OwnedSpan | None, *, not_a: str | None = None) -> OwnedSpan | None:
    """Return the nearest open span from `owned` upward, optionally not of a family."""
    while owned is not None and not (owned.is_open and owned.family != not_a):
        owned = owned.parent
    return owned


def _innermost_bare(innermost: OwnedSpan | None, outer: OwnedSpan | None) -> OwnedSpan | None:
    """Return the innermost open span of a bare hook inside `outer`; else `outer`."""
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
    """Return the context outside all spans of ours."""
    while (owned := owned_of(context)) is not None:
        context = owned.outer
    return context


def _skip_closed(context: Context) -> Context:
    while (owned := owned_of(context)) is not None and not owned.is_open:
        if not owned.is_own(context):
            break
        context = owned.outer
    return context
