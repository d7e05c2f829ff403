"""Adapter for FastMCP: what its servers do beside the wire, on the adapter of the MCP SDK.

FastMCP's clients and the requests that its servers get go through the MCP SDK, whose adapter tells
them. Here is what that one does not see: calls of a server without a client, its resources and
prompts, servers that are mounted on others, and which client a connection belongs to.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
)
from contextvars import ContextVar
from functools import partial, wraps
from inspect import signature
from typing import Any, Literal, NamedTuple

from inspector.agent_side.on_import import after_import
from inspector.integrations import mcp
from inspector.integrations.conversion import text_of
from inspector.integrations.deduplication import TOOL_CALL, innermost, is_reported, reporting
from inspector.integrations.mcp.calls import mime_type_of
from inspector.integrations.mcp.sdk import Sdk
from inspector.integrations.patches import Patches
from inspector.integrations.verdicts import (
    NO_RESULT,
    ErrorResultError,
    instead_of,
)
from instrument import Bus, Operation
from instrument import default as shared

Method = Callable[..., Awaitable[Any]]

_SERVER = "fastmcp.server.server"
_CLIENT = "fastmcp.client.client"
_PROVIDER = "fastmcp.server.providers.fastmcp_provider"

_is_passed_on: ContextVar[bool] = ContextVar("inspector-fastmcp-passed-on", default=False)
"""Whether the next call of a server is what the server above passes on to a mounted one."""


class _Request(NamedTuple):
    """A kind of request: the server's method, the operation, and its error and result."""

    method: str
    noun: Literal["tool_call", "resource_fetch", "prompt_apply"]
    target: str
    """The parameter, and the hook kwarg, that names what is asked for."""
    argument: str | None
    """The kwarg with the arguments, where there are any."""
    error: str
    result: tuple[str, str]


_TOOL = _Request("call_tool", TOOL_CALL, "tool_name", "args", "ToolError", ("tools", "ToolResult"))
_RESOURCE = _Request(
    "read_resource", "resource_fetch", "uri", None, "ResourceError", ("resources", "ResourceResult")
)
_PROMPT = _Request(
    "render_prompt",
    "prompt_apply",
    "template_id",
    "parameters",
    "PromptError",
    ("prompts", "PromptResult"),
)


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every client and server of this process, also those made later.

    Args:
        *targets: Of `fastmcp`: `FastMCP` servers, and `Client`s before they are entered.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    here, patches = bus or shared.bus, Patches("fastmcp")
    if not targets and not patches.claim(here):
        return lambda: None
    patches.callback(mcp.attach(*targets, bus=here))
    watched = _Watched(here, patches, targets)
    # Each only once the program imports it: a client does without the server, which is large.
    for module, watch in (
        (_SERVER, watched.watch_server),
        (_PROVIDER, watched.watch_mounts),
        (_CLIENT, watched.watch_client),
    ):
        patches.callback(after_import(module, watch))
    return patches.undo


class _Watched:
    """The servers and clients of one `attach()`."""

    def __init__(self, bus: Bus, patches: Patches, targets: tuple[Any, ...]) -> None:
        self._bus, self._patches, self._targets = bus, patches, targets
        self._sdk = Sdk(patches)

    def _is_watched(self, candidate: Any) -> bool:
        return not self._targets or any(one is candidate for one in self._targets)

    # --- clients ------------------------------------------------------------------------------

    def watch_client(self) -> None:
        """Know the sessions of the clients that are targets; those of others are known anyway."""
        if self._targets:
            client = self._patches.find(_CLIENT, "Client")
            self._patches.put(client, "_context_manager", self._connecting)

    def _connecting(
        self, original: Callable[[Any], AbstractAsyncContextManager[None]]
    ) -> Callable[[Any], AbstractAsyncContextManager[None]]:
        @wraps(original)
        @asynccontextmanager
        async def connecting(client: Any) -> AsyncIterator[None]:
            async with AsyncExitStack() as stack:
                with mcp.opened_by(client):
                    await stack.enter_async_context(original(client))
                yield

        return connecting

    # --- servers ------------------------------------------------------------------------------

    def watch_server(self) -> None:
        """Report the tools, resources and prompts that servers are asked for."""
        server = self._patches.find(_SERVER, "FastMCP")
        for request in (_TOOL, _RESOURCE, _PROMPT):
            self._patches.put(server, request.method, partial(self._requested, request))

    def watch_mounts(self) -> None:
        """Know what a server passes on to one that is mounted on it: that is the same request."""
        for name, method, request in (
            ("FastMCPProviderTool", "_run", _TOOL),
            ("FastMCPProviderTool", "run", _TOOL),
            ("FastMCPProviderResource", "_read", _RESOURCE),
            ("FastMCPProviderResourceTemplate", "_read", _RESOURCE),
            ("FastMCPProviderPrompt", "_render", _PROMPT),
            ("FastMCPProviderPrompt", "render", _PROMPT),
        ):
            owner = self._patches.find(_PROVIDER, name)
            self._patches.put(owner, method, partial(_passing_on, request))

    def _requested(self, request: _Request, original: Method) -> Method:
        """Wrap a method of the server as an operation."""
        parameters, attempt = signature(original), self._patches.attempt
        first, second, *_ = [*parameters.parameters][1:]

        @wraps(original)
        async def requested(server: Any, *args: Any, **kwargs: Any) -> Any:
            is_passed_on = _is_passed_on.get()
            _is_passed_on.set(False)  # what it runs in turn is new
            if not self._is_watched(server):
                return await original(server, *args, **kwargs)
            try:
                call = parameters.bind(server, *args, **kwargs)
            except TypeError:  # which the server raises
                return await original(server, *args, **kwargs)
            name = str(call.arguments[first])
            is_rest = call.arguments.get("run_middleware") is False
            if is_rest and innermost()[0] == request.noun:  # of the same request
                return await original(server, *args, **kwargs)
            if is_passed_on or is_reported(name, self._bus, request.noun):
                with reporting(name, request.noun):
                    return await original(server, *args, **kwargs)
            about: dict[str, Any] = {request.target: name, "context": None}
            about["server_name"] = attempt(lambda: server.name)
            if request is not _TOOL:
                about["is_served"] = True
            if request.argument is not None:
                about[request.argument] = call.arguments.get(second) or {}
            return await self._run(request, call, original, about)

        return requested

    async def _run(
        self, request: _Request, call: Any, original: Method, about: dict[str, Any]
    ) -> Any:
        names = [*call.signature.parameters][1:3]
        target, arguments = about[request.target], about.get(request.argument or "")
        results: list[Any] = []

        async def run(operation: Operation) -> Any:
            name = operation.args if request.argument is None else operation.kwargs[request.target]
            if name != target:
                call.arguments[names[0]] = name
            if request.argument is not None and operation.args is not arguments:
                call.arguments[names[1]] = operation.args
            with reporting(name, request.noun):
                result = await original(*call.args, **call.kwargs)
            results.append(result)
            if request is _RESOURCE:
                operation.set(mime_type=mime_type_of(result))
            if getattr(result, "is_error", False) is True:
                raise ErrorResultError(self._sdk.text_of(result), result)
            return result

        import fastmcp.exceptions  # noqa: PLC0415 - imported here only

        def refuse(text: str) -> Any:
            raise getattr(fastmcp.exceptions, request.error)(text)

        try:
            result = await self._bus.call(request.noun, run, **about)
        except NO_RESULT as error:
            result = instead_of(error, refuse)
        last = results[-1] if results else None
        return result if result is last else self._as_result(request, result, last)

    def _as_result(self, request: _Request, value: Any, like: Any) -> Any:
        """Return what a hook or a person gave instead of a result, in FastMCP's type."""
        from importlib import import_module  # noqa: PLC0415 - seldom

        package, name = request.result
        kind = getattr(import_module(f"fastmcp.{package}.base"), name)
        if isinstance(value, kind):
            return value
        if request is not _TOOL:
            return kind(text_of(value))
        made = self._sdk.as_result(value, like=like)
        return kind.from_mcp_result(made) if self._sdk.is_result(made) else made


def _passing_on(request: _Request, original: Method) -> Method:
    """Wrap a method by which a server passes a request on to a mounted one."""

    @wraps(original)
    async def passing_on(*args: Any, **kwargs: Any) -> Any:
        if innermost()[0] != request.noun:  # the server above is not watched
            return await original(*args, **kwargs)
        token = _is_passed_on.set(True)
        try:
            return await original(*args, **kwargs)
        finally:
            _is_passed_on.reset(token)

    return passing_on
