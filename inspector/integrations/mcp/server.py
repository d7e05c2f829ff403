"""Operations for the requests that an MCP server handles, as children of the caller's span."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

from inspector.integrations.deduplication import is_reported, reporting
from inspector.integrations.mcp.connections import Connections, in_connection
from inspector.integrations.mcp.sdk import Sdk
from inspector.integrations.mcp.wire import text_of
from inspector.integrations.verdicts import (
    NO_RESULT,
    VERDICTS,
    ErrorResultError,
    instead_of,
    refused_as,
)
from instrument import Bus, Operation

IsWatched = Callable[[Any], bool]


class Server:
    """Reports the requests that the servers of this process handle."""

    def __init__(self, sdk: Sdk, bus: Bus, is_watched: IsWatched) -> None:
        """Make one; `is_watched` tests a low-level server."""
        self._sdk, self._bus, self._is_watched = sdk, bus, is_watched
        self._wrapped: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()
        """Servers of 1.x, with their handler of tool calls and our replacement."""
        self._connections = Connections()

    def detach(self) -> None:
        """Put back the handlers of servers."""
        kind = self._sdk.tool_request
        for server, (original, ours) in list(self._wrapped.items()):
            if server.request_handlers.get(kind) is ours:
                server.request_handlers[kind] = original
        self._wrapped.clear()

    # --- 2.x: around the handler, inside the SDK's own tracing -----------------------------------

    def compose(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `ServerRunner._compose_server_middleware`: ours is the innermost."""

        @wraps(original)
        def composed(runner: Any, inner: Callable[[Any], Awaitable[Any]]) -> Any:
            server = getattr(runner, "server", None)
            if not self._is_watched(server):
                return original(runner, inner)

            async def watched(ctx: Any) -> Any:
                # A middleware of the program reports it, or an adapter wants it unreported.
                if is_reported("", self._bus, "rpc_handle"):
                    return await inner(ctx)
                negotiated = getattr(getattr(runner, "connection", None), "session_id", None)
                connection_id = self._sdk.attempt(
                    lambda: self._connections.of(
                        server, ctx.request, ctx.method, ctx.params, negotiated
                    )
                )
                with in_connection(connection_id):
                    return await self._handle(server, ctx, inner)

            return original(runner, watched)

        return composed

    async def _handle(self, server: Any, ctx: Any, inner: Callable[[Any], Awaitable[Any]]) -> Any:
        from dataclasses import replace  # noqa: PLC0415 - of 2.x alone

        envelope = self._sdk.attempt(lambda: _envelope(ctx.request_id, ctx.method, ctx.params))
        if envelope is None:
            return await inner(ctx)
        is_request, name = ctx.request_id is not None, getattr(server, "name", None)

        async def handle(operation: Operation) -> Mapping[str, Any]:
            request = operation.args
            changed = ctx
            if request is not envelope:
                changed = replace(ctx, method=request["method"], params=request.get("params"))
            if changed.method != "tools/call":
                result = await inner(changed)
            else:

                async def with_args(tool: str, args: Any) -> Any:
                    params = {**(changed.params or {}), "name": tool, "arguments": args}
                    return await inner(replace(changed, params=params))

                result = await self._tool(name, changed.params, with_args, lambda: inner(changed))
            return _response(ctx.request_id, _plain(result)) if is_request else {"jsonrpc": "2.0"}

        about = {"envelope": envelope, "transport": _transport(ctx), "server_name": name}
        about["protocol_version"] = getattr(ctx, "protocol_version", None)
        response = await self._run(handle, about)
        return response.get("result") if is_request else None

    # --- 1.x: around the method that calls the handler -------------------------------------------

    def handle_request(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `Server._handle_request`."""

        @wraps(original)
        async def handled(server: Any, message: Any, req: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._is_watched(server) or is_reported("", self._bus, "rpc_handle"):
                return await original(server, message, req, *args, **kwargs)
            described = self._sdk.attempt(lambda: _describe(message, req, server))
            if described is None:
                return await original(server, message, req, *args, **kwargs)
            self._sdk.attempt(lambda: self._wrap_tool_handler(server))
            about, respond = described
            responses = []

            async def responding(response: Any) -> None:
                responses.append(response)
                await respond(response)

            async def handle(operation: Operation) -> Mapping[str, Any]:
                message.respond = responding
                await original(server, message, req, *args, **kwargs)
                body = _plain(responses[0]) if responses else None
                if isinstance(body, Mapping) and isinstance(responses[0], self._sdk.error_data):
                    return {"jsonrpc": "2.0", "id": message.request_id, "error": body}
                return _response(message.request_id, body)

            request = getattr(getattr(message, "message_metadata", None), "request_context", None)
            envelope = about["envelope"]
            connection_id = self._sdk.attempt(
                lambda: self._connections.of(
                    server, request, envelope["method"], envelope.get("params"), None
                )
            )
            try:
                with in_connection(connection_id):
                    await self._run(handle, about)
            except self._sdk.error_type as error:
                if not responses:
                    await respond(error.error)

        return handled

    def _wrap_tool_handler(self, server: Any) -> None:
        kind = self._sdk.tool_request
        handler = server.request_handlers.get(kind)
        if handler is None or server in self._wrapped:
            return

        @wraps(handler)
        async def handled(req: Any) -> Any:
            async def with_args(tool: str, args: Any) -> Any:
                params = req.params.model_copy(update={"name": tool, "arguments": dict(args)})
                return await handler(req.model_copy(update={"params": params}))

            call = {"name": req.params.name, "arguments": req.params.arguments}
            result = await self._tool(server.name, call, with_args, lambda: handler(req))
            wrapped = self._sdk.server_result
            return wrapped(result) if self._sdk.is_result(result) else result

        self._wrapped[server] = (handler, handled)
        server.request_handlers[kind] = handled

    # --- both ---------------------------------------------------------------------------------

    async def _run(
        self, handle: Callable[[Operation], Awaitable[Mapping[str, Any]]], about: dict[str, Any]
    ) -> Mapping[str, Any]:
        with refused_as(self._sdk.error, VERDICTS):
            return await self._bus.call("rpc_handle", handle, **about)

    async def _tool(
        self,
        server_name: str | None,
        params: Any,
        with_args: Callable[[str, Any], Awaitable[Any]],
        unchanged: Callable[[], Awaitable[Any]],
    ) -> Any:
        """Run a tool's handler as an operation; only hooks change its parameters."""
        sdk = self._sdk
        name, arguments = (params or {}).get("name"), (params or {}).get("arguments")
        if not isinstance(name, str) or is_reported(name, self._bus):
            return await unchanged()
        args = {} if arguments is None else arguments
        results: list[Any] = []

        async def run(operation: Operation) -> Any:
            tool = operation.kwargs["tool_name"]
            is_same = operation.args is args and tool == name
            with reporting(tool):
                result = await (unchanged() if is_same else with_args(tool, operation.args))
            results.append(result)
            if (text := _error_text(sdk, result)) is not None:
                operation.result = result
                raise ErrorResultError(text, result)
            return result

        about: dict[str, Any] = {
            "tool_name": name,
            "args": args,
            "context": None,
            "server_name": server_name,
        }
        try:
            result = await self._bus.call("tool_call", run, **about)
        except NO_RESULT as error:
            result = instead_of(error, sdk.error_result)
        if not results:
            return sdk.as_result(result)
        last = results[-1]
        return result if result is last else sdk.as_result(result, like=getattr(last, "root", last))


def _error_text(sdk: Sdk, result: Any) -> str | None:
    """Return the text of a result that is an error; None if it is none."""
    result = getattr(result, "root", result)
    if isinstance(result, Mapping) and result.get("isError") is True:
        return text_of(result)
    return sdk.text_of(result) if sdk.is_error(result) else None


def _describe(message: Any, req: Any, server: Any) -> tuple[dict[str, Any], Callable[..., Any]]:
    """Return the hook kwargs of a request to a server of 1.x, and the method that responds."""
    request = _plain(req)
    metadata = getattr(message, "message_metadata", None)
    is_http = getattr(metadata, "request_context", None) is not None
    about = {
        "envelope": _envelope(message.request_id, request.get("method"), request.get("params")),
        "transport": "http" if is_http else "stdio",
        "server_name": getattr(server, "name", None),
    }
    return about, message.respond


def _envelope(id_: Any, method: Any, params: Any) -> dict[str, Any]:
    envelope = {"jsonrpc": "2.0", "method": method}
    if id_ is not None:
        envelope["id"] = id_
    if params is not None:
        envelope["params"] = params
    return envelope


def _response(id_: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return value if dump is None else dump(by_alias=True, mode="json", exclude_none=True)


def _transport(ctx: Any) -> str:
    return "stdio" if getattr(ctx, "request", None) is None else "http"
