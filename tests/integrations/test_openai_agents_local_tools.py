"""OpenAI Agents: API tools that run locally are reported and refused as functions are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from agents import (
    Agent,
    ApplyPatchTool,
    Computer,
    ComputerTool,
    CustomTool,
    LocalShellTool,
    Runner,
    ShellTool,
    set_tracing_disabled,
)
from agents.editor import ApplyPatchResult
from agents.exceptions import AgentsException
from agents.testing import ScriptedModel, assistant_message
from openai.types.responses import ResponseCustomToolCall, ResponseFunctionShellToolCall
from openai.types.responses.response_computer_tool_call import (
    ActionClick,
    ResponseComputerToolCall,
)
from openai.types.responses.response_function_shell_tool_call import Action
from openai.types.responses.response_output_item import LocalShellCall, LocalShellCallAction

from inspector.integrations.openai_agents import attach
from instrument import Bus, Decision
from tests.integrations.hook_log import HookLog

ran: list[Any] = []


class Editor:
    """An editor that records its operations."""

    def create_file(self, operation: Any) -> ApplyPatchResult:
        ran.append(operation.path)
        return ApplyPatchResult(status="completed", output="made")

    def update_file(self, operation: Any) -> ApplyPatchResult:
        return ApplyPatchResult(status="failed", output="no such file")

    def delete_file(self, operation: Any) -> None:
        ran.append(operation.path)


class Screen(Computer):
    """A computer on which nothing happens."""

    environment = "browser"
    dimensions = (10, 10)

    def screenshot(self) -> str:
        return "iVBORw0KGgo="

    def click(self, x: int, y: int, button: Any) -> None:
        ran.append((x, y))

    def double_click(self, x: int, y: int) -> None: ...
    def scroll(self, x: int, y: int, scroll_x: int, scroll_y: int) -> None: ...
    def type(self, text: str) -> None: ...
    def wait(self) -> None: ...
    def move(self, x: int, y: int) -> None: ...
    def keypress(self, keys: list[str]) -> None: ...
    def drag(self, path: list[tuple[int, int]]) -> None: ...


async def shell(request: Any) -> str:
    ran.append(request.data.action.commands)
    return "done"


def local_shell(request: Any) -> str:
    ran.append(request.data.action.command)
    return "done"


def upper(_: Any, text: str) -> str:
    ran.append(text)
    return text.upper()


def patch_call(kind: str = "create_file") -> Any:
    operation = {"type": kind, "path": "a.txt", "diff": "+a"}
    return {"type": "apply_patch_call", "call_id": "call-1", "operation": operation}


SHELL = ResponseFunctionShellToolCall(
    id="item-1",
    type="shell_call",
    call_id="call-1",
    status="completed",
    action=Action(commands=["ls"]),
)
LOCAL = LocalShellCall(
    id="item-1",
    type="local_shell_call",
    call_id="call-1",
    status="completed",
    action=LocalShellCallAction(type="exec", command=["ls"], env={}),
)
CUSTOM = ResponseCustomToolCall(
    type="custom_tool_call", call_id="call-1", name="upper", input="hello"
)
CLICK = ResponseComputerToolCall(
    id="item-1",
    type="computer_call",
    call_id="call-1",
    status="completed",
    pending_safety_checks=[],
    action=ActionClick(type="click", x=1, y=2, button="left"),
)
UPPER = CustomTool(name="upper", description="Shout.", on_invoke_tool=upper)
TOOLS: dict[str, tuple[Any, Any, Any, Any]] = {
    "shell": (ShellTool(executor=shell), SHELL, {"commands": ["ls"]}, ["ls"]),
    "local_shell": (LocalShellTool(executor=local_shell), LOCAL, {"command": ["ls"]}, ["ls"]),
    "upper": (UPPER, CUSTOM, {"input": "hello"}, "hello"),
    "apply_patch": (ApplyPatchTool(editor=Editor()), patch_call(), {"path": "a.txt"}, "a.txt"),
}
every_tool = pytest.mark.parametrize("name", TOOLS)


@pytest.fixture(autouse=True)
def attached(bus: Bus) -> Iterator[None]:
    ran.clear()
    set_tracing_disabled(True)  # the framework's own, which sends to OpenAI
    detach = attach(bus=bus)
    yield
    detach()


async def run(tool: Any, call: Any) -> str:
    """Let a model call a tool; return what it read."""
    model = ScriptedModel([[call], [assistant_message("Done.")]])
    result = await Runner.run(Agent("worker", model=model, tools=[tool]), "Work.")
    assert result.final_output == "Done."
    return str(model.calls[-1].input[-1])


@pytest.mark.shows("openai_agents", "tool")
@every_tool
async def test_a_local_tool_is_reported(hooks: HookLog, name: str) -> None:
    tool, call, args, wanted = TOOLS[name]

    await run(tool, call)

    began = hooks.one("before_tool_call")
    assert (began["tool_name"], began["tool_call_id"]) == (name, "call-1")
    assert began["args"].items() >= args.items()
    assert hooks.parent_noun(began) == "agent_call"
    assert hooks.one("after_tool_call")["result"]
    assert ran == [wanted]


@pytest.mark.shows("openai_agents", "deny")
@every_tool
async def test_a_denied_tool_does_not_run_here(bus: Bus, hooks: HookLog, name: str) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("not here"))
    tool, call, _, _ = TOOLS[name]

    assert "Denied: not here" in await run(tool, call)
    assert ran == []


@pytest.mark.shows("openai_agents", "edit", "replace")
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("shell", {"commands": ["pwd"]}),
        ("local_shell", {"command": ["pwd"]}),
        ("upper", {"input": "pwd"}),
        ("apply_patch", {"path": "pwd"}),
    ],
)
async def test_what_a_hook_edits_is_what_runs_and_what_it_replaces_is_read(
    bus: Bus, hooks: HookLog, name: str, args: Any
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify(args=args))
    bus.intercept("after_tool_call", lambda **_: Decision.modify(result="secret"))
    tool, call, _, _ = TOOLS[name]

    assert "secret" in await run(tool, call)
    assert ran == [next(iter(args.values()))]


@pytest.mark.shows("openai_agents", "tool_error")
async def test_a_patch_that_failed_is_an_error(hooks: HookLog) -> None:
    tool = ApplyPatchTool(editor=Editor())

    assert "no such file" in await run(tool, patch_call("update_file"))
    assert str(hooks.one("error_tool_call")["exc"]) == "no such file"


async def test_a_computer_action_is_reported_without_the_picture(hooks: HookLog) -> None:
    await run(ComputerTool(computer=Screen()), CLICK)

    began = hooks.one("before_tool_call")
    assert (began["tool_name"], began["args"]["actions"][0]["x"]) == ("computer", 1)
    assert hooks.one("after_tool_call")["result"] == "[screenshot]"
    assert ran == [(1, 2)]


async def test_a_denied_click_ends_the_run(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("hands off"))

    with pytest.raises(AgentsException, match="Denied: hands off"):
        await run(ComputerTool(computer=Screen()), CLICK)

    assert ran == []
