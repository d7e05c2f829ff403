"""De-duplication of calls that two layers see: only the outer one reports them.

An agent's tool that an MCP client carries out is one tool call, a framework's LLM call is carried
out by a provider's client, and a method of a framework may call the one that it overrides. A layer
checks `is_reported` before it opens an operation. The bus knows what its open operations enclose; a
layer whose operations are in contexts of their own enters `reporting` as well. A framework's own
span around an operation of ours is marked as its duplicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

from instrument import Bus
from instrument import default as shared
from instrument.operations import is_current

MODEL_CALL: Final = "llm_generate"
TOOL_CALL: Final = "tool_call"
_NOTHING = ("", "")

_innermost: ContextVar[tuple[str, str]] = ContextVar(
    "inspector.integrations.reporting", default=_NOTHING
)


def mark_of_span_around(scope: str, is_same: Callable[[Any], bool]) -> Callable[[], None]:
    """Return a function that marks the framework's own span around this call, if there is one.

    To be called before the operation opens; the returned function inside. Both spans report the
    same, such as tokens, which count once. Durations cannot show which is the inner one: a model
    in this process answers faster than the code around it runs.

    Args:
        scope: The instrumentation scope of the framework's spans.
        is_same: Whether the current span, if it is one of these, reports the same operation.
    """
    try:
        from opentelemetry import trace  # noqa: PLC0415 - may not be installed

        from subscribers.bridge.spans import mark_inner  # noqa: PLC0415 - needs it
    except ModuleNotFoundError:
        return _no_mark
    span: Any = trace.get_current_span()
    own = getattr(getattr(span, "instrumentation_scope", None), "name", None)
    if own != scope or not span.is_recording() or not is_same(span):
        return _no_mark
    return partial(mark_inner, span)


def _no_mark() -> None:
    """Mark nothing."""


def innermost() -> tuple[str, str]:
    """Return noun and name of the innermost call marked as reported; empty strings if none."""
    return _innermost.get()


def is_reported(name: str, bus: Bus | None = None, noun: str = TOOL_CALL) -> bool:
    """Return whether an outer layer already reports this call, of a tool or of another `noun`."""
    is_marked = innermost() == (noun, name)
    return is_marked or is_current(bus or shared.bus, noun, name if noun == TOOL_CALL else None)


def is_model_call_reported(bus: Bus | None = None) -> bool:
    """Return whether an outer layer already reports the LLM call that is made here."""
    return innermost()[0] == MODEL_CALL or is_current(bus or shared.bus, MODEL_CALL)


@contextmanager
def reporting(name: str, noun: str = TOOL_CALL) -> Iterator[None]:
    """Mark the block as reported: it runs inside the operation `noun` on `name`."""
    before, mine = _innermost.get(), (noun, name)
    _innermost.set(mine)
    try:
        yield
    finally:
        if _innermost.get() is mine:  # a generator may be closed by another task
            _innermost.set(before)
