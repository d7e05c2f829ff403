"""Subscribers as people write them, in all their habits, run as they are (seed 000)."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Coroutine
from functools import partial
from threading import Thread
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from instrument import Bus


class Costs:
    """Adds up tokens by model; installs and uninstalls itself."""

    def __init__(self) -> None:
        self.tokens: defaultdict[str, int] = defaultdict(int)
        self.failures: list[str] = []
        self._hooks: dict[str, Callable[..., Any]] = {
            "after_llm_generate": self.on_llm,
            "error_llm_generate": self.on_error,
        }

    def install(self, instrument: Any) -> None:
        for name, fn in self._hooks.items():
            instrument.register(name, fn)

    def uninstall(self, instrument: Any) -> None:
        for name, fn in self._hooks.items():
            instrument.unregister(name, fn)

    async def on_llm(self, llm: Any, usage: Any, **_kw: Any) -> None:
        self.tokens[llm.name] += (usage or {}).get("total_tokens", 0)

    def on_error(self, exc: BaseException, **_kw: Any) -> str:
        self.failures.append(type(exc).__name__)
        return "ignored"


class Model:
    name = "m"


async def test_a_tracker_that_registers_its_methods_counts_and_goes(bus: Bus) -> None:
    costs = Costs()
    costs.install(bus)

    for answer in ("a", OSError("full")):
        try:
            async with bus.operation("llm_generate", llm=Model(), prompt="p") as op:
                op.set(usage={"total_tokens": 5})
                if isinstance(answer, OSError):
                    raise answer
                op.result = answer
        except OSError:
            pass
    await bus._emit("after_llm_generate", llm=Model(), prompt="p", response="r", usage=None)
    costs.uninstall(bus)
    await bus._emit("after_llm_generate", llm=Model(), prompt="p", response="r", usage={"n": 1})

    assert costs.tokens == {"m": 5}
    assert costs.failures == ["OSError"]


async def test_mocks_lambdas_and_partials_are_subscribers(bus: Bus) -> None:
    heard: list[Any] = []

    async def note(how: str, **kwargs: Any) -> None:
        heard.append((how, kwargs["tool_name"]))

    plain, later = Mock(), AsyncMock()
    for fn in (plain, later, partial(note, "partial"), lambda **kw: note("lambda", **kw)):
        bus.register("before_tool_call", fn)

    await bus._emit("before_tool_call", tool_name="t", args={}, context=None)

    plain.assert_called_once_with(tool_name="t", args={}, context=None)
    later.assert_awaited_once()
    assert heard == [("partial", "t"), ("lambda", "t")]


async def test_the_table_can_be_looked_into_as_the_contract_has_it(bus: Bus) -> None:
    def one(**_: Any) -> None: ...

    assert not bus._hooks.get("before_tool_call")
    assert "before_tool_call" not in bus._hooks
    bus.register("before_tool_call", one)
    bus.register("before_tool_call", one)
    assert bus._hooks["before_tool_call"].count(one) == 2
    bus.unregister("before_tool_call", one)
    bus.unregister("before_tool_call", one)
    assert one not in bus._hooks.get("before_tool_call", [])
    bus.register("before_tool_call", one)
    bus._hooks.clear()
    await bus._emit("before_tool_call", unknown=1)


async def test_a_subscriber_whose_kwarg_hides_a_module_and_one_without_kwargs_both_hear(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    lines: list[str] = []

    async def before_tool_call(tool_name: str, args: Any, context: Any, **_kw: Any) -> None:
        lines.append(json.dumps({"tool": tool_name, "args": args, "context": str(context)}))

    def strict(tool_name: str, args: Any, context: Any) -> None:
        lines.append("strict")

    bus.register("before_tool_call", before_tool_call)
    bus.register("before_tool_call", strict)

    await bus._emit("before_tool_call", tool_name="t", args={"a": 1}, context=None)
    assert len(lines) == 2
    async with bus.operation("tool_call", tool_name="t", args={}):
        pass

    assert len(lines) == 3  # a strict one does not know what minor versions add
    assert "unexpected keyword argument" in caplog.text


async def test_a_subscriber_that_registers_another_and_leaves_is_heard_once(bus: Bus) -> None:
    heard: list[str] = []

    async def first(**_: Any) -> None:
        heard.append("first")
        bus.unregister("session_started", first)
        bus.register("session_started", lambda **_: heard.append("second"))

    bus.register("session_started", first)
    for _ in range(2):
        await bus._emit("session_started", session_id="s", metadata={})

    assert heard == ["first", "second"]


async def test_what_a_subscriber_writes_raises_or_returns_is_nothing_to_the_tool(
    bus: Bus,
) -> None:
    def rebind(**kwargs: Any) -> dict[str, Any]:
        kwargs["args"] = {"path": "/etc"}
        return {"action": "deny"}

    async def cancel(**_: Any) -> None:
        raise asyncio.CancelledError

    def fail(**_: Any) -> None:
        raise RecursionError

    for fn in (rebind, cancel, fail):
        bus.register("before_tool_call", fn)

    assert await bus.call("tool_call", lambda op: op.args, tool_name="t", args={"p": 1}) == {"p": 1}


async def test_a_task_that_a_subscriber_starts_is_left_running(bus: Bus) -> None:
    done = asyncio.Event()
    tasks: list[asyncio.Task[None]] = []

    async def slow() -> None:
        await done.wait()

    def start(**_: Any) -> Any:
        tasks.append(asyncio.get_running_loop().create_task(slow()))
        return tasks[-1]

    bus.register("before_tool_call", start)

    await bus._emit("before_tool_call", tool_name="t", args={}, context=None)

    assert not tasks[0].done()
    done.set()
    await tasks[0]


def test_subscribers_hear_what_other_threads_and_loops_emit(bus: Bus) -> None:
    heard: list[int] = []

    async def note(number: int, **_: Any) -> None:
        await asyncio.sleep(0)
        heard.append(number)

    bus.register("progress_update", note)

    def emit(number: int) -> None:
        work: Coroutine[Any, Any, None] = bus._emit("progress_update", number=number)
        asyncio.run(work)

    threads = [Thread(target=emit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(heard) == [0, 1, 2, 3]
