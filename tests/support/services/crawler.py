"""Read everything that a service answers, to compare it with what another one answers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from fastapi.routing import APIRoute

from inspector.service.app import ROUTERS

_TESTS = Path(__file__).parents[2]
FILES = [
    *sorted((_TESTS / "golden").glob("*.otlp.jsonl")),
    *sorted((_TESTS / "emitters" / "captured").glob("*.otlp.jsonl"))[::3],
]
_QUERIES = [
    *("status:failed", "errors>0", "kind:tool", "model:gpt*", "tool:*", "tokens>100", "cost>0"),
    *("weather", "release", "span(kind:llm duration>1ms)", "-kind:llm", "kind:llm -error"),
    *("@gen_ai.request.model:*", "parent(kind:agent)", "child(kind:tool)", "ancestor(kind:agent)"),
]
_NOT_READ = {
    *("/health", "/events", "/requests", "/requests/{request_id:path}", "/prices", "/audit"),
    *("/audit/export", "/processes/{process_id:path}/commands", "/", "/ui", "/ui/{path:path}"),
    "/sessions/{session_id:path}/control",
}
"""Routes that read nothing of the content of sessions."""


class Crawler:
    """Reads all that can be read.

    Args:
        api: A client of the service.
        left_out: Names of fields that differ.

    Attributes:
        answers: What was answered, by path.
    """

    def __init__(self, api: httpx.AsyncClient, left_out: Collection[str] = ()) -> None:
        self._api = api
        self._left_out = {"index", "price_list", *left_out}
        self.answers: dict[str, Any] = {}

    async def crawl(self) -> None:
        sessions = [one["id"] for one in (await self.read("/sessions?limit=200"))["sessions"]]
        for one in sessions:
            await self._session(quote(one, safe=""))
        for left, right in pairwise(sessions[:12]):
            pair = f"left={quote(left)}&right={quote(right)}"
            await self.read(f"/compare?{pair}")
            await self.read(f"/compare/rows?{pair}&every=true")
        named = "&".join(f"session={quote(one)}" for one in sessions[:4])
        await self.read(f"/compare/runs?{named}&every=true")
        for by in ("user", "tag", "model", "day"):
            await self.read(f"/sessions/usage?by={by}")
        for path in (
            "/causes",
            "/sessions/histogram?until_ms=2000000000000",
            "/sessions/count",
        ):
            await self.read(path)
        for field in ("model", "tool", "agent"):
            await self.read(f"/query/values?field={field}")
        for q in map(quote, _QUERIES):
            await self._pages(f"/sessions?q={q}", "sessions")
            await self._pages(f"/search?q={q}", "spans")
            await self._pages(f"/sessions/count?q={q}", "count")

    async def _session(self, session_id: str) -> None:
        base = f"/sessions/{session_id}"
        found = await self.read(f"{base}/spans?limit=1000")
        await self.read(f"{base}/spans?format=columns")
        for part in ("", "/statistics", "/statistics?totals=false", "/context", "/last-good"):
            await self.read(base + part)
        await self.read(f"{base}/transcript/last?limit=10")
        await self.read(f"{base}/export.html")
        await self.read(f"/trace/{session_id}")
        log = await self.read(f"{base}/mcp?limit=2000")
        for one in log["entries"][:5]:
            await self.read(f"{base}/mcp/frame?key={quote(one['key'])}")
        spans = [*found["spans"][:3], *found["spans"][3:][-3:]]
        keys = [f"{one['trace_id']}.{one['span_id']}" for one in spans]
        await self.read(f"{base}/transcript?" + "&".join(f"span={key}" for key in keys[:20]))
        for key in keys:
            place = "/spans/" + key.replace(".", "/")
            detail = await self.read(place)
            await self.read(f"{place}/state")
            for pointer in re.findall(r'"pointer": ?"([^"]+)"', str(detail))[:2]:
                await self.read(f"{place}/value?pointer={quote(pointer)}")
            await self.read(f"{place}/value?pointer=/attributes")

    async def _pages(self, path: str, rows: str) -> None:
        """Read all pages as one: how they are cut depends on the time that each takes."""
        found, cursor = list[Any](), ""
        while True:
            page = await self._get(f"{path}{cursor}")
            found += [page[rows]] if rows == "count" else map(self._stable, page[rows])
            if not page.get("next_cursor"):
                break
            cursor = f"&cursor={quote(page['next_cursor'])}"
        self.answers[path] = sum(found) if rows == "count" else found

    async def read(self, path: str) -> Any:
        found = await self._get(path)
        self.answers[path] = self._stable(found)
        return found

    async def _get(self, path: str) -> Any:
        answer = await self._api.get(path)
        assert answer.status_code in (200, 404, 422), (path, answer.status_code, answer.text)
        is_json = "json" in answer.headers["content-type"] and "lines" not in path
        if is_json and answer.status_code == 200:
            return answer.json()
        # A saved page has the time at which it was saved.
        body = None if path.endswith(".html") else answer.content
        return {"status": answer.status_code, "body": body}

    def _stable(self, value: Any) -> Any:
        """Leave out what depends on the time of asking, or on how search is done."""
        if isinstance(value, float):
            return round(value, 9)  # sums of costs, in any order
        if isinstance(value, dict):
            return {k: self._stable(v) for k, v in value.items() if k not in self._left_out}
        return [self._stable(one) for one in value] if isinstance(value, list) else value


def unread_routes(paths: Iterable[str]) -> set[str]:
    """Return the routes that answer with the content of sessions and are of none of `paths`."""
    routes = {
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }
    known = list(paths)
    return {route for route in routes - _NOT_READ if not any(_fits(route, path) for path in known)}


def _fits(route: str, path: str) -> bool:
    pattern = re.sub(r"\{[^}]+\}", "[^/]+", route)
    return re.fullmatch(pattern, path.partition("?")[0]) is not None
