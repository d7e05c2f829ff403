"""Modules of hooks as people write them, in all their habits, run as they are."""

from __future__ import annotations

import asyncio
import fnmatch
import json
import re
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from instrument import Bus, HookDenied, Operation
from instrument.control import (
    ApprovalProvider,
    ApprovalRequest,
    ApprovalResponse,
    HookRegistry,
    HookResult,
    ModuleCoordinator,
)
from instrument.control.events import (
    ALL_EVENTS,
    APPROVAL_DENIED,
    APPROVAL_REQUIRED,
    TOOL_POST,
    TOOL_PRE,
)
from instrument.testing import EventRecorder, MockCoordinator, TestCoordinator, capture_hook

SECRET = "AKIA0123456789ABCDEF"


@pytest.fixture
def coordinator(bus: Bus) -> ModuleCoordinator:
    return TestCoordinator(bus)


async def use(bus: Bus, tool_name: str, **args: Any) -> Any:
    """Call a tool that returns its arguments."""
    return await bus.call("tool_call", lambda op: op.args, tool_name=tool_name, args=args)


# --- a log of everything ------------------------------------------------------------------------


class JsonLines:
    """Logs every event; its events are known once all modules are mounted."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def handle(self, event: str, data: dict[str, Any]) -> HookResult:
        record = {key: value for key, value in data.items() if key != "hooks"}
        self.lines.append(json.dumps({"event": event, **record}, default=str))
        return HookResult(action="continue")

    async def on_session_ready(self, coordinator: ModuleCoordinator) -> None:
        events = list(ALL_EVENTS)
        events.extend(coordinator.get_capability("observability.events") or [])
        for arguments in await coordinator.collect_contributions("observability.events"):
            events.extend(arguments if isinstance(arguments, list) else [arguments])
        for event in events:
            coordinator.hooks.register(event, self.handle, priority=100, name="json-lines")


async def test_a_log_hears_events_of_the_kernel_of_modules_and_of_operations(
    coordinator: ModuleCoordinator, bus: Bus
) -> None:
    log = JsonLines()
    coordinator.register_contributor("observability.events", "other", lambda: ["other:went_wrong"])
    await log.on_session_ready(coordinator)

    await coordinator.hooks.emit("llm:request", {"model": "m"})
    await coordinator.hooks.emit("other:went_wrong", {"why": "x"})
    await use(bus, "read_file", path="a")

    heard = [json.loads(line) for line in log.lines]
    assert [one["event"] for one in heard] == [
        "llm:request",
        "other:went_wrong",
        TOOL_PRE,
        TOOL_POST,
    ]
    assert heard[2]["tool_input"] == {"path": "a"}
    assert all(one["timestamp"].endswith("+00:00") for one in heard)


# --- a mask of secrets --------------------------------------------------------------------------


async def mount_mask(coordinator: ModuleCoordinator, config: dict[str, Any] | None = None) -> None:
    config = config or {}
    patterns = [re.compile(text) for text in config.get("patterns", [r"AKIA[0-9A-Z]{16}"])]
    allowed = {"session_id", "timestamp", *config.get("allowlist", [])}

    def scrub(value: Any, path: str = "") -> Any:
        if path in allowed:
            return value
        if isinstance(value, str):
            for pattern in patterns:
                value = pattern.sub("[MASKED]", value)
            return value
        if isinstance(value, dict):
            return {k: scrub(v, f"{path}.{k}" if path else k) for k, v in value.items()}
        if isinstance(value, list):
            return [scrub(item, f"{path}[{at}]") for at, item in enumerate(value)]
        return value

    async def handler(event: str, data: dict[str, Any]) -> HookResult:
        if event in config.get("skip_events", [TOOL_PRE, TOOL_POST]):
            return HookResult(action="continue")
        masked = scrub(data)
        masked["redaction"] = {"applied": True}
        return HookResult(action="modify", data=masked)

    for event in ALL_EVENTS:
        coordinator.hooks.on(event, handler, name="mask", priority=10)


async def test_what_a_module_masks_is_masked_for_the_modules_after_it_and_breaks_no_operation(
    coordinator: ModuleCoordinator, bus: Bus
) -> None:
    await mount_mask(coordinator)
    log = JsonLines()
    await log.on_session_ready(coordinator)

    started = await coordinator.hooks.emit("session:start", {"metadata": {"key": SECRET}})
    with pytest.raises(OSError, match="full"):
        await bus.call("tool_call", _fail, tool_name="read_file", args={"key": SECRET})
    prompt = [{"role": "user", "content": SECRET}]
    seen = await bus.call("llm_generate", lambda op: op.kwargs["prompt"], prompt=prompt)

    assert started.data == {
        "metadata": {"key": "[MASKED]"},
        "redaction": {"applied": True},
    }
    assert seen == [{"role": "user", "content": "[MASKED]"}]  # a prompt can be changed
    lines = {json.loads(line)["event"]: line for line in log.lines}
    assert SECRET in lines["tool:pre"]  # which this module leaves alone
    assert "[MASKED]" in lines["tool:error"]  # where arguments are read-only
    assert not any(SECRET in lines[event] for event in lines if event[:5] != "tool:")
    assert len(lines) == 6


async def test_a_mask_that_hits_an_id_of_ours_does_not_refuse_the_call(
    coordinator: ModuleCoordinator, bus: Bus
) -> None:
    await mount_mask(coordinator, {"patterns": [r"[0-9a-f]{3,}"], "skip_events": []})
    recorder = EventRecorder()
    coordinator.hooks.register(TOOL_PRE, recorder, priority=100)

    with capture_hook("before_tool_call", bus=bus) as calls:
        assert await use(bus, "read_file", path="a") == {"path": "a"}

    assert "[MASKED]" not in calls[0][1]["call_id"]
    assert "[MASKED]" in recorder.events[0][1]["call_id"]


def _fail(op: Operation) -> None:
    raise OSError("full")


# --- an approval of its own ---------------------------------------------------------------------


class Approval:
    def __init__(self, config: dict[str, Any], hooks: HookRegistry) -> None:
        self.config = config
        self.hooks = hooks
        self.provider: ApprovalProvider | None = None

    def use_provider(self, provider: ApprovalProvider) -> None:
        self.provider = provider

    async def handle_tool_pre(self, event: str, data: dict[str, Any]) -> HookResult:
        tool_name = data.get("tool_name", "unknown")
        if not any(fnmatch.fnmatch(tool_name, one) for one in self.config.get("tools", ["rm*"])):
            return HookResult(action="continue")
        request = ApprovalRequest(
            tool_name=tool_name,
            action=f"Run {tool_name}",
            details=data.get("tool_input", {}),
            risk_level="high",
            timeout=self.config.get("timeout"),
        )
        await self.hooks.emit(APPROVAL_REQUIRED, {"tool_name": tool_name, "action": request.action})
        try:
            if self.provider is None:
                answer = ApprovalResponse(approved=False, reason="nobody to ask")
            else:
                answer = await asyncio.wait_for(
                    self.provider.request_approval(request), timeout=request.timeout
                )
        except TimeoutError:
            answer = ApprovalResponse(approved=False, reason="no answer in time")
        if answer.approved:
            return HookResult(action="continue")
        await self.hooks.emit(APPROVAL_DENIED, {"tool_name": tool_name, "reason": answer.reason})
        return HookResult(action="deny", reason=answer.reason or "User denied approval")


async def mount_approval(
    coordinator: ModuleCoordinator, config: dict[str, Any] | None = None
) -> Callable[[], None] | None:
    hooks: HookRegistry | None = coordinator.get("hooks")
    if hooks is None:
        return None
    approval = Approval(config or {}, hooks)
    unregister = hooks.register(TOOL_PRE, approval.handle_tool_pre, priority=-10, name="approval")
    coordinator.register_capability("approval.register_provider", approval.use_provider)

    def cleanup() -> None:
        unregister()

    return cleanup


class Patient:
    """Gives one answer; "late" gives none."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    async def request_approval(self, request: ApprovalRequest) -> ApprovalResponse:
        answer = self.answers.pop(0)
        if answer == "late":
            await asyncio.Event().wait()
        return ApprovalResponse(approved=answer == "yes", reason=f"said {answer}")


async def test_a_module_asks_people_in_its_own_way(
    coordinator: ModuleCoordinator, bus: Bus
) -> None:
    cleanup = await mount_approval(coordinator, {"timeout": 0.01})
    assert cleanup is not None
    heard = EventRecorder()
    for event in (APPROVAL_REQUIRED, APPROVAL_DENIED):
        coordinator.hooks.register(event, heard)
    with pytest.raises(HookDenied, match="nobody to ask"):
        await use(bus, "rm")
    coordinator.get_capability("approval.register_provider")(Patient("yes", "no", "late"))

    assert await use(bus, "ls") == {}
    assert await use(bus, "rm", path="a") == {"path": "a"}
    with pytest.raises(HookDenied, match="said no"):
        await use(bus, "rm")
    with pytest.raises(HookDenied, match="no answer in time"):
        await use(bus, "rmdir")

    assert len(heard.get_events(APPROVAL_REQUIRED)) == 4
    assert len(heard.get_events(APPROVAL_DENIED)) == 3
    cleanup()
    assert await use(bus, "rm") == {}


# --- context for the model -----------------------------------------------------------------------


class Reminder:
    """Tells the model what is left to do, before each LLM call."""

    def __init__(self, coordinator: Any, config: dict[str, Any]) -> None:
        self.coordinator = coordinator
        self.priority = config.get("priority", 10)
        self.recent: deque[str] = deque(maxlen=3)

    def register(self, hooks: HookRegistry) -> None:
        hooks.register("tool:post", self.on_tool_post, priority=self.priority, name="tracker")
        hooks.register("provider:request", self.on_request, priority=self.priority, name="remind")

    async def on_tool_post(self, _event: str, data: dict[str, Any]) -> HookResult:
        self.recent.append(data.get("tool_name", ""))
        return HookResult(action="continue")

    async def on_request(self, _event: str, data: dict[str, Any]) -> HookResult:
        todo = getattr(self.coordinator, "todo_state", None)
        if not todo or "todo" in self.recent:
            return HookResult(action="continue")
        return HookResult(
            action="inject_context",
            context_injection=f"[{self.coordinator.session_id}] left: {', '.join(todo)}",
            context_injection_role="user",
            ephemeral=True,
            append_to_last_tool_result=True,
            suppress_output=True,
        )


async def test_a_reminder_reaches_the_model_call_with_all_it_says_about_itself(
    coordinator: Any, bus: Bus
) -> None:
    Reminder(coordinator, {}).register(coordinator.hooks)
    coordinator.todo_state = ["test", "ship"]

    async with bus.operation("llm_generate", prompt=[]) as reminded:
        (injection,) = reminded.injections
    await use(bus, "todo")
    async with bus.operation("llm_generate", prompt=[]) as quiet:
        assert quiet.injections == ()

    assert injection.text == "[test-session] left: test, ship"
    assert (injection.role, injection.source) == ("user", "remind")
    assert injection.is_ephemeral
    assert injection.is_hidden
    assert injection.is_for_tool_result


# --- budgets, counters, paths -------------------------------------------------------------------


async def mount_paths(coordinator: Any, config: Any = None) -> Any:
    """Makes paths absolute; its handler is a method bound by hand, and returns only the change."""

    class Paths:
        def __init__(self, root: str) -> None:
            self.root = root

        async def fix(self, prefix: str, event: str, data: dict[str, Any]) -> HookResult:
            tool_input = data["tool_input"]
            if not tool_input.get("path", "/").startswith("/"):
                tool_input["path"] = f"{prefix}{self.root}/{tool_input['path']}"
                return HookResult(action="modify", data={"tool_input": tool_input})
            return HookResult()

    paths = Paths((config or {}).get("root", "/srv"))
    return coordinator.hooks.register(
        event="tool:pre", handler=partial(paths.fix, ""), priority=30, name="paths"
    )


async def test_a_module_that_returns_only_what_it_changed_keeps_the_rest(
    coordinator: ModuleCoordinator, bus: Bus
) -> None:
    unregister = await mount_paths(coordinator)
    arguments = {"path": "a", "mode": "r"}

    assert await use(bus, "read_file", **arguments) == {"path": "/srv/a", "mode": "r"}

    unregister()
    assert await use(bus, "read_file", **arguments) == arguments


# --- habits that hurt ---------------------------------------------------------------------------


async def test_two_handlers_of_one_name_are_removed_one_by_one_or_together(
    coordinator: ModuleCoordinator,
) -> None:
    first = coordinator.hooks.register("tool:pre", EventRecorder(), name="same")
    coordinator.hooks.register("tool:post", EventRecorder(), name="same")
    coordinator.hooks.register("tool:pre", EventRecorder(), name="other")

    assert coordinator.hooks.list_handlers() == {
        "tool:pre": ["same", "other"],
        "tool:post": ["same"],
    }
    first()
    assert coordinator.hooks.list_handlers("tool:pre") == {"tool:pre": ["other"]}
    coordinator.hooks.unregister("same")
    coordinator.hooks.unregister("nobody")
    assert coordinator.hooks.list_handlers() == {"tool:pre": ["other"]}


async def test_every_event_has_the_default_fields_that_it_does_not_give_itself(
    coordinator: ModuleCoordinator, bus: Bus
) -> None:
    recorder = EventRecorder()
    for event in ("tool:pre", "my:event"):
        coordinator.hooks.register(event, recorder)
    coordinator.hooks.set_default_fields(session_id="s", parent_id=None)

    await use(bus, "ls")
    result = await coordinator.hooks.emit("my:event", {"session_id": "mine"})

    assert [data["session_id"] for _, data in recorder.events] == ["s", "mine"]
    assert result.data == {"session_id": "mine", "parent_id": None}


async def test_a_mock_coordinator_is_enough_to_test_a_module() -> None:
    coordinator = MockCoordinator()

    cleanup = await mount_approval(coordinator)
    result = await coordinator.hooks.emit("tool:pre", {"tool_name": "rm", "tool_input": {}})

    assert (result.action, result.reason) == ("deny", "nobody to ask")
    assert cleanup is not None
