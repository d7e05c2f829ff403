"""Asking and answering over HTTP: the agent's door and the people's, in one process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from inspector.storage import Store, open_store
from tests.support.agents import Agent
from tests.support.otlp import SECOND_NS
from tests.support.store_app import FakeClock, client_of, service


class Place:
    """A service with its clock, a person's client and an agent."""

    def __init__(self, client: httpx.AsyncClient, clock: FakeClock, ingest: Any) -> None:
        self.client, self.clock, self.ingest = client, clock, ingest
        self.agent = Agent(client, "p1")

    async def pass_time(self, seconds: float) -> None:
        end_ns = self.clock.now_ns + int(seconds * SECOND_NS)
        while self.clock.now_ns < end_ns:
            self.clock.now_ns = min(end_ns, self.clock.now_ns + SECOND_NS)
            await self.ingest.tick()

    async def request(self, request_id: str = "r1") -> Any:
        return (await self.client.get(f"/requests/{request_id}")).json()

    async def answer(self, request_id: str = "r1", **body: Any) -> httpx.Response:
        return await self.client.post(f"/requests/{request_id}", json=body)

    async def session(self, session_id: str = "S") -> Any:
        return (await self.client.get(f"/sessions/{session_id}")).json()

    async def audit(self) -> list[Any]:
        return list(reversed((await self.client.get("/audit")).json()["entries"]))


@pytest.fixture
async def place(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    for module in ("requests", "control"):
        monkeypatch.setattr(f"inspector.http.{module}.ACK_TIMEOUT_S", 0.05)
    clock = FakeClock()
    async with service(store, clock) as app, client_of(app) as client:
        yield Place(client, clock, app.state.ingest)


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Any) -> Any:
    url = "memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/store.sqlite3"
    store = open_store(url)
    yield store
    store.close()


async def test_what_an_agent_asks_is_listed_and_makes_its_session_wait(place: Place) -> None:
    await place.agent.hello()
    assert await place.agent.open("r1", args_json='{"path":"/a"}') == ["m1"]
    listed = (await place.client.get("/requests", params={"status": "pending"})).json()
    assert [one["id"] for one in listed["requests"]] == ["r1"]
    assert listed["pending_count"] == 1
    assert listed["requests"][0]["args_json"] == '{"path":"/a"}'
    session = await place.session()
    assert session["status"] == "waiting"
    assert session["waiting_since"] == listed["requests"][0]["created_at"]
