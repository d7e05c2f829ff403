"""Failures of observers, which never reach the emitter."""

import asyncio
import logging
from functools import partial
from typing import Any
from unittest.mock import Mock

import pytest

from instrument import Bus
from instrument.delivery import describe
from instrument.testing import capture_hook


def failing(**_: Any) -> None:
    raise ValueError("a bug in an observer")


async def failing_later(**_: Any) -> None:
    await asyncio.sleep(0)
    raise ValueError("a bug in an observer")


@pytest.mark.parametrize("observer", [failing, failing_later])
async def test_a_failing_observer_does_not_stop_the_next_one(bus: Bus, observer: Any) -> None:
    bus.register("before_tool_call", observer)
    bus.register("before_tool_call", following := Mock())

    await bus._emit("before_tool_call", tool_name="x")

    following.assert_called_once_with(tool_name="x")


@pytest.mark.parametrize("observer", [failing, failing_later])
async def test_a_failure_is_logged_as_a_warning_with_its_traceback(
    bus: Bus, observer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    bus.register("before_tool_call", observer)

    await bus._emit("before_tool_call")

    (record,) = caplog.records
    assert (record.name, record.levelno) == ("mcp.instrument", logging.WARNING)
    assert "before_tool_call" in record.getMessage()
    assert observer.__qualname__ in record.getMessage()
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)
    assert "a bug in an observer" in caplog.text


async def test_a_failure_names_the_observer_without_its_repr(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    class Client:
        def __repr__(self) -> str:
            raise AssertionError("a repr may hold a key")

        def on_event(self, *_: object, **__: object) -> None:
            raise ValueError

        __call__ = on_event

    bus.register("a_hook", Client().on_event)
    bus.register("a_hook", Client())
    bus.observe_all(Client())

    await bus._emit("a_hook")

    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 3 + 3  # the observer of all also fails on each `hook_failed`
    assert all("Client" in message for message in messages)


async def test_a_failure_is_reported_as_an_event(bus: Bus) -> None:
    bus.register("before_tool_call", failing)

    with capture_hook("hook_failed", bus=bus) as failures:
        await bus._emit("before_tool_call", call_id="c-1")
        bus._emit_sync("before_tool_call")

    first, second = (kwargs for _, kwargs in failures)
    assert first["hook"] == "before_tool_call"
    assert first["call_id"] == "c-1"
    assert first["handler"].endswith("failing")
    assert isinstance(first["exc"], ValueError)
    assert second["call_id"] is None


async def test_an_observer_of_failures_that_fails_is_only_logged(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    bus.register("hook_failed", failing)
    bus.register("a_hook", failing)

    await bus._emit("a_hook")
    bus._emit_sync("a_hook")

    hooks = [record.args[0] for record in caplog.records if isinstance(record.args, tuple)]
    assert hooks == ["a_hook", "hook_failed"] * 2


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_cancelled_error_of_an_observer_does_not_cancel_the_emitter(
    bus: Bus, is_async: bool
) -> None:
    async def cancelled_later() -> None:
        raise asyncio.CancelledError

    def cancelled() -> None:
        raise asyncio.CancelledError

    bus.register("a_hook", cancelled_later if is_async else cancelled)
    bus.register("a_hook", following := Mock())

    await bus._emit("a_hook")
    bus._emit_sync("a_hook")

    assert following.call_count == 2


def test_a_cancelled_error_is_swallowed_without_any_event_loop(bus: Bus) -> None:
    bus.register("a_hook", Mock(side_effect=asyncio.CancelledError))

    with pytest.raises(StopIteration):
        bus._emit("a_hook").send(None)


async def test_cancelling_the_emitting_task_interrupts_an_observer(bus: Bus) -> None:
    is_waiting = asyncio.Event()

    async def wait_for_ever() -> None:
        is_waiting.set()
        await asyncio.Event().wait()

    bus.register("a_hook", wait_for_ever)
    bus.register("a_hook", following := Mock())
    task = asyncio.create_task(bus._emit("a_hook"))
    async with asyncio.timeout(5):
        await is_waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    following.assert_not_called()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
async def test_keyboard_interrupt_and_system_exit_always_pass(
    bus: Bus, error: type[BaseException]
) -> None:
    bus.register("a_hook", Mock(side_effect=error))

    with pytest.raises(error):
        await bus._emit("a_hook")
    with pytest.raises(error):
        bus._emit_sync("a_hook")


async def test_closing_an_emission_does_not_count_as_a_failure(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    async def wait() -> None:
        await asyncio.sleep(3600)

    bus.register("a_hook", wait)
    emission = bus._emit("a_hook")
    emission.send(None)
    emission.close()

    assert caplog.records == []


async def test_an_observer_that_emits_its_own_hook_for_ever_is_stopped_and_logged(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    def again() -> None:
        bus._emit_sync("a_hook")

    bus.register("a_hook", again)

    await bus._emit("a_hook")

    assert any(
        record.exc_info is not None and isinstance(record.exc_info[1], RecursionError)
        for record in caplog.records
    )


async def test_nothing_that_an_observer_returns_or_raises_changes_an_operation(bus: Bus) -> None:
    args = {"q": "otters"}

    def meddle(name: str, /, **kwargs: Any) -> object:
        if name == "operation_opened":
            kwargs["kwargs"].clear()
        bus.unregister("before_tool_call", failing)
        kwargs.clear()
        return "instead"

    bus.observe_all(meddle)
    bus.register("before_tool_call", failing)

    async with bus.operation("tool_call", tool_name="search", args=args) as op:
        op.result = "found"

    assert op.kwargs == {"tool_name": "search", "args": {"q": "otters"}}
    assert op.result == "found"


async def test_an_observer_without_further_kwargs_misses_events_that_have_them(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    lines: list[Any] = []

    def strict(tool_name: str, args: Any, context: Any) -> None:
        lines.append(args)

    bus.register("before_tool_call", strict)

    await bus._emit("before_tool_call", tool_name="t", args={"a": 1}, context=None)
    async with bus.operation("tool_call", tool_name="t", args={}):
        pass

    assert lines == [{"a": 1}]  # it does not know what minor versions add
    assert "unexpected keyword argument" in caplog.text


async def test_an_observer_that_fails_while_the_agent_is_being_cancelled_is_only_logged(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    bus.register("a_hook", failing)
    bus.register("a_hook", following := Mock())

    async def agent() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await bus._emit("a_hook")
            raise

    task = asyncio.create_task(agent())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    following.assert_called_once_with()
    assert len(caplog.records) == 1


async def test_an_interceptor_that_cancels_itself_outside_of_any_task_denies(bus: Bus) -> None:
    bus.intercept("a_hook", Mock(side_effect=asyncio.CancelledError), name="gate", on_error="deny")
    decided: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    asyncio.get_running_loop().call_soon(
        lambda: decided.set_result(bus.dispatch_sync("a_hook").action)
    )

    async with asyncio.timeout(5):
        assert await decided == "deny"


def test_an_observer_is_described_by_module_and_name() -> None:
    assert describe(failing) == f"{__name__}.failing"
    assert describe([].append) == "builtins.list.append"  # its own `__module__` is None
    assert describe(partial(partial(failing))) == f"{__name__}.failing"
    assert describe(Mock(spec=())) == "unittest.mock.Mock"
