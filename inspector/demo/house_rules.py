"""The rules of the demo's agents: one hook in each vocabulary, each where it fits best.

| rule | vocabulary | agents |
| --- | --- | --- |
| a person approves before a tag is pushed | `instrument`, an interceptor that asks | all |
| paths stay in the workspace | `instrument.control`, the module `workspace` | all |
| answers name their sources | `instrument.guidance`, the text `cite-sources.md` | those that cite |
| an answer without sources is sent back | `instrument.flow` | those that cite |
| a search returns few notes | `instrument.typed` | those that search |
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from inspector.demo import workspace
from inspector.demo.pace import Pace
from instrument import Decision, guidance
from instrument.control import ModuleCoordinator
from instrument.default import bus
from instrument.flow import AgentEvent, AgentStatus, Hook, HookDecision, HookPoint
from instrument.typed import BeforeToolCallEvent, HookRegistry

WORKSPACE = "/workspace/lantern"
AGENT_STARTS = "session:running"
"""The hook at which an agent gets guidance, before its first LLM call."""

PERSON_S = 25.0
"""Time limit of an answer, in the story's time; then the story goes on without one."""

_MAX_NOTES = 2
_SOURCES = "Sources:"
_REMINDER = {"role": "user", "content": f"Where does this come from? End with `{_SOURCES}`."}


@asynccontextmanager
async def in_force(pace: Pace) -> AsyncGenerator[None]:
    """Apply the rules for all agents of the process, until the block ends."""
    off = bus.intercept("before_tool_call", ask_before_pushes(pace), name="push desk")
    unmount = await workspace.mount(ModuleCoordinator(), {"root": WORKSPACE})
    detach = _guide()
    try:
        yield
    finally:
        detach()
        unmount()
        off()


def ask_before_pushes(pace: Pace) -> Callable[..., Decision | None]:
    """Return an interceptor that asks a person before a tag is pushed.

    Without an answer it allows the push, for the sake of the demo. A real one would not.
    """

    def ask(tool_name: str, args: Mapping[str, Any], **_: Any) -> Decision | None:
        if tool_name != "push_tag":
            return None
        return Decision.ask_user(
            f"Push {args.get('tag')} to {args.get('remote')}?",
            default="allow",
            timeout=pace.real_s(PERSON_S),
        )

    return ask


def _guide() -> Any:
    registry = guidance.create_hook_registry(app="inspector-demo")
    registry.register(
        tag="cite-sources",  # the text is beside this file
        type="session",
        lifecycle="running",
        name="Name the sources",
        requirement_level="MUST",
        conditions={"requires_config": {"cites_sources": True}},
    )
    loader, composer = guidance.create_content_loader(), guidance.create_composer()
    return guidance.attach(bus, registry, loader, composer, situation=_situation)


def _situation(event: Mapping[str, Any]) -> dict[str, Any]:
    return {"config": {"cites_sources": event["agent"].cites_sources}}


def send_back_without_sources(agent: Any) -> Hook:
    """Have an answer of `agent` without sources rewritten, once."""
    return (
        HookPoint(agent)
        .on(AgentEvent.BEFORE_FINAL_RESPONSE)
        .when(lambda status: _SOURCES not in status.assistant_message.content)
        .when(lambda status: _REMINDER not in status.conversation_history)
        .handle(
            decision=HookDecision.RETRY,
            effects=[_remind],
        )
    )


def _remind(status: AgentStatus) -> None:
    status.conversation_history.append(_REMINDER)


class ShortSearches:
    """Callbacks that limit searches, because an agent pays for all that it reads."""

    def register_hooks(self, registry: HookRegistry) -> None:
        """Register the callback."""
        registry.add_callback(BeforeToolCallEvent, limit_search)


def limit_search(event: BeforeToolCallEvent) -> None:
    """Limit the results of a search to a few notes."""
    arguments = event.tool_use.input
    limit = arguments.get("limit")
    if event.tool_use.name == "search_notes" and isinstance(limit, int) and limit > _MAX_NOTES:
        arguments["limit"] = _MAX_NOTES
