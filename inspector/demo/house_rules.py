"""The rules of the demo's agents: one hook in each vocabulary, each where it fits best.

| rule | vocabulary | whose |
| --- | --- | --- |
| a tag is pushed when a person lets it | `instrument`, an interceptor that asks | everybody's |
| paths stay in the workspace | `instrument.control`, the module `workspace` | everybody's |
| sources are to be named | `instrument.guidance`, the text `cite-sources.md` | who cites |
| an answer without sources is sent back | `instrument.flow` | who cites |
| a search brings few notes | `instrument.typed` | who searches |
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
"""The moment at which an agent asks for guidance, before its first model call."""

PERSON_S = 25.0
"""How long a person may take to answer, in the story's time; then it goes on without."""

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

    This is a demo: it goes on by itself when nobody looks. A real one would not.
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
        .when(_names_no_source)
        .when(_was_not_reminded)
        .handle(decision=HookDecision.RETRY, effects=[_remind])
    )


def _names_no_source(status: AgentStatus) -> bool:
    return _SOURCES not in status.assistant_message.content


def _was_not_reminded(status: AgentStatus) -> bool:
    return _REMINDER not in status.conversation_history


def _remind(status: AgentStatus) -> None:
    status.conversation_history.append(_REMINDER)


class ShortSearches:
    """Limits searches, because an agent pays for all that it reads."""

    def register_hooks(self, registry: HookRegistry) -> None:
        """Add the call-back."""
        registry.add_callback(BeforeToolCallEvent, limit_search)


def limit_search(event: BeforeToolCallEvent) -> None:
    """Limit the results of a search to a few notes."""
    asked = event.tool_use.input
    limit = asked.get("limit")
    if event.tool_use.name == "search_notes" and isinstance(limit, int) and limit > _MAX_NOTES:
        asked["limit"] = _MAX_NOTES
