"""Reading one large session: `python benchmarks/bench_reading.py [SPANS] [--store FOLDER]`.

A session of `SPANS` spans, taken in by the recorder as if it had been sent, is read through the
HTTP application, without a socket: as pages of rows, as columns, as a file, and its statistics.
Each line is CPU time of the process, beside floors of the same run: bare SQLite reading the same
rows, orjson encoding the same answers, and zlib packing the same file. Meanwhile somebody asks for
the list of sessions: p95 of the time that passed, alone and while the file is written. And a page
that shows a live session asks for its statistics again and again.

`--store` keeps the filled store in a folder, or takes the one that is there.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw
import httpx
import orjson
from ingest_load import request
from screen_traces import joined, long_session

from inspector.service.app import create_app
from inspector.service.feed.feed import Feed
from inspector.service.http.access import Access
from inspector.service.http.parts import ReadParts
from inspector.service.ingest.recorder import Recorder
from inspector.service.model.records import Changes
from inspector.service.otlp.receiver import read_request
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import TRACES
from inspector.service.settings import load_settings
from inspector.service.storage import Store, open_store

SPANS = 100_000
SESSION = "long"
PAGE = 2_000
LONG_PAGE = 20_000
LIVE_SPANS = (2_000, 10_000, 30_000)
LIVE_MORE = 20
LIVE_ROUNDS = 9
LISTS_EVERY_S = 0.02
_BARE = (
    "SELECT t.id, s.span_id, s.parent_id, s.name, s.kind, s.status, s.start_ns, s.end_ns,"
    " s.wait_ns, s.waits, s.waited, s.model, s.input_tokens, s.output_tokens, s.cost_usd,"
    " s.size_bytes, s.duplicate_of, s.subject, s.service, s.stall_start_ns, s.stall_ns"
    " FROM span AS s JOIN trace AS t ON t.no = s.trace_no ORDER BY s.start_ns, s.span_id"
)
_BARE_CONTENT = (
    "SELECT c.payload FROM span AS s JOIN content AS c ON c.no = s.content"
    " ORDER BY s.start_ns, s.span_id"
)


def main() -> None:
    """Print the times."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)  # as the service does
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spans", type=int, nargs="?", default=SPANS)
    parser.add_argument("--store", type=Path, help="folder to keep the filled store in")
    parser.add_argument("--only", nargs="+", default=[], help="parts, by the start of their names")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = (options.store or Path(folder)) / "store.sqlite3"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _fill(path, options.spans)
        print(f"a session of {options.spans:,} spans")
        asyncio.run(_print(path, options.only))


async def ratios(spans: int) -> dict[str, float]:
    """Return rows, columns, file and statistics of a session, to bare SQLite."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder, "store.sqlite3")
        _fill(path, spans)
        lines = [line async for line in _measured(path, ["rows", "columns", "file", "statistics"])]
    return {
        f"reading, {line.part}": line.whole_s / line.seconds
        for line in lines
        if line.whole_s is not None and "bare" in line.name
    }


class _Intake:
    """Spans on their way into a store, as the service takes them in."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recorder = Recorder(store, time.time_ns())

    def add(self, body: bytes) -> None:
        batch = read_request(TRACES, body, rejections=Rejections(), scrubs=False)
        self._commit(self._recorder.record(batch.spans, [], time.time_ns()))

    def end(self) -> None:
        """Let a minute pass, after which all is over."""
        later_ns = time.time_ns() + 60 * 10**9
        while not (changes := self._recorder.tick(later_ns)).is_empty:
            self._commit(changes)

    def _commit(self, changes: Changes) -> None:
        self._store.commit(changes)
        self._recorder.committed()


def _fill(path: Path, count: int) -> None:
    with closing(open_store(f"sqlite:///{path}")) as store:
        intake = _Intake(store)
        for body in joined([long_session(SESSION, count)]):
            intake.add(body)
        intake.end()


class _Line(NamedTuple):
    """CPU time of something; of a floor, also what it is a floor of."""

    part: str
    name: str
    seconds: float
    whole_s: float | None = None


_Lines = AsyncIterator[_Line]


async def _print(path: Path, only: list[str]) -> None:
    async for line in _measured(path, only):
        beside = "" if line.whole_s is None else f"   1/{line.whole_s / line.seconds:.1f}"
        print(f"{line.name:44}{line.seconds:8.3f} s{beside}", flush=True)
    if not only or "lists" in only:
        with closing(open_store(f"sqlite:///{path}")) as store:
            async with _client(store) as client:
                await _list_sessions(client)
                await _lists_meanwhile(client)


async def _measured(path: Path, only: list[str]) -> _Lines:
    with closing(open_store(f"sqlite:///{path}")) as store:
        async with _client(store) as client:
            await _list_sessions(client)  # what is loaded at first is no part of any line
            parts: dict[str, Callable[[], _Lines]] = {
                "rows": lambda: _pages(client, path, "rows", PAGE),
                "columns": lambda: _pages(client, path, "columns", LONG_PAGE),
                "file": lambda: _file(client, path),
                "statistics": lambda: _statistics(client, path),
                "live": _live,
            }
            for name, part in parts.items():
                if not only or any(name.startswith(one) for one in only):
                    async for line in part():
                        yield line


async def _pages(client: httpx.AsyncClient, path: Path, form: str, limit: int) -> _Lines:
    bodies: list[bytes] = []
    first_s = cpu_s = 0.0
    cursor: str | None = ""
    while cursor is not None:
        params = {"format": form, "limit": limit} | ({"cursor": cursor} if cursor else {})
        began = time.process_time()
        answer = await client.get(f"/sessions/{SESSION}/spans", params=params)
        cpu_s += time.process_time() - began
        first_s = first_s or cpu_s
        bodies.append(answer.raise_for_status().content)
        cursor = orjson.loads(answer.content)["next_cursor"]
    with _lap() as bare, closing(_connection(path)) as connection:
        rows = sum(1 for _ in connection.execute(_BARE))
    read = [orjson.loads(body) for body in bodies]
    with _lap() as encoding:
        for one in read:
            orjson.dumps(one)
    size_mb = sum(map(len, bodies)) / 1e6
    yield _Line(form, f"{form}: first page of {min(limit, rows):,}", first_s)
    yield _Line(form, f"{form}: all {len(bodies)} pages, {size_mb:,.0f} MB", cpu_s)
    yield _Line(form, "    bare SQLite, the same rows", bare[0], cpu_s)
    yield _Line(form, "    orjson, the same answers", encoding[0], cpu_s)


async def _file(client: httpx.AsyncClient, path: Path) -> _Lines:
    with _lap() as took:
        packed = (await client.get(f"/trace/{SESSION}")).raise_for_status().content
    text = zlib.decompress(packed, wbits=31)
    with _lap() as packing:
        packer = zlib.compressobj(wbits=31)
        for start in range(0, len(text), 2**20):
            packer.compress(text[start : start + 2**20])
    with _lap() as bare, closing(_connection(path)) as connection:
        for _ in connection.execute(_BARE_CONTENT):
            pass
    with _lap() as reading:
        lines = [orjson.loads(line) for line in text.splitlines()]
    with _lap() as encoding:
        for line in lines:
            orjson.dumps(line)
    sizes_mb = (len(text) / 1e6, len(packed) / 1e6)
    yield _Line("file", f"file: {sizes_mb[0]:,.0f} MB, packed {sizes_mb[1]:,.0f} MB", took[0])
    yield _Line("file", "    bare SQLite, the same content", bare[0], took[0])
    yield _Line("file", "    orjson, the same lines", encoding[0], took[0])
    yield _Line("file", "    orjson, reading the lines", reading[0], took[0])
    yield _Line("file", "    zlib, the same file", packing[0], took[0])


async def _statistics(client: httpx.AsyncClient, path: Path) -> _Lines:
    with _lap() as took:
        (await client.get(f"/sessions/{SESSION}/statistics")).raise_for_status()
    with _lap() as bare, closing(_connection(path)) as connection:
        for _ in connection.execute(_BARE):
            pass
    yield _Line("statistics", "statistics", took[0])
    yield _Line("statistics", "    bare SQLite, the same rows", bare[0], took[0])


async def _live() -> _Lines:
    """Ask for the statistics of a session again and again, while spans of it come in."""
    for count in LIVE_SPANS:
        with closing(open_store("memory:")) as store:
            intake, made = _Intake(store), long_session("live", count + LIVE_MORE * LIVE_ROUNDS)
            for start in range(0, count, 1000):
                spans = made.spans[start : min(start + 1000, count)]
                intake.add(request(spans).SerializeToString())
            took_s: list[float] = []
            async with _client(store) as client:
                for round_ in range(LIVE_ROUNDS + 1):
                    with _lap() as took:
                        (await client.get("/sessions/live/statistics")).raise_for_status()
                    took_s += took
                    start = count + round_ * LIVE_MORE
                    spans = made.spans[start : start + LIVE_MORE]
                    intake.add(request(spans).SerializeToString())
        yield _Line("live", f"live: statistics of {count:,}, first", took_s[0])
        again_s = statistics.median(took_s[1:])
        yield _Line("live", f"live: after {LIVE_MORE} more, median", again_s)


async def _lists_meanwhile(client: httpx.AsyncClient) -> None:
    alone = [await _list_sessions(client) for _ in range(50)]
    writing = asyncio.create_task(client.get(f"/trace/{SESSION}"))
    meanwhile: list[float] = []
    while not writing.done():
        meanwhile.append(await _list_sessions(client))
        await asyncio.sleep(LISTS_EVERY_S)
    p50, p95 = statistics.median(alone) * 1e3, statistics.quantiles(alone, n=20)[-1] * 1e3
    print(f"{'list of sessions, alone':44}p50 {p50:6.1f} ms   p95 {p95:6.1f} ms")
    p50, p95 = statistics.median(meanwhile) * 1e3, statistics.quantiles(meanwhile, n=20)[-1] * 1e3
    print(
        f"{'list of sessions, while the file is written':44}p50 {p50:6.1f} ms   p95 {p95:6.1f} ms"
        f"   longest {max(meanwhile) * 1e3:6.1f} ms   {len(meanwhile)} times"
    )


async def _list_sessions(client: httpx.AsyncClient) -> float:
    began = time.perf_counter()
    (await client.get("/sessions")).raise_for_status()
    return time.perf_counter() - began


@contextmanager
def _lap() -> Iterator[list[float]]:
    found: list[float] = []
    began = time.process_time()
    yield found
    found.append(time.process_time() - began)


def _connection(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)


def _client(store: Store) -> httpx.AsyncClient:
    settings = load_settings(store="memory:", token="token")
    app = create_app(settings, token="token")
    access = Access.build("token", bind=settings.host)
    app.state.parts = ReadParts(settings=settings, access=access, store=store, feed=Feed(store))
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://127.0.0.1",
        headers={"Authorization": "Bearer token"},
        timeout=600,
    )


if __name__ == "__main__":
    main()
