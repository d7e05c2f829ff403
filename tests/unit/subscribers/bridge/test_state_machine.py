"""Every hook of the contract, bare and by operations, in odd orders, from many tasks.

A model says which spans each step starts and ends and whose children they are, from the rules of
the telemetry mapping alone; the bridge has to agree after every step.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.trace import SpanKind, StatusCode

import subscribers.bridge.moments
from instrument import CATALOGUE, Bus
from instrument.operations import Operation
from subscribers import Capture, Options
from subscribers.bridge.bridge import Bridge
from subscribers.spec.engine import Engine
from tests.unit.subscribers.conftest import SPEC

ENGINE = Engine(SPEC, Options(capture=Capture.REDACTED))
MAX_TASKS = 5
AGENTS, LLMS, WORKFLOWS = ([{"name": f"{kind}{n}"} for n in range(2)] for kind in "alw")


@dataclass(frozen=True)
class Noun:
    """A triple of hooks: its emission, and its span by the spec."""

    name: str
    family: str
    output: str
    after: str
    kind: SpanKind
    kwargs: Callable[[int], dict[str, Any]]
    key: Callable[[int], Any] = lambda which: which
    returned: Any = "text"

    @property
    def error(self) -> str:
        return f"error_{self.name}"


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def sent(which: int) -> dict[str, Any]:
    return {"envelope": request("tools/list"), "transport": ("stdio", "http")[which]}


def noted(which: int) -> dict[str, Any]:
    return {**sent(which), "envelope": request("notifications/initialized")}


NOUNS = [
    Noun("agent_call", "agent", "result", "after_agent_call", SpanKind.INTERNAL,
         lambda n: {"agent": AGENTS[n]}),
    Noun("llm_generate", "llm", "response", "after_llm_generate", SpanKind.CLIENT,
         lambda n: {"llm": LLMS[n], "prompt": "p"}),
    Noun("tool_call", "tool", "result", "after_tool_call", SpanKind.INTERNAL,
         lambda n: {"tool_name": f"t{n}", "args": {}, "context": None}),
    Noun("workflow_run", "workflow", "result", "after_workflow_run", SpanKind.INTERNAL,
         lambda n: {"workflow": WORKFLOWS[n], "context": None}),
    Noun("rpc_request", "rpc", "envelope", "after_rpc_response", SpanKind.CLIENT, sent,
         returned={"jsonrpc": "2.0", "id": 1, "result": {}}),
    Noun("rpc_request", "rpc", "envelope", "after_rpc_response", SpanKind.CLIENT, noted,
         key=lambda n: ("note", n), returned={"jsonrpc": "2.0"}),
    Noun("rpc_handle", "rpc_handle", "envelope", "after_rpc_handle", SpanKind.SERVER, sent,
         returned={"jsonrpc": "2.0", "id": 1, "result": {}}),
    Noun("resource_fetch", "resource", "content", "after_resource_fetch", SpanKind.CLIENT,
         lambda n: {"uri": f"file:///{n}", "context": None}),
    Noun("prompt_apply", "prompt", "rendered", "after_prompt_apply", SpanKind.CLIENT,
         lambda n: {"template_id": f"p{n}", "parameters": {}, "context": None}),
]  # fmt: skip
CALL = Noun(
    "rpc_request", "rpc", "envelope", "after_rpc_response", SpanKind.CLIENT,
    lambda n: {"envelope": request("tools/call", name=f"t{n}"), "transport": "stdio"},
    key=lambda n: ("call", n), returned={"jsonrpc": "2.0", "id": 1, "result": {}},
)  # fmt: skip
MODEL_SELECT = Noun(
    "model_select", "", "selected_model", "after_model_select", SpanKind.INTERNAL,
    lambda n: {"preferences": {}, "available_models": ["m"], "context": None}, returned="m",
)  # fmt: skip
OWN = Noun("own_noun", "own_noun", "result", "", SpanKind.INTERNAL, lambda n: {"x": n})

MOMENTS: dict[str, tuple[dict[str, Any], str | None]] = {
    "session_paused": ({"session_id": "s", "signal_name": "x", "prompt": "?"},
                       "inspector.session.paused"),
    "session_resumed": ({"session_id": "s", "signal_name": "x", "payload": 1},
                        "inspector.session.resumed"),
    "before_model_select": ({"preferences": {}, "available_models": ["m"], "context": None}, None),
    "after_model_select": ({"selected_model": "m", "scores": None, "context": None},
                           "inspector.model.selected"),
    "progress_update": ({"operation_id": "o", "percent": 100, "message": "m", "context": None},
                        "inspector.progress"),
    "operation_cancelled": ({"operation_id": "o", "context": None}, "inspector.cancelled"),
    "transport_connected": ({"transport_type": "stdio", "uri": "cmd"},
                            "inspector.transport.connected"),
    "transport_disconnected": ({"transport_type": "stdio", "uri": "cmd", "reason": None},
                               "inspector.transport.disconnected"),
    "transport_reconnecting": ({"transport_type": "stdio", "uri": "cmd", "attempt": 1},
                               "inspector.transport.reconnecting"),
}  # fmt: skip
"""Hook to kwargs and the span event that it becomes on the innermost open span."""

BY_RULES = {"session_started", "session_finished"}


@dataclass(eq=False)
class Frame:
    """A span as the rules have it."""

    noun: Noun
    key: Any
    parent: Frame | None
    outer: Frame | None
    span: Span
    task: Task
    is_operation: bool
    session: str | None
    open: bool = True
    merged: bool = False
    outcome: str = "ok"
    events: list[str] = field(default_factory=list)
    result: int | None = None


@dataclass(eq=False)
class Opened:
    """An operation; `frame` is the span that it means: its own, or that of its parent."""

    operation: Operation
    frame: Frame | None
    has_own: bool
    outer: Opened | None
    task: Task
    open: bool = True


@dataclass(eq=False)
class Task:
    """An asyncio task that runs commands, with the model of its context."""

    name: int
    current: Frame | None
    operation: Opened | None
    ambient: trace.Span | None
    session: str | None
    queue: asyncio.Queue[tuple[Callable[[], Awaitable[Any]], asyncio.Future[Any]]]
    task: asyncio.Task[None] | None = None


def chain(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        yield frame
        frame = frame.parent


def first_open(frame: Frame | None, skip: Callable[[Frame], bool] = lambda _: False) -> Any:
    return next((f for f in chain(frame) if f.open and not skip(f)), None)


def around(frame: Frame | None) -> Frame | None:
    while frame is not None and not frame.open:
        frame = frame.outer
    return frame


class DeadError(Exception):
    """The exception that ends a task."""


class Watcher(SpanProcessor):
    def __init__(self) -> None:
        self.started: list[Span] = []
        self.ended: list[ReadableSpan] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self.started.append(span)

    def on_end(self, span: ReadableSpan) -> None:
        self.ended.append(span)


class Hooks(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        subscribers.bridge.moments._CANCEL_GRACE_S = 3_600.0
        self.logged: list[str] = []
        self.handler = logging.Handler(logging.WARNING)
        self.handler.emit = self._log  # type: ignore[method-assign] # the shortest handler there is
        logging.getLogger().addHandler(self.handler)
        self.watcher = Watcher()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(self.watcher)
        self.bus = Bus()
        self.bridge = Bridge(ENGINE, provider.get_tracer("bridge"))
        self.off = self.bridge.subscribe(self.bus)
        self.foreign = provider.get_tracer("foreign")
        self.foreign_spans: list[trace.Span] = []
        self.runner = asyncio.Runner()
        self.tasks: list[Task] = []
        self.frames: list[Frame] = []
        self.opened: list[Opened] = []
        self.expected_ends: list[Frame] = []
        self.serial = 0

    # --- doing ---

    def run(self, coroutine: Any) -> Any:
        # A context of its own: what runs here belongs to no task of the model.
        return self.runner.run(coroutine, context=contextvars.Context())

    def do(self, task: Task, what: Callable[[], Awaitable[Any]]) -> Any:
        async def ask() -> Any:
            done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            task.queue.put_nowait((what, done))
            return await done

        return self.run(ask())

    def emit(self, task: Task, hook: str, **kwargs: Any) -> None:
        self.do(task, lambda: self.bus._emit(hook, **kwargs))

    async def _work(self, task: Task) -> None:
        if task.ambient is not None:
            from opentelemetry import context as otel_context

            otel_context.attach(trace.set_span_in_context(task.ambient))
        while True:
            what, done = await task.queue.get()
            try:
                done.set_result(await what())
            except DeadError:
                raise
            except Exception as error:  # noqa: BLE001 - raised by the caller
                done.set_exception(error)

    def pick(self, data: st.DataObject, among: list[Any]) -> Any:
        return data.draw(st.sampled_from(among))

    # --- the model's rules ---

    def parent_of_operation(self, task: Task) -> Frame | None:
        base = task.operation
        while base is not None and not base.open:
            base = base.outer
        if base is None:
            return first_open(task.current, lambda frame: frame.is_operation)  # type: ignore[no-any-return] # a frame
        outer = first_open(base.frame)
        for frame in chain(task.current):
            if frame is outer:
                break
            is_inside = outer is None or outer in chain(frame)
            if frame.open and not frame.is_operation and is_inside:
                return frame
        return outer  # type: ignore[no-any-return] # a frame

    def start(self, task: Task, noun: Noun, key: Any, parent: Frame | None, *, op: bool) -> Frame:
        span = self.watcher.started[-1]
        frame = Frame(
            noun, key, parent, around(task.current), span, task, op,
            task.session,
        )  # fmt: skip
        expected = parent.span if parent is not None else task.ambient
        actual = span.parent.span_id if span.parent else None
        assert actual == (expected.get_span_context().span_id if expected else None)
        assert span.kind is noun.kind
        self.frames.append(frame)
        task.current = frame
        return frame

    def end(self, task: Task | None, frame: Frame, outcome: str) -> None:
        assert frame.open
        frame.open, frame.outcome = False, outcome
        self.expected_ends.append(frame)
        for child in self.frames:
            if child.open and child.parent is frame and not child.is_operation:
                self.end(task, child, "cancelled" if outcome == "cancelled" else "incomplete")
        if task is not None and task.current is frame:
            task.current = around(frame.outer)

    def new_spans(self, before: int) -> int:
        return len(self.watcher.started) - before

    # --- tasks ---

    @precondition(lambda self: len(self.tasks) < MAX_TASKS)
    @rule(data=st.data(), is_child=st.booleans(), has_ambient=st.booleans())
    def a_task_begins(self, data: st.DataObject, is_child: bool, has_ambient: bool) -> None:
        queue: Any = asyncio.Queue()
        name = len(self.tasks)
        if is_child and self.tasks:
            old: Task = self.pick(data, self.tasks)
            task = Task(name, old.current, old.operation, None, old.session, queue)

            async def spawn() -> asyncio.Task[None]:
                return asyncio.create_task(self._work(task))

            task.task = self.do(old, spawn)
            task.ambient = old.ambient  # it is inherited, not attached anew
        else:
            ambient = self.foreign.start_span("foreign") if has_ambient else None
            if ambient is not None:
                self.foreign_spans.append(ambient)
            task = Task(name, None, None, ambient, None, queue)

            async def begin() -> asyncio.Task[None]:
                loop = asyncio.get_running_loop()
                return loop.create_task(self._work(task), context=contextvars.Context())

            task.task = self.run(begin())
        self.tasks.append(task)

    @precondition(lambda self: self.tasks)
    @rule(data=st.data(), dies=st.booleans())
    def a_task_is_over(self, data: st.DataObject, dies: bool) -> None:
        task: Task = self.pick(data, self.tasks)
        left = [opened for opened in self.opened if opened.task is task]
        for opened in reversed(left):  # as `async with` would
            self._close(task, opened, asyncio.CancelledError())

        async def stop() -> None:
            assert task.task is not None
            if dies:
                error: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

                async def fail() -> None:
                    raise DeadError

                task.queue.put_nowait((fail, error))
            else:
                task.task.cancel()
            await asyncio.wait([task.task])
            await asyncio.sleep(0)
            if dies:
                assert isinstance(task.task.exception(), DeadError)

        self.run(stop())
        for frame in list(self.frames):
            if frame.open and frame.task is task and not frame.is_operation:
                self.end(None, frame, "dead" if dies else "cancelled")
        self.tasks.remove(task)

    # --- bare hooks ---

    @precondition(lambda self: self.tasks)
    @rule(data=st.data(), noun=st.sampled_from(NOUNS), which=st.integers(0, 1))
    def a_bare_hook_begins(self, data: st.DataObject, noun: Noun, which: int) -> None:
        task: Task = self.pick(data, self.tasks)
        is_rpc = noun.name == "rpc_request"
        parent = first_open(task.current, lambda frame: is_rpc and frame.noun.family == "rpc")
        before = len(self.watcher.started)
        self.emit(task, f"before_{noun.name}", **noun.kwargs(which))
        assert self.new_spans(before) == 1
        self.start(task, noun, noun.key(which), parent, op=False)

    @precondition(lambda self: self.tasks)
    @rule(
        data=st.data(),
        noun=st.sampled_from(NOUNS),
        which=st.integers(0, 1),
        fails=st.sampled_from([None, ValueError("no"), asyncio.CancelledError()]),
    )
    def a_bare_hook_ends(
        self, data: st.DataObject, noun: Noun, which: int, fails: BaseException | None
    ) -> None:
        task: Task = self.pick(data, self.tasks)
        key = noun.key(which)

        def is_meant(frame: Frame) -> bool:
            is_bare = frame.open and not frame.is_operation
            return is_bare and frame.noun is not MODEL_SELECT and (
                (frame.noun.family, frame.key) == (noun.family, key)
            )  # fmt: skip

        found = next(filter(is_meant, chain(task.current)), None)
        found = found or next(filter(is_meant, reversed(self.frames)), None)
        before = len(self.watcher.started)
        kwargs, self.serial = noun.kwargs(which), self.serial + 1
        if fails is not None:
            self.emit(task, noun.error, **kwargs, exc=fails)
        else:
            result = self.serial if noun.family == "tool" else noun.returned
            self.emit(task, noun.after, **{**kwargs, noun.output: result}, duration_ms=1)
        if found is not None:
            assert self.new_spans(before) == 0
            if noun.family == "tool" and fails is None:
                found.result = self.serial
            kind = {type(None): "ok", ValueError: "error"}.get(type(fails), "cancelled")
            self.end(task, found, kind)
        elif isinstance(key, tuple) and fails is None:
            assert self.new_spans(before) == 0, "the answer to a notification is nothing"
        else:
            self._is_orphan(before)

    def _is_orphan(self, before: int) -> None:
        assert self.new_spans(before) == 1
        orphan = self.watcher.started[-1]
        assert (orphan.attributes or {})["inspector.orphan"] is True
        assert orphan.end_time is not None

    # --- operations ---

    @precondition(lambda self: self.tasks)
    @rule(
        data=st.data(),
        noun=st.sampled_from([*NOUNS, CALL, MODEL_SELECT, OWN]),
        which=st.integers(0, 1),
    )
    def an_operation_opens(self, data: st.DataObject, noun: Noun, which: int) -> None:
        task: Task = self.pick(data, self.tasks)
        operation = self.bus.operation(noun.name, **noun.kwargs(which))
        parent = self.parent_of_operation(task)
        is_inner = parent is not None and parent.noun.family == "tool" and not parent.merged
        is_merged = is_inner and noun is CALL and parent is not None and parent.key == which
        before = len(self.watcher.started)
        self.do(task, operation.__aenter__)
        has_own = noun is not MODEL_SELECT and not is_merged
        assert self.new_spans(before) == has_own
        if is_merged and parent is not None:
            parent.merged = True
        frame = parent
        if has_own:
            frame = self.start(task, noun, noun.key(which), parent, op=True)
        task.operation = Opened(operation, frame, has_own, task.operation, task)
        self.opened.append(task.operation)

    @precondition(lambda self: self.tasks and self.opened)
    @rule(
        data=st.data(),
        error=st.sampled_from([None, ValueError("no"), asyncio.CancelledError(), GeneratorExit()]),
    )
    def an_operation_closes(self, data: st.DataObject, error: BaseException | None) -> None:
        self._close(self.pick(data, self.tasks), self.pick(data, self.opened), error)

    def _close(self, task: Task, opened: Opened, error: BaseException | None) -> None:
        async def close() -> None:
            opened.operation.result = {"jsonrpc": "2.0", "id": 1, "result": {}}
            await opened.operation.__aexit__(type(error) if error else None, error, None)

        self.do(task, close)
        self.opened.remove(opened)
        opened.open = False
        if opened.has_own and opened.frame is not None:
            kinds = {type(None): "ok", ValueError: "error"}
            self.end(task, opened.frame, kinds.get(type(error), "cancelled"))
        elif opened.operation.noun == "model_select" and not isinstance(
            error, asyncio.CancelledError | GeneratorExit | None
        ):
            self._moment(task, "inspector.model.failed")
        elif opened.operation.noun == "model_select":
            name = "inspector.model.selected" if error is None else "inspector.model.failed"
            self._moment(task, name)

    # --- moments and sessions ---

    @precondition(lambda self: self.tasks)
    @rule(data=st.data(), hook=st.sampled_from(sorted(MOMENTS)))
    def something_happens(self, data: st.DataObject, hook: str) -> None:
        task: Task = self.pick(data, self.tasks)
        kwargs, event = MOMENTS[hook]
        self.emit(task, hook, **kwargs)
        if event is not None:
            self._moment(task, event)

    def _moment(self, task: Task, event: str) -> None:
        frame = first_open(task.current)
        if frame is not None:
            frame.events.append(event)

    @precondition(lambda self: self.tasks)
    @rule(data=st.data(), session=st.sampled_from(["s", "r"]))
    def a_session_starts(self, data: st.DataObject, session: str) -> None:
        task: Task = self.pick(data, self.tasks)
        self.emit(task, "session_started", session_id=session, metadata={})
        self._moment(task, "inspector.session.started")
        task.session = session

    @precondition(lambda self: self.tasks)
    @rule(data=st.data(), session=st.sampled_from(["s", "r"]))
    def a_session_finishes(self, data: st.DataObject, session: str) -> None:
        task: Task = self.pick(data, self.tasks)
        self.emit(task, "session_finished", session_id=session, status="completed", error=None)
        self._moment(task, "inspector.session.finished")
        if task.session != session:
            return
        task.session = None
        for frame in list(self.frames):
            if frame.open and not frame.is_operation and frame.session == session:
                self.end(task, frame, "incomplete")

    # --- what has to be true ---

    def _log(self, record: logging.LogRecord) -> None:
        if OWN.name not in record.getMessage():  # the bus logs the unknown noun once
            self.logged.append(record.getMessage())

    @invariant()
    def the_bridge_did_what_the_rules_say(self) -> None:
        assert self.logged == []
        ended = [span for span in self.watcher.ended if "inspector.orphan" not in span.attributes]  # type: ignore[operator] # ours have attributes
        ids = [context.span_id for span in ended if (context := span.get_span_context())]
        assert sorted(ids) == sorted(
            frame.span.get_span_context().span_id for frame in self.expected_ends
        )
        for span in self.watcher.ended:
            has_type = "error.type" in (span.attributes or {})
            assert has_type == (span.status.status_code is StatusCode.ERROR)
        for frame in self.expected_ends:
            self._check_ended(frame)

    def _check_ended(self, frame: Frame) -> None:
        found = dict(frame.span.attributes or {})
        assert found.get("session.id") == frame.session
        expected = {
            "error": "ValueError",
            "dead": f"{__name__}.DeadError",
            "cancelled": "cancelled",
        }
        assert found.get("error.type") == expected.get(frame.outcome)
        assert ("inspector.incomplete" in found) == (frame.outcome in {"incomplete", "dead"})
        events = [event.name for event in frame.span.events if event.name != "exception"]
        progress = "inspector.progress"  # the number of reports is tested elsewhere
        assert [name for name in events if name != progress] == [
            name for name in frame.events if name != progress
        ]
        assert (progress in events) == (progress in frame.events)
        if frame.result is not None:
            assert json.loads(str(found["gen_ai.tool.call.result"])) == {"result": frame.result}
        hook = SPEC.hooks.get(f"before_{frame.noun.name}")
        for row in hook.required() if hook else ():
            assert row.current is None or row.current in found

    def teardown(self) -> None:
        try:
            self.off()
            started, ended = (
                [
                    context.span_id
                    for span in spans
                    if span.name != "foreign" and (context := span.get_span_context())
                ]
                for spans in (self.watcher.started, self.watcher.ended)
            )
            assert sorted(started) == sorted(ended), "each span ends once, before the shutdown"
            assert self.bridge._table.open_spans() == []
            assert self.bridge._table._bare == {}
            for opened in self.opened:  # what was merged goes with its operation
                self.bridge._table.calls.pop(opened.operation.call_id, None)
            assert self.bridge._table.calls == {}
            assert self.bridge._moments._progress.spans.keys() <= {0}
            assert self.logged == []
        finally:
            logging.getLogger().removeHandler(self.handler)
            for foreign in self.foreign_spans:
                foreign.end()

            async def stop() -> None:
                for task in self.tasks:
                    assert task.task is not None
                    task.task.cancel()
                    await asyncio.wait([task.task])

            self.run(stop())
            self.runner.close()


def test_hooks_in_any_order_become_the_spans_that_the_rules_say() -> None:
    limits = settings(stateful_step_count=40, deadline=None)
    run_state_machine_as_test(Hooks, settings=limits)


def test_the_machine_emits_every_hook_of_the_first_contract() -> None:
    emitted = {*MOMENTS, *BY_RULES}
    for noun in NOUNS:
        emitted |= {f"before_{noun.name}", noun.after, noun.error}
    old = {hook.name for hook in CATALOGUE.values() if hook.since <= "1.2"}
    assert len(old) == 32
    assert old <= emitted
