"""Enrichment of the bridge's spans: attributes, names, outcomes and accounts, from hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry.trace import StatusCode

from subscribers.bridge import late
from subscribers.bridge.failures import (
    CANCELLED,
    Failure,
    failure_of_exception,
    is_callers_fault,
)
from subscribers.bridge.metrics import Metrics, duration_s
from subscribers.bridge.moments import LiveRecords
from subscribers.bridge.prices import COST, FROM_PRICES, SOURCE, PriceList
from subscribers.bridge.sessions import Sessions
from subscribers.bridge.spans import OwnedSpan
from subscribers.content.paths import step
from subscribers.spec.engine import TRUNCATED, Attributes, Engine
from subscribers.spec.model import SpanSpec


def _with_marks(attributes: Attributes, known: Attributes) -> Attributes:
    """Add the known marks of what is truncated to those of new attributes, if there are any."""
    if TRUNCATED not in attributes:
        return attributes
    marks = dict.fromkeys([*known.get(TRUNCATED, ()), *attributes[TRUNCATED]])
    return {**attributes, TRUNCATED: list(marks)}


class Enrichment:
    """Writes what hooks report onto spans that the bridge has started."""

    def __init__(
        self,
        engine: Engine,
        sessions: Sessions,
        *,
        live: LiveRecords | None,
        metrics: Metrics | None,
        prices: PriceList | None,
    ) -> None:
        self._engine = engine
        self._official = engine.in_official_vocabulary()
        self._sessions = sessions
        self._live = live
        self._metrics = metrics
        self._prices = prices

    def add_context(self, kwargs: dict[str, Any], spec: SpanSpec, parent: OwnedSpan | None) -> None:
        """Add what the bridge knows beside the kwargs: session, agent, kind of operation."""
        self._sessions.add_to(kwargs, is_root=parent is None)
        kwargs["$agent"] = parent.agent if parent is not None else None
        if spec.noun == "llm_generate":
            named = kwargs.get("operation_name") or "chat"
            kwargs["$operation_name"] = named if spec.kind == "client" else "invoke_agent"
            kwargs["$unknown_provider"] = "unknown"
            kwargs["$is_inference"] = spec.name == "llm"
            kwargs["$is_loop"] = spec.name == "llm_loop"
        elif spec.noun == "step_run":
            kwargs["$step_kind"] = "step"
        elif (workflow := kwargs.get("workflow")) is not None and spec.noun == "workflow_run":
            kwargs["$workflow_class"] = type(workflow).__qualname__

    def start(self, owned: OwnedSpan, hook: str, kwargs: Mapping[str, Any]) -> None:
        """Store the first facts; write the attributes if the span is the emitter's own."""
        if self._official is not self._engine:
            owned.facts = self._official.attributes(hook, kwargs)
        if owned.is_borrowed:
            owned.span.set_attributes(owned.attributes)
            if self._live is not None:
                self._live.progress(owned.span, owned.attributes)

    def learn(
        self, owned: OwnedSpan, hook: str, kwargs: Mapping[str, Any], *, is_merged: bool = False
    ) -> None:
        """Store the hook's facts in the official vocabulary, where another is written."""
        if self._official is not self._engine:
            facts = self._official.attributes(hook, kwargs)
            owned.facts = {**facts, **owned.facts} if is_merged else {**owned.facts, **facts}

    def update(self, owned: OwnedSpan, attributes: Attributes, *, is_last: bool = False) -> None:
        """Set new attributes, and report them live unless the end follows at once."""
        if not owned.is_open:
            return
        known = owned.attributes
        if TRUNCATED in attributes:
            attributes = _with_marks(attributes, known)
        changed = {key: value for key, value in attributes.items() if known.get(key) != value}
        if not changed:
            return
        known.update(changed)
        if owned.is_borrowed and not owned.span.is_recording():
            return  # its emitter ended it before its last hook
        if len(changed) == 1:  # half the price
            owned.span.set_attribute(*next(iter(changed.items())))
        else:
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

    def finish(
        self, hook: str, owned: OwnedSpan, kwargs: dict[str, Any], failure: Failure | None
    ) -> None:
        """Write the outcome of an operation; its span ends afterwards."""
        if not owned.is_open:
            return
        kwargs["$failure"], ended_by = failure, failure
        if failure is not None and owned.family == "rpc_handle" and is_callers_fault(failure):
            kwargs["$failure"], failure = {"rpc_code": failure.rpc_code}, None
        kwargs["$status"] = "ok" if failure is None else "error"
        kwargs["$is_inference"] = owned.family == "llm"
        attributes, content, size_bytes = self._engine.attributes_and_content(hook, kwargs)
        self.update(owned, attributes, is_last=True)
        if content is not None and owned.span.is_recording():
            known = owned.attributes
            late.set_attributes(owned.span, lambda: _with_marks(content(), known), size_bytes)
        self.learn(owned, hook, kwargs)
        if self._metrics is not None or self._prices is not None:
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

    def close(self, owned: OwnedSpan, kwargs: dict[str, Any]) -> None:
        """Write what only `operation_closed` knows: the stream, and an outcome without its hook."""
        kwargs["$is_inference"] = owned.family == "llm"
        if self._metrics is not None and owned.family == "llm":
            first_chunk_ns = step(kwargs.get("stream"), "first_chunk_ns")
            if isinstance(first_chunk_ns, int):
                self._metrics.first_chunk(owned.facts, first_chunk_ns)
        if not owned.is_finished:
            self.finish("operation_closed", owned, kwargs, self._closing_failure(kwargs))
            return
        if owned.failure is None and kwargs.get("status") == "error":  # done well, and rejected
            failure = failure_of_exception(kwargs.get("exc"), self._engine)
            kwargs |= {"$failure": failure, "$status": "error"}
            owned.failure = failure
            owned.span.set_status(StatusCode.ERROR, failure.message or None)
        elif kwargs.get("stream") is None:
            return
        attributes = self._engine.attributes("operation_closed", kwargs)
        self.update(owned, attributes, is_last=True)

    def _closing_failure(self, kwargs: Mapping[str, Any]) -> Failure | None:
        """Return why an operation closed without its after or error hook, if it failed."""
        match kwargs.get("status"):
            case "cancelled":
                return CANCELLED
            case "denied":
                failure = failure_of_exception(kwargs.get("exc"), self._engine)
                return Failure("denied", "DENIED", failure.message)
            case "error":
                return failure_of_exception(kwargs.get("exc"), self._engine)
            case _:
                return None

    def _account(
        self, owned: OwnedSpan, kwargs: Mapping[str, Any], failure: Failure | None
    ) -> None:
        """Count an operation that ends, and price it unless it came with its cost."""
        if self._prices is not None and owned.family == "llm" and COST not in owned.facts:
            cost = self._prices.cost(owned.facts)
            if cost is not None and self._official is self._engine:
                self.update(owned, {COST: cost, SOURCE: FROM_PRICES}, is_last=True)
        if self._metrics is not None and not owned.is_finished:
            took_s = duration_s(kwargs, owned.began_ns)
            self._metrics.finished(owned.family, owned.facts, took_s, failure)
