"""The parts of a reader that its routes use."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from fastapi import Request
from starlette.types import ASGIApp

from inspector.service.http.access import Access
from inspector.service.http.problems import ProblemError, session_not_found
from inspector.service.model.writer_names import qualified, split_id
from inspector.service.reader.comparing import ImportedSessions
from inspector.service.reader.ids import segment
from inspector.service.reader.mirror import MirroredStream
from inspector.service.reader.writers import ANSWER_S, Fleet, RemoteWriter


@dataclass(frozen=True, kw_only=True)
class ReaderParts:
    """The parts of a reader.

    Attributes:
        fleet: The services that it asks.
        stream: What changes in all of them.
        imported: Sessions of several services that are compared.
        mcp: The MCP server.
    """

    access: Access
    fleet: Fleet
    stream: MirroredStream
    imported: ImportedSessions
    mcp: ASGIApp

    def owner(self, shown_id: str) -> tuple[RemoteWriter, str] | None:
        """Return the service that an id names, and its own id; None where it names none."""
        found = split_id(shown_id, self.fleet.writers)
        return None if found is None else (self.fleet.writers[found[0]], found[1])

    async def find_owner(self, session_id: str) -> str:
        """Return the whole id of a session whose service is not named.

        Raises:
            ProblemError: No service has it, several have, or one of them does not answer.
        """
        path = f"/sessions/{segment(session_id)}"

        async def has(writer: RemoteWriter) -> bool:
            answer = await writer.send("GET", path, timeout_s=ANSWER_S)
            await answer.aclose()
            if answer.status_code not in (200, 308, 404):  # 308: it is part of another by now
                raise writer.failed(f"answers {answer.status_code}")
            return answer.status_code != 404

        writers = self.fleet.writers
        found = await asyncio.gather(*map(has, writers.values()))
        names = [*compress(writers, found)]
        if not names:
            raise session_not_found(session_id)
        if len(names) > 1:
            raise _ambiguous(session_id, names)
        return qualified(names[0], session_id)


def reader_parts_of(request: Request) -> ReaderParts:
    """Return the parts of the reader on this app."""
    parts: ReaderParts = request.app.state.parts
    return parts


def _ambiguous(session_id: str, names: Sequence[str]) -> ProblemError:
    listed = ", ".join(qualified(name, session_id) for name in names)
    return ProblemError(
        409,
        "ambiguous_session",
        "Several sessions",
        f"Several services have a session {session_id!r}. Use one of {listed}.",
    )
