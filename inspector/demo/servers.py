"""The MCP servers of the demo: their list, and their processes during a story."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
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
    """The command that starts an MCP server."""

    name: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    directory: Path | None = None
    """Its working directory; None: ours."""
    allowed_tools: frozenset[str] | None = None
    """The only tools that agents are offered; None: all."""

    @property
    def uri(self) -> str:
        """The address of the server in hooks."""
        return f"stdio:{self.command}"


def servers_for(speed: float, directory: Path) -> list[ServerSpec]:
    """Return the servers to start: our own, and a git server where there is a repository."""
    own = ServerSpec(
        name="workshop",
        command=sys.executable,
        # -P: the folder of the file must not shadow the modules of other packages.
        args=("-P", str(Path(__file__).with_name("server.py"))),
        env={"INSPECTOR_DEMO_SPEED": str(speed)},
    )
    repository = _repository_of(directory)
    if repository is None or not importlib.util.find_spec("mcp_server_git"):
        return [own]
    git = ServerSpec(
        name="git",
        command=sys.executable,
        args=("-m", "mcp_server_git", "--repository", str(repository)),
        env={},
        directory=repository,
        allowed_tools=_GIT_TOOLS,
    )
    return [own, git]


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
        client = Client(_transport(spec, stack), elicitation_callback=elicit)
        async with operation(
            "rpc_request",
            envelope={"jsonrpc": "2.0", "method": "server/discover", "params": {}},
            transport=TRANSPORT,
            server_name=spec.name,
        ) as op:
            await stack.enter_async_context(client)
            info = wire_form(client.server_info) if client.server_info else {}
            op.result = {"jsonrpc": "2.0", "result": {"serverInfo": info}}
        await emit(
            "transport_connected", transport_type=TRANSPORT, uri=spec.uri, server_name=spec.name
        )
        reason = "closed by the agent"
        try:
            yield McpConnection(spec.name, client, run_context, spec.allowed_tools)
        except BaseException as error:
            reason = str(error) or type(error).__name__
            raise
        finally:
            await emit(
                "transport_disconnected",
                transport_type=TRANSPORT,
                uri=spec.uri,
                reason=reason,
                server_name=spec.name,
            )


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _transport(spec: ServerSpec, stack: AsyncExitStack) -> AbstractAsyncContextManager[Any]:
    parameters = StdioServerParameters(
        command=spec.command, args=list(spec.args), env=dict(spec.env), cwd=spec.directory
    )
    # A server's log would disturb the terminal.
    log = stack.enter_context(Path(os.devnull).open("w"))  # noqa: SIM115 - the stack closes it
    return _started(stdio_client(parameters, errlog=log))


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
