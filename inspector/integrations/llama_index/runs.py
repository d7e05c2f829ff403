"""Operations for runs of agents and workflows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from functools import wraps
from typing import Any

from inspector import context
from inspector.integrations.conversion import AgentFacts
from inspector.integrations.llama_index.models import model_name
from inspector.integrations.patches import Patches
from instrument import Bus, Operation
from instrument.operations import current_call_id, current_noun


class WatchedRuns:
    """Wraps what runs agents and workflows.

    Args:
        bus: The bus that they are reported on.
        is_watched: Whether the runs of a workflow are watched.
        patches: The adapter's patches.
        on_run: Is called with each workflow that runs.
    """

    def __init__(
        self,
        bus: Bus,
        is_watched: Callable[[Any], bool],
        patches: Patches,
        on_run: Callable[[Any], None],
    ) -> None:
        self._bus, self._is_watched, self._on_run = bus, is_watched, on_run
        self._attempt = patches.attempt

    def wrap_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the method by which every workflow runs.

        It starts tasks and returns at once. They get the context in which the operation has
        opened, and the one with the result closes it.
        """

        @wraps(original)
        def run(
            workflow: Any, ctx: Any = None, start_event: Any = None, *args: Any, **kwargs: Any
        ) -> Any:
            if not self._is_watched(workflow):
                return original(workflow, ctx, start_event, *args, **kwargs)
            self._on_run(workflow)
            operation = self._attempt(lambda: self._operation(workflow, start_event, kwargs))
            if operation is None:
                return original(workflow, ctx, start_event, *args, **kwargs)
            inside = copy_context()
            if current_call_id(self._bus) is None:
                session_id = self._attempt(lambda: _session_id(start_event, kwargs))
                inside.run(_enter_session, session_id)
            inside.run(operation.__enter__)
            try:
                handler = inside.run(original, workflow, ctx, start_event, *args, **kwargs)
            except BaseException as error:
                inside.run(operation.__exit__, type(error), error, error.__traceback__)
                raise
            task: asyncio.Task[Any] | None = self._attempt(lambda: handler._result_task)
            if task is None:
                inside.run(operation.__exit__, None, None, None)
            else:
                task.add_done_callback(lambda done: _close(operation, done), context=inside)
            return handler

        return run

    def _operation(self, workflow: Any, start_event: Any, kwargs: dict[str, Any]) -> Operation:
        """Return the operation of a run, which has not begun."""
        question = _of_start("user_msg", start_event, kwargs)
        if hasattr(workflow, "take_step"):
            return self._bus.operation("agent_call", agent=_facts(workflow, question))
        args = _text(question) if question is not None else dict(kwargs)
        return self._bus.operation("workflow_run", workflow=workflow, args=args, context=None)

    def wrap_agent_step(
        self, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        """Wrap the step in which an `AgentWorkflow` asks one of its agents."""

        @wraps(original)
        async def run_agent_step(workflow: Any, *args: Any, **kwargs: Any) -> Any:
            facts = None
            if current_noun(self._bus) == "workflow_run":
                facts = self._attempt(lambda: _member(workflow, [*args, *kwargs.values()]))
            if facts is None:
                return await original(workflow, *args, **kwargs)
            async with self._bus.operation("agent_call", agent=facts) as operation:
                output = await original(workflow, *args, **kwargs)
                operation.result = self._attempt(lambda: _answer(output))
            return output

        return run_agent_step


def _close(operation: Operation, done: asyncio.Task[Any]) -> None:
    """Close a run's operation as its task has ended."""
    if done.cancelled():
        error: BaseException | None = asyncio.CancelledError()
    else:
        error = done.exception()
        if error is None:
            operation.result = _answer(getattr(done.result(), "result", done.result()))
        elif type(error).__name__ == "WorkflowCancelledByUser":
            error = asyncio.CancelledError()
    try:
        if error is None:
            operation.__exit__(None, None, None)
        else:
            operation.__exit__(type(error), error, error.__traceback__)
    except BaseException:  # noqa: BLE001 - a decision that comes too late: the result has gone out
        return


def _of_start(name: str, start_event: Any, kwargs: dict[str, Any]) -> Any:
    """Return a value that a run starts with."""
    if start_event is not None and hasattr(start_event, "get"):
        return start_event.get(name, None)
    return kwargs.get(name)


def _session_id(start_event: Any, kwargs: dict[str, Any]) -> str | None:
    """Return the session of the memory that a run starts with."""
    found = getattr(_of_start("memory", start_event, kwargs), "session_id", None)
    return found if isinstance(found, str) else None


def _enter_session(session_id: str | None) -> None:
    if session_id and context.get() == context.UNKNOWN:
        context.set(session_id)


def _facts(agent: Any, question: Any) -> AgentFacts:
    return AgentFacts(
        agent,
        agent.name,
        input=_text(question),
        description=agent.description,
        instructions=agent.system_prompt,
        model=model_name(agent.llm),
    )


def _member(workflow: Any, args: list[Any]) -> AgentFacts:
    """Return the agent of a workflow that is asked now."""
    setup = next(one for one in args if hasattr(one, "current_agent_name"))
    return _facts(workflow.agents[setup.current_agent_name], setup.input[-1])


def _answer(output: Any) -> Any:
    """Return the answer of an agent as text, any other result as it is."""
    response = getattr(output, "response", None)
    return _text(response) if hasattr(response, "blocks") else output


def _text(value: Any) -> Any:
    """Return the text of a message, any other value as it is."""
    return value.content if hasattr(value, "blocks") else value
