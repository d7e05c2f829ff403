"""Operations for the calls of an MCP client: tools, resources and prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import signature
from typing import Any, Literal

from inspector.integrations.deduplication import is_reported, reporting
from inspector.integrations.mcp.connections import in_connection
from inspector.integrations.mcp.sdk import Sdk
from inspector.integrations.mcp.wire import ConnectionFacts
from inspector.integrations.patches import Patches
from inspector.integrations.verdicts import (
    NO_RESULT,
    VERDICTS,
    ErrorResultError,
    instead_of,
    refused_as,
)
from instrument import Bus, Operation

Method = Callable[..., Awaitable[Any]]
IsWatched = Callable[[Any], bool]


class ClientCalls:
    """Wraps the methods of the client's classes as operations."""

    def __init__(self, sdk: Sdk, bus: Bus, is_watched: IsWatched, wire_of: WireOf) -> None:
        """Create the wrappers; `wire_of` returns the tapped connection of a session, or None."""
        self._sdk, self._bus = sdk, bus
        self._is_watched, self._wire_of = is_watched, wire_of

    def wrap(self, owner: Any, patches: Patches) -> None:
        """Wrap the methods of a class."""
        patches.put(owner, "call_tool", self._tool)
        patches.put(owner, "read_resource", self._resource)
        patches.put(owner, "get_prompt", self._prompt)

    def _server_name(self, target: Any) -> str | None:
        wire = self._wire_of(target)
        if wire is not None and wire.server_name is not None:
            return wire.server_name
        try:
            name = getattr(getattr(target, "server_info", None), "name", None)
        except Exception:  # noqa: BLE001 - before the handshake
            return None
        return name if isinstance(name, str) else None

    def _connection_id(self, target: Any) -> str | None:
        wire = self._wire_of(target)
        return None if wire is None else wire.connection_id

    def _tool(self, original: Method) -> Method:
        sdk, bus, parameters = self._sdk, self._bus, signature(original)

        @wraps(original)
        async def call_tool(self_: Any, *args: Any, **kwargs: Any) -> Any:
            call = parameters.bind(self_, *args, **kwargs)
            name, arguments = call.arguments.get("name"), call.arguments.get("arguments")
            if not isinstance(name, str) or not self._is_watched(self_):
                return await original(self_, *args, **kwargs)
            if is_reported(name, bus):
                with reporting(name):  # a server in this process reports too
                    return await original(self_, *args, **kwargs)

            results: list[Any] = []

            async def run(operation: Operation) -> Any:
                call.arguments["name"] = operation.kwargs["tool_name"]
                if arguments is not None or operation.args:
                    call.arguments["arguments"] = operation.args
                with reporting(call.arguments["name"]):
                    result = await original(*call.args, **call.kwargs)
                results.append(result)
                if sdk.is_error(result):
                    operation.result = result
                    raise ErrorResultError(sdk.text_of(result), result)
                return result

            about = {
                "tool_name": name,
                "args": {} if arguments is None else arguments,
                "context": None,
                "server_name": self._server_name(self_),
            }
            try:
                with in_connection(self._connection_id(self_)):
                    result = await bus.call("tool_call", run, **about)
            except NO_RESULT as error:
                result = instead_of(error, sdk.error_result)
            return sdk.as_result(result, like=results[-1] if results else None)

        return call_tool

    def _resource(self, original: Method) -> Method:
        bus, parameters = self._bus, signature(original)

        @wraps(original)
        async def read_resource(self_: Any, *args: Any, **kwargs: Any) -> Any:
            call = parameters.bind(self_, *args, **kwargs)
            uri = call.arguments.get("uri")
            if is_reported(str(uri), bus, "resource_fetch") or not self._is_watched(self_):
                return await original(self_, *args, **kwargs)

            async def run(operation: Operation) -> Any:
                if operation.args != str(uri):  # 1.x: a URL of pydantic's
                    call.arguments["uri"] = self._sdk.as_uri(operation.args)
                with reporting(str(operation.args), "resource_fetch"):
                    result = await original(*call.args, **call.kwargs)
                operation.set(mime_type=mime_type_of(result))
                return result

            about = {"uri": str(uri), "context": None, "server_name": self._server_name(self_)}
            return await self._request(self_, "resource_fetch", run, about)

        return read_resource

    def _prompt(self, original: Method) -> Method:
        bus, parameters = self._bus, signature(original)

        @wraps(original)
        async def get_prompt(self_: Any, *args: Any, **kwargs: Any) -> Any:
            call = parameters.bind(self_, *args, **kwargs)
            name, arguments = call.arguments.get("name"), call.arguments.get("arguments")
            if is_reported(str(name), bus, "prompt_apply") or not self._is_watched(self_):
                return await original(self_, *args, **kwargs)

            async def run(operation: Operation) -> Any:
                call.arguments["name"] = operation.kwargs["template_id"]
                if arguments is not None or operation.args:
                    call.arguments["arguments"] = operation.args
                with reporting(str(call.arguments["name"]), "prompt_apply"):
                    return await original(*call.args, **call.kwargs)

            about = {
                "template_id": name,
                "parameters": {} if arguments is None else arguments,
                "context": None,
                "server_name": self._server_name(self_),
            }
            return await self._request(self_, "prompt_apply", run, about)

        return get_prompt

    async def _request(
        self,
        target: Any,
        noun: Literal["resource_fetch", "prompt_apply"],
        run: Callable[[Operation], Awaitable[Any]],
        about: dict[str, Any],
    ) -> Any:
        """Run an operation without an error result; a refused one raises the SDK's error."""
        with (
            in_connection(self._connection_id(target)),
            refused_as(self._sdk.error, VERDICTS),
        ):
            return await self._bus.call(noun, run, **about)


WireOf = Callable[[Any], ConnectionFacts | None]


def mime_type_of(result: Any) -> str | None:
    """Return the kind of the first part of a resource that says it."""
    for content in getattr(result, "contents", None) or ():
        is_new = hasattr(content, "mime_type")  # the old name may warn that it is deprecated
        found = getattr(content, "mime_type" if is_new else "mimeType", None)
        if isinstance(found, str):
            return found
    return None
