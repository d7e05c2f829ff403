"""Put both ends of an MCP connection in one session, including traces begun by the server.

The spans of a server for a request are in the trace of the client. A notification carries no trace,
and a server may send requests of its own: these begin traces of their own. Their session is known
from the requests on the same connection.
"""

from __future__ import annotations

from collections.abc import Iterable

from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.sessions.state import MCP_CONNECTION_RANK, TraceState, mcp_session

_RANK = MCP_CONNECTION_RANK - 1
"""Rank of a session that the client names: better than one that the server derives from itself."""
_MAX_SERVERS = 1_000


class McpServers:
    """Sessions of recent MCP servers. In memory: the next request restores them."""

    def __init__(self) -> None:
        self._clients: dict[str, str | None] = {}
        """The client's session, by the one that its server would have; None: of several clients."""

    def join(self, unit: UnitOfWork, trace_ids: Iterable[str]) -> None:
        """Learn from these traces and their sessions; move traces that belong elsewhere."""
        for trace_id in trace_ids:
            trace = unit.trace(trace_id)
            if trace.session_id is None or trace.root_process is None:
                continue
            for process_id, connection_id in trace.answering.items():
                ends = [] if connection_id is None else [connection_id]
                if process_id != trace.root_process:  # not all of its spans name the connection
                    ends.append(mcp_session(process_id))
                for end in ends:
                    if end != trace.session_id:
                        self._learn(unit, end, trace.session_id)
            if trace.mcp_root is not None:
                for ends_by_process in (trace.connections, trace.answering):
                    if trace.mcp_root in ends_by_process:
                        end = ends_by_process[trace.mcp_root] or mcp_session(trace.mcp_root)
                        self._move(unit, trace, end)

    def _learn(self, unit: UnitOfWork, end: str, client: str) -> None:
        if end in self._clients:
            if self._clients[end] != client:
                self._clients[end] = None
            return
        self._clients[end] = client
        if len(self._clients) > _MAX_SERVERS:
            del self._clients[next(iter(self._clients))]
        for trace in unit.traces_of(end):
            self._move(unit, unit.trace(trace.trace_id), end)

    def _move(self, unit: UnitOfWork, trace: TraceState, end: str) -> None:
        client = self._clients.get(end)
        if client is not None and trace.session_id == end and trace.rank >= MCP_CONNECTION_RANK:
            trace.rank = _RANK
            unit.move_trace(
                trace, unit.session_or_new(client, trace.profile.started_ns or unit.now_ns)
            )
