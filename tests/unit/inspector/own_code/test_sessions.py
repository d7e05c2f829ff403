"""Sessions of the program's own: what belongs to them, and what they tell."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextvars import copy_context
from typing import Any

import pytest

import inspector
from inspector import context
from instrument import Bus, Decision, HookDenied


@pytest.fixture
def reported() -> list[tuple[Any, ...]]:
    return []


@pytest.fixture
def bus(reported: list[tuple[Any, ...]]) -> Bus:
    bus = Bus()
    bus.observe(
        "session_started", lambda session_id, metadata: reported.append((session_id, metadata))
    )
    bus.observe(
        "session_finished",
        lambda session_id, status, error: reported.append(
            (session_id, status, type(error).__name__)
        ),
    )
    return bus


def current() -> tuple[str, dict[str, Any]]:
    return context.get(), dict(context.details())


OUTSIDE = ("unknown", dict[str, Any]())


async def test_a_block_has_a_session_and_the_code_after_it_has_none(
    bus: Bus, reported: list[tuple[Any, ...]]
) -> None:
    ada = {"user": "ada", "tags": ("vip", "beta"), "title": "A chat"}
    with inspector.session("s-1", user="ada", tags=["vip", "beta"], title="A chat", bus=bus) as s:
        assert s.id == "s-1"
        assert current() == ("s-1", ada)
        assert await asyncio.create_task(asyncio.to_thread(current)) == ("s-1", ada)
    assert current() == OUTSIDE
    async with inspector.session("s-2", bus=bus):
        assert current() == ("s-2", {})
    assert current() == OUTSIDE
    metadata = {"user": "ada", "tags": ["vip", "beta"], "title": "A chat"}
    assert reported == [
        ("s-1", metadata),
        ("s-1", "completed", "NoneType"),
        ("s-2", {}),
        ("s-2", "completed", "NoneType"),
    ]


def test_a_session_of_the_same_id_adds_and_another_one_is_another(
    bus: Bus, reported: list[tuple[Any, ...]]
) -> None:
    with inspector.session("s-1", user="ada", tags="vip", bus=bus):
        with inspector.session(tags=["beta", "vip"], title="A chat", bus=bus):
            both = {"user": "ada", "tags": ("vip", "beta"), "title": "A chat"}
            assert current() == ("s-1", both)
        assert current() == ("s-1", {"user": "ada", "tags": ("vip",)})
        with inspector.session("s-2", bus=bus):
            assert current() == ("s-2", {})
    assert [one[0] for one in reported] == ["s-1", "s-2", "s-2", "s-1"]


def test_a_session_without_an_id_is_a_new_one_each_time(bus: Bus) -> None:
    new = inspector.session(user="ada", bus=bus)
    with new:
        first = context.get()
    with new:
        second = context.get()
    assert len({first, second, "unknown"}) == 3


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("x"), "failed"),
        (asyncio.CancelledError(), "cancelled"),
        (KeyboardInterrupt(), "cancelled"),
        (SystemExit(0), "completed"),
        (SystemExit(2), "failed"),
    ],
)
def test_what_leaves_the_block_is_its_outcome(
    bus: Bus, reported: list[tuple[Any, ...]], error: BaseException, status: str
) -> None:
    with pytest.raises(type(error)), inspector.session("s", bus=bus):
        raise error
    assert reported[-1][1] == status
    assert current() == OUTSIDE


async def test_a_function_can_be_of_a_session(bus: Bus) -> None:
    @inspector.session("s-1", user="ada", bus=bus)
    def plain(x: int) -> tuple[int, str]:
        return x, context.get()

    @inspector.session("s-2", bus=bus)
    async def later() -> str:
        await asyncio.sleep(0)
        return context.get()

    assert plain(7) == (7, "s-1")
    assert list(await asyncio.gather(later(), later())) == ["s-2", "s-2"]
    assert current() == OUTSIDE

    def generator() -> Iterator[int]:
        yield 1

    async def async_generator() -> AsyncIterator[int]:
        yield 1

    for function in (generator, async_generator):
        with pytest.raises(TypeError, match="inside it"):
            inspector.session("s")(function)


def test_one_session_in_several_threads_at_once_restores_what_each_had(bus: Bus) -> None:
    shared = inspector.session("s", bus=bus)
    entered, left = threading.Barrier(2), threading.Barrier(2)
    found: list[str] = []

    def run(outer: str) -> None:
        context.set(outer)
        with shared:
            entered.wait(5)
        left.wait(5)
        found.append(context.get())

    threads = [threading.Thread(target=run, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert sorted(found) == ["one", "two"]


def test_a_refused_session_does_not_begin(bus: Bus) -> None:
    bus.intercept("session_started", lambda **_: Decision.deny("closed"))
    with pytest.raises(HookDenied), inspector.session("s", bus=bus):
        raise AssertionError("ran")
    assert current() == OUTSIDE


def test_a_session_that_the_program_sets_meanwhile_stays(bus: Bus) -> None:
    def run() -> tuple[str, dict[str, Any]]:
        with inspector.session("s", bus=bus):
            context.set("mine", user="bo")
        return current()

    assert copy_context().run(run) == ("mine", {"user": "bo"})


@pytest.mark.parametrize("wrong", [{"id": 7}, {"user": 7}, {"title": b"x"}, {"tags": [1]}])
def test_what_is_no_text_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Give a string"):
        inspector.session(**wrong)
