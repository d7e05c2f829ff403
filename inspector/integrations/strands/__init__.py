"""Adapter for Strands Agents: agents, LLM calls, tools, graphs and swarms.

LLM calls and tools are wrapped by Strands' own middleware; the run of an agent, a graph or a
swarm by its `stream_async`, which every way to run one calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing, suppress
from functools import partial, wraps
from typing import Any
from weakref import WeakSet

from inspector.integrations.conversion import AgentFacts
from inspector.integrations.patches import Patches
from inspector.integrations.strands.calls import Events, StageCalls
from inspector.integrations.strands.conversion import agent_facts, message
from inspector.integrations.streamed import StreamedCall, stream_in_session
from inspector.integrations.verdicts import REFUSALS, refusal, refused_as
from instrument import Bus, Operation
from instrument import default as shared
from instrument.operations import current_call_id, current_noun


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every agent of this process, also those made before and later.

    Args:
        *targets: `Agent`s, and `Graph`s and `Swarm`s, whose agents are watched with them.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    return _Adapter(bus or shared.bus, targets).attach()


_OWN_SPANS = {
    "start_agent_span": "agent_call",
    "start_model_invoke_span": "llm_generate",
    "start_tool_call_span": "tool_call",
    "start_multiagent_span": "workflow_run",
}
"""Methods of Strands' tracer that start a span inside an operation of ours."""


class _Adapter:
    """State of one `attach()`."""

    def __init__(self, bus: Bus, targets: tuple[Any, ...]) -> None:
        self._bus = bus
        self._targets = [*targets, *(agent for target in targets for agent in _members(target))]
        self._is_all = not targets
        self._patches = Patches("strands")
        self._calls = StageCalls(bus, self._patches)
        self._agents: WeakSet[Any] = WeakSet()

    def attach(self) -> Callable[[], None]:
        import strands  # noqa: PLC0415

        patches = self._patches
        if self._is_all:
            if not patches.claim(self._bus):
                return lambda: None
            patches.put(strands.Agent, "__init__", self._making)
        patches.put(strands.Agent, "stream_async", self._running_agent)
        for module, name in (("graph", "Graph"), ("swarm", "Swarm")):
            kind = patches.find(f"strands.multiagent.{module}", name)
            patches.put(kind, "stream_async", self._running_group)
        tracer = patches.find("strands.telemetry.tracer", "Tracer")
        for name, noun in _OWN_SPANS.items():
            patches.put(tracer, name, partial(self._marking, noun))
        for target in self._targets:
            if isinstance(target, strands.Agent):
                self._watch(target)
        patches.callback(self._forget)
        return patches.undo

    def _marking(self, noun: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """Mark Strands' own span of an operation that we report: its usage counts once."""

        @wraps(original)
        def start(*args: Any, **kwargs: Any) -> Any:
            span = original(*args, **kwargs)
            if current_noun(self._bus) == noun:
                with suppress(Exception):  # never into the program that is watched
                    from subscribers.bridge.spans import mark_inner  # noqa: PLC0415

                    mark_inner(span)
            return span

        return start

    # --- agents -------------------------------------------------------------------------------

    def _making(self, original: Callable[..., None]) -> Callable[..., None]:
        @wraps(original)
        def __init__(agent: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            original(agent, *args, **kwargs)
            self._watch(agent)

        return __init__

    def _watch(self, agent: Any) -> None:
        """Add our middleware to an agent, once."""
        if agent in self._agents:
            return
        for stage, handler in self._calls.stages.items():
            self._patches.attempt(lambda: agent.add_middleware(stage, handler))  # noqa: B023 - now
        self._agents.add(agent)

    def _forget(self) -> None:
        """Remove our middleware from every agent, for which Strands has no method."""
        ours = self._calls.stages.values()
        for agent in self._agents:
            registry = getattr(agent, "_middleware_registry", None)
            handlers: dict[Any, list[Any]] = getattr(registry, "_handlers", {})
            for stage in self._calls.stages:
                rest = [one for one in handlers.get(stage, ()) if one.handler not in ours]
                handlers[stage] = rest
                if not rest:
                    del handlers[stage]

    def _running_agent(self, original: Callable[..., Events]) -> Callable[..., Events]:
        @wraps(original)
        async def stream_async(agent: Any, prompt: Any = None, **kwargs: Any) -> Events:
            facts = None
            if self._is_watched(agent):
                self._watch(agent)
                facts = self._patches.attempt(lambda: agent_facts(agent, prompt))
            if facts is None:
                events = original(agent, prompt, **kwargs)
            else:
                events = self._in_session(agent, self._run_agent(original, facts, prompt, kwargs))
            async with aclosing(events):
                async for event in events:
                    yield event

        return stream_async

    async def _run_agent(
        self,
        original: Callable[..., Events],
        facts: AgentFacts,
        prompt: Any,
        kwargs: dict[str, Any],
    ) -> Events:
        agent = facts.agent

        async def source(operation: Operation) -> Events:
            try:
                async with aclosing(
                    _up_to_result(operation, original(agent, prompt, **kwargs))
                ) as events:
                    async for event in events:
                        yield event
            finally:
                await self._calls.close(operation.call_id)

        call = StreamedCall(self._bus, "agent_call", source, agent=facts)
        try:
            async with aclosing(aiter(call)) as events:
                async for event in events:
                    yield event
            result = call.result
        except REFUSALS as error:
            from strands.agent import AgentResult  # noqa: PLC0415 - imported here only

            answer = message(refusal(error))
            result = AgentResult("cancelled", answer, agent.event_loop_metrics, {})
        if result is not None:
            yield {"result": result}

    def _running_group(self, original: Callable[..., Events]) -> Callable[..., Events]:
        @wraps(original)
        async def stream_async(group: Any, task: Any, *args: Any, **kwargs: Any) -> Events:
            def source(operation: Operation) -> Events:
                return _up_to_result(operation, original(group, operation.args, *args, **kwargs))

            call: StreamedCall[Any]
            call = StreamedCall(
                self._bus, "workflow_run", source, workflow=group, args=task, context=None
            )
            if self._is_watched(group):
                events = self._in_session(group, aiter(call))
            else:
                events = original(group, task, *args, **kwargs)
            with refused_as(RuntimeError):  # a group has no answer of its own
                async with aclosing(events):
                    async for event in events:
                        yield event
            if call.result is not None:
                yield {"result": call.result}

        return stream_async

    def _in_session(self, target: Any, events: Events) -> Events:
        """Put an outermost run into its own session; others belong to the enclosing one."""
        is_inner = current_call_id(self._bus) is not None
        return stream_in_session(None if is_inner else _session_id(target), events)

    def _is_watched(self, candidate: Any) -> bool:
        return self._is_all or any(candidate is target for target in self._targets)


def _members(target: Any) -> Iterable[Any]:
    """Return the agents, graphs and swarms of a graph or swarm, and theirs."""
    nodes = getattr(target, "nodes", None)
    for node in nodes.values() if isinstance(nodes, Mapping) else ():
        member = getattr(node, "executor", None)
        if member is not None:
            yield member
            yield from _members(member)


def _session_id(target: Any) -> str | None:
    """Return the session of an agent, or of a group that has a session manager."""
    for holder in (target, getattr(target, "session_manager", None)):
        found = getattr(holder, "session_id", None)
        if isinstance(found, str):
            return found
    return None


async def _up_to_result(operation: Operation, events: Events) -> Events:
    """Pass events on except the result, which follows once the operation has closed."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Mapping) and "result" in event:
                operation.result = event["result"]
            else:
                yield event
