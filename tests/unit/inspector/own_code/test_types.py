"""What type checkers know; mypy checks it, where an ignored error that is none is one, too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, assert_type

import inspector
from instrument import Bus, CustomNoun, Operation


@inspector.tool
def bare(a: int, *, b: str = "x") -> str:
    return f"{a}{b}"


@inspector.agent(name="other")
async def with_arguments(a: int) -> list[int]:
    return [a]


@inspector.step
def generator(n: int) -> Iterator[int]:
    yield from range(n)


@inspector.workflow()
async def async_generator(n: int) -> AsyncIterator[int]:
    yield n


@inspector.session("s", user="ada")
def in_session(a: int) -> bytes:
    return bytes(a)


class Tools:
    @inspector.tool
    def method(self, a: int) -> float:
        return a / 2

    @inspector.tool
    @classmethod
    def outer_class(cls, a: int) -> int:
        return a

    @staticmethod
    @inspector.tool(name="static")
    def inner_static(a: int) -> int:
        return a


async def test_types_survive_the_decorators() -> None:
    assert_type(bare(1, b="y"), str)
    assert_type(await with_arguments(1), list[int])
    assert_type(generator(1), Iterator[int])
    assert_type(async_generator(1), AsyncIterator[int])
    assert_type(in_session(1), bytes)
    assert_type(Tools().method(1), float)
    assert_type(Tools.outer_class(1), int)
    assert_type(Tools.inner_static(1), int)
    passed_on: Callable[[int], Coroutine[Any, Any, list[int]]] = with_arguments
    assert passed_on is with_arguments
    assert_type(inspector.tool(lambda: str(7), name="seven")(), str)
    assert_type(inspector.span("rank", kind="retrieval"), Operation)


def never_called(bus: Bus) -> None:
    bare("1")  # type: ignore[arg-type]  # no int
    bare(1, c="y")  # type: ignore[call-arg]  # no such parameter
    Tools().method()  # type: ignore[call-arg]  # `a` is missing
    inspector.span("x", kind="tol")  # type: ignore[arg-type]  # no such kind


async def operations_never_called(bus: Bus, anything: str) -> None:
    bus.operation("tool_call", tool_name="t", args={"a": 1}, context=None)
    bus.operation("tool_call", tool_nam="t")  # type: ignore[call-overload]  # a typo
    bus.operation("tool_call", tool_name=7)  # type: ignore[call-overload]  # no text
    bus.operation("tool_call", args={})  # type: ignore[call-overload]  # of which tool?
    bus.operation("tool_cal", tool_name="t")  # type: ignore[call-overload]  # no such noun
    bus.operation(anything)  # type: ignore[call-overload]  # any noun
    assert_type(bus.operation(CustomNoun("plan"), goal="g"), Operation)

    async def run(op: Operation) -> int:
        return 1

    assert_type(await bus.call("tool_call", run, tool_name="t"), int)
    assert_type(await bus.call("tool_call", lambda op: "x", tool_name="t"), str)
    assert_type(bus.call_sync(CustomNoun("plan"), lambda op: 1.0, goal="g"), float)
    bus.call_sync("tool_call", lambda op: 1, name="t")  # type: ignore[call-overload]  # a typo
