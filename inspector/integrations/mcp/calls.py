"""Operations for the calls of an MCP client: tools, resources and prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import signature
from typing import Any

from inspector.integrations.deduplication import is_reported, reporting
from inspector.integrations.mcp.connections import in_connection
from inspector.integrations.mcp.sdk import Sdk
from inspector.integrations.mcp.wire import ConnectionFacts
from inspector.integrations.patches import Patches
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, HookStopped, refusal
from instrument import Bus, Operation
from instrument.operations import is_current

Method = Callable[..., Awaitable[Any]]
IsWatched = Callable[[Any], bool]


class ClientCalls:
    """Wraps the methods of the client's classes as operations."""

    def __init__(self, sdk: Sdk, bus: Bus, is_watched: IsWatched, wire_of: WireOf) -> None:
        """Make one; `wire_of` returns the connection of a session, if it is tapped."""
        self._sdk, self._bus = sdk, bus
        self._is_watched, self._wire_of = is_watched, wire_of

    def wrap(self, owner: Any, patches: Patches) -> None:
        """Wrap the methods of a class."""
        for name, told in (
            ("call_tool", self._tool),
            ("read_resource", self._resource),
            ("get_prompt", self._prompt),
        ):
            patches.put(owner, name, told)

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
        sdk, bus, takes = self._sdk, self._bus, signature(original)

        @wraps(original)
        async def call_tool(self_: Any, *args: Any, **kwargs: Any) -> Any:
            given = takes.bind(self_, *args, **kwargs)
            name, arguments = given.arguments.get("name"), given.arguments.get("arguments")
            if not isinstance(name, str) or not self._is_watched(self_):
                return await original(self_, *args, **kwargs)
            if is_reported(name, bus):
                with reporting(name):  # a server in this process hears it too
                    return await original(self_, *args, **kwargs)

            async def run(operation: Operation) -> Any:
                given.arguments["name"] = operation.kwargs["tool_name"]
                if arguments is not None or operation.args:
                    given.arguments["arguments"] = operation.args
                with reporting(given.arguments["name"]):
                    result = await original(*given.args, **given.kwargs)
                if sdk.is_error(result):  # an error that is an answer is an error
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
                    return sdk.as_result(await bus.call("tool_call", run, **about))
            except ErrorResultError as error:
                return error.result
            except HookStopped as stop:
                return sdk.as_result(stop.value)
            except REFUSALS as error:  # the model reads it and goes on
                return sdk.tool_result(refusal(error), is_error=True)

        return call_tool

    def _resource(self, original: Method) -> Method:
        bus, takes = self._bus, signature(original)

        @wraps(original)
        async def read_resource(self_: Any, *args: Any, **kwargs: Any) -> Any:
            given = takes.bind(self_, *args, **kwargs)
            uri = given.arguments.get("uri")
            if is_current(bus, "resource_fetch") or not self._is_watched(self_):
                return await original(self_, *args, **kwargs)

            async def run(operation: Operation) -> Any:
                if operation.args != str(uri):  # 1.x: a URL of pydantic's
                    given.arguments["uri"] = self._sdk.as_uri(operation.args)
                result = await original(*given.args, **given.kwargs)
                operation.set(mime_type=_mime_type(result))
                return result

            about = {"uri": str(uri), "context": None, "server_name": self._server_name(self_)}
            with in_connection(self._connection_id(self_)):
                return await self._asked("resource_fetch", run, about)

        return read_resource

    def _prompt(self, original: Method) -> Method:
        bus, takes = self._bus, signature(original)

        @wraps(original)
        async def get_prompt(self_: Any, *args: Any, **kwargs: Any) -> Any:
            given = takes.bind(self_, *args, **kwargs)
            name, arguments = given.arguments.get("name"), given.arguments.get("arguments")
            if is_current(bus, "prompt_apply") or not self._is_watched(self_):
                return await original(self_, *args, **kwargs)

            async def run(operation: Operation) -> Any:
                given.arguments["name"] = operation.kwargs["template_id"]
                if arguments is not None or operation.args:
                    given.arguments["arguments"] = operation.args
                return await original(*given.args, **given.kwargs)

            about = {
                "template_id": name,
                "parameters": {} if arguments is None else arguments,
                "context": None,
                "server_name": self._server_name(self_),
            }
            with in_connection(self._connection_id(self_)):
                return await self._asked("prompt_apply", run, about)

        return get_prompt

    async def _asked(
        self, noun: str, run: Callable[[Operation], Awaitable[Any]], about: dict[str, Any]
    ) -> Any:
        """Run what has no result that is an error: refused, it fails as requests of the SDK do."""
        try:
            return await self._bus.call(noun, run, **about)
        except (*REFUSALS, HookStopped) as error:
            raise self._sdk.error(refusal(error)) from None


WireOf = Callable[[Any], ConnectionFacts | None]


def _mime_type(result: Any) -> str | None:
    for content in getattr(result, "contents", None) or ():
        is_new = hasattr(content, "mime_type")  # then the old name may warn of its age
        found = getattr(content, "mime_type" if is_new else "mimeType", None)
        if isinstance(found, str):
            return found
    return None
