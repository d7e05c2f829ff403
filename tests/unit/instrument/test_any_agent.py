"""Any tree of agents, tasks and streams, any decisions, any observers: what always holds."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instrument import Bus, Decision
from instrument.decision import ENDING
from tests.unit.instrument.conftest import Story


class Work(NamedTuple):
    """An operation: its way to run and end, decisions on it, operations inside."""

    way: str
    end: str
    before: str
    after: str
    is_parallel: bool
    inner: tuple["Work", ...]


_WAYS = st.sampled_from(["operation", "sync", "call", "stream", "stream given up"])
_ENDS = st.sampled_from(["return", "raise", "cancel"])
_DECISIONS: dict[str, Any] = {
    "nothing": None,
    "modify": Decision.modify(tag=1),
    "deny": Decision.deny("d"),
    "fail": Decision.fail("f"),
    "stop": Decision.stop("s"),
    "ask": Decision.ask_user("?"),
    "rubbish": object(),
    "bug": ValueError("a bug in an interceptor"),
    "cancel": asyncio.CancelledError(),
    "hang": None,
}
_SAYS = st.sampled_from(sorted(_DECISIONS))


def _work(inner: st.SearchStrategy[tuple[Work, ...]]) -> st.SearchStrategy[Work]:
    often_nothing = st.one_of(st.just("nothing"), _SAYS)
    return st.builds(Work, _WAYS, _ENDS, often_nothing, often_nothing, st.booleans(), inner)


works = st.recursive(
    _work(st.just(())), lambda inner: _work(st.lists(inner, max_size=3).map(tuple)), max_leaves=6
)


class Run:
    """A run of an agent on its own bus."""

    def __init__(self, work: Work) -> None:
        self.bus = Bus()
        self.works: list[Work] = []
        self.story: Story = []
        self.ran: list[int] = []
        self.came_of_it: dict[int, str] = {}
        self._root = work
        self.bus.observe_all(lambda name, /, **kwargs: self.story.append((name, kwargs)))
        for hook in ("before", "after", "error"):
            self.bus.intercept(
                f"{hook}_llm_generate", self._gate(hook), timeout=0.001, on_error="deny"
            )

    def _gate(self, hook: str) -> Callable[..., Any]:
        async def hang() -> None:
            await asyncio.Event().wait()

        def gate(prompt: int, **_: Any) -> Any:
            work = self.works[prompt]
            word = work.before if hook == "before" else work.after
            returned = hang() if word == "hang" else _DECISIONS[word]
            if isinstance(returned, BaseException):
                raise returned
            return returned

        return gate

    def to_its_end(self) -> None:
        async def main() -> None:
            with suppress(Exception, asyncio.CancelledError):
                await self._perform(self._root)

        asyncio.run(main())

    async def _perform(self, work: Work) -> None:
        number = len(self.works)
        self.works.append(work)
        try:
            await self._by_way(work, number)
            self.came_of_it[number] = "return"
        except (Exception, asyncio.CancelledError) as error:
            self.came_of_it[number] = type(error).__name__
            raise

    async def _by_way(self, work: Work, number: int) -> None:
        async def body(_: object = None) -> None:
            self.ran.append(number)
            await self._inside(work)
            if work.end != "return":
                raise LookupError if work.end == "raise" else asyncio.CancelledError

        match work.way:
            case "operation":
                async with self.bus.operation("llm_generate", prompt=number):
                    await body()
            case "sync":
                with self.bus.operation("llm_generate", prompt=number):
                    await body()
            case "call":
                await self.bus.call("llm_generate", body, prompt=number)
            case "stream":
                async for _ in self._streamed(number, body):
                    pass
            case _:
                stream = self._streamed(number, body)
                await anext(stream)
                await stream.aclose()

    async def _streamed(
        self, number: int, body: Callable[[], Awaitable[None]]
    ) -> AsyncGenerator[int, None]:
        async def pieces() -> AsyncIterator[int]:
            yield 1
            await body()
            yield 2

        async with self.bus.operation("llm_generate", prompt=number) as op:
            async for piece in op.stream(pieces()):
                yield piece

    async def _inside(self, work: Work) -> None:
        if work.is_parallel:
            await asyncio.gather(
                *(self._perform(inner) for inner in work.inner), return_exceptions=True
            )
            return
        for inner in work.inner:
            with suppress(Exception, asyncio.CancelledError):
                await self._perform(inner)


def _raise(*_: Any, **__: Any) -> None:
    raise ValueError("a bug in an observer")


def _cancel(*_: Any, **__: Any) -> None:
    raise asyncio.CancelledError


async def _fail_later(*_: Any, **__: Any) -> None:
    raise ValueError("a bug in an observer")


def _task(*_: Any, **__: Any) -> Any:
    return asyncio.get_running_loop().create_future()


def _decision(*_: Any, **__: Any) -> Decision:
    return Decision.deny("an observer cannot")


def _clear(*args: Any, **kwargs: Any) -> None:
    kwargs.clear()


def _meddlers(bus: Bus) -> dict[str, Callable[..., Any]]:
    def register(*_: Any, **__: Any) -> None:
        if len(bus._hooks["before_llm_generate"]) < 8:
            bus.register("before_llm_generate", _raise)

    def unregister(*_: Any, **__: Any) -> None:
        for fn in (_raise, _cancel, unregister):
            bus.unregister("before_llm_generate", fn)
            bus.unregister("operation_closed", fn)

    return {
        "raise": _raise,
        "cancel": _cancel,
        "fail later": _fail_later,
        "return a future": _task,
        "return a decision": _decision,
        "clear": _clear,
        "register": register,
        "unregister": unregister,
    }


_HOOKS = (
    "operation_opened",
    "before_llm_generate",
    "after_llm_generate",
    "error_llm_generate",
    "operation_closed",
    "hook_decided",
    "hook_failed",
)
_observers = st.lists(
    st.tuples(st.sampled_from(_HOOKS), st.sampled_from(sorted(_meddlers(Bus())))), max_size=6
)


def stories(run: Run) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name, kwargs in run.story:
        if not name.startswith(("hook_", "request_")):
            names.setdefault(kwargs["call_id"], []).append(name)
    return names


@settings(max_examples=40)
@given(works)
def test_every_operation_is_reported_once_to_its_end_and_what_was_refused_never_runs(
    work: Work,
) -> None:
    run = Run(work)
    run.to_its_end()

    for story in stories(run).values():
        assert story[:2] == ["operation_opened", "before_llm_generate"]
        assert story[2] in ("after_llm_generate", "error_llm_generate")
        assert story[3:] == ["operation_closed"]
    assert len(stories(run)) == len(run.works)
    refusing = ENDING | {"ask", "rubbish", "bug", "cancel", "hang"}
    refused = {number for number, work in enumerate(run.works) if work.before in refusing}
    assert not refused & set(run.ran)
    abandoned = {n for n, work in enumerate(run.works) if work.way == "stream given up"}
    assert set(run.ran) == set(range(len(run.works))) - refused - abandoned
    assert len(run.ran) == len(set(run.ran))


@settings(max_examples=40)
@given(works)
def test_an_operation_inside_another_one_is_its_child_in_whatever_task(work: Work) -> None:
    run = Run(work)
    run.to_its_end()

    opened = [kwargs for name, kwargs in run.story if name == "operation_opened"]
    by_number = {kwargs["kwargs"]["prompt"]: kwargs for kwargs in opened}
    expected: dict[int, int | None] = {}

    def walk(work: Work, parent: int | None) -> None:
        number = next(n for n, other in enumerate(run.works) if other is work)
        expected[number] = parent
        for inner in work.inner if number in run.ran else ():
            walk(inner, number)

    walk(run.works[0], None)
    for number, parent in expected.items():
        above = None if parent is None else by_number[parent]["call_id"]
        assert by_number[number]["parent_call_id"] == above


@pytest.mark.slow
@settings(max_examples=40)
@given(works, _observers)
def test_an_observer_whatever_it_does_never_changes_what_comes_of_an_operation(
    work: Work, observers: list[tuple[str, str]]
) -> None:
    alone, watched = Run(work), Run(work)
    meddlers = _meddlers(watched.bus)
    for hook, kind in observers:
        watched.bus.register(hook, meddlers[kind])

    alone.to_its_end()
    watched.to_its_end()

    assert sorted(watched.ran) == sorted(alone.ran)
    assert watched.came_of_it == alone.came_of_it
    assert sorted(stories(watched).values()) == sorted(stories(alone).values())
