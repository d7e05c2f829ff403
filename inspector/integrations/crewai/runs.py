"""Operations for crews, flows, tasks and agents, and for what they remember and know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from inspector.integrations.conversion import AgentFacts
from inspector.integrations.crewai.calls import NOTHING, Call
from inspector.integrations.crewai.models import model_name
from instrument import Bus, Operation
from instrument.operations import current_noun

_run: ContextVar[tuple[int, int] | None] = ContextVar("inspector.crewai.run", default=None)
"""The agent that runs here and its task, which it tries again by running it inside itself."""


class CrewAIRuns:
    """Describes runs.

    Args:
        bus: The bus that they are reported on.
        is_inside: Whether what happens now is watched, whatever it is.
        is_watched: Whether the runs of an object are watched.
    """

    def __init__(
        self, bus: Bus, is_inside: Callable[[], bool], is_watched: Callable[[Any], bool]
    ) -> None:
        self._bus, self._is_inside, self._is_watched = bus, is_inside, is_watched

    def describe_crew(
        self, crew: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe a run of a crew; one that streams runs again inside, where it is told."""
        call = CrewRun(crew, args, kwargs)
        is_outer = crew.stream or call.argument(2, "from_checkpoint") is not None
        return call if self._is_watched(crew) and not is_outer else None

    def describe_flow(
        self, flow: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe a run of a flow, not of those by which the framework itself works."""
        if type(flow).is_crewai_internal or not self._is_watched(flow):
            return None
        call = FlowRun(flow, args, kwargs)
        is_outer = flow.stream or call.argument(2, "from_checkpoint") is not None
        return None if is_outer else call

    def describe_resume(
        self, flow: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe the rest of a flow that has waited for a person."""
        if type(flow).is_crewai_internal or not self._is_watched(flow):
            return None
        return FlowRest(flow, args, kwargs)

    def describe_method(
        self, flow: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe a step of a flow."""
        if type(flow).is_crewai_internal or not self._is_inside():
            return None
        return MethodRun(flow, args, kwargs)

    def describe_task(
        self, task: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe a task."""
        return TaskRun(task, args, kwargs) if self._is_inside() else None

    def describe_agent(
        self, agent: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe the work of an agent on a task; its own next attempt is a part of that."""
        call = CrewAIAgentRun(agent, args, kwargs)
        if not self._is_watched(agent):
            return None
        is_attempt = current_noun(self._bus) == "agent_call" and _run.get() == call.key
        return None if is_attempt else call

    def describe_kickoff(
        self, agent: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe a run of an agent without a crew; on an event loop, the async one is told."""
        call = AgentKickoff(agent, args, kwargs)
        is_outer = call.argument(3, "from_checkpoint") is not None
        is_outer = is_outer or asyncio._get_running_loop() is not None
        return call if self._is_watched(agent) and not is_outer else None

    def describe_kickoff_async(
        self, agent: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe a run of an agent without a crew that never leaves it to another method."""
        call = AgentKickoff(agent, args, kwargs)
        is_outer = call.argument(3, "from_checkpoint") is not None
        return call if self._is_watched(agent) and not is_outer else None

    def describe_recall(
        self, source: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        """Describe a search in what is remembered or known."""
        return Recall(source, args, kwargs) if self._is_inside() else None


class CrewRun(Call):
    """A run of a crew."""

    noun = "workflow_run"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        self._inputs = self.argument(0, "inputs")
        self.hook_kwargs = {"workflow": owner, "args": self._inputs, "context": None}

    def prepare(self, operation: Operation) -> None:
        """Pass the hooks' inputs."""
        if operation.args is not self._inputs:
            self.with_argument(0, "inputs", operation.args)

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return the text of the result."""
        return getattr(returned, "raw", returned)

    def make(self, result: Any) -> Any:
        """Return a text of a hook as a result of the crew."""
        if not isinstance(result, str):
            return result
        if self.returned is not NOTHING:
            return self.returned.model_copy(update={"raw": result})
        from crewai.crews.crew_output import CrewOutput  # noqa: PLC0415 - imported here only

        return CrewOutput(raw=result)


class FlowRun(Call):
    """A run of a flow."""

    noun = "workflow_run"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        self._inputs = self.argument(0, "inputs")
        found = self._inputs.get("id") if isinstance(self._inputs, Mapping) else None
        self.session_id = found if isinstance(found, str) else None
        self.hook_kwargs = {"workflow": owner, "args": self._inputs, "context": None}

    def prepare(self, operation: Operation) -> None:
        """Pass the hooks' inputs."""
        if operation.args is not self._inputs:
            self.with_argument(0, "inputs", operation.args)

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return the result; of a crew or an agent, its text."""
        if _waits(returned):
            return _wish(returned)
        return getattr(returned, "raw", returned)


class FlowRest(FlowRun):
    """The rest of a flow that has waited for a person, with what they say."""

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        Call.__init__(self, owner, args, kwargs)
        self._inputs = self.argument(0, "feedback", "")
        self.session_id = owner.flow_id
        self.hook_kwargs = {"workflow": owner, "args": self._inputs, "context": None}

    def prepare(self, operation: Operation) -> None:
        """Pass the hooks' feedback."""
        if operation.args is not self._inputs:
            self.with_argument(0, "feedback", operation.args)


class MethodRun(Call):
    """A step of a flow, by a method that returns its result and the id of an event."""

    noun = "step_run"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        self._input = {str(n): value for n, value in enumerate(args[2:])} | kwargs
        self.hook_kwargs = {
            "step": str(self.argument(0, "method_name")),
            "kind": "step",
            "args": self._input or None,
            "context": None,
        }

    def pause(self, error: Exception) -> Any:
        """Return the exception by which a step waits for a person."""
        return (error, None) if _waits(error) else None

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return the result of the step, or what it waits for."""
        return _wish(returned[0]) if _waits(returned[0]) else returned[0]

    def finish(self, result: Any) -> Any:
        """Return the result of the step; raise for the flow that it waits."""
        if self.returned is not NOTHING and _waits(self.returned[0]):
            raise self.returned[0]
        return super().finish(result)

    def make(self, result: Any) -> Any:
        """Return a result of a hook with the event of the step, and keep it for the flow."""
        name, outputs = self.hook_kwargs["step"], getattr(self.owner, "_method_outputs", [])
        if self.returned is NOTHING:
            outputs.append({"method": name, "output": result})
            return result, None
        for place in reversed(range(len(outputs))):
            if outputs[place].get("method") == name:
                # The outcome of what a person has said is not what the method has returned.
                if "human_feedback" not in outputs[place]:
                    outputs[place] = {"method": name, "output": result}
                break
        return result, self.returned[1]


class TaskRun(Call):
    """A task of a crew."""

    noun = "step_run"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        self._input = {
            "description": owner.description,
            "expected_output": owner.expected_output,
            "context": self.argument(1, "context"),
        }
        self.hook_kwargs = {
            "step": owner.name or owner.description.strip().partition("\n")[0],
            "kind": "step",
            "args": self._input,
            "context": None,
        }

    def prepare(self, operation: Operation) -> None:
        """Pass the hooks' context: what earlier tasks have found."""
        wanted = (operation.args or {}).get("context")
        if wanted != self._input["context"]:
            self.with_argument(1, "context", wanted)

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return the text of the result."""
        return returned.raw

    def make(self, result: Any) -> Any:
        """Return a text of a hook as the result of the task."""
        if not isinstance(result, str):
            return result
        if self.returned is not NOTHING:
            return self.returned.model_copy(update={"raw": result})
        from crewai.tasks.task_output import TaskOutput  # noqa: PLC0415 - imported here only

        agent = self.argument(0, "agent") or self.owner.agent
        return TaskOutput(
            description=self.owner.description, raw=result, agent=getattr(agent, "role", "")
        )


class CrewAIAgentRun(Call):
    """The work of an agent on a task."""

    noun = "agent_call"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        task = self.argument(0, "task")
        self.key = id(owner), id(task)
        context = self.argument(1, "context")
        question = f"{task.description}\n\n{context}" if context else task.description
        self.hook_kwargs = {"agent": _facts(owner, question)}

    @contextmanager
    def _marked(self) -> Iterator[None]:
        before = _run.get()
        _run.set(self.key)
        try:
            yield
        finally:
            _run.set(before)

    def around(self) -> AbstractContextManager[object]:
        """Mark what the agent does by itself to try again."""
        return self._marked()


class AgentKickoff(Call):
    """A run of an agent without a crew."""

    noun = "agent_call"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        self.hook_kwargs = {"agent": _facts(owner, self.argument(0, "messages"))}

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return the text of the answer."""
        return returned.raw

    def make(self, result: Any) -> Any:
        """Return a text of a hook as the answer of the agent."""
        if not isinstance(result, str):
            return result
        if self.returned is not NOTHING:
            return self.returned.model_copy(update={"raw": result})
        from crewai.lite_agent_output import LiteAgentOutput  # noqa: PLC0415 - imported here only

        return LiteAgentOutput(raw=result, agent_role=self.owner.role)


class Recall(Call):
    """A search in what is remembered or known."""

    noun = "step_run"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        self._input, name = {"query": self.argument(0, "query")}, type(owner).__name__.lower()
        self.hook_kwargs = {
            "step": name,
            "kind": "memory" if name == "memory" else "retrieval",
            "args": self._input,
            "context": None,
        }

    def prepare(self, operation: Operation) -> None:
        """Pass the hooks' query."""
        if operation.args is not self._input:
            self.with_argument(0, "query", operation.args["query"])


def _waits(outcome: Any) -> bool:
    """Return whether a flow has stopped to go on when a person has said something."""
    from crewai.flow.async_feedback.types import HumanFeedbackPending  # noqa: PLC0415

    return isinstance(outcome, HumanFeedbackPending)


def _wish(pending: Any) -> dict[str, Any]:
    return {"waits_for_feedback": pending.context.message}


def _facts(agent: Any, question: Any) -> AgentFacts:
    return AgentFacts(
        agent,
        agent.role.strip(),
        input=question,
        description=agent.goal.strip(),
        instructions=agent.backstory,
        model=model_name(agent.llm),
    )
