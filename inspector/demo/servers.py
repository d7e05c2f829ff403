"""The MCP servers of the demo: their list, and their processes during a story."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from mcp.shared.message import SessionMessage
from mcp.types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
)
from mcp_types.version import LATEST_MODERN_VERSION

from inspector.agent_side.control.elicitation import Callback
from inspector.demo.connection import TRANSPORT, McpConnection, RunContext, wire_form
from instrument import _emit as emit
from instrument import operation

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_GIT_TOOLS = frozenset({"git_log", "git_show", "git_status", "git_diff"})
"""These only read: the demo never writes to the repository that it runs in."""

_START_S = 120.0
_DISCOVER_PARAMS: dict[str, Any] = {
    "_meta": {
        PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
        CLIENT_INFO_META_KEY: {"name": "inspector-demo", "version": "1.0.0"},
        CLIENT_CAPABILITIES_META_KEY: {},
    }
}


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """An MCP server, and the command that starts it."""

    name: str
    parameters: StdioServerParameters
    allowed_tools: frozenset[str] | None = None
    """The only tools that agents are offered; None: all."""


def servers_for(speed: float, directory: Path) -> list[ServerSpec]:
    """Return the servers to start: our own, and a git server where there is a repository."""
    own = StdioServerParameters(
        command=sys.executable,
        # -P: the folder of the file must not shadow the modules of other packages.
        args=["-P", str(Path(__file__).with_name("server.py"))],
        env={"INSPECTOR_DEMO_SPEED": str(speed)},
    )
    specs = [ServerSpec("workshop", own)]
    repository = _repository_of(directory)
    if repository is not None and importlib.util.find_spec("mcp_server_git"):
        git = StdioServerParameters(
            command=sys.executable,
            args=["-m", "mcp_server_git", "--repository", str(repository)],
            cwd=repository,
        )
        specs.append(ServerSpec("git", git, _GIT_TOOLS))
    return specs


def _repository_of(directory: Path) -> Path | None:
    if shutil.which("git") is None:
        return None
    candidates = (directory, *directory.parents)
    return next((folder for folder in candidates if (folder / ".git").exists()), None)


@asynccontextmanager
async def connect_all(
    specs: Sequence[ServerSpec], context: RunContext, elicit: Callback
) -> AsyncGenerator[dict[str, McpConnection]]:
    """Start the servers, and stop them when the block ends.

    Yields:
        The connections by the names of their servers.

    Raises:
        MCPError: One started but does not speak MCP.
        OSError: One cannot be started.
    """
    try:
        async with AsyncExitStack() as stack:
            yield {
                spec.name: await stack.enter_async_context(_connect(spec, context, elicit))
                for spec in specs
            }
    except BaseExceptionGroup as errors:
        # The task groups of the SDK wrap what is raised in them; callers want the error itself.
        raise _innermost(errors) from None


@asynccontextmanager
async def _connect(
    spec: ServerSpec, run_context: RunContext, elicit: Callback
) -> AsyncGenerator[McpConnection]:
    async with AsyncExitStack() as stack:
        # A server's log would disturb the terminal.
        log = stack.enter_context(Path(os.devnull).open("w"))  # noqa: ASYNC230, SIM115 - the stack closes it
        transport = _started(stdio_client(spec.parameters, errlog=log))
        client = Client(transport, elicitation_callback=elicit)
        async with operation(
            "rpc_request",
            envelope={"jsonrpc": "2.0", "method": "server/discover", "params": {}},
            transport=TRANSPORT,
            server_name=spec.name,
        ) as op:
            await stack.enter_async_context(client)
            info = wire_form(client.server_info) if client.server_info else {}
            op.result = {"jsonrpc": "2.0", "result": {"serverInfo": info}}
        about = {
            "transport_type": TRANSPORT,
            "uri": f"stdio:{spec.parameters.command}",
            "server_name": spec.name,
        }
        await emit("transport_connected", **about)
        reason = "closed by the agent"
        try:
            yield McpConnection(spec.name, client, run_context, spec.allowed_tools)
        except BaseException as error:
            reason = str(error) or type(error).__name__
            raise
        finally:
            await emit("transport_disconnected", reason=reason, **about)


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


@asynccontextmanager
async def _started(
    transport: AbstractAsyncContextManager[TransportStreams],
) -> AsyncGenerator[TransportStreams]:
    """Wait for the first answer of a server.

    The SDK gives its own first request ten seconds. A busy machine may not have started the server
    by then, and the trace would begin with errors.
    """
    async with transport as (read, write):
        request = JSONRPCRequest(
            jsonrpc="2.0", id="start-up", method="server/discover", params=_DISCOVER_PARAMS
        )
        with anyio.move_on_after(_START_S), suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            await write.send(SessionMessage(request))
            answer: Any = None
            while not isinstance(answer, JSONRPCResponse | JSONRPCError):
                answer = getattr(await read.receive(), "message", None)
        yield read, write  # if it did not answer, the SDK reports that best
