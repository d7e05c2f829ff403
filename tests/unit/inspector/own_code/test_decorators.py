"""Decorated functions: they do as before, and run as operations that can be decided on."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator
from typing import Any

import pytest

import inspector
from instrument import Bus, Decision, HookContractError, HookDenied
from instrument.testing import capture_hook


class Log:
    """What a bus was told, and the calls that were open meanwhile."""

    def __init__(self, bus: Bus) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        bus.observe_all(lambda hook, /, **kwargs: self.events.append((hook, kwargs)))

    def of(self, hook: str) -> list[dict[str, Any]]:
        return [kwargs for name, kwargs in self.events if name == hook]

    @property
    def statuses(self) -> list[str]:
        return [closed["status"] for closed in self.of("operation_closed")]


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def log(bus: Bus) -> Log:
    return Log(bus)


def test_a_function_keeps_its_result_name_signature_and_docstring(bus: Bus, log: Log) -> None:
    @inspector.tool(bus=bus)
    def add(a: int, b: int = 2) -> int:
        """Add two numbers.

        Not more.
        """
        return a + b

    assert add(1) == 3
    assert (add.__name__, str(inspect.signature(add))) == (
        "add",
        "(a: 'int', b: 'int' = 2) -> 'int'",
    )
    (before,) = log.of("before_tool_call")
    assert (before["tool_name"], before["args"]) == ("add", {"a": 1, "b": 2})
    assert before["context"].tool_description == "Add two numbers."
    (after,) = log.of("after_tool_call")
    assert after["result"] == 3
    assert log.statuses == ["ok"]


def test_bare_and_with_arguments_are_the_same_but_for_the_name(bus: Bus) -> None:
    @inspector.tool
    def bare() -> str:
        return "bare"

    @inspector.tool()
    def called() -> str:
        return "called"

    @inspector.tool(name="another")
    def named() -> str:
        return "named"

    with capture_hook("before_tool_call") as calls:
        assert (bare(), called(), named()) == ("bare", "called", "named")
    assert [kwargs["tool_name"] for _, kwargs in calls] == ["bare", "called", "another"]


async def test_a_coroutine_function_stays_one(bus: Bus, log: Log) -> None:
    @inspector.tool(bus=bus)
    async def fetch(url: str) -> str:
        await asyncio.sleep(0)
        return f"<{url}>"

    assert inspect.iscoroutinefunction(fetch)
    waiting = fetch("a")
    assert log.events == []  # nothing runs before it is awaited
    assert await waiting == "<a>"
    assert log.statuses == ["ok"]


class Files:
    def __init__(self, bus: Bus) -> None:
        self.deleted: list[str] = []

    @inspector.tool
    def delete(self, path: str) -> str:
        self.deleted.append(path)
        return f"deleted {path}"

    @inspector.tool
    @classmethod
    def outer_class(cls, path: str) -> tuple[type, str]:
        return cls, path

    @classmethod
    @inspector.tool
    def inner_class(cls, path: str) -> tuple[type, str]:
        return cls, path

    @inspector.tool
    @staticmethod
    def outer_static(path: str) -> str:
        return path

    @staticmethod
    @inspector.tool
    def inner_static(path: str) -> str:
        return path

    @property
    @inspector.tool
    def size(self) -> int:
        return 7


def test_methods_of_every_sort_show_their_arguments_and_not_whose_they_are(bus: Bus) -> None:
    files = Files(bus)
    with capture_hook("before_tool_call") as calls:
        assert files.delete("a") == "deleted a"
        assert Files.delete(files, path="b") == "deleted b"
        assert files.deleted == ["a", "b"]
        assert Files.outer_class("c") == files.inner_class("c") == (Files, "c")
        assert Files.outer_static("d") == files.inner_static("d") == "d"
        assert files.size == 7
    shown = [(kwargs["tool_name"], kwargs["args"]) for _, kwargs in calls]
    assert shown == [
        ("delete", {"path": "a"}),
        ("delete", {"path": "b"}),
        ("outer_class", {"path": "c"}),
        ("inner_class", {"path": "c"}),
        ("outer_static", {"path": "d"}),
        ("inner_static", {"path": "d"}),
        ("size", {}),
    ]


class Greeter:
    """Greets."""

    def __call__(self, who: str) -> str:
        return f"hello {who}"


class AsyncGreeter:
    async def __call__(self, who: str) -> str:
        return f"hello {who}"


class FrameworkTool:
    """What the decorator of a framework makes of a function."""

    def __call__(self, path: str) -> str:
        return path

    def to_schema(self) -> dict[str, str]:
        return {"path": "string"}


async def test_lambdas_partials_and_callable_objects_work(bus: Bus, log: Log) -> None:
    def power(base: int, exponent: int) -> int:
        return int(base**exponent)

    square = inspector.tool(functools.partial(power, exponent=2), bus=bus)
    double: Callable[[int], int] = inspector.tool(bus=bus, name="double")(lambda x: 2 * x)
    greet = inspector.tool(bus=bus)(Greeter())
    greet_later = inspector.tool(bus=bus)(AsyncGreeter())

    assert (square(3), double(4), greet("ada")) == (9, 8, "hello ada")
    assert await greet_later("bo") == "hello bo"
    named = [(kwargs["tool_name"], kwargs["args"]) for kwargs in log.of("before_tool_call")]
    assert named == [
        ("power", {"base": 3, "exponent": 2}),
        ("double", {"x": 4}),
        ("Greeter", {"who": "ada"}),
        ("AsyncGreeter", {"who": "bo"}),
    ]


def test_a_cached_function_keeps_the_methods_of_its_cache(bus: Bus, log: Log) -> None:
    @inspector.tool(bus=bus)
    @functools.lru_cache
    def size(path: str) -> int:
        return len(path)

    assert (size("a"), size("a")) == (1, 1)
    assert size.cache_info().hits == 1
    assert log.statuses == ["ok", "ok"]


@pytest.mark.parametrize("sort", ["sync", "async"])
async def test_a_denied_tool_does_not_run_and_its_caller_can_catch_why(
    bus: Bus, log: Log, sort: str
) -> None:
    ran: list[str] = []

    @inspector.tool(bus=bus)
    def delete(path: str) -> None:
        ran.append(path)

    @inspector.tool(bus=bus, name="delete")
    async def delete_later(path: str) -> None:
        ran.append(path)

    bus.intercept("before_tool_call", lambda **_: Decision.deny("not on a Friday"))
    with pytest.raises(inspector.HookDenied, match="not on a Friday"):
        delete("a") if sort == "sync" else await delete_later("a")
    assert inspector.HookDenied is HookDenied
    assert ran == []
    assert log.statuses == ["denied"]


def test_what_was_edited_is_what_runs(bus: Bus) -> None:
    calls: list[Any] = []

    class Tools:
        @inspector.tool(bus=bus)
        def act(
            self, first: int, /, path: str, *rest: int, force: bool = False, **more: Any
        ) -> None:
            calls.append((first, path, rest, force, more))

    edits: dict[str, Any] = {}
    bus.intercept("before_tool_call", lambda args, **_: Decision.modify(args={**args, **edits}))

    Tools().act(1, "a", 2, 3, extra="x")
    edits |= {"path": "b", "force": True}
    Tools().act(1, "a", 2, 3, extra="x")
    edits |= {"first": 9, "rest": [], "extra": "y"}
    Tools().act(1, "a")

    assert calls == [
        (1, "a", (2, 3), False, {"extra": "x"}),
        (1, "b", (2, 3), True, {"extra": "x"}),
        (9, "b", (), True, {"extra": "y"}),
    ]


def test_an_edit_in_place_counts_too(bus: Bus) -> None:
    @inspector.tool(bus=bus)
    def read(path: str, options: dict[str, int]) -> tuple[str, dict[str, int]]:
        return path, options

    def edit(args: dict[str, Any], **_: Any) -> None:
        args["path"] = "b"
        args["options"]["depth"] = 2

    bus.intercept("before_tool_call", edit)
    assert read("a", {"depth": 1}) == ("b", {"depth": 2})


def test_arguments_that_nobody_changed_are_passed_as_they_came(bus: Bus, log: Log) -> None:
    seen: list[Any] = []

    def spying(*args: Any, **kwargs: Any) -> None:
        seen.append((args, kwargs))

    marker = object()

    def shown(a: object, b: int = 2, c: object = marker) -> None:
        pass

    vars(spying)["__signature__"] = inspect.signature(shown)
    inspector.tool(bus=bus)(spying)(marker, c=3)

    assert seen == [((marker,), {"c": 3})]
    assert log.of("before_tool_call")[0]["args"] == {"a": marker, "b": 2, "c": 3}


def test_a_call_that_does_not_fit_fails_as_ever_and_is_shown(bus: Bus, log: Log) -> None:
    @inspector.tool(bus=bus)
    def add(a: int, b: int) -> int:
        return a + b

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'b'"):
        add(1)  # type: ignore[call-arg]  # on purpose
    assert log.statuses == ["error"]


def test_a_result_can_be_replaced_and_a_failure_run_again(bus: Bus, log: Log) -> None:
    attempts: list[int] = []

    @inspector.tool(bus=bus)
    def fetch() -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise ConnectionError("away")
        return "secret"

    bus.intercept("error_tool_call", lambda **_: Decision.retry())
    bus.intercept("after_tool_call", lambda **_: Decision.modify("***"))

    assert fetch() == "***"
    assert log.statuses == ["error", "error", "ok"]


def test_a_hook_cannot_make_another_tool_of_a_function(bus: Bus) -> None:
    @inspector.tool(bus=bus)
    def delete() -> None:
        raise AssertionError("ran")

    bus.intercept("before_tool_call", lambda **_: Decision.modify(tool_name="trash"))
    with pytest.raises(HookContractError, match="Cannot replace delete by 'trash'"):
        delete()


def test_exceptions_leave_as_they_came(bus: Bus, log: Log) -> None:
    error = KeyError("gone")

    @inspector.step(bus=bus)
    def look() -> None:
        raise error

    with pytest.raises(KeyError) as caught:
        look()
    assert caught.value is error
    assert log.of("error_step_run")[0]["exc"] is error


def conversation(log: list[str]) -> Generator[str, str, str]:
    try:
        answer = yield "who?"
        try:
            yield f"hello {answer}"
        except LookupError:
            yield "caught"
    finally:
        log.append("closed")
    return "bye"


def test_a_generator_lasts_while_it_is_iterated_and_keeps_send_throw_and_its_value(
    bus: Bus, log: Log
) -> None:
    closed: list[str] = []
    talk = inspector.tool(bus=bus)(conversation)
    assert inspect.isgeneratorfunction(talk)

    running = talk(closed)
    assert log.events == []
    assert next(running) == "who?"
    assert log.statuses == []
    assert running.send("ada") == "hello ada"
    assert running.throw(LookupError()) == "caught"
    with pytest.raises(StopIteration) as end:
        next(running)
    assert end.value.value == "bye"
    assert (log.statuses, closed) == (["ok"], ["closed"])
    assert log.of("after_tool_call")[0]["result"] == "bye"


def test_a_generator_that_is_closed_early_is_a_closed_operation(bus: Bus, log: Log) -> None:
    closed: list[str] = []
    running = inspector.tool(bus=bus)(conversation)(closed)
    next(running)
    running.close()

    assert (log.statuses, closed) == (["cancelled"], ["closed"])
    assert log.of("error_tool_call")[0]["result"] == "who?"


def test_what_a_generator_does_is_below_it_and_what_its_consumer_does_is_not(
    bus: Bus, log: Log
) -> None:
    @inspector.step(bus=bus)
    def inner() -> None:
        pass

    @inspector.step(bus=bus)
    def outer() -> Iterator[int]:
        try:
            inner()
            yield 1
            yield 2
        finally:
            inner()

    for number in outer():
        inner()
        if number == 1:
            break
    opened = log.of("operation_opened")
    outermost = opened[0]["call_id"]
    assert [one["parent_call_id"] for one in opened] == [None, outermost, None, outermost]


async def test_an_async_generator_keeps_asend_athrow_and_aclose(bus: Bus, log: Log) -> None:
    closed: list[str] = []

    @inspector.agent(bus=bus)
    async def talk(who: str) -> AsyncGenerator[str, str]:
        try:
            answer = yield f"hello {who}"
            try:
                yield answer
            except LookupError:
                yield "caught"
        finally:
            await asyncio.sleep(0)
            closed.append(who)

    assert inspect.isasyncgenfunction(talk)
    running = talk("ada")
    assert await anext(running) == "hello ada"
    assert await running.asend("fine") == "fine"
    assert await running.athrow(LookupError()) == "caught"
    assert [piece async for piece in running] == []
    left = talk("bo")
    await anext(left)
    await left.aclose()

    assert (log.statuses, closed) == (["ok", "cancelled"], ["ada", "bo"])
    assert log.of("after_agent_call")[0]["result"] == "hello adafinecaught"
    assert log.of("before_agent_call")[0]["agent"].input == "ada"


def test_an_async_generator_that_is_left_open_at_the_end_of_the_loop_is_closed_quietly(
    bus: Bus, log: Log
) -> None:
    problems: list[Any] = []
    closed: list[int] = []

    @inspector.tool(bus=bus)
    async def count() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(0)
            closed.append(1)

    async def main() -> AsyncIterator[int]:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: problems.append(what))
        running = count()
        await anext(running)
        return running

    asyncio.run(main())
    assert (problems, closed, log.statuses) == ([], [1], ["cancelled"])


async def test_a_refused_generator_yields_nothing_and_raises_at_its_first_step(bus: Bus) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no"))
    running = inspector.tool(bus=bus)(conversation)([])
    with pytest.raises(HookDenied):
        next(running)


def test_a_generator_that_fails_before_its_first_piece_can_run_again(bus: Bus, log: Log) -> None:
    attempts: list[int] = []

    @inspector.tool(bus=bus)
    def stream() -> Iterator[int]:
        attempts.append(1)
        if len(attempts) == 1:
            raise ConnectionError
        yield 7

    bus.intercept("error_tool_call", lambda **_: Decision.retry())
    assert list(stream()) == [7]
    assert log.statuses == ["error", "ok"]


def test_arguments_called_self_and_cls_are_shown_where_they_are_passed_by_name(
    bus: Bus, log: Log
) -> None:
    @inspector.tool(bus=bus)
    def label(cls: str, path: str) -> str:
        return f"{cls} {path}"

    bus.intercept("before_tool_call", lambda args, **_: Decision.modify(args={**args, "path": "b"}))

    assert label(cls="spam", path="a") == "spam b"
    assert log.of("before_tool_call")[0]["args"] == {"cls": "spam", "path": "b"}
    assert label("spam", "a") == "spam b"


def test_a_long_generator_shows_its_beginning(bus: Bus, log: Log) -> None:
    @inspector.tool(bus=bus)
    def count() -> Iterator[int]:
        yield from range(1_500)

    assert sum(count()) == sum(range(1_500))
    result = log.of("after_tool_call")[0]["result"]
    assert (result[:2], len(result), result[-1]) == ([0, 1], 1_001, "… and 500 more")


def test_a_plain_function_that_returns_a_coroutine_returns_it(
    bus: Bus, log: Log, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> int:
        return 7

    tool: Callable[[], Coroutine[Any, Any, int]] = inspector.tool(bus=bus)(lambda: work())
    assert asyncio.run(tool()) == 7
    assert log.statuses == ["ok"]
    assert "directly above `async def`" in caplog.text


def test_an_async_tool_that_sync_code_calls_is_a_coroutine_as_ever(bus: Bus, log: Log) -> None:
    @inspector.tool(bus=bus)
    async def work() -> int:
        return 7

    assert asyncio.run(work()) == 7
    waiting = work()
    waiting.close()  # nobody awaited it: nothing ran
    assert log.statuses == ["ok"]


def test_a_tool_that_a_framework_reports_is_one_call_and_one_that_calls_itself_is_many(
    bus: Bus, log: Log
) -> None:
    @inspector.tool(bus=bus)
    def fold(number: int) -> int:
        return number and fold(number - 1)

    with bus.operation("tool_call", tool_name="fold", args={}):
        fold(0)
    assert log.statuses == ["ok"]
    fold(2)
    assert log.statuses == ["ok"] * 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (property(lambda self: 1), "below `@property`"),
        (functools.cached_property(lambda self: 1), "below `@property`"),
        (Greeter, "it is a class. Decorate its methods"),
        (FrameworkTool(), r"methods \(to_schema\).* below those of a framework"),
        ("delete", "give its name by keyword, name='delete'"),
        (7, "it is not a function"),
    ],
)
def test_what_is_no_function_is_refused_at_once(wrong: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        inspector.tool(wrong)


def test_each_decorator_has_its_noun(bus: Bus, log: Log) -> None:
    def run(q: str) -> str:
        return q

    inspector.agent(bus=bus, name="planner")(run)("plan")
    inspector.workflow(bus=bus)(run)("plan")
    inspector.step(bus=bus, kind="retrieval")(run)("plan")
    nouns = [opened["noun"] for opened in log.of("operation_opened")]
    assert nouns == ["agent_call", "workflow_run", "step_run"]
    agent = log.of("before_agent_call")[0]["agent"]
    assert (agent.name, agent.input) == ("planner", "plan")
    assert log.of("before_workflow_run")[0]["args"] == {"q": "plan"}
    step = log.of("before_step_run")[0]
    assert (step["step"], step["kind"], step["args"]) == ("run", "retrieval", {"q": "plan"})
    with pytest.raises(ValueError, match="Unknown span kind 'retrievel'"):
        inspector.step(kind="retrievel")  # type: ignore[call-overload]  # a typo


@pytest.mark.parametrize(
    ("kind", "hook", "name"),
    [
        ("step", "before_step_run", "step"),
        ("retrieval", "before_step_run", "step"),
        ("tool", "before_tool_call", "tool_name"),
        ("agent", "before_agent_call", "agent"),
        ("workflow", "before_workflow_run", "workflow"),
        ("llm", "before_llm_generate", "model"),
    ],
)
async def test_a_span_is_an_operation_of_its_kind(
    bus: Bus, log: Log, kind: Any, hook: str, name: str
) -> None:
    with inspector.span("find", kind=kind, args={"q": 1}, bus=bus) as op:
        op.result = 7
    async with inspector.span("find", kind=kind, bus=bus):
        pass
    assert [getattr(kwargs[name], "name", kwargs[name]) for kwargs in log.of(hook)] == ["find"] * 2
    bus.intercept(hook, lambda **_: Decision.deny("no"))
    with pytest.raises(HookDenied), inspector.span("find", kind=kind, bus=bus):
        raise AssertionError("ran")
    with pytest.raises(ValueError, match="Unknown span kind"):
        inspector.span("find", kind="tol", bus=bus)  # type: ignore[arg-type]  # a typo


def test_a_decorated_function_that_nobody_watches_calls_nothing_of_ours(bus: Bus) -> None:
    @inspector.tool(bus=bus)
    def depth() -> int:
        return len(inspect.stack(0))

    def plain() -> int:
        return len(inspect.stack(0))

    assert depth() == plain() + 1
