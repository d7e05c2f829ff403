"""Patches of an MCP session: messages, tool calls, resources and prompts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from inspector.integrations.deduplication import reporting as telling_tool
from inspector.integrations.mcp_agent.calls import tell_tool
from inspector.integrations.mcp_agent.given import CallArguments, context_of
from inspector.integrations.mcp_agent.layers import innermost, is_tapped, is_told, telling
from inspector.integrations.mcp_agent.lines import line_of
from inspector.integrations.mcp_agent.patches import Function, PatchContext
from inspector.integrations.verdicts import REFUSALS, HookStopped, refusal
from instrument.operations import current_call_id

REFUSED = -32000
"""The JSON-RPC code of what a hook refused: the first of those for implementations."""


def send_request(teller: PatchContext, original: Function) -> Function:
    """`MCPAgentClientSession.send_request`. The id is given further in: not seen here."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        session, request = args[0], CallArguments(args, kwargs).get(1, "request").root
        if is_told("rpc_request", request.method) or is_tapped(session):
            return await original(*args, **kwargs)
        line = line_of(session)
        try:
            async with teller.bus.operation(
                "rpc_request",
                envelope=_envelope(request),
                transport=line.transport,
                server_name=line.server_name,
            ) as operation:
                with telling("rpc_request", request.method):
                    result = await original(*args, **kwargs)
                operation.result = {"jsonrpc": "2.0", "result": _wire_form(result)}
        except (HookStopped, *REFUSALS) as error:
            raise _refused(error) from error
        return result

    return told


def send_notification(teller: PatchContext, original: Function) -> Function:
    """`MCPAgentClientSession.send_notification`, which nobody answers."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        session, message = args[0], CallArguments(args, kwargs).get(1, "notification").root
        if is_told("rpc_request", message.method) or is_tapped(session):
            return await original(*args, **kwargs)
        line = line_of(session)
        if message.method == "notifications/cancelled":
            await teller.bus._emit(
                "operation_cancelled",
                operation_id=str(message.params.requestId),
                context=context_of(session),
                reason=message.params.reason,
            )
        try:
            async with teller.bus.operation(
                "rpc_request",
                envelope=_envelope(message),
                transport=line.transport,
                server_name=line.server_name,
            ) as operation:
                with telling("rpc_request", message.method):
                    await original(*args, **kwargs)
                operation.result = {}
        except (HookStopped, *REFUSALS) as error:
            raise _refused(error) from error

    return told


def call_tool(teller: PatchContext, original: Function) -> Function:
    """`MCPAgentClientSession.call_tool`: asks for progress; a tool call where no agent makes it."""

    async def with_progress(*args: Any, **kwargs: Any) -> Any:
        given = CallArguments(args, kwargs)
        name, theirs = str(given.get(1, "name")), given.get(4, "progress_callback")
        call_id, context = current_call_id(teller.bus), context_of(args[0])
        is_told_below = is_tapped(args[0])

        async def progress(value: float, total: float | None, message: str | None) -> None:
            if not is_told_below:
                await tell(value, total, message)
            if theirs is not None:
                await theirs(value, total, message)

        async def tell(value: float, total: float | None, message: str | None) -> None:
            await teller.bus._emit(
                "progress_update",
                operation_id=call_id or name,
                percent=100 * value / total if total else None,
                message=message,
                context=context,
                progress=value,
                total=total,
                **({} if call_id is None else {"call_id": call_id}),
            )

        given.put(4, "progress_callback", progress)
        return await given.call(original)

    async def told(*args: Any, **kwargs: Any) -> Any:
        given = CallArguments(args, kwargs)
        name = str(given.get(1, "name"))
        noun, outer = innermost()
        if noun == "tool_call" and outer.endswith(name):  # the agent puts the server's name before
            with telling("tool_call", name), telling_tool(name):
                return await with_progress(*args, **kwargs)
        if is_tapped(args[0]):
            return await with_progress(*args, **kwargs)
        line = line_of(args[0])
        return await tell_tool(
            teller,
            given,
            with_progress,
            context=context_of(args[0]),
            server_name=line.server_name,
        )

    return told


def read_resource(teller: PatchContext, original: Function) -> Function:
    """`MCPAgentClientSession.read_resource`: the aggregator's hides errors."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        if is_tapped(args[0]):
            return await original(*args, **kwargs)
        given = CallArguments(args, kwargs)
        uri = given.get(1, "uri")
        try:
            async with teller.bus.operation(
                "resource_fetch",
                uri=str(uri),
                context=context_of(args[0]),
                server_name=line_of(args[0]).server_name,
            ) as operation:
                if operation.args != str(uri):
                    given.put(1, "uri", type(uri)(operation.args))
                result = await given.call(original)
                operation.result = _wire_form(result).get("contents", [])
                operation.set(mime_type=next((c.mimeType for c in result.contents), None))
        except (HookStopped, *REFUSALS) as error:
            raise _refused(error) from error
        return result

    return told


def get_prompt(teller: PatchContext, original: Function) -> Function:
    """`MCPAgentClientSession.get_prompt`: the aggregator's hides errors."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        if is_tapped(args[0]):
            return await original(*args, **kwargs)
        given = CallArguments(args, kwargs)
        parameters = given.get(2, "arguments")
        try:
            async with teller.bus.operation(
                "prompt_apply",
                template_id=str(given.get(1, "name")),
                parameters=parameters or {},
                context=context_of(args[0]),
                server_name=line_of(args[0]).server_name,
            ) as operation:
                if operation.args:
                    given.put(2, "arguments", dict(operation.args))
                result = await given.call(original)
                operation.result = _wire_form(result).get("messages", [])
        except (HookStopped, *REFUSALS) as error:
            raise _refused(error) from error
        return result

    return told


def _envelope(message: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **_wire_form(message)}


def _wire_form(model: Any) -> dict[str, Any]:
    form: dict[str, Any] = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return form


def _refused(error: BaseException) -> Exception:
    """Return what the SDK raises for an answer that is an error."""
    data = import_module("mcp.types").ErrorData(code=REFUSED, message=refusal(error))
    made: Exception = import_module("mcp.shared.exceptions").McpError(data)
    return made
