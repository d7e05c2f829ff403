"""Operations for runs: one per agent, nested under the agent that handed off to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from contextvars import ContextVar
from functools import wraps
from types import TracebackType
from typing import Any

from agents import get_current_trace
from agents.exceptions import AgentsException
from agents.run_internal.run_steps import QueueCompleteSentinel
from agents.run_state import RunState

from inspector.integrations.openai_agents.messages import lines_of
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import REFUSALS, refusal
from instrument import Bus, Operation
from instrument.decision import Injection

NOUN = "agent_call"

_runs: ContextVar[tuple[Run, ...]] = ContextVar("inspector.openai_agents.runs", default=())


class RunsWatch:
    """The agents whose runs are reported on one bus."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.targets: list[list[Any]] = []
        """What was attached, each time; an empty one is every agent."""

    def wants(self, agent: Any) -> bool:
        """Return whether a run of `agent` is reported, also as part of a reported one."""
        if not self.bus._hooks:
            return False
        if any(not some or any(agent is one for one in some) for some in self.targets):
            return True
        return bool(self.targets) and current_run(self.bus) is not None


class About:
    """The description of a running agent that its hooks carry."""

    def __init__(self, agent: Any, given: Any = None) -> None:
        self.agent = agent
        self.name = getattr(agent, "name", None) or "agent"
        self.description = getattr(agent, "handoff_description", None)
        model = getattr(agent, "model", None)
        self.model = model if isinstance(model, str) else getattr(model, "model", None)
        self.input = given

    def __repr__(self) -> str:
        return f"About({self.name!r})"  # no payload


class Run:
    """A reported run.

    Entered, what the run does is below it; left, every agent that it came to has ended.

    Args:
        bus: Where it is told.
        agent: Which it starts with.
        given: What it was asked: a text, items, or the state that it goes on from.
    """

    def __init__(self, bus: Bus, agent: Any, given: Any) -> None:
        self.bus = bus
        self.injections: list[Injection] = []
        """Of tools, for the next model call."""
        self.models: dict[int, Any] = {}
        """What watches a model, by the identity of that."""
        self.rejected: set[str] = set()
        """Ids of the tool calls that are told to have been rejected."""
        if isinstance(given, RunState):
            agent, given = given._current_agent or agent, given._original_input
        self._agent = agent
        self._operation = bus.operation(NOUN, agent=About(agent, _told_input(given)))
        self._below: list[Operation] = []
        self._stack = AsyncExitStack()
        self._told: Any = None

    async def __aenter__(self) -> Run:
        await self._stack.enter_async_context(self._operation)
        runs = _runs.get()
        _runs.set((*runs, self))
        self._stack.callback(_runs.set, runs)
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stack.__aexit__(exc_type, exc, traceback)

    async def go_on_with(self, agent: Any) -> None:
        """Report that `agent` runs from here on, if it is a different one.

        Raises:
            AgentsException: A hook does not want it.
        """
        if agent is self._agent:
            return
        operation = self.bus.operation(NOUN, agent=About(agent))
        try:
            await self._stack.enter_async_context(operation)
        except REFUSALS as error:
            raise AgentsException(refusal(error)) from error
        self._agent = agent
        self._below.append(operation)

    def end(self, result: Any) -> None:
        """Record the result of the run."""
        self._told = _told_result(result)
        for operation in (self._operation, *self._below):
            operation.result = self._told

    def change(self, result: Any) -> None:
        """Apply the hooks' changed output to a result."""
        if self._operation.result is not self._told:
            result.final_output = self._operation.result


def current_run(bus: Bus) -> Run | None:
    """Return the innermost run reported on `bus` here."""
    return next((run for run in reversed(_runs.get()) if run.bus is bus), None)


class Runs:
    """The wrappers."""

    def __init__(self, watch: RunsWatch) -> None:
        self._watch = watch

    def wrap_run(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Wrap the method behind `run` and `run_sync`."""

        @wraps(original)
        async def run(runner: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
            if not self._watch.wants(starting_agent):
                return await original(runner, starting_agent, input, **kwargs)
            told = Run(self._watch.bus, starting_agent, input)
            try:
                with in_session(_session_id(input, **kwargs)):
                    async with told:
                        result = await original(runner, starting_agent, input, **kwargs)
                        told.end(result)
            except REFUSALS as error:
                raise AgentsException(refusal(error)) from error
            told.change(result)
            return result

        return run

    def wrap_streaming(
        self, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        """Wrap the task of a streamed run."""

        @wraps(original)
        async def start_streaming(*args: Any, **kwargs: Any) -> Any:
            agent, result = kwargs.get("starting_agent"), kwargs.get("streamed_result")
            if result is None or not self._watch.wants(agent):
                return await original(*args, **kwargs)
            state = kwargs.get("run_state") if kwargs.get("is_resumed_state") else None
            given = kwargs.get("starting_input") if state is None else state
            told = Run(self._watch.bus, agent, given)
            try:
                with in_session(_session_id(given, **kwargs)):
                    async with told:
                        await original(*args, **kwargs)
                        told.end(result)
            except REFUSALS as error:
                _complete(result)
                raise AgentsException(refusal(error)) from error
            told.change(result)
            return None

        return start_streaming

    def wrap_turn(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Wrap a turn, at which another agent may take over."""

        @wraps(original)
        async def turn(*args: Any, **kwargs: Any) -> Any:
            run = current_run(self._watch.bus)
            bindings = kwargs.get("bindings") or next(
                (one for one in args if hasattr(one, "public_agent")), None
            )
            if run is not None and bindings is not None:
                await run.go_on_with(bindings.public_agent)
            return await original(*args, **kwargs)

        return turn


def _told_input(given: Any) -> Any:
    if given is None or isinstance(given, str):
        return given
    return [line.told for line in lines_of(given)]


def _told_result(result: Any) -> Any:
    """Return the output of a run, or for what it waits."""
    waits = getattr(result, "interruptions", None)
    if waits:
        return {"waits_for_approval": [getattr(one, "tool_name", None) for one in waits]}
    return result.final_output


def _complete(result: Any) -> None:
    """Tell who reads the events of a streamed run that there are no more."""
    result.is_complete = True
    result._event_queue.put_nowait(QueueCompleteSentinel())


def _session_id(
    given: Any,
    *,
    conversation_id: str | None = None,
    session: Any = None,
    run_config: Any = None,
    **_: Any,
) -> str | None:
    """Return what the program groups runs by, in the framework's own order."""
    if isinstance(run_config, dict):
        group_id = run_config.get("group_id")
    else:
        group_id = getattr(run_config, "group_id", None)
    session_id = None
    with suppress(Exception):  # what a session of the program's own says
        session_id = session.session_id
    found = (
        conversation_id,
        getattr(given, "_conversation_id", None),
        session_id,
        group_id,
        getattr(getattr(given, "_trace_state", None), "group_id", None),
        getattr(get_current_trace(), "group_id", None),
    )
    return next((one for one in found if isinstance(one, str) and one.strip()), None)
