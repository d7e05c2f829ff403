"""Failures of operations, read from exceptions and results, in both vocabularies.

Sources: the GenAI and MCP conventions (`error.type`, `rpc.response.status_code`), mcp-agent's
`mcp.error.*`.

The message of an exception, or of a JSON-RPC error, is told without secrets whatever the capture
mode. The text of a result that is an error is content, as every result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from subscribers.content.paths import read_path, step
from subscribers.content.redaction import Redactor
from subscribers.content.serialise import clean_text, cut_text, to_json
from subscribers.options import Capture
from subscribers.spec.engine import Engine

MAX_MESSAGE_CHARS = 1_024
_MARGIN_CHARS = 256
"""Margin beyond the cut, so that the redactor sees a secret across it."""

_CALLERS_FAULTS = frozenset({"-32700", "-32600", "-32601", "-32602", "-32002"})
_METHOD_NOT_FOUND, _INVALID_PARAMS, _INTERNAL_ERROR = -32601, -32602, -32603

# As in `operation_closed`: a stream that its reader left counts as cancelled.
_CANCELLED = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt)


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason of a failure; `type` is `error.type`, `code` mcp-agent's `mcp.error.code`."""

    type: str
    code: str
    message: str
    rpc_code: str | None = None
    is_cancelled: bool = False
    exception_type: str | None = None


CANCELLED = Failure("cancelled", "CANCELLED", "cancelled", is_cancelled=True)


_BARE = frozenset({type(None), bool, int, float, str, list, tuple})
_FAILURE_KEYS = frozenset({"error", "isError", "is_error", "result"})
"""Keys of a failed result; nearly every result has none of them."""


def is_callers_fault(failure: Failure) -> bool:
    """Return whether the sender caused the error, not the server (MCP conventions)."""
    return failure.rpc_code in _CALLERS_FAULTS


def failure_of_exception(exc: object, engine: Engine) -> Failure:
    """Classify the `exc` of an `error_*` hook, which may be any value."""
    if type(exc).__name__ == "ErrorResultError":  # ours, around a result that is an error
        return _failure_with_content(str(exc), engine)
    message = _message(exc, engine.redactor)
    if isinstance(exc, _CANCELLED):
        return Failure("cancelled", "CANCELLED", message or "cancelled", is_cancelled=True)
    name = _qualified_name(exc)
    rpc_code = _rpc_code(exc)
    if rpc_code is not None:
        code = _legacy_rpc_code(rpc_code, message)
        return Failure(str(rpc_code), code, message, rpc_code=str(rpc_code), exception_type=name)
    if isinstance(exc, TimeoutError) or "Timeout" in type(exc).__name__:
        return Failure("timeout", "TIMEOUT", message, exception_type=name)
    if type(exc).__name__ in {"HookDenied", "ApprovalDenied"}:
        return Failure("denied", "DENIED", message, exception_type=name)
    if type(exc).__name__ == "ProviderError":  # ours, too; what failed is no tool's result
        return Failure("tool_error", "tool_error", message)
    return Failure(name, type(exc).__name__, message, exception_type=name)


def failure_of_result(result: Any, engine: Engine, *, is_envelope: bool = False) -> Failure | None:
    """Read the failure from a result: a JSON-RPC error or a tool result with `isError`.

    Args:
        result: What an operation returned.
        engine: Its options say whether content is told.
        is_envelope: Whether it is a JSON-RPC message; of anything else, all text is content.
    """
    if type(result) in _BARE or (type(result) is dict and _FAILURE_KEYS.isdisjoint(result)):
        return None
    error = step(result, "error")
    code = step(error, "code") if error is not None else None
    if isinstance(code, int) and not isinstance(code, bool):
        message = _scrub(step(error, "message"), engine.redactor)
        shown = message if is_envelope or _has_content(engine) else ""
        return Failure(str(code), _legacy_rpc_code(code, message), shown, rpc_code=str(code))
    if read_path(result, "isError|is_error|result.isError|result.is_error") is True:
        text = read_path(result, "content.0.text|result.content.0.text")
        return _failure_with_content(text, engine)
    return None


def failure_of_hook(path: str | None, kwargs: Mapping[str, Any], engine: Engine) -> Failure | None:
    """Read the failure at `path`, the hook's failure path in the telemetry spec."""
    if path is None:
        return None
    if path == "exc":
        return failure_of_exception(kwargs.get("exc"), engine)
    result = kwargs.get(path)
    return failure_of_result(
        read_path(kwargs, path) if result is None else result,
        engine,
        is_envelope=path == "envelope",
    )


def _failure_with_content(text: object, engine: Engine) -> Failure:
    message = _scrub(text, engine.redactor) if _has_content(engine) else ""
    return Failure("tool_error", "tool_error", message)


def _has_content(engine: Engine) -> bool:
    return engine.options.capture is not Capture.OFF


def _message(exc: object, redactor: Redactor) -> str:
    if isinstance(exc, str):
        return _scrub(exc, redactor)
    if not isinstance(exc, BaseException):
        return ""
    try:
        return _scrub(exception_text(exc, redactor), redactor)
    except Exception:  # noqa: BLE001 - a custom `__str__`
        return ""


def exception_text(exc: BaseException, redactor: Redactor) -> str:
    """Return an exception's message without the `repr`s of its arguments.

    Raises:
        Exception: Raised by a custom `__str__`.
    """
    if type(exc).__str__ not in {BaseException.__str__, KeyError.__str__}:
        return str(exc)
    parts = (
        arg[: MAX_MESSAGE_CHARS + _MARGIN_CHARS]
        if isinstance(arg, str)
        else to_json(arg, redactor=redactor, max_bytes=MAX_MESSAGE_CHARS).text
        for arg in exc.args[:8]
    )
    return ", ".join(parts)


def _scrub(text: object, redactor: Redactor) -> str:
    if not isinstance(text, str):
        return ""
    with_margin = clean_text(text[: MAX_MESSAGE_CHARS + _MARGIN_CHARS])
    return cut_text(redactor.text(with_margin), MAX_MESSAGE_CHARS)


def _qualified_name(exc: object) -> str:
    if not isinstance(exc, BaseException):
        return "_OTHER"
    module, name = type(exc).__module__, type(exc).__qualname__
    module = module.removeprefix("_mcp_agent_inspector.")  # ours, beside a module of their name
    return name if module == "builtins" else f"{module}.{name}"


def _rpc_code(exc: object) -> int | None:
    """Return the JSON-RPC code of an MCP error of any SDK."""
    names = {kind.__name__ for kind in type(exc).__mro__}
    if not names & {"McpError", "MCPError", "JSONRPCError"}:
        return None
    code = read_path(exc, "error.code|code")
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _legacy_rpc_code(code: int, message: str) -> str:
    is_unknown_tool = code == _METHOD_NOT_FOUND or (
        code == _INVALID_PARAMS and "unknown tool" in message.lower()
    )
    if is_unknown_tool:
        return "UNKNOWN_TOOL"
    if code == _INVALID_PARAMS:
        return "INVALID_PARAMS"
    if code == _INTERNAL_ERROR or -32099 <= code <= -32000:
        return "SERVER_ERROR"
    return str(code)
