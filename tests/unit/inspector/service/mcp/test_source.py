from typing import Any

import pytest

from inspector.errors import RefusedError
from inspector.service.mcp.source import Archive
from inspector.service.wire import SpanRow

PAGES = 2


class Answering:
    """Answers for one session, and remembers what it was asked."""

    def __init__(self, **session: Any) -> None:
        self.session = {"id": "run", "status": "completed", "span_count": PAGES, **session}
        self.paths: list[str] = []

    async def get(self, path: str, **query: object) -> Any:
        self.paths.append(path)
        if path == "/sessions/run":
            return dict(self.session)
        if path == "/sessions/run/spans":
            number = 2 if query["cursor"] else 1
            columns: dict[str, list[Any]] = {name: [None] for name in SpanRow.model_fields}
            columns |= {"trace_id": ["t"], "span_id": [f"s{number}"], "offset_ns": [number]}
            columns |= {"kind": ["tool"], "status": ["ok"]}
            cursor = "next" if number < PAGES else None
            return {"session_id": "run", "columns": columns, "next_cursor": cursor}
        raise RefusedError("No.", {"code": "session_not_found"})

    async def post(self, path: str, body: object, *, may_steer: bool) -> Any:
        raise AssertionError(f"nothing that reads sends {body!r} to {path}: {may_steer}")


async def looked(archive: Archive) -> list[str]:
    tree = await archive.tree(await archive.session("run"))
    return [row.span_id for row in tree.rows]


async def test_a_session_that_ended_is_read_once_and_whole() -> None:
    source = Answering()
    archive = Archive(source)
    for _ in range(3):
        assert await looked(archive) == ["s1", "s2"]
    assert source.paths.count("/sessions/run/spans") == PAGES


async def test_a_session_that_runs_is_read_each_time() -> None:
    source = Answering(status="running")
    archive = Archive(source)
    await looked(archive)
    await looked(archive)
    assert source.paths.count("/sessions/run/spans") == 2 * PAGES


async def test_a_session_that_changed_is_read_again() -> None:
    source = Answering()
    archive = Archive(source)
    await looked(archive)
    source.session["span_count"] = 3
    await looked(archive)
    assert source.paths.count("/sessions/run/spans") == 2 * PAGES


async def test_an_id_that_leads_out_of_its_path_is_never_sent() -> None:
    source = Answering()
    for wanted in ("..", ".", "", r"\x2e"):
        with pytest.raises(RefusedError, match="find_sessions"):
            await Archive(source).session(wanted)
    assert source.paths == [r"/sessions/%5Cx2e"]
