"""Registration, order and emission."""

import asyncio
import inspect
import subprocess
import sys
import threading
from functools import partial
from types import FrameType
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import instrument
from instrument import Bus
from instrument.interceptors import Interceptor


async def test_an_event_reaches_the_observers_of_its_own_name_only(bus: Bus) -> None:
    bus.register("before_tool_call", before := Mock())
    bus.register("after_tool_call", after := Mock())

    await bus._emit("after_tool_call", tool_name="x")

    before.assert_not_called()
    after.assert_called_once_with(tool_name="x")


def test_unregistering_what_was_never_registered_does_nothing(bus: Bus) -> None:
    bus.register("after_tool_call", other := Mock())

    bus.unregister("after_tool_call", Mock())
    bus.unregister("never_seen", Mock())

    assert bus._hooks == {"after_tool_call": (other,)}


async def test_emit_is_a_coroutine_function_that_returns_none(bus: Bus) -> None:
    bus.register("a_hook", lambda: "ignored")

    assert inspect.iscoroutinefunction(bus._emit)
    assert inspect.iscoroutinefunction(instrument._emit)
    task: asyncio.Task[object] = asyncio.create_task(bus._emit("a_hook"))
    assert await task is None


async def test_sync_and_async_observers_run_in_the_order_of_registration(bus: Bus) -> None:
    order: list[str] = []

    async def slow() -> None:
        await asyncio.sleep(0)
        order.append("slow")

    bus.register("a_hook", lambda: order.append("first"))
    bus.register("a_hook", slow)
    bus.register("a_hook", lambda: order.append("last"))

    await bus._emit("a_hook")

    assert order == ["first", "slow", "last"]


async def test_of_two_registrations_both_are_called_and_the_first_is_removed(bus: Bus) -> None:
    order: list[str] = []

    def twice() -> None:
        order.append("twice")

    bus.register("a_hook", twice)
    bus.register("a_hook", lambda: order.append("between"))
    bus.register("a_hook", twice)
    await bus._emit("a_hook")
    assert order == ["twice", "between", "twice"]
    order.clear()

    bus.unregister("a_hook", twice)
    await bus._emit("a_hook")

    assert order == ["between", "twice"]


async def test_a_bound_method_can_be_unregistered(bus: Bus) -> None:
    class Listener:
        def __init__(self) -> None:
            self.heard = 0

        def on_event(self) -> None:
            self.heard += 1

    listener = Listener()
    bus.register("a_hook", listener.on_event)
    bus.unregister("a_hook", listener.on_event)
    await bus._emit("a_hook")

    assert listener.heard == 0


async def test_an_observer_that_unregisters_itself_leaves_the_running_emission_alone(
    bus: Bus,
) -> None:
    heard: list[str] = []

    def once() -> None:
        heard.append("once")
        bus.unregister("a_hook", once)

    bus.register("a_hook", once)
    bus.register("a_hook", lambda: heard.append("other"))

    await bus._emit("a_hook")
    await bus._emit("a_hook")

    assert heard == ["once", "other", "other"]


async def test_an_observer_that_another_unregisters_meanwhile_hears_the_running_emission(
    bus: Bus,
) -> None:
    other = Mock()
    bus.register("a_hook", lambda: bus.unregister("a_hook", other))
    bus.register("a_hook", other)

    await bus._emit("a_hook")
    await bus._emit("a_hook")

    other.assert_called_once_with()


async def test_an_observer_registered_during_an_emission_hears_the_next_one(bus: Bus) -> None:
    late = Mock()

    def first() -> None:
        bus.register("a_hook", late)
        bus._hooks.clear()

    bus.register("a_hook", first)
    await bus._emit("a_hook")
    late.assert_not_called()

    bus.register("a_hook", late)
    await bus._emit("a_hook")
    late.assert_called_once_with()


async def test_positional_arguments_and_kwargs_of_any_name_are_passed_on(bus: Bus) -> None:
    observer = Mock()
    bus.register("a_hook", observer)

    await bus._emit("a_hook", 1, name="x", self="y", fn="z")
    bus._emit_sync("a_hook", 1, name="x", self="y", fn="z")

    assert observer.call_args_list == [((1,), {"name": "x", "self": "y", "fn": "z"})] * 2


async def test_whatever_awaitable_an_observer_returns_is_awaited(
    bus: Bus,
) -> None:
    awaited: list[str] = []

    async def note(what: str) -> None:
        awaited.append(what)

    class Listener:
        async def __call__(self) -> None:
            awaited.append("object")

    class Pending:
        def __await__(self) -> Any:
            awaited.append("pending")
            return iter(())

    for observer in (Listener(), lambda: note("lambda"), partial(note, "partial"), Pending):
        bus.register("a_hook", observer)
    bus.register("a_hook", mock := AsyncMock())

    await bus._emit("a_hook")

    assert awaited == ["object", "lambda", "partial", "pending"]
    mock.assert_awaited_once_with()


async def test_a_returned_future_or_task_is_left_running(bus: Bus) -> None:
    release = asyncio.Event()
    tasks: list[asyncio.Task[bool]] = []

    def start() -> asyncio.Task[bool]:
        tasks.append(asyncio.create_task(release.wait()))
        return tasks[0]

    bus.register("a_hook", start)
    bus.register("a_hook", asyncio.get_running_loop().create_future)
    async with asyncio.timeout(5):
        await bus._emit("a_hook")

    assert not tasks[0].done()
    release.set()
    await tasks[0]


def test_the_table_can_be_read_and_cleared_like_a_dict_of_lists(bus: Bus) -> None:
    observer = Mock()
    assert not bus._hooks.get("a_hook")
    bus.register("a_hook", observer)
    bus.register("a_hook", observer)

    assert "a_hook" in bus._hooks
    assert bus._hooks.get("a_hook")
    assert observer in bus._hooks["a_hook"]
    assert bus._hooks["a_hook"].count(observer) == 2

    bus.unregister("a_hook", observer)
    bus.unregister("a_hook", observer)
    assert bus._hooks == {}

    bus._hooks["a_hook"] = (observer,)
    bus._hooks.clear()
    assert bus._hooks.get("a_hook", []) == []


def test_what_observe_returns_removes_one_registration_however_often_it_is_called(
    bus: Bus,
) -> None:
    observer = Mock()
    off = bus.observe("a_hook", observer)
    bus.register("a_hook", observer)

    off()
    off()

    assert bus._hooks["a_hook"] == (observer,)


def test_what_cannot_be_called_is_refused_with_a_reason(bus: Bus) -> None:
    mistake: Any = 3

    with pytest.raises(TypeError, match="not callable"):
        bus.register("a_hook", mistake)
    with pytest.raises(TypeError, match="not callable"):
        bus.observe_all(mistake)

    assert bus._hooks == {}


async def test_buses_know_nothing_of_each_other(bus: Bus) -> None:
    other = Bus()
    bus.register("a_hook", observer := Mock())

    await other._emit("a_hook")
    await instrument._emit("a_hook")

    observer.assert_not_called()


async def test_the_functions_of_the_package_act_on_one_bus() -> None:
    observer = Mock()
    instrument.register("a_hook_of_this_test", observer)
    try:
        await instrument._emit("a_hook_of_this_test", x=1)
        assert instrument._hooks["a_hook_of_this_test"] == (observer,)
    finally:
        instrument.unregister("a_hook_of_this_test", observer)

    observer.assert_called_once_with(x=1)
    assert "a_hook_of_this_test" not in instrument._hooks


async def test_observers_hear_events_of_every_loop_and_thread(bus: Bus) -> None:
    heard: list[int] = []

    async def note() -> None:
        await asyncio.sleep(0)
        heard.append(threading.get_ident())

    bus.register("a_hook", note)

    await bus._emit("a_hook")
    await asyncio.to_thread(lambda: asyncio.run(bus._emit("a_hook")))

    assert len(heard) == len(set(heard)) == 2


def test_registering_from_many_threads_loses_nothing(bus: Bus) -> None:
    threads, each = 8, 200
    start = threading.Barrier(threads)

    def work() -> None:
        mine = [Mock(spec=()) for _ in range(each)]
        start.wait(5)
        for observer in mine:
            bus.register("a_hook", observer)
        for observer in mine[::2]:
            bus.unregister("a_hook", observer)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        workers = [threading.Thread(target=work) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(30)
    finally:
        sys.setswitchinterval(interval)

    assert len(bus._hooks["a_hook"]) == threads * each // 2


def ignore(*_: object, **__: object) -> None:
    pass


def come_and_go(bus: Bus, priority: int) -> None:
    """Register in every way, and undo each twice, the second time on another thread."""
    for _ in range(100):
        offs = [
            bus.observe("a_hook", ignore),
            bus.intercept("a_hook", ignore, priority=priority),
            bus.observe_all(ignore),
        ]
        other = threading.Thread(target=lambda offs=offs: [off() for off in offs])
        other.start()
        for off in offs:
            off()
        other.join(5)


def test_the_table_is_whole_at_every_moment_while_threads_change_it(bus: Bus) -> None:
    stays, is_over = Mock(spec=()), threading.Event()
    torn: list[object] = []
    bus.register("a_hook", stays)

    def read() -> None:
        while not is_over.is_set():
            entries = bus._hooks["a_hook"]
            kinds = [isinstance(entry, Interceptor) for entry in entries]
            if stays not in entries or kinds != sorted(kinds, reverse=True):
                torn.append(entries)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        reader = threading.Thread(target=read)
        writers = [threading.Thread(target=come_and_go, args=(bus, n)) for n in range(3)]
        for thread in (reader, *writers):
            thread.start()
        for thread in writers:
            thread.join(60)
    finally:
        is_over.set()
        sys.setswitchinterval(interval)
    reader.join(5)

    assert torn == []
    assert bus._hooks == {"a_hook": (stays,)}


async def test_an_emission_that_nobody_hears_runs_one_python_function(bus: Bus) -> None:
    entered: list[str] = []  # counted and not timed

    def profile(frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            entered.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        await bus._emit("before_tool_call", tool_name="x", args={}, context=None)
    finally:
        sys.setprofile(None)

    assert entered == ["_emit"]


@given(
    st.lists(
        st.tuples(st.sampled_from("ru"), st.sampled_from("ab"), st.integers(0, 3)), max_size=40
    )
)
def test_the_table_is_what_the_registrations_say(steps: list[tuple[str, str, int]]) -> None:
    bus, observers = Bus(), [Mock(spec=()) for _ in range(4)]
    expected: dict[str, list[Mock]] = {"a": [], "b": []}

    for step, hook, index in steps:
        observer = observers[index]
        if step == "r":
            bus.register(hook, observer)
            expected[hook].append(observer)
        else:
            bus.unregister(hook, observer)
            if observer in expected[hook]:
                expected[hook].remove(observer)

    assert {hook: list(bus._hooks.get(hook, ())) for hook in "ab"} == expected


def test_a_child_of_a_fork_is_not_stopped_by_a_lock_of_its_parent() -> None:
    code = (
        "import os, threading\n"
        "from instrument import Bus\n"
        "bus, is_held = Bus(), threading.Event()\n"
        "def hold():\n"
        "    with bus._lock:\n"
        "        is_held.set(); threading.Event().wait()\n"
        "threading.Thread(target=hold, daemon=True).start()\n"
        "is_held.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    bus.register('before_tool_call', print)\n"
        "    os._exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "7"
