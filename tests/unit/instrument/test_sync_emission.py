"""Emitting from code that cannot await."""

import asyncio
import gc
import threading
import weakref
from warnings import catch_warnings

import pytest

from instrument import Bus, delivery


def test_without_a_loop_async_observers_run_before_the_emission_returns(bus: Bus) -> None:
    order: list[str] = []

    async def later(label: str) -> None:
        await asyncio.sleep(0)
        order.append(label)

    bus.register("a_hook", lambda: later("first"))
    bus.register("a_hook", lambda: order.append("sync"))
    bus.register("a_hook", lambda: later("second"))

    bus._emit_sync("a_hook")

    assert order == ["sync", "first", "second"]


def test_the_event_loop_that_a_thread_has_set_is_still_set_afterwards(bus: Bus) -> None:
    async def observer() -> None:
        await asyncio.sleep(0)

    bus.register("a_hook", observer)
    seen: list[bool] = []

    def work() -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        bus._emit_sync("a_hook")
        seen.append(asyncio.get_event_loop() is loop)
        loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(5)

    assert seen == [True]


async def test_on_a_running_loop_async_observers_run_later_and_in_order(bus: Bus) -> None:
    order: list[int] = []
    is_done = asyncio.Event()

    async def note(number: int) -> None:
        await asyncio.sleep(0)
        order.append(number)
        if number == 3:
            is_done.set()

    for number in (1, 2, 3):
        bus.register("a_hook", lambda number=number: note(number))

    bus._emit_sync("a_hook")
    assert order == []

    async with asyncio.timeout(5):
        await is_done.wait()
    assert order == [1, 2, 3]


async def test_an_async_observer_that_fails_later_is_logged_and_the_next_one_runs(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    is_done = asyncio.Event()

    async def fail() -> None:
        raise ValueError("later")

    async def cancelled() -> None:
        raise asyncio.CancelledError

    async def finish() -> None:
        is_done.set()

    for observer in (fail, cancelled, finish):
        bus.register("a_hook", observer)
    bus._emit_sync("a_hook")
    async with asyncio.timeout(5):
        await is_done.wait()

    assert [record.args[0] for record in caplog.records if record.args] == ["a_hook"] * 2  # type: ignore[index] # a tuple here


async def test_an_async_observer_is_referenced_while_it_waits_and_forgotten_afterwards(
    bus: Bus,
) -> None:
    waits_for: list[weakref.ref[asyncio.Future[None]]] = []
    is_done = asyncio.Event()

    async def observer(payload: object) -> None:
        future = asyncio.get_running_loop().create_future()
        waits_for.append(weakref.ref(future))
        await future  # only this coroutine references the future
        is_done.set()

    class Payload:
        pass

    payload = Payload()
    reference = weakref.ref(payload)
    bus.register("a_hook", observer)
    bus._emit_sync("a_hook", payload)
    del payload
    await asyncio.sleep(0)

    gc.collect()
    future = waits_for[0]()
    assert future is not None
    future.set_result(None)
    async with asyncio.timeout(5):
        await is_done.wait()
    del future
    await asyncio.sleep(0)
    gc.collect()
    assert reference() is None
    assert not delivery._background


def test_a_loop_that_ends_cancels_what_still_runs_and_logs_no_failure(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    started: list[bool] = []

    async def wait_for_ever() -> None:
        started.append(True)
        await asyncio.Event().wait()

    async def work() -> None:
        bus._emit_sync("a_hook")
        await asyncio.sleep(0)

    bus.register("a_hook", wait_for_ever)
    asyncio.run(work())

    assert started == [True]
    assert caplog.records == []


def test_a_loop_that_ends_leaves_no_observer_that_nobody_awaited(bus: Bus) -> None:
    async def waits() -> None:
        await asyncio.Event().wait()

    bus.register("a_hook", waits)
    bus.register("a_hook", lambda: waits())

    async def main() -> None:
        bus._emit_sync("a_hook")

    with catch_warnings(record=True) as caught:
        asyncio.run(main())
        gc.collect()
    assert [str(one.message) for one in caught] == []


async def test_what_a_sync_observer_returns_is_ignored_and_a_task_is_left_running(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    future = asyncio.get_running_loop().create_future()
    bus.register("a_hook", lambda: "not to be awaited")
    bus.register("a_hook", lambda: future)

    bus._emit_sync("a_hook")
    await asyncio.sleep(0)

    assert caplog.records == []
    assert not delivery._background
    assert not future.done()
