"""The patches of mcp-agent: their conditions, and their complete removal."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mcp_agent.agents.agent import Agent
from mcp_agent.executor.workflow import Workflow

import instrument
from inspector.agent_side import adapters as registry
from inspector.integrations import mcp_agent
from inspector.integrations.mcp_agent import POINTS
from inspector.integrations.mcp_agent.patches import MARK
from instrument import Bus
from tests.integrations.hook_log import HookLog
from tests.integrations.mcp1.apps import make_app
from tests.integrations.mcp1.echo_llm import EchoLLM

NAME = "mcp_agent.core.instrument"
ROOT = Path(__file__).parents[3]
EVERYTHING = "".join(f"import {name}\n" for name in sorted({point.module for point in POINTS}))


def run(code: str, *first_on_path: Path, **environment: str) -> str:
    """Run a program in a process of its own; return its output and log."""
    env = {name: value for name, value in os.environ.items() if "INSPECTOR" not in name}
    env["PYTHONPATH"] = os.pathsep.join(map(str, (*first_on_path, ROOT)))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**env, "INSPECTOR_RUNTIME_DIR": "/nonexistent", **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def owners() -> Iterator[tuple[Any, str]]:
    """Yield every function that may be patched; of subclasses, those that they define."""
    for point in POINTS:
        module = import_module(point.module)
        base: Any = module if point.owner is None else getattr(module, point.owner)
        heirs = [base, *base.__subclasses__()] if point.is_family else [base]
        for owner in heirs:
            yield from ((owner, name) for name in point.names)
            if point.is_family:
                yield owner, "__init_subclass__"


def functions() -> dict[tuple[str, str], Any]:
    gc.collect()  # classes of other tests
    return {
        (f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else "", name): vars(
            owner
        ).get(name)
        for owner, name in owners()
    }


@pytest.fixture
def attach(bus: Bus) -> Iterator[Callable[[], Callable[[], None]]]:
    """An `attach` to the bus of the test, undone at its end."""
    undo: list[Callable[[], None]] = []

    def attached() -> Callable[[], None]:
        undo.append(mcp_agent.attach(bus=bus))
        return undo[-1]

    yield attached
    for detach in undo:
        detach()
    assert not hasattr(Agent.call_tool, MARK)


@pytest.fixture
def enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_ENABLE_PATCH", "1")


@pytest.mark.slow
def test_without_the_variable_nothing_of_ours_is_loaded_or_touched() -> None:
    code = f"""
import sys
{EVERYTHING}
ours = ("inspector", "instrument", "subscribers")
print([name for name in sys.modules if name.partition(".")[0] in ours])
import inspector, mcp_agent.agents.agent
inspector.attach()
print([name for name in sys.modules if name.startswith("inspector.integrations.mcp_agent")])
print(hasattr(mcp_agent.agents.agent.Agent.call_tool, "{MARK}"), "{NAME}" in sys.modules)
"""
    assert run(code).splitlines()[:3] == ["[]", "[]", "False False"]


@pytest.mark.slow
def test_with_it_what_is_imported_later_is_patched_and_our_bus_is_published() -> None:
    code = f"""
import sys, inspector
handle = inspector.attach()
print("mcp_agent" in sys.modules)
from mcp_agent.agents.agent import Agent
from mcp_agent.core import instrument
import instrument as ours
print(hasattr(Agent.call_tool, "{MARK}"), instrument is ours, handle.is_attached)
handle.detach()
print(hasattr(Agent.call_tool, "{MARK}"), "{NAME}" in sys.modules)
"""
    printed = run(code, INSPECTOR_ENABLE_PATCH="1").splitlines()[:3]
    assert printed == ["False", "True True False", "False False"]


def test_everything_that_is_patched_is_put_back(attach: Any, bus: Bus, enabled: None) -> None:
    before = functions()
    detach = attach()
    during = functions()
    concrete = {key for key, function in before.items() if function is not None}
    left = {
        key
        for key in concrete
        if during[key] is before[key]
        and not getattr(before[key], "__isabstractmethod__", False)
        and key[1] != "__init_subclass__"
    }
    assert left == set()
    assert sum(during[key] is not before[key] for key in before) >= len(POINTS)
    detach()
    after = functions()
    assert all(after[key] is before[key] for key in before)
    detach()


def test_a_class_defined_meanwhile_is_patched_and_put_back(
    attach: Any, bus: Bus, enabled: None
) -> None:
    detach = attach()

    class Late(Workflow[str]):
        async def run(self) -> Any:
            return None

    ours = Late.run
    detach()
    assert hasattr(ours, MARK)
    assert Late.run is ours.__wrapped__  # type: ignore[attr-defined]


def test_attached_twice_it_is_patched_once_until_the_last_detaches(
    attach: Any, bus: Bus, enabled: None
) -> None:
    first = attach()
    patched = Agent.call_tool
    second = attach()
    assert Agent.call_tool is patched
    first()
    first()
    assert Agent.call_tool is patched
    second()
    assert Agent.call_tool is patched.__wrapped__  # type: ignore[attr-defined]


def test_what_somebody_wrapped_over_ours_passes_on_unseen(
    attach: Any, bus: Bus, enabled: None
) -> None:
    before = Agent.call_tool
    detach = attach()
    ours = Agent.call_tool

    async def theirs(*args: Any, **kwargs: Any) -> Any:
        return await ours(*args, **kwargs)

    Agent.call_tool = theirs
    try:
        detach()
        assert Agent.call_tool is theirs
    finally:
        Agent.call_tool = before


def test_another_bus_gets_a_published_module_of_its_own(
    attach: Any, bus: Bus, enabled: None
) -> None:
    detach = attach()
    from mcp_agent.core import instrument as published

    assert published is not instrument
    seen: list[Any] = []
    published.register("any", lambda **kwargs: seen.append(kwargs))
    bus._emit_sync("any", x=1)
    assert seen == [{"x": 1}]
    detach()
    assert NAME not in sys.modules


def test_the_bus_of_a_fork_is_listened_to_and_nothing_is_patched(
    attach: Any, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Bus()
    fork = ModuleType(NAME)
    fork.register, fork.unregister = own.register, own.unregister  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, NAME, fork)
    before = functions()
    hooks = HookLog()
    bus.observe_all(hooks)
    detach = attach()
    own._emit_sync("before_tool_call", tool_name="t", args={}, context=None)
    assert hooks.one("before_tool_call")["tool_name"] == "t"
    assert functions() == before
    assert sys.modules[NAME] is fork
    detach()
    assert not own._hooks


def test_beside_mcp_2_there_is_one_sentence_and_no_traceback(tmp_path: Path) -> None:
    info = tmp_path / "mcp-2.3.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mcp\nVersion: 2.3.0\n")
    code = "import logging; logging.basicConfig(); import inspector; inspector.attach()"
    lines = run(code, tmp_path, INSPECTOR_ENABLE_PATCH="1").splitlines()
    assert len(lines) == 1
    assert "mcp-agent 0.2.6 needs mcp 1.x, but mcp 2.3.0 is installed" in lines[0]


def test_what_a_version_does_not_have_is_one_line(
    attach: Any,
    bus: Bus,
    enabled: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.delattr(Workflow, "cancel")
    detach = attach()
    assert [one.message for one in caplog.records if one.levelno == logging.WARNING] == [
        "This version of mcp-agent has no cancel in mcp_agent.executor.workflow.Workflow: "
        "operation_cancelled is not reported from there."
    ]
    detach()


@pytest.mark.parametrize("value", [None, "1"])
def test_attach_all_leaves_it_alone_without_the_variable(
    bus: Bus, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv("INSPECTOR_ENABLE_PATCH", raising=False)
    else:
        monkeypatch.setenv("INSPECTOR_ENABLE_PATCH", value)
    assert ("mcp_agent" in {one.name for one in registry.importable()}) is (value is not None)
    detach = registry.attach_all(registry.select_adapters("mcp-agent"), bus=bus)
    assert hasattr(Agent.call_tool, MARK) is (value is not None)
    detach()
    assert not hasattr(Agent.call_tool, MARK)


@pytest.mark.usefixtures("logging_ends")
async def test_while_nobody_listens_the_original_runs(attach: Any, bus: Bus, enabled: None) -> None:
    detach = attach()
    async with make_app().run() as app:
        llm = EchoLLM(name="quiet", context=app.context)
        assert await llm.generate_str("hi") == "echo: hi"
    detach()


@pytest.mark.usefixtures("logging_ends")
@pytest.mark.parametrize(
    ("section", "variable", "capture"),
    [
        ({"enabled": True}, None, "off"),
        ({"enabled": True, "capture": "full"}, None, "full"),
        ({"enabled": True, "capture": "full"}, "redacted", "redacted"),
        ({"enabled": False}, None, None),
        ({}, None, None),
    ],
)
async def test_the_section_of_the_settings_attaches_without_content_unless_it_says(
    attach: Any,
    section: dict[str, Any],
    variable: str | None,
    capture: str | None,
    bus: Bus,
    enabled: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[dict[str, Any]] = []
    real = import_module("inspector.attach").attach

    def recorded(*args: Any, **kwargs: Any) -> Any:
        calls.append(kwargs)
        return real(*args, **kwargs)

    monkeypatch.setattr(sys.modules["inspector.attach"], "attach", recorded)
    monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", "/nonexistent")
    if variable is not None:
        monkeypatch.setenv("INSPECTOR_CAPTURE_CONTENT", variable)
    detach = attach()
    await make_app(inspector=section).initialize()
    detach()
    assert [one["capture"] for one in calls] == ([] if capture is None else [capture])


@pytest.mark.usefixtures("logging_ends")
async def test_the_section_never_says_where_to_send(
    attach: Any, bus: Bus, enabled: None, caplog: pytest.LogCaptureFixture
) -> None:
    detach = attach()
    await make_app(inspector={"url": "http://192.0.2.1", "token": "t"}).initialize()
    detach()
    assert "mcp_agent.config.yaml: token, url" in caplog.text
