from __future__ import annotations

import asyncio
from typing import Any

import pytest

from inspector.integrations.verdicts import ErrorResultError, ProviderError
from subscribers import Capture, Options, load_spec
from subscribers.bridge.failures import failure_of_exception, failure_of_result
from subscribers.spec.engine import Engine

ENGINE = Engine(load_spec(), Options(capture=Capture.REDACTED))


class McpError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class HookDenied(Exception):  # noqa: N818 - the name counts
    pass


class ReadTimeout(Exception):  # noqa: N818 - the name counts
    pass


@pytest.mark.parametrize(
    ("exc", "error_type", "code"),
    [
        (ValueError("x"), "ValueError", "ValueError"),
        (asyncio.CancelledError(), "cancelled", "CANCELLED"),
        (GeneratorExit(), "cancelled", "CANCELLED"),
        (TimeoutError(), "timeout", "TIMEOUT"),
        (ReadTimeout(), "timeout", "TIMEOUT"),
        (HookDenied("no"), "denied", "DENIED"),
        (ErrorResultError("no", None), "tool_error", "tool_error"),
        (ProviderError("no", None), "tool_error", "tool_error"),
        (McpError(-32601, "no such method"), "-32601", "UNKNOWN_TOOL"),
        (McpError(-32602, "Unknown tool: x"), "-32602", "UNKNOWN_TOOL"),
        (McpError(-32602, "missing a"), "-32602", "INVALID_PARAMS"),
        (McpError(-32603, "boom"), "-32603", "SERVER_ERROR"),
        (McpError(-32050, "boom"), "-32050", "SERVER_ERROR"),
        (McpError(-1, "boom"), "-1", "-1"),
        ("a string", "_OTHER", "str"),
        (None, "_OTHER", "NoneType"),
    ],
)
def test_exceptions_in_both_vocabularies(exc: Any, error_type: str, code: str) -> None:
    failure = failure_of_exception(exc, ENGINE)
    assert (failure.type, failure.code) == (error_type, code)


def test_names_outside_builtins_are_qualified() -> None:
    assert failure_of_exception(asyncio.QueueFull(), ENGINE).type == "asyncio.queues.QueueFull"


def test_messages_are_scrubbed_and_bounded() -> None:
    message = failure_of_exception(ValueError("sk-" + "a" * 40 + "x" * 5_000), ENGINE).message
    assert message.startswith("[redacted]")
    assert len(message) <= 1_024


class Unprintable(Exception):  # noqa: N818 - the name does not count
    def __str__(self) -> str:
        raise RuntimeError


def test_an_exception_that_cannot_be_printed_is_still_named() -> None:
    failure = failure_of_exception(Unprintable(), ENGINE)
    assert failure.message == ""
    assert failure.type.endswith("Unprintable")


@pytest.mark.parametrize(
    ("result", "error_type"),
    [
        ({"isError": True, "content": [{"type": "text", "text": "no"}]}, "tool_error"),
        ({"isError": False}, None),
        ({"jsonrpc": "2.0", "result": {"isError": True}}, "tool_error"),
        ({"jsonrpc": "2.0", "error": {"code": -32000, "message": "busy"}}, "-32000"),
        ({"jsonrpc": "2.0", "result": {"resultType": "input_required"}}, None),
        ({"error": "text"}, None),
        ("plain", None),
        (None, None),
    ],
)
def test_results_that_say_that_they_failed(result: Any, error_type: str | None) -> None:
    failure = failure_of_result(result, ENGINE)
    assert (failure.type if failure else None) == error_type
