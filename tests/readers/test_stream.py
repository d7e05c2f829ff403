"""A viewer of a reader ends with what all of its services store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.feed import tail as tail_module
from inspector.service.http import events, sessions
from inspector.service.http.access import Access
from inspector.service.http.parts import ReadParts
from inspector.service.model.writer_names import WriterAddress, qualified
from inspector.service.present import rows as presenter
from inspector.service.query.tree import All
from inspector.service.reader import mirror as mirror_module
from inspector.service.reader.mirror import MirroredStream, join_positions
from inspector.service.reader.writers import Fleet
from inspector.service.server.ports import listen, port_of
from inspector.service.server.serving import serving
from inspector.service.storage import open_store
from tests.support.models.schedules import Restart, Step, controlled_schedules
from tests.support.services.app import TOKEN, settings
from tests.support.services.recorder_rig import AT_ONCE, FedRig, play
from tests.support.services.viewer import Viewer

_NAMES = ("eu", "us")
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False}


class _Region:
    """A service on a port of its own."""

    def __init__(self, name: str, rig: FedRig) -> None:
        self.name, self.rig = name, rig
        self.app = FastAPI(telemetry=_NO_TELEMETRY)
        for router in (events.router, sessions.router):
            self.app.include_router(router)
        self._serve()

    def _serve(self) -> None:
        access = Access.build(TOKEN, bind="127.0.0.1")
        self.app.state.parts = ReadParts(
            settings=settings(), access=access, store=self.rig.store, feed=self.rig.feed
        )

    def close(self) -> None:
        self.rig.store.close()

    async def play(self, step: Step) -> None:
        before = self.rig.feed
        play(self.rig, step)
        if isinstance(step, Restart):
            self._serve()
            await before.close()

    async def lose_disk(self) -> None:
        """Begin again with an empty store."""
        before = self.rig
        self.rig = FedRig(open_store("memory:"))
        self._serve()
        await before.feed.close()
        before.store.close()


@asynccontextmanager
async def _regions() -> AsyncIterator[tuple[list[_Region], Fleet]]:
    async with AsyncExitStack() as stack:
        regions, addresses = [], []
        for name in _NAMES:
            region = _Region(name, FedRig(open_store("memory:")))
            stack.callback(region.close)
            listener = stack.enter_context(listen("127.0.0.1", 0, setting="a free port"))
            await stack.enter_async_context(serving(region.app, listener, settings()))
            addresses.append(WriterAddress(name, f"http://127.0.0.1:{port_of(listener)}"))
            regions.append(region)
        fleet = Fleet(addresses, TOKEN, {})
        stack.push_async_callback(fleet.close)
        yield regions, fleet
        for region in regions:
            await region.rig.feed.close()


class _PageOfAll(Viewer):
    """A page of a reader."""

    def __init__(self, regions: list[_Region], stream: MirroredStream, ids: frozenset[str]) -> None:
        super().__init__()
        self._regions, self._stream, self._ids = regions, stream, ids
        self._events: AsyncGenerator[str, None] | None = None
        self.reload()

    def reload(self) -> None:
        self.sessions, self.spans, self.requests = {}, {}, {}
        self.must_reload = False
        positions = []
        for region in self._regions:
            with region.rig.store.read() as reader:
                for record in reader.newest_sessions(All(), None, 1000).rows:
                    row = presenter.session(record).model_dump(mode="json")
                    row["id"] = id_ = qualified(region.name, row["id"])
                    self.sessions[id_] = row
                    if not self._ids or id_ in self._ids:
                        self._read_spans(region, record.row.id)
                for one in reader.requests(most=1000).rows:
                    title = self.sessions[qualified(region.name, one.row.session_id)]["title"]
                    shown = presenter.request(one.row, title).model_dump(mode="json")
                    for key in ("id", "session_id"):
                        shown[key] = qualified(region.name, shown[key])
                    self.requests[shown["id"]] = shown
                positions.append(region.rig.feed.position(reader.head))
        self.last_id = join_positions(positions)

    def _read_spans(self, region: _Region, own_id: str) -> None:
        with region.rig.store.read() as reader:
            for one in reader.spans_of(own_id):
                row = presenter.span_row(one.row()).model_dump(mode="json")
                # A trace may be in two services: its spans are told apart by these.
                key = f"{region.name} {one.trace_id}", one.span_id
                self.spans[key] = (qualified(region.name, own_id), row)

    def read(self, event: str) -> None:
        *head, data = event.strip().partition("data: ")
        message = json.loads(data)
        name = message.get("session_id", "").partition(":")[0]
        if "span" in message:
            message["span"]["trace_id"] = f"{name} {message['span']['trace_id']}"
        super().read("".join(head) + json.dumps(message))
        if self.must_reload:
            self.reload()
        moved_from = message.get("moved_from")
        if moved_from in self.sessions and (not self._ids or moved_from in self._ids):
            self.spans = {k: v for k, v in self.spans.items() if v[0] != moved_from}
            region = next(one for one in self._regions if one.name == name)
            self._read_spans(region, moved_from.partition(":")[2])

    async def follow(self, event_count: int | None) -> None:
        """Read that many events and be cut off, or all there are."""
        if self._events is None:
            self._events = _events(self._stream.stream(self.last_id, self._ids))
        count = 0
        async with asyncio.timeout(20):
            while count != event_count:
                self.read(await anext(self._events))
                count += 1
                if event_count is None and self._has_all():
                    return
        await self.cut()

    async def cut(self) -> None:
        if self._events is not None:
            await self._events.aclose()
            self._events = None

    def _has_all(self) -> bool:
        assert self.last_id is not None
        seen = self.last_id.split("-")
        heads = []
        for region in self._regions:
            with region.rig.store.read() as reader:
                heads.append(region.rig.feed.position(reader.head))
        return set(heads) <= set(seen)

    def shows(self) -> tuple[object, ...]:
        requests = {
            id_: one if one["status"] == "pending" else one | {"session_title": ""}
            for id_, one in self.requests.items()
        }
        spans = {
            key: (of, row | {"trace_id": ""})
            for key, (of, row) in self.spans.items()
            if not self._ids or of in self._ids
        }
        return self.sessions, spans, requests

    def should_show(self) -> tuple[object, ...]:
        return _PageOfAll(self._regions, self._stream, self._ids).shows()


async def _events(stream: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
    async for block in stream:
        for event in block.decode().removesuffix("\n\n").split("\n\n"):
            yield event


@pytest.mark.slow
@given(
    steps=st.tuples(controlled_schedules, controlled_schedules),
    readings=st.lists(st.none() | st.integers(1, 5), min_size=28, max_size=28),
    ids=st.sampled_from([frozenset[str](), frozenset({"eu:S"}), frozenset({"us:C", "eu:S", "-"})]),
    tail_entries=st.sampled_from([0, 2, 1000]),
    lost_at=st.none() | st.integers(0, 20),
)
def test_a_page_ends_with_what_all_services_store(
    steps: tuple[list[Step], list[Step]],
    readings: list[int | None],
    ids: frozenset[str],
    tail_entries: int,
    lost_at: int | None,
) -> None:
    """Any writes, restarts and lost disks of two services, any breaks of two pages."""

    async def scenario() -> None:
        async with _regions() as (regions, fleet):
            stream = MirroredStream(fleet.writers.values(), AT_ONCE)
            stream.start()
            pages = [
                _PageOfAll(regions, stream, ids),
                _PageOfAll(regions, stream, frozenset({"us:S"})),
            ]
            try:
                todo = [(of, step) for of in (0, 1) for step in steps[of]]
                todo = todo[::2] + todo[1::2]
                for number, (of, step) in enumerate(todo):
                    await regions[of].play(step)
                    if number == lost_at:
                        await regions[of].lose_disk()
                    await pages[number % 2].follow(readings[number])
                for page in pages:
                    await page.follow(None)
                    assert page.shows() == page.should_show()
            finally:
                for page in pages:
                    await page.cut()
                await stream.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_module, "TAIL_ROWS", tail_entries)
        patch.setattr(tail_module, "CHUNK", 3)
        patch.setattr(mirror_module, "CHUNK", 3)
        asyncio.run(scenario())
