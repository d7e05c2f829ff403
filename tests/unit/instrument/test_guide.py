"""The guide's code runs, and its five versions of one rule do the same."""

import ast
import asyncio
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from inspector.agent_side.control import signals
from instrument import (
    ApprovalAnswer,
    HookDenied,
    HookFailed,
    _hooks,
    call,
    dispatch,
    set_approval_provider,
)
from tests.support.services.eliciting_servers import modern_server
from tests.unit.instrument.conftest import Person
from tools.generate import ROOT

GUIDE = (ROOT / "docs" / "guide" / "write-a-hook.md").read_text(encoding="utf-8")
BLOCKS = dict(
    re.findall(r"^##+ ([^\n]*)\n(?:(?!^#)[^\n]*\n)*?```python\n(.*?)```", GUIDE, re.M | re.S)
)
RULES = ["On the bus", "As a handler", "As a callback", "As a rule"]


@pytest.fixture(autouse=True)
def own_table() -> Iterator[None]:
    """The guide uses the bus that all share: leave nothing on it."""
    before = dict(_hooks)
    _hooks.clear()
    yield
    _hooks.clear()
    _hooks.update(before)


def run(heading: str) -> dict[str, Any]:
    compiled = compile(BLOCKS[heading], heading, "exec")
    assert isinstance(compiled, CodeType)
    names: dict[str, Any] = {"__name__": "guide"}
    exec(compiled, names)
    return names


async def delete(path: str, deleted: list[str]) -> None:
    await call(
        "tool_call",
        lambda op: deleted.append(op.args["path"]),
        tool_name="delete",
        args={"path": path},
    )


def test_every_block_of_the_guide_is_python() -> None:
    assert GUIDE.count("```python") == len(BLOCKS)
    for code in BLOCKS.values():
        ast.parse(code)


@pytest.mark.parametrize("heading", RULES)
async def test_each_version_of_the_rule_refuses_and_lets_through(heading: str) -> None:
    run(heading)
    deleted: list[str] = []
    off = set_approval_provider(person := Person("allow"))

    with pytest.raises((HookDenied, HookFailed), match="/tmp"):
        await delete("/etc/passwd", deleted)
    await delete("/tmp/x", deleted)
    off()

    assert deleted == ["/tmp/x"]
    assert person.prompts == ["Delete /tmp/x?"]


@pytest.mark.parametrize("heading", RULES)
async def test_each_version_takes_no_for_an_answer(heading: str) -> None:
    run(heading)
    deleted: list[str] = []
    off = set_approval_provider(Person("deny"))

    with pytest.raises(HookDenied):
        await delete("/tmp/x", deleted)
    off()

    assert deleted == []


async def test_guidance_names_the_rule_and_holds_back_the_tool_until_a_person_has_answered(
    tmp_path: Path,
) -> None:
    code, text = tmp_path / "cleaner.py", re.search(r"```markdown\n(.*?)```", GUIDE, re.S)
    assert text is not None
    (tmp_path / "deletion.md").write_text(text[1], encoding="utf-8")
    code.write_text(BLOCKS["As guidance"], encoding="utf-8")
    exec(compile(BLOCKS["As guidance"], str(code), "exec"), {"__name__": "cleaner"})
    deleted: list[str] = []

    started = await dispatch("session_started", session_id="s-1", metadata=None)
    with pytest.raises(HookDenied, match="You MUST call ask_person first"):
        await delete("/tmp/x", deleted)
    with pytest.raises(LookupError):
        await call("tool_call", _decline, tool_name="ask_person")
    with pytest.raises(HookDenied):
        await delete("/tmp/x", deleted)
    await call("tool_call", lambda _: "go ahead", tool_name="ask_person")
    await delete("/tmp/x", deleted)

    assert [injection.role for injection in started.injections] == ["assistant"]
    assert "## MUST" in started.injections[0].text
    assert text[1].strip() in started.injections[0].text
    assert deleted == ["/tmp/x"]


def _decline(_: object) -> None:
    raise LookupError("the person declined")


async def test_the_terminal_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    names = run("Ask a person")
    run("On the bus")
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    deleted: list[str] = []

    await delete("/tmp/x", deleted)
    names["off"]()

    assert deleted == ["/tmp/x"]


async def test_a_question_of_the_guide_gets_its_answer_or_none() -> None:
    choose = run("Ask for something")["choose_channel"]
    assert await choose() is None
    off = set_approval_provider(Person(ApprovalAnswer("answer", payload={"channel": "preview"})))

    assert await choose() == "preview"
    off()


async def test_the_server_of_the_guide_gets_its_answer() -> None:
    off = set_approval_provider(
        Person(ApprovalAnswer("answer", payload={"channel": "beta", "copies": 3}))
    )
    result = await run("Answer what an MCP server asks")["publish"](modern_server())
    off()

    assert result.content[0].text == "3 to beta"


async def test_the_workflow_of_the_guide_goes_on_with_its_signal() -> None:
    paused = asyncio.Event()
    _hooks["session_paused"] = (lambda **_: paused.set(),)
    waiting = asyncio.create_task(run("Wait for a signal")["wait_for"]("s-1", "go", "Go?"))
    await paused.wait()

    assert signals.deliver("s-1", "other", "1").applied
    assert signals.deliver("s-1", "go", '{"at": "noon"}').applied

    assert await waiting == {"at": "noon"}


async def test_the_emitter_and_the_test_of_the_guide_work() -> None:
    assert await run("Emit so that hooks can decide")["act"]() == "deleted /tmp/x"
    checked = run("Test it")["test_deletion_is_refused"]
    assert inspect.iscoroutinefunction(checked)
    await checked()
