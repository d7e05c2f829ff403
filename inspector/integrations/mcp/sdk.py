"""Compatibility between the two major versions of the SDK: messages and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from inspector.integrations.mcp.wire import Envelope
from inspector.integrations.patches import Patches

DENIED = -32_000
"""The JSON-RPC code of a request that a hook refused: of the range for implementations."""


class Sdk:
    """The installed SDK, imported when an instance is made."""

    inject: Callable[[Any], None] | None
    """Writes the trace context into a message; None where the SDK itself does."""

    def __init__(self, patches: Patches) -> None:
        """Import the SDK; `patches` logs what a version lacks."""
        from mcp import types  # noqa: PLC0415 - imported here only
        from mcp.shared import exceptions, message  # noqa: PLC0415

        self.major = int(version("mcp").partition(".")[0])
        self.types: Any = types
        # Read here, so that a missing name is logged before anything is replaced.
        self._result_type: Any = self.types.CallToolResult
        self.error_data: Any = self.types.ErrorData
        if self.major < 2:
            self.tool_request: Any = self.types.CallToolRequest
            self.server_result: Any = self.types.ServerResult
        self.attempt = patches.attempt
        self._session_message: Any = message.SessionMessage
        self.error_type: Any = getattr(exceptions, "MCPError", None) or exceptions.McpError  # type: ignore[attr-defined,unused-ignore]  # of 1.x
        self.inject = self._injector() if self.major < 2 else None

    # --- messages -----------------------------------------------------------------------------

    def envelope(self, item: Any) -> dict[str, Any] | None:
        """Return a `SessionMessage` in its wire form; None for an unknown message."""
        return self.attempt(
            lambda: item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        )

    def replaced(self, item: Any, envelope: Envelope) -> Any:
        """Return a `SessionMessage` for `envelope`, or `item` if that is not a message."""
        try:
            message = type(item.message).model_validate(dict(envelope))
        except ValueError:
            return item
        return self._session_message(message=message, metadata=item.metadata)

    def error_message(self, id_: Any, text: str) -> Any:
        """Return a `SessionMessage` that answers the request `id_` with an error."""
        types = self.types
        error = types.JSONRPCError(jsonrpc="2.0", id=id_, error=self._data(text))
        message = error if self.major >= 2 else types.JSONRPCMessage(error)
        return self._session_message(message=message)

    def error(self, text: str) -> Exception:
        """Return the exception of a failed request."""
        error: Exception = (
            self.error_type(code=DENIED, message=text)
            if self.major >= 2
            else self.error_type(self._data(text))
        )
        return error

    def _data(self, text: str) -> Any:
        return self.error_data(code=DENIED, message=text)

    # --- results ------------------------------------------------------------------------------

    def is_result(self, value: Any) -> bool:
        """Return whether a value is a tool result."""
        return isinstance(value, self._result_type)

    def is_error(self, result: Any) -> bool:
        """Return whether a tool result is an error."""
        is_error = getattr(result, "isError" if self.major < 2 else "is_error", None)
        return self.is_result(result) and is_error is True

    def tool_result(self, text: str, *, is_error: bool) -> Any:
        """Return a tool result with `text`."""
        content = [{"type": "text", "text": text}]
        return self._result_type.model_validate({"content": content, "isError": is_error})

    def error_result(self, text: str) -> Any:
        """Return the tool result that the model reads instead: an error with `text`."""
        return self.tool_result(text, is_error=True)

    def as_result(self, value: Any, *, like: Any = None) -> Any:
        """Return a replacement result, from a hook or a person, as the SDK's type.

        Args:
            value: A result, its JSON, or a value for its text.
            like: The result that it replaces. A client checks the structured content of a tool
                with a schema; where that is one `result`, the new value takes its place too.
        """
        if hasattr(value, "model_dump"):
            return value
        if isinstance(value, Mapping) and "content" in value:
            try:
                return self._result_type.model_validate(dict(value))
            except ValueError:
                pass
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        made = self.tool_result(text, is_error=False)
        if isinstance(structured := _structured(like), dict) and [*structured] == ["result"]:
            about = {"structured_content": {"result": value}, "meta": getattr(like, "meta", None)}
            if self.major < 2:
                about["structuredContent"] = about.pop("structured_content")
            made = made.model_copy(update=about)
        return made

    def as_uri(self, text: str) -> Any:
        """Return a URI in the SDK's type."""
        if self.major >= 2:
            return text
        from pydantic import AnyUrl  # noqa: PLC0415 - of 1.x alone

        return AnyUrl(text)

    def text_of(self, result: Any) -> str:
        """Return the text of a tool's result."""
        texts = (getattr(block, "text", None) for block in result.content)
        return "\n".join(text for text in texts if isinstance(text, str)) or "the tool failed"

    def _injector(self) -> Callable[[Any], None] | None:
        """Return the writer of trace context, which 2.x has itself; None without OpenTelemetry."""
        try:
            from subscribers.bridge.propagation import inject  # noqa: PLC0415 - needs the extra
        except ModuleNotFoundError:
            return None

        def write(item: Any) -> None:
            root = getattr(item.message, "root", None)
            params = getattr(root, "params", None)
            meta = dict((params or {}).get("_meta") or {})
            inject(meta)
            if root is not None and "traceparent" in meta:
                root.params = {**(params or {}), "_meta": meta}

        return write


def _structured(result: Any) -> Any:
    if isinstance(result, Mapping):
        return result.get("structuredContent")
    is_new = hasattr(result, "structured_content")  # the old name may warn that it is deprecated
    return getattr(result, "structured_content" if is_new else "structuredContent", None)
