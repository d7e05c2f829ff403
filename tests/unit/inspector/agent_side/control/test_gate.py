"""Pause, step, resume, cancel: on a real bus, with its spans."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from inspector.agent_side.control import gate as gates
from inspector.agent_side.control.gate import Gate, SessionRef
from inspector.agent_side.control.hold import Hold, Issuer
from instrument import Decision, HookDenied
from subscribers.bridge.location import TraceLocation
from tests.support.agents.wired_bus import WiredBus

ANNA = Issuer("ANNA", "browser", "let me look")
BEN = Issuer("BEN", "cli")
SESSION = SessionRef("s-1")
DEADLINE_S = 10.0


class Recorder:
    """A recorder of the events of a bus; a test may wait for one."""

    def __init__(self, wired: WiredBus, *hooks: str) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._changed = threading.Condition()
        for hook in hooks:
            wired.bus.observe(hook, partial(self._record, hook))

    def _record(self, event: str, /, **kwargs: Any) -> None:
        with self._changed:
            self.events.append((event, kwargs))
            self._changed.notify_all()

    def count(self, hook: str) -> int:
        return sum(name == hook for name, _ in self.events)

    def wait(self, hook: str, count: int = 1) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.count(hook) >= count, DEADLINE_S), (
                self.events
            )

    async def until(self, hook: str, count: int = 1) -> None:
        await asyncio.to_thread(self.wait, hook, count)

    def of(self, hook: str) -> list[dict[str, Any]]:
        return [kwargs for name, kwargs in self.events if name == hook]


@pytest.fixture
def recorder(wired: WiredBus) -> Recorder:
    return Recorder(wired, "request_opened", "request_closed", "hook_decided")


async def tool(wired: WiredBus, name: str, body: Callable[[], Awaitable[Any]] | None = None) -> str:
    async with wired.bus.operation("tool_call", tool_name=name, args={}) as op:
        op.result = name if body is None else await body()
    return name


async def on_hold(wired: WiredBus, gate: Gate, recorder: Recorder) -> asyncio.Task[str]:
    """Pause the session, and return a tool call that waits."""
    assert gate.pause(SESSION, ANNA).applied
    task = asyncio.create_task(tool(wired, "search"))
    await recorder.until("request_opened")
    return task


def table(wired: WiredBus) -> dict[str, int]:
    return {hook: len(entries) for hook, entries in wired.bus._hooks.items()}


async def test_an_operation_on_hold_goes_on_when_its_session_is_resumed(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    task = await on_hold(wired, gate, recorder)
    assert not task.done()

    assert gate.resume(SESSION, BEN).applied
    assert await task == "search"

    (opened,), (closed,) = recorder.of("request_opened"), recorder.of("request_closed")
    assert (opened["kind"], opened["hook"]) == ("pause", "before_tool_call")
    assert opened["prompt"] == "paused by ANNA (browser): let me look"
    assert closed["request_id"] == opened["request_id"]
    assert (closed["status"], closed["answer"]) == ("answered", {"decision": "resume"})
    (decided,) = recorder.of("hook_decided")
    assert (decided["interceptor"], decided["action"]) == ("operator", "continue")
    assert decided["reason"].startswith("paused ")
    assert decided["reason"].endswith("by ANNA (browser): let me look; resumed by BEN (cli)")


async def test_a_hold_is_on_the_span_of_its_operation(wired: WiredBus, gate: Gate) -> None:
    recorder = Recorder(wired, "request_opened")
    task = await on_hold(wired, gate, recorder)
    gate.resume(SESSION, BEN)
    await task

    events = {event.name: event for event in wired.spans()["execute_tool search"].events}
    opened, closed = events["inspector.request.opened"], events["inspector.request.closed"]
    assert opened.attributes
    assert opened.attributes["inspector.request.kind"] == "pause"
    assert opened.timestamp <= closed.timestamp
    decision = events["inspector.decision"].attributes
    assert decision
    assert decision["inspector.decision.interceptor"] == "operator"


async def test_a_running_operation_goes_on_and_its_children_wait(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    goes_on = asyncio.Event()

    async def body() -> str:
        await goes_on.wait()
        return await tool(wired, "inner")

    task = asyncio.create_task(tool(wired, "outer", body))
    await asyncio.sleep(0)
    gate.pause(SESSION, ANNA)
    goes_on.set()
    await recorder.until("request_opened")
    assert [one.call_id for one in wired.wiring.open_operations()][-1] == (
        recorder.of("request_opened")[0]["call_id"]
    )
    gate.resume(SESSION, BEN)
    await task


async def test_another_session_is_not_paused_and_leaves_no_trace(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    gate.pause(SessionRef("other"), ANNA)
    assert await tool(wired, "search") == "search"
    assert recorder.events == []


async def test_a_session_that_has_no_name_here_is_known_by_its_trace(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    wired.session = None
    goes_on = asyncio.Event()

    async def body() -> str:
        await goes_on.wait()
        return await tool(wired, "inner")

    task = asyncio.create_task(tool(wired, "outer", body))
    await asyncio.sleep(0)
    (outer,) = wired.wiring.open_operations()
    assert outer.location.trace_id is not None
    gate.pause(SessionRef("any name", (outer.location.trace_id,)), ANNA)
    goes_on.set()
    await recorder.until("request_opened")
    gate.resume(SessionRef("any name"), BEN)
    await task


async def test_a_step_lets_one_operation_through_the_oldest_first(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    gate.pause(SESSION, ANNA)
    first = asyncio.create_task(tool(wired, "first"))
    await recorder.until("request_opened", 1)
    second = asyncio.create_task(tool(wired, "second"))
    await recorder.until("request_opened", 2)

    assert gate.step(SESSION, BEN).applied
    assert await first == "first"
    assert not second.done()
    assert gate.step(SESSION, BEN).applied
    assert await second == "second"

    third = asyncio.create_task(tool(wired, "third"))
    await recorder.until("request_opened", 3)
    gate.resume(SESSION, BEN)
    await third
    assert [closed["answer"]["decision"] for closed in recorder.of("request_closed")] == [
        "step",
        "step",
        "resume",
    ]


async def test_a_step_without_a_hold_lets_the_next_through_and_pauses(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    gate.step(SESSION, ANNA)
    assert await tool(wired, "first") == "first"
    second = asyncio.create_task(tool(wired, "second"))
    await recorder.until("request_opened")
    gate.resume(SESSION, BEN)
    await second
    assert recorder.of("hook_decided")[0]["reason"].startswith("one step")


async def test_sync_code_on_the_thread_of_a_loop_goes_on_and_the_trace_shows_it(
    wired: WiredBus, gate: Gate, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    gate.pause(SESSION, ANNA)
    with wired.bus.operation("tool_call", tool_name="sync", args={}) as op:
        op.result = 1
    (decided,) = recorder.of("hook_decided")
    assert decided["action"] == "continue"
    assert "could not be paused" in decided["reason"]
    assert recorder.count("request_opened") == 0
    assert caplog.records == []


async def test_a_noun_outside_the_catalogue_waits_too(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    async def teleport() -> None:
        async with wired.bus.operation("teleport", to="mars"):
            pass

    gate.pause(SESSION, ANNA)
    task = asyncio.create_task(teleport())
    await recorder.until("request_opened")
    gate.resume(SESSION, BEN)
    await task


async def test_messages_on_the_wire_do_not_wait(wired: WiredBus, gate: Gate) -> None:
    gate.pause(SESSION, ANNA)
    envelope = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with wired.bus.operation("rpc_request", envelope=envelope, transport="stdio"):
        pass


async def test_the_gate_is_on_the_bus_only_while_a_session_is_paused_or_cancelled(
    wired: WiredBus, gate: Gate
) -> None:
    before = table(wired)
    gate.pause(SESSION, ANNA)
    gate.pause(SessionRef("s-2"), ANNA)
    assert table(wired) != before
    gate.resume(SESSION, ANNA)
    assert table(wired) != before
    gate.resume(SessionRef("s-2"), ANNA)
    assert table(wired) == before
    gate.cancel(SESSION, ANNA)
    assert table(wired) == before  # nothing of it runs


async def test_the_gate_decides_before_every_policy(wired: WiredBus, gate: Gate) -> None:
    calls: list[str] = []
    wired.bus.intercept("before_tool_call", lambda **_: calls.append("policy"), priority=-(10**9))
    ended = asyncio.Event()

    async def body() -> str:
        await ended.wait()
        return await tool(wired, "inner")

    task = asyncio.create_task(tool(wired, "outer", body))
    await asyncio.sleep(0)
    calls.clear()
    gate.cancel(SESSION, ANNA)
    with pytest.raises(HookDenied):
        await tool(wired, "next")
    assert calls == []
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancel_ends_the_outermost_operations_and_reports_the_issuer(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    started = asyncio.Event()

    async def body() -> None:
        started.set()
        await asyncio.Event().wait()

    async def agent() -> None:
        async with wired.bus.operation("agent_call", agent="a"):
            await asyncio.gather(*(tool(wired, str(n), body) for n in range(3)))

    task = asyncio.create_task(agent())
    await started.wait()
    assert gate.cancel(SESSION, ANNA) == (True, None)
    with pytest.raises(asyncio.CancelledError, match="cancelled by ANNA"):
        await task

    (decided,) = recorder.of("hook_decided")
    assert (decided["interceptor"], decided["action"]) == ("operator", "deny")
    assert decided["reason"] == "cancelled by ANNA (browser): let me look"
    assert gate.cancel(SESSION, ANNA) == (False, "nothing is running in this process")
    (span,) = (s for name, s in wired.spans().items() if name.startswith("invoke_agent"))
    assert "inspector.decision" in [event.name for event in span.events]


async def test_new_operations_are_denied_until_the_cancelled_ones_have_ended(
    wired: WiredBus, gate: Gate
) -> None:
    denied: list[str] = []
    before = table(wired)

    async def stubborn() -> None:
        async with wired.bus.operation("agent_call", agent="a"):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                with pytest.raises(HookDenied) as caught:
                    await tool(wired, "afterwards")
                denied.append(str(caught.value))

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    gate.cancel(SESSION, ANNA)
    await task
    assert denied == ["cancelled by ANNA (browser): let me look"]
    assert table(wired) == before
    assert await tool(wired, "a new run") == "a new run"


async def test_tasks_that_a_cancelled_operation_left_behind_are_cancelled_as_well(
    wired: WiredBus, gate: Gate
) -> None:
    left: list[asyncio.Task[str]] = []
    started = asyncio.Event()

    async def for_ever() -> None:
        started.set()
        await asyncio.Event().wait()

    async def agent() -> None:
        async with wired.bus.operation("agent_call", agent="a"):
            left.append(asyncio.create_task(tool(wired, "left", for_ever)))
            await asyncio.Event().wait()

    task = asyncio.create_task(agent())
    await started.wait()
    gate.cancel(SESSION, ANNA)
    for one in (task, *left):
        with pytest.raises(asyncio.CancelledError):
            await one


async def test_cancel_ends_a_hold(wired: WiredBus, gate: Gate, recorder: Recorder) -> None:
    task = await on_hold(wired, gate, recorder)
    assert gate.cancel(SESSION, BEN).applied
    with pytest.raises(asyncio.CancelledError):
        await task
    (closed,) = recorder.of("request_closed")
    assert closed["reason"] == "cancelled by BEN (cli)"
    assert gate.resume(SESSION, BEN) == (True, "not paused")


async def test_cancel_from_another_thread_wakes_it_in_the_same_way(
    wired: WiredBus, gate: Gate, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()

    async def turns() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    def after_turns(step: Callable[..., Any]) -> Callable[..., Any]:
        def late(*args: Any) -> Any:
            if asyncio._get_running_loop() is None:  # the loop does all that it has to, first
                asyncio.run_coroutine_threadsafe(turns(), loop).result(DEADLINE_S)
            return step(*args)

        return late

    task = await on_hold(wired, gate, recorder)
    monkeypatch.setattr(gate, "_cancel_tasks", after_turns(gate._cancel_tasks))
    monkeypatch.setattr(Hold, "release", after_turns(Hold.release))
    assert (await asyncio.to_thread(gate.cancel, SESSION, BEN)).applied
    with pytest.raises(asyncio.CancelledError):
        await task
    (closed,) = recorder.of("request_closed")
    assert (closed["status"], closed["reason"]) == ("answered", "cancelled by BEN (cli)")


def test_cancel_ends_a_hold_of_sync_code_with_a_denial(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    refused: list[str] = []

    def work() -> None:
        try:
            with wired.bus.operation("tool_call", tool_name="sync", args={}):
                pass
        except HookDenied as denial:
            refused.append(str(denial))

    gate.pause(SESSION, ANNA)
    thread = threading.Thread(target=work)
    thread.start()
    recorder.wait("request_opened")
    outcome = gate.cancel(SESSION, BEN)
    thread.join(DEADLINE_S)
    assert refused == ["cancelled by BEN (cli)"]
    assert outcome.applied
    assert outcome.reason is not None
    assert "cannot be interrupted" in outcome.reason


async def test_cancelling_another_session_leaves_this_one_alone(
    wired: WiredBus, gate: Gate
) -> None:
    goes_on = asyncio.Event()
    task = asyncio.create_task(tool(wired, "search", goes_on.wait))
    await asyncio.sleep(0)
    assert gate.cancel(SessionRef("s-2"), ANNA) == (False, "nothing is running in this process")
    goes_on.set()
    assert await task == "search"


async def test_a_task_that_is_cancelled_otherwise_waits_no_longer(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    task = await on_hold(wired, gate, recorder)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recorder.of("request_closed")[0]["status"] == "withdrawn"
    assert gate.resume(SESSION, BEN).applied


async def test_a_step_is_not_spent_on_what_no_longer_waits(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    gate.pause(SESSION, ANNA)
    gone = asyncio.create_task(tool(wired, "gone"))
    await recorder.until("request_opened", 1)
    waits = asyncio.create_task(tool(wired, "waits"))
    await recorder.until("request_opened", 2)
    gone.cancel()
    await asyncio.wait([gone])
    gate.step(SESSION, BEN)
    assert await waits == "waits"
    gate.close("done")


async def test_a_new_operation_is_denied_after_a_cancellation_but_its_task_goes_on(
    wired: WiredBus, gate: Gate
) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def in_a_thread() -> None:
        with wired.bus.operation("tool_call", tool_name="sync", args={}):
            begun.set()
            goes_on.wait(DEADLINE_S)

    thread = threading.Thread(target=in_a_thread)
    thread.start()
    begun.wait(DEADLINE_S)
    gate.cancel(SESSION, ANNA)
    wired.bus.observe("before_tool_call", lambda **_: gate.refresh())  # as a heartbeat may
    with pytest.raises(HookDenied):
        await tool(wired, "next")
    await asyncio.sleep(0)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    goes_on.set()
    await asyncio.to_thread(thread.join)
    assert await tool(wired, "a new run") == "a new run"


async def test_a_hold_that_nobody_can_end_goes_on_with_a_warning(
    wired: WiredBus, gate: Gate, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    task = await on_hold(wired, gate, recorder)
    gate.release_all("the Inspector service has been unreachable for 60 s")
    assert await task == "search"
    assert "has been unreachable" in caplog.text
    assert "unreachable for 60 s" in recorder.of("hook_decided")[0]["reason"]


async def test_after_closing_everything_passes(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    before = table(wired)
    task = await on_hold(wired, gate, recorder)
    gate.close("detached")
    await task
    assert table(wired) == before


async def test_a_blocked_loop_cancels_when_it_returns(wired: WiredBus, gate: Gate) -> None:
    release, is_blocked = threading.Event(), threading.Event()
    outcome: list[bool] = []

    async def agent() -> None:
        async with wired.bus.operation("agent_call", agent="a"):
            is_blocked.set()
            assert release.wait(DEADLINE_S)  # blocks the loop
            await asyncio.Event().wait()

    def operator() -> None:
        assert is_blocked.wait(DEADLINE_S)
        outcome.append(gate.cancel(SESSION, ANNA).applied)
        release.set()

    thread = threading.Thread(target=operator)
    thread.start()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(agent())
    thread.join(DEADLINE_S)
    assert outcome == [True]


async def test_a_closed_loop_is_the_reason(wired: WiredBus, gate: Gate) -> None:
    def leave_open() -> None:
        loop = asyncio.new_event_loop()

        async def begin() -> None:
            await wired.bus.operation("agent_call", agent="a").__aenter__()

        loop.run_until_complete(begin())
        loop.close()

    await asyncio.to_thread(leave_open)
    assert gate.cancel(SESSION, ANNA) == (False, "its event loops are closed")


async def test_a_gate_without_locations_lets_everything_pass(
    wired: WiredBus, caplog: pytest.LogCaptureFixture
) -> None:
    def blind(_: object) -> Any:
        raise LookupError("blind")

    gate = Gate(wired.bus, blind, list)
    gate.pause(SESSION, ANNA)
    assert await tool(wired, "search") == "search"
    assert "operator failed" in caplog.text
    gate.close("done")


async def test_a_trace_that_begins_in_a_paused_run_of_a_script_waits(
    wired: WiredBus, recorder: Recorder
) -> None:
    def location_of(_: str | None) -> TraceLocation:
        return TraceLocation(None, "f" * 32, None, "run-1")

    gate = Gate(wired.bus, location_of, list)
    gate.pause(SessionRef("run-1", ("e" * 32,)), ANNA)
    waiting = asyncio.create_task(tool(wired, "search"))
    await recorder.until("request_opened")
    assert gate.resume(SessionRef("run-1"), ANNA).applied
    assert await waiting == "search"
    gate.close("done")


async def test_sessions_are_bounded(
    wired: WiredBus, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "MAX_SESSIONS", 2)
    assert gate.pause(SessionRef("a", ("1", "2")), ANNA).applied
    assert gate.pause(SessionRef("b"), ANNA).applied
    assert not gate.pause(SessionRef("c"), ANNA).applied
    assert gate.pause(SessionRef("a"), BEN) == (
        True,
        "already paused by ANNA (browser): let me look",
    )
    gate.close("done")


async def test_fifty_threads_wait_and_go_on(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    done: list[int] = []

    def work(n: int) -> None:
        with wired.bus.operation("tool_call", tool_name=str(n), args={}):
            done.append(n)

    gate.pause(SESSION, ANNA)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(50)]
    for thread in threads:
        thread.start()
    await recorder.until("request_opened", 50)
    assert done == []
    gate.resume(SESSION, BEN)
    for thread in threads:
        await asyncio.to_thread(thread.join, DEADLINE_S)
    assert sorted(done) == list(range(50))
    assert recorder.count("request_closed") == 50


async def test_the_forgotten_pauses_of_a_parent_have_no_effect(wired: WiredBus, gate: Gate) -> None:
    before = table(wired)
    gate.pause(SESSION, ANNA)
    with gate._lock:
        gate.forget()
    assert table(wired) == before
    assert await tool(wired, "search") == "search"
    assert gate.pause(SESSION, ANNA).applied
    gate.close("done")


async def test_a_policy_changes_an_operation_that_was_on_hold(
    wired: WiredBus, gate: Gate, recorder: Recorder
) -> None:
    wired.bus.intercept("before_tool_call", lambda **_: Decision.modify({"safe": True}))
    gate.pause(SESSION, ANNA)
    seen: list[Any] = []

    async def run() -> None:
        async with wired.bus.operation("tool_call", tool_name="t", args={}) as op:
            seen.append(op.args)

    task = asyncio.create_task(run())
    await recorder.until("request_opened")
    gate.resume(SESSION, BEN)
    await task
    assert seen == [{"safe": True}]
