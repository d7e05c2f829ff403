"""Query time as a store grows: `python benchmarks/bench_queries.py [SPANS...] [--store FOLDER]`.

The queries of `queries.txt` through the HTTP application, without a socket: the first page and
the next one, p50 and p95 of the CPU time of the process, and p50 of the time that passed: on a
quiet machine they are the same. Beside them the floor, the same number of newest rows by a bare
SQLite statement, and how long an answer takes that is followed to a full page or to the end.

`--store` fills a store of the last size, with a session of 100 000 spans, in a folder, and stops;
or measures the one that is there.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import apsw
import httpx
from fastapi import FastAPI
from query_store import END_NS, SESSION_SPANS, StoreFiller

from inspector.service.app import create_app
from inspector.service.feed.feed import Feed
from inspector.service.http.access import Access
from inspector.service.http.parts import ReadParts
from inspector.service.search import Indexer, open_words
from inspector.service.settings import load_settings
from inspector.service.storage import Store, open_store
from inspector.service.storage.word_index import WordIndex

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 40
PAGE = 50
GOAL_MS = 50.0
_LONG = 100_000
_MOST_PAGES = 200


class Times(NamedTuple):
    """Times of one repeated action."""

    p50_ms: float
    p95_ms: float
    """Both of CPU time."""
    passed_ms: float
    """p50 of the time that passed."""

    def __str__(self) -> str:
        return f"{self.p50_ms:7.1f}{self.p95_ms:8.1f}{self.passed_ms:8.1f}"


class _Watch:
    def __init__(self) -> None:
        self._cpu: list[float] = []
        self._passed: list[float] = []

    @contextmanager
    def lap(self) -> Iterator[None]:
        cpu, passed = time.process_time(), time.perf_counter()
        yield
        self._cpu.append((time.process_time() - cpu) * 1e3)
        self._passed.append((time.perf_counter() - passed) * 1e3)

    def times(self) -> Times:
        p95 = statistics.quantiles(self._cpu, n=20)[-1]
        return Times(statistics.median(self._cpu), p95, statistics.median(self._passed))


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spans", type=int, nargs="*", default=SIZES)
    parser.add_argument("--store", type=Path, help="folder to keep the filled store in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measuring = _Measuring(options.store or Path(folder), options.spans)
        asyncio.run(measuring.in_parts() if options.store else measuring.as_it_grows())


class _Measuring:
    """A store, its index of words, and the application that reads them."""

    def __init__(self, folder: Path, sizes: Sequence[int]) -> None:
        folder.mkdir(exist_ok=True)
        self._path, self._sizes = folder / "store.sqlite3", sizes

    async def as_it_grows(self) -> None:
        """Fill the store up to each size, and measure at each."""
        with self._open() as (store, words, app):
            filler = StoreFiller(store, self._sizes[-1] // SESSION_SPANS)
            for size in self._sizes:
                filler.fill(size // SESSION_SPANS)
                self._index(store, words)
                await _ask_all(app, self._path)
            filler.fill_one(_LONG)
            await _open_long(app)

    async def in_parts(self) -> None:
        """Fill the store; or measure it, if it is there."""
        is_there = self._path.exists()
        with self._open() as (store, words, app):
            if is_there:
                await _ask_all(app, self._path)
                await _open_long(app)
                return
            filler = StoreFiller(store, self._sizes[-1] // SESSION_SPANS)
            filler.fill(self._sizes[-1] // SESSION_SPANS)
            filler.fill_one(_LONG)
            self._index(store, words)

    @contextmanager
    def _open(self) -> Iterator[tuple[Store, WordIndex, FastAPI]]:
        url = f"sqlite:///{self._path}"
        with closing(open_store(url)) as store:
            words = open_words(store, self._path)
            assert words is not None
            settings = load_settings(store=url, token="token")
            app = create_app(settings, token="token")
            app.state.parts = ReadParts(
                settings=settings,
                access=Access.build("token", bind=settings.host),
                store=store,
                feed=Feed(store),
                words=words,
            )
            with closing(words):
                yield store, words, app

    def _index(self, store: Store, words: WordIndex) -> None:
        with store.read() as reader:
            head, through = reader.head, words.through()
        indexer = Indexer(store, words, is_running=False)
        began = time.process_time()
        while indexer.step():
            pass
        rate = (head - through) / (time.process_time() - began)
        print(f"\n{head:,} spans; indexed at {rate:,.0f} a second of CPU; {_sizes(self._path)}")


def _sizes(path: Path) -> str:
    mb = [path.with_name(name).stat().st_size / 1e6 for name in (path.name, f"{path.name}-words")]
    return f"store {mb[0]:,.0f} MB, index {mb[1]:,.0f} MB"


async def _ask_all(app: FastAPI, path: Path) -> None:
    print(f"{'':52}first page: p50     p95  passed   next page: p50  p95  passed   followed")
    floor = _floor(path)
    print(f"{'floor: newest rows by bare SQLite':56}{floor}")
    async with _client(app) as client:
        await _ask(client, "sessions", None)
        chart, _ = await _times(client, "/sessions/histogram", {"until_ms": END_NS // 10**6})
        print(f"{'histogram of an hour':56}{chart}")
        window = {"until_ms": END_NS // 10**6, "bucket_ms": 86_400_000, "buckets": 200}
        chart, _ = await _times(client, "/sessions/histogram", window)
        print(f"{'histogram of 200 days':56}{chart}")
        for line in Path(__file__).with_name("queries.txt").read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                what, _, query = line.partition(" ")
                await _ask(client, what, query.strip())


async def _ask(client: httpx.AsyncClient, what: str, query: str | None) -> None:
    path = "/sessions" if what == "sessions" else "/search"
    params: dict[str, Any] = {"limit": PAGE} | ({"q": query} if query else {})
    first, answer = await _times(client, path, params)
    cursor = answer["next_cursor"]
    then = None
    if cursor:
        then, _ = await _times(client, path, params | {"cursor": cursor})
    followed = await _followed(client, path, what, params)
    mark = "" if first.p95_ms <= GOAL_MS else "  above the goal"
    name = f"{what} {query or ''}"
    print(f"{name:56}{first}   {then or '      -       -       -'}   {followed}{mark}")


async def _times(
    client: httpx.AsyncClient, path: str, params: dict[str, Any]
) -> tuple[Times, dict[str, Any]]:
    watch = _Watch()
    found: dict[str, Any] = {}
    (await client.get(path, params=params)).raise_for_status()  # connections open, pages in memory
    for _ in range(ROUNDS):
        with watch.lap():
            answer = await client.get(path, params=params)
        found = answer.raise_for_status().json()
    return watch.times(), found


async def _followed(client: httpx.AsyncClient, path: str, what: str, params: dict[str, Any]) -> str:
    """Follow the cursors until a page would be full."""
    began = time.perf_counter()
    count = pages = 0
    cursor: str | None = ""
    while cursor is not None and count < PAGE and pages < _MOST_PAGES:
        answer = await client.get(path, params=params | ({"cursor": cursor} if cursor else {}))
        found = answer.json()
        count, pages, cursor = count + len(found[what]), pages + 1, found["next_cursor"]
    seconds = time.perf_counter() - began
    return f"{count:3} in {pages:3} pages, {seconds * 1e3:6.0f} ms"


def _floor(path: Path) -> Times:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    watch = _Watch()
    for _ in range(ROUNDS):
        with watch.lap():
            list(connection.execute("SELECT * FROM span ORDER BY change DESC LIMIT ?", (PAGE,)))
    connection.close()
    return watch.times()


async def _open_long(app: FastAPI) -> None:
    print(f"\na session of {_LONG:,} spans")
    async with _client(app) as client:
        for form in ("rows", "columns"):
            first_ms: float | None = None
            size = pages = 0
            cursor: str | None = ""
            began, began_cpu = time.perf_counter(), time.process_time()
            while cursor is not None:
                params = {"format": form, "limit": 20_000} | ({"cursor": cursor} if cursor else {})
                answer = await client.get("/sessions/long/spans", params=params)
                if first_ms is None:
                    first_ms = (time.perf_counter() - began) * 1e3
                size, pages, cursor = (
                    size + len(answer.content),
                    pages + 1,
                    answer.json()["next_cursor"],
                )
            seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
            print(
                f"{form:8} first page {first_ms:6.0f} ms   all {pages} pages {seconds:5.2f} s,"
                f" CPU {cpu:5.2f} s   {size / 1e6:.1f} MB"
            )


def _client(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://127.0.0.1",
        headers={"Authorization": "Bearer token"},
    )


if __name__ == "__main__":
    # The newest session of the store ended just now.
    with (
        mock.patch("inspector.service.http.spans.time_ns", return_value=END_NS),
        mock.patch("inspector.service.http.sessions.time_ns", return_value=END_NS),
    ):
        main()
