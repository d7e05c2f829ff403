"""Adapter for Google's Agent Development Kit: agents, LLM calls and tools.

Agents are wrapped by `BaseAgent.run_async` and `run_live`, tools by the function that runs each
of them, and models by the method of their own class, once an agent asks for its model. So all that
plugins and callbacks of the program change, refuse or answer comes first, and what is reported is
what runs.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import partial, wraps
from importlib import import_module
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

from inspector.agent_side.on_import import after_import
from inspector.integrations.adk.calls import Calls
from inspector.integrations.conversion import AgentFacts
from inspector.integrations.patches import Patches
from inspector.integrations.streamed import (
    GeneratorSource,
    StreamedCall,
    WatchedGenerator,
    stream_in_session,
)
from inspector.integrations.verdicts import NO_RESULT, instead_of
from instrument import Bus, Operation
from instrument import default as shared
from instrument.operations import current_call_id, current_noun

Events: TypeAlias = AsyncGenerator[Any, None]

_AGENTS = "google.adk.agents.base_agent"
_FLOWS = "google.adk.flows.llm_flows.base_llm_flow"
_TOOLS = "google.adk.flows.llm_flows.tools._caller"
_LIVE_TOOLS = "google.adk.flows.llm_flows.tools._live_caller"
_TRACING = "google.adk.telemetry.tracing"


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every agent of this process, also those made before and later.

    Args:
        *targets: Agents (`Agent`, `SequentialAgent` and the others), with all that they call.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    return _Adapter(bus or shared.bus, targets).attach()


class _Adapter:
    """State of one `attach()`."""

    def __init__(self, bus: Bus, targets: tuple[Any, ...]) -> None:
        self._bus, self._targets = bus, targets
        self._patches = Patches("adk")
        self._calls = Calls(bus, self._is_inside, self._patches)
        self._copies: WeakValueDictionary[int, Any] = WeakValueDictionary()

    def attach(self) -> Callable[[], None]:
        patches = self._patches
        if not self._targets and not patches.claim(self._bus):
            return lambda: None
        # Nothing is imported for this: the framework imports its parts when a program uses them.
        for module, watch in (
            (_AGENTS, self._watch_agents),
            (_FLOWS, self._watch_models),
            (_TOOLS, self._watch_tools),
            (_LIVE_TOOLS, self._watch_tools),
            (_TRACING, self._watch_spans),
        ):
            patches.callback(after_import(module, partial(watch, module)))
            patches.callback(after_import("google.adk.runners", partial(patches.expect, module)))
        return patches.undo

    def _watch_agents(self, module: str) -> None:
        kind = self._patches.find(module, "BaseAgent")
        self._patches.put(kind, "run_async", self._running)
        self._patches.put(kind, "run_live", self._running)
        if self._targets:
            self._patches.put(kind, "model_copy", self._copying)

    def _watch_models(self, module: str) -> None:
        kind = self._patches.find(module, "BaseLlmFlow")
        self._patches.put(kind, "_get_llm", self._calls.finding_model)

    def _watch_tools(self, module: str) -> None:
        self._patches.put(import_module(module), "_call_tool_async", self._calls.calling_tool)

    def _watch_spans(self, module: str) -> None:
        self._patches.put(import_module(module), "trace_agent_invocation", self._tracing_agent)

    def _tracing_agent(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Mark the framework's own span of a run that we report."""

        @wraps(original)
        def trace_agent_invocation(span: Any, *args: Any, **kwargs: Any) -> Any:
            if current_noun(self._bus) == "agent_call":
                with suppress(Exception):  # never into the program that is watched
                    from subscribers.bridge.spans import mark_inner  # noqa: PLC0415

                    mark_inner(span)
            return original(span, *args, **kwargs)

        return trace_agent_invocation

    def _is_inside(self) -> bool:
        """Return whether what happens here is watched."""
        if not self._bus._hooks:
            return False
        return not self._targets or current_call_id(self._bus) is not None

    def _is_watched(self, agent: Any) -> bool:
        return self._is_inside() or self._is_target(agent)

    def _is_target(self, agent: Any) -> bool:
        return id(agent) in self._copies or any(one is agent for one in self._targets)

    def _copying(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Know the copies of targets: a runner runs a copy of its agent."""

        @wraps(original)
        def model_copy(agent: Any, *args: Any, **kwargs: Any) -> Any:
            copied = original(agent, *args, **kwargs)
            if self._is_target(agent):
                self._copies[id(copied)] = copied
            return copied

        return model_copy

    def _running(self, original: Callable[..., Events]) -> Callable[..., Events]:
        @wraps(original)
        def run(agent: Any, parent_context: Any) -> Events:
            if not self._is_watched(agent):
                return original(agent, parent_context)
            facts = self._patches.attempt(lambda: _facts(agent, parent_context))
            if facts is None:
                return original(agent, parent_context)
            is_inner = current_call_id(self._bus) is not None
            session_id = None if is_inner else facts.conversation_id
            return stream_in_session(
                session_id,
                WatchedGenerator(partial(self._run_agent, original, facts, parent_context)),
            )

        return run

    async def _run_agent(
        self,
        original: Callable[..., Events],
        facts: AgentFacts,
        parent_context: Any,
        source: GeneratorSource[Any],
    ) -> Events:
        own: str | None = None

        async def events_of(operation: Operation) -> Events:
            nonlocal own
            async with aclosing(source.of(original(facts.agent, parent_context))) as events:
                async for event in events:
                    text = self._patches.attempt(partial(_answer, event))
                    if text is not None:
                        operation.result = own = text
                    yield event

        call = _AgentRun(self._bus, "agent_call", events_of, agent=facts)
        try:
            async with aclosing(aiter(call)) as events:
                async for event in events:
                    yield event
            answer = call.result
        except NO_RESULT as error:
            answer = instead_of(error, str)
        if answer is not own:
            yield _event(facts.agent, parent_context, answer)


class _AgentRun(StreamedCall[Any]):
    """The run of an agent: programs stop at its answer, and the framework at a hand-over."""

    def is_last(self, piece: Any) -> bool:
        """Return whether the agent has answered, or handed over."""
        if piece.partial or piece.author != self._kwargs["agent"].name:
            return False
        return bool(piece.is_final_response() or piece.actions.transfer_to_agent)


def _facts(agent: Any, parent_context: Any) -> AgentFacts:
    content = parent_context.user_content
    parts = getattr(content, "parts", None) or ()
    texts = [part.text for part in parts if isinstance(getattr(part, "text", None), str)]
    instruction = getattr(agent, "instruction", None)
    return AgentFacts(
        agent,
        agent.name,
        input="\n".join(texts) or None,
        description=agent.description or None,
        instructions=instruction if isinstance(instruction, str) and instruction else None,
        model=_model_name(agent),
        conversation_id=parent_context.session.id,
    )


def _model_name(agent: Any) -> str | None:
    """Return the model of an agent, which may be that of an agent above it."""
    while agent is not None:
        model = getattr(agent, "model", None)
        name = model if isinstance(model, str) else getattr(model, "model", None)
        if isinstance(name, str) and name:
            return name
        agent = getattr(agent, "parent_agent", None)
    return None


def _answer(event: Any) -> str | None:
    """Return the text of an event that is a whole answer."""
    if event.partial or not event.content or not event.is_final_response():
        return None
    texts = [part.text for part in event.content.parts or () if part.text and not part.thought]
    return "".join(texts) or None


def _event(agent: Any, parent_context: Any, answer: Any) -> Any:
    """Return the event of an answer in place of the agent's, as its callbacks make it."""
    from google.adk.events.event import Event  # noqa: PLC0415 - imported here only

    from inspector.integrations.adk.messages import own_content  # noqa: PLC0415 - imports it too

    return Event(
        invocation_id=parent_context.invocation_id,
        author=agent.name,
        branch=parent_context.branch,
        content=own_content(answer, "model"),
    )
