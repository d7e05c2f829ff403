"""Recognise one operation in two spans: a framework and its library, both ends of a call.

Pure. Which of the two was sent first is no matter to anything here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.otlp_values import as_text
from inspector.service.model.records import SpanRecord
from inspector.service.model.rows import Json, SpanKind, SpanStatus
from inspector.service.normalise import keys
from inspector.service.normalise.kinds import MCP_KINDS, mcp_method_in_name, tool_name

_METHODS = {
    SpanKind.TOOL: "tools/call",
    SpanKind.RESOURCE: "resources/read",
    SpanKind.PROMPT: "prompts/get",
}
"""The MCP method of such an operation."""
OF_MODELS = frozenset({SpanKind.LLM, SpanKind.EMBEDDING})
DUPLICATED_KINDS = MCP_KINDS | OF_MODELS
"""Kinds of which two spans may report one operation."""
_TARGET = ("gen_ai.tool.name", "gen_ai.prompt.name", "mcp.resource.uri")
_CALLS = "tools/call "
"""Prefix of the tool's name in the name of an MCP span."""
_REQUEST_ID = ("jsonrpc.request.id",)
_PASSED_ON_AS = ("fastmcp.delegate.original_name", "fastmcp.delegate.original_uri")
"""What the tool, prompt or resource is called by the mounted server that has it (FastMCP)."""
_PASSES_ON = "delegate "
"""Prefix of the name of FastMCP's span between a server and one that is mounted on it."""
_FAILED = (SpanStatus.ERROR, SpanStatus.CANCELLED)
OPERATION_KEYS = frozenset(
    {
        *(*keys.MODEL, *keys.MCP_METHOD, *keys.TOOL, *keys.TOOL_CALL_ID),
        *(*_TARGET, *_REQUEST_ID, *_PASSED_ON_AS),
    }
)
"""The keys of attributes by which operations are compared."""
_MOST_BESIDE_PERCENT = 5
_ALWAYS_BESIDE_NS = 1_000_000
"""The time of a layer itself, also around a very short call."""


def may_be_same(kind: SpanKind, other: SpanKind) -> bool:
    """Return whether spans of these kinds can be duplicates; decides most cases."""
    return other in DUPLICATED_KINDS and (
        kind is other or (SpanKind.MCP in (kind, other) and {kind, other} <= MCP_KINDS)
    )


def is_more_specific(kind: SpanKind, other: SpanKind) -> bool:
    """Return whether a span of `kind` is more detailed than one of `other`."""
    return other is SpanKind.MCP and kind is not SpanKind.MCP


def fills(outer_ns: tuple[int, int], inner_ns: tuple[int, int]) -> bool:
    """Return whether the inner (start, end) leaves at most 5 %, or 1 ms, of the outer one."""
    together_ns = min(outer_ns[1], inner_ns[1]) - max(outer_ns[0], inner_ns[0])
    whole_ns = outer_ns[1] - outer_ns[0]
    beside_ns = whole_ns - together_ns
    return together_ns > 0 and (
        beside_ns <= _ALWAYS_BESIDE_NS or beside_ns * 100 <= whole_ns * _MOST_BESIDE_PERCENT
    )


def contains(outer_ns: tuple[int, int], inner_ns: tuple[int, int]) -> bool:
    """Return whether the inner (start, end) is within the outer one, up to 1 ms."""
    return (
        inner_ns[0] >= outer_ns[0] - _ALWAYS_BESIDE_NS
        and inner_ns[1] <= outer_ns[1] + _ALWAYS_BESIDE_NS
    )


class OperationFacts(NamedTuple):
    """Facts of one span about its operation."""

    span: SpanRecord
    scope: str
    """The name of the instrumentation that made it."""
    span_kind: int
    """The kind of OTLP."""
    attributes: Mapping[str, Json]
    """Those of `OPERATION_KEYS`, or more."""


def is_same_operation(outer: OperationFacts, inner: OperationFacts) -> bool:
    """Return whether a span and its parent report one operation.

    An LLM call is the same when it names the same model, or none, and fills the one around it,
    used as many tokens, or is reported by another instrumentation without usage.
    A call over MCP is the same when it names the same method and tool; it need not fill, as what
    is around it is the connection. Two calls of one tool differ in their ids.
    """
    if not may_be_same(outer.span.kind, inner.span.kind):
        return False
    if outer.span.kind in OF_MODELS:
        return _is_same_model_call(outer, inner)
    return _is_same_call(_call(outer), _call(inner))


def _is_same_model_call(outer: OperationFacts, inner: OperationFacts) -> bool:
    models = [_text(one.attributes, keys.MODEL) or "" for one in (outer, inner)]
    # LiteLLM puts a provider before it: `openai/gpt-4o`. The answering model is the requested one
    # with a date: `gpt-4o-2024-11-20`.
    shorter, longer = sorted((model.rpartition("/")[2] for model in models), key=len)
    if not longer.startswith(shorter):
        return False
    if _fills(outer.span, inner.span):
        return True
    if inner.span.status in _FAILED and outer.span.status not in _FAILED:
        return False  # an attempt that failed, and another did not
    outer_tokens, inner_tokens = _tokens(outer.span), _tokens(inner.span)
    if None in (*outer_tokens, *inner_tokens):
        return outer.scope != inner.scope
    return outer_tokens == inner_tokens


def _tokens(span: SpanRecord) -> tuple[int | None, int | None]:
    return span.input_tokens, span.output_tokens


@dataclass(frozen=True, slots=True)
class _Call:
    """Facts of a span about a call that can go over MCP."""

    span: SpanRecord
    span_kind: int
    method: str | None
    is_message: bool
    """Whether the span names its method: it reports the request, not only its purpose."""
    target: str | None
    passed_on_as: str | None
    tool_call_id: str | None
    request_id: str | None


def _call(facts: OperationFacts) -> _Call:
    span, attributes = facts.span, facts.attributes
    named = _text(attributes, keys.MCP_METHOD) or mcp_method_in_name(span.name)
    method = named or _METHODS.get(span.kind)
    target = None
    if span.kind is SpanKind.TOOL or (method == "tools/call" and _CALLS in span.name):
        target = tool_name(span.name, attributes)
    elif method is not None:
        target = _text(attributes, _TARGET)
    if span.name.startswith(_PASSES_ON):
        target = span.name.removeprefix(_PASSES_ON)
    return _Call(
        span,
        facts.span_kind,
        method,
        named is not None,
        target,
        _text(attributes, _PASSED_ON_AS),
        _text(attributes, keys.TOOL_CALL_ID),
        _text(attributes, _REQUEST_ID),
    )


def _is_same_call(outer: _Call, inner: _Call) -> bool:
    if outer.method != inner.method or _differ(outer.tool_call_id, inner.tool_call_id):
        return False
    if outer.method is None:  # MCP without a method, such as a session
        return outer.span.name == inner.span.name and _fills(outer.span, inner.span)
    if _differ(outer.target, inner.target) and _differ(outer.passed_on_as or "", inner.target):
        return False
    if not (outer.is_message or inner.is_message):
        return _fills(outer.span, inner.span)
    sides = (outer.span_kind, inner.span_kind)
    if sides == (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT):
        return False  # what is handled is passed on: a request of its own
    is_to_server = sides == (Span.SPAN_KIND_CLIENT, Span.SPAN_KIND_SERVER)
    return not (is_to_server and _differ(outer.request_id, inner.request_id))


def _fills(outer: SpanRecord, inner: SpanRecord) -> bool:
    return fills((outer.start_ns, outer.end_ns or 0), (inner.start_ns, inner.end_ns or 0))


def _text(attributes: Mapping[str, Json], names: tuple[str, ...]) -> str | None:
    return as_text(keys.first(attributes, names))


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other
