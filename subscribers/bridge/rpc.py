"""RPC requests without a span of their own: quiet notifications, and requests that are merged.

The first `tools/call` inside the tool's own span is the same operation (MCP conventions: no second
span), so its attributes are added there.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from opentelemetry.context import get_current

from subscribers.bridge.enrichment import Enrichment
from subscribers.bridge.facts import (
    as_key,
    is_answer_to_notification,
    is_notification,
    target_matches,
)
from subscribers.bridge.failures import Failure
from subscribers.bridge.metrics import Metrics, duration_s
from subscribers.bridge.spans import Call, OwnedSpan, SpanTable, current_owned
from subscribers.content.paths import step
from subscribers.spec.engine import Engine
from subscribers.spec.model import SpanSpec

RPC_NOUNS = frozenset({"rpc_request", "rpc_handle"})

_QUIET_NOTIFICATIONS = frozenset({"notifications/progress", "notifications/cancelled"})
_OF_THE_OPERATION_ALONE = frozenset(
    {"error.type", "inspector.cancelled", "mcp.error.code", "mcp.error.message", "mcp.status.code"}
)


class RequestMerging:
    """Finds the span that a request belongs to, where it gets none of its own."""

    def __init__(
        self, engine: Engine, table: SpanTable, enrichment: Enrichment, metrics: Metrics | None
    ) -> None:
        self._engine = engine
        self._table = table
        self._enrichment = enrichment
        self._metrics = metrics

    def merge(self, hook: str, kwargs: dict[str, Any], *, is_announced: bool) -> Call | None:
        """Return the call of a request without a span of its own; None if it needs one."""
        rpc = kwargs["$rpc"]
        if rpc.get("method") in _QUIET_NOTIFICATIONS:
            return self.without_span(kwargs, is_announced=is_announced)
        if hook == "before_rpc_handle":
            return None
        parent, _ = self._table.parent_of(
            kwargs, get_current(), is_operation="parent_call_id" in kwargs
        )
        is_inner = parent is not None and target_matches(parent.family, parent.key, rpc)
        if parent is None or not is_inner or parent.aliases:
            return None
        parent.aliases = (kwargs.get("call_id") or "",)
        attributes = self._engine.attributes(hook, kwargs)
        new = {key: value for key, value in attributes.items() if key not in parent.attributes}
        self._enrichment.update(parent, new)
        self._enrichment.learn(parent, hook, kwargs, is_merged=True)
        return Call(parent, perf_counter_ns(), is_announced=is_announced, is_merged=True)

    def without_span(self, kwargs: dict[str, Any], *, is_announced: bool) -> Call:
        """Return a call without a span: what happens inside it belongs to its parent's."""
        parent, _ = self._table.parent_of(
            kwargs, get_current(), is_operation="parent_call_id" in kwargs
        )
        return Call(parent, perf_counter_ns(), is_announced=is_announced, is_merged=True)

    def finish(
        self,
        hook: str,
        owned: OwnedSpan | None,
        kwargs: dict[str, Any],
        failure: Failure | None,
        began_ns: int | None = None,
    ) -> None:
        """Add the end of a merged request; whether the tool failed, its own hook reports."""
        if owned is None or not owned.is_open or kwargs.get("envelope") is None:
            return
        kwargs["$failure"] = failure
        attributes = self._engine.attributes(hook, kwargs)
        for key in _OF_THE_OPERATION_ALONE:
            attributes.pop(key, None)
        self._enrichment.update(owned, attributes)
        self._enrichment.learn(owned, hook, kwargs, is_merged=True)
        if self._metrics is not None and (began_ns is not None or "duration_ms" in kwargs):
            took_s = duration_s(kwargs, began_ns or owned.began_ns)
            self._metrics.finished("rpc", owned.facts, took_s, failure)

    def is_without_span(
        self, hook: str, spec: SpanSpec, kwargs: dict[str, Any], failure: Failure | None
    ) -> bool:
        """Return whether a bare outcome ends a merged request, or a quiet notification."""
        if spec.noun not in RPC_NOUNS:
            return False
        owned = current_owned() if spec.noun == "rpc_request" else None
        if owned is not None and "" in owned.aliases:
            self.finish(hook, owned, kwargs, failure)
            return True
        return failure is None and is_answer_to_notification(kwargs.get("envelope"))


def bare_key(kwargs: dict[str, Any]) -> tuple[str | int | None, bool]:
    """Return the key of the request that a bare outcome ends."""
    envelope = kwargs.get("envelope")
    # After a failure the envelope is the request; else it is the answer.
    is_quiet = (
        is_notification(step(envelope, "method"))
        if "exc" in kwargs
        else is_answer_to_notification(envelope)
    )
    return as_key(kwargs.get("transport")), is_quiet
