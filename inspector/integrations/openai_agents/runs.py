"""Operations for runs: one per agent, nested under the agent that handed off to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from types import TracebackType
from typing import Any, Final, TypeAlias

from agents import get_current_trace
from agents.exceptions import AgentsException
from agents.run_internal.run_steps import QueueCompleteSentinel
from agents.run_state import RunState

from inspector.integrations.conversion import AgentFacts
from inspector.integrations.open_operations import OpenOperations
from inspector.integrations.openai_agents.messages import convert
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import REFUSALS, refused_as
from instrument import Bus, Operation
from instrument.parts import Injection

Attempt: TypeAlias = "Callable[[Callable[[], Any]], Any]"
NOUN: Final = "agent_call"

_runs: ContextVar[tuple[Run, ...]] = ContextVar("inspector.openai_agents.runs", default=())


def facts_of(agent: Any, run_input: Any = None) -> AgentFacts:
    """Return an agent as hooks carry it."""
    model = getattr(agent, "model", None)
    return AgentFacts(
        agent,
        getattr(agent, "name", None) or "agent",
        input=run_input,
        description=getattr(agent, "handoff_description", None),
        model=model if isinstance(model, str) else getattr(model, "model", None),
    )


class Run:
    """A reported run.

    Operations inside the context are below it; leaving it ends every agent that ran.

    Args:
        bus: The bus that it is reported on.
        attempt: Reads of the framework what may not be as expected.
        agent: The agent that it starts with.
        run_input: A text, items, or the state that it resumes from.
    """

    def __init__(self, bus: Bus, attempt: Attempt, agent: Any, run_input: Any) -> None:
        self.bus, self.attempt = bus, attempt
        self.injections: list[Injection] = []
        """Injections of tools, for the next LLM call."""
        self.models: dict[int, Any] = {}
        """Wrapped models, by the identity of the original."""
        self.rejected: set[str] = set()
        """Ids of the tool calls that were reported as rejected."""
        self.approvals = OpenOperations(bus)
        """Calls of hosted MCP servers that were approved, by the id of the provider's request."""
        if isinstance(run_input, RunState):
            agent, run_input = run_input._current_agent or agent, run_input._original_input
        if run_input is not None and not isinstance(run_input, str):
            run_input = [one.message for one in convert(run_input)]
        self._agent = agent
        self._operation = bus.operation(NOUN, agent=facts_of(agent, run_input))
        self._below: list[Operation] = []
        self._stack = AsyncExitStack()
        self._result: Any = None

    async def __aenter__(self) -> Run:
        await self._stack.enter_async_context(self._operation)
        self._stack.enter_context(running(self))
        self._stack.callback(self.approvals.end_all)
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
        operation = self.bus.operation(NOUN, agent=facts_of(agent))
        with refused_as(AgentsException):
            await self._stack.enter_async_context(operation)
        self._agent = agent
        self._below.append(operation)

    def end(self, result: Any) -> None:
        """Record the output of the run, or the approvals that it waits for."""
        if waits := getattr(result, "interruptions", None):
            names = [getattr(one, "tool_name", None) for one in waits]
            self._result = {"waits_for_approval": names}
        else:
            self._result = result.final_output
        for operation in (self._operation, *self._below):
            operation.result = self._result

    def change(self, result: Any) -> None:
        """Apply the hooks' changed output to a result."""
        if self._operation.result is not self._result:
            result.final_output = self._operation.result


@contextmanager
def running(run: Any) -> Iterator[None]:
    """Run the block as a part of `run`, which tools report to."""
    runs = _runs.get()
    _runs.set((*runs, run))
    try:
        yield
    finally:
        _runs.set(runs)


def current_run(bus: Bus) -> Run | None:
    """Return the innermost run reported on `bus` here."""
    return next((run for run in reversed(_runs.get()) if run.bus is bus), None)


class Runs:
    """The runs that are reported on one bus, and the wrappers that report them."""

    def __init__(self, bus: Bus, attempt: Attempt) -> None:
        self.bus, self.attempt = bus, attempt
        self.targets: list[list[Any]] = []
        """The targets of each `attach`; an empty list is every agent."""

    def wants(self, agent: Any) -> bool:
        """Return whether a run of `agent` is reported, also as part of a reported one."""
        if not self.bus._hooks:
            return False
        if any(not some or any(agent is one for one in some) for some in self.targets):
            return True
        return bool(self.targets) and current_run(self.bus) is not None

    def wrap_run(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Wrap the method behind `run` and `run_sync`."""

        @wraps(original)
        async def run(runner: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
            if not self.wants(starting_agent):
                return await original(runner, starting_agent, input, **kwargs)
            reported = Run(self.bus, self.attempt, starting_agent, input)
            with refused_as(AgentsException), in_session(_session_id(input, **kwargs)):
                async with reported:
                    result = await original(runner, starting_agent, input, **kwargs)
                    reported.end(result)
            reported.change(result)
            return result

        return run

    def wrap_streaming(
        self, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        """Wrap the task of a streamed run."""

        @wraps(original)
        async def start_streaming(*args: Any, **kwargs: Any) -> Any:
            agent, result = kwargs.get("starting_agent"), kwargs.get("streamed_result")
            if result is None or not self.wants(agent):
                return await original(*args, **kwargs)
            state = kwargs.get("run_state") if kwargs.get("is_resumed_state") else None
            run_input = kwargs.get("starting_input") if state is None else state
            reported = Run(self.bus, self.attempt, agent, run_input)
            with refused_as(AgentsException), in_session(_session_id(run_input, **kwargs)):
                try:
                    async with reported:
                        await original(*args, **kwargs)
                        reported.end(result)
                except REFUSALS:  # the reader of its events waits for the last one
                    result.is_complete = True
                    result._event_queue.put_nowait(QueueCompleteSentinel())
                    raise
            reported.change(result)
            return None

        return start_streaming

    def wrap_turn(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Wrap a turn, at which another agent may take over."""

        @wraps(original)
        async def turn(*args: Any, **kwargs: Any) -> Any:
            run = current_run(self.bus)
            bindings = kwargs.get("bindings") or next(
                (one for one in args if hasattr(one, "public_agent")), None
            )
            if run is not None and bindings is not None:
                await run.go_on_with(bindings.public_agent)
            return await original(*args, **kwargs)

        return turn


def _session_id(
    run_input: Any,
    *,
    conversation_id: str | None = None,
    session: Any = None,
    run_config: Any = None,
    **_: Any,
) -> str | None:
    """Return the id by which the program groups runs, in the framework's own order."""
    if isinstance(run_config, dict):
        group_id = run_config.get("group_id")
    else:
        group_id = getattr(run_config, "group_id", None)
    session_id = None
    with suppress(Exception):  # the session may be a class of the program
        session_id = session.session_id
    found = (
        conversation_id,
        getattr(run_input, "_conversation_id", None),
        session_id,
        group_id,
        getattr(getattr(run_input, "_trace_state", None), "group_id", None),
        getattr(get_current_trace(), "group_id", None),
    )
    return next((one for one in found if isinstance(one, str) and one.strip()), None)
