"""Every hook of version 1.2, fired by mcp-agent 0.2.6 as it is."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ModelPreferences
from mcp_agent.agents.agent import Agent
from mcp_agent.executor.workflow import Workflow, WorkflowResult
from mcp_agent.mcp.gen_client import gen_client
from mcp_agent.workflows.llm.llm_selector import ModelSelector

from inspector import context
from inspector.integrations import mcp_agent
from inspector.integrations.mcp_agent.points import HOOKS_OF_SDK, POINTS
from instrument import CATALOGUE, Bus
from tests.integrations.hook_log import HookLog
from tests.integrations.mcp1.apps import end_logging, make_app, until
from tests.integrations.mcp1.echo_llm import EchoLLM

RESULT = Path(__file__).with_name("mcp_agent_hooks.json")
V1_2 = [name for name, hook in CATALOGUE.items() if hook.since in ("1.0", "1.1", "1.2")]


async def raising(work: Awaitable[Any]) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - which one is mcp-agent's
        await work


async def agent_runs(app: Any) -> None:
    async with Agent(name="a", server_names=["s"]) as agent:
        llm = await agent.attach_llm(EchoLLM)
        assert await llm.generate_str("!s_echo text=hi") == "echo: hi"
        assert "it broke" in await llm.generate_str("!s_fail")
        await raising(llm.generate_str("?"))


async def workflows_run(app: Any) -> None:
    class Fine(Workflow[str]):
        async def run(self) -> Any:
            return WorkflowResult(value="done")

    class Bad(Workflow[str]):
        async def run(self) -> Any:
            raise ValueError("no")

    class Long(Workflow[str]):
        async def run(self) -> Any:
            await asyncio.Event().wait()

    assert (await Fine(context=app.context).run()).value == "done"
    await raising(Bad(context=app.context).run())
    long = Long(context=app.context)
    await long.run_async()
    await until(lambda: app.executor.signal_bus._pending_signals.get("cancel"))
    assert await long.cancel()
    with pytest.raises(BaseException):  # noqa: B017, PT011 - a CancelledError of two kinds
        await long._run_task


async def sessions_talk(app: Any) -> None:
    async with gen_client("s", app.server_registry, context=app.context) as session:
        await session.read_resource("memo://one")
        await raising(session.read_resource("memo://none"))
        await session.get_prompt("greet", {"name": "Otto"})
        await raising(session.get_prompt("none"))
        await session.call_tool("count")
        await raising(session.send_request(_unknown_request(), dict))
    async with gen_client("s", app.server_registry, context=app.context) as session:
        await raising(asyncio.wait_for(session.call_tool("leave"), 30))  # its process ends


def _unknown_request() -> Any:
    from mcp import ClientRequest
    from mcp.types import CompleteRequest, CompleteRequestParams, PromptReference

    reference = PromptReference(type="ref/prompt", name="none")
    params = CompleteRequestParams(ref=reference, argument={"name": "a", "value": "b"})
    return ClientRequest(CompleteRequest(method="completion/complete", params=params))


async def someone_waits(app: Any) -> None:
    executor = app.executor
    waiting = asyncio.create_task(
        executor.wait_for_signal("go", workflow_id="w", run_id="r", signal_description="Go on?")
    )
    await until(lambda: executor.signal_bus._pending_signals.get("go"))
    await executor.signal("go", "yes", workflow_id="w", run_id="r")
    assert await waiting == "yes"


async def models_are_chosen(app: Any) -> None:
    selector = ModelSelector(context=app.context)
    assert selector.select_best_model(ModelPreferences(costPriority=1)).name


async def connections_fail(app: Any) -> None:
    from mcp_agent.mcp.mcp_connection_manager import MCPConnectionManager

    async with MCPConnectionManager(app.server_registry, context=app.context) as manager:
        connection = await manager.get_server("s")
        connection._error = True  # as its task sets it when the transport fails
        assert await manager.get_server("s") is not connection


PARTS: tuple[Callable[[Any], Awaitable[None]], ...] = (
    agent_runs,
    workflows_run,
    sessions_talk,
    someone_waits,
    models_are_chosen,
    connections_fail,
)


@pytest.fixture(scope="module")
def fired() -> frozenset[str]:
    """The names of the hooks that fire while an app does all of the above."""
    bus, hooks = Bus(), HookLog()
    bus.observe_all(hooks)

    async def run_all() -> None:
        async with make_app().run() as app:
            for part in PARTS:
                await part(app)
        await end_logging()

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSPECTOR_ENABLE_PATCH", "1")
        detach = mcp_agent.attach(bus=bus)
    try:
        asyncio.run(run_all())
    finally:
        detach()
        context.set(context.UNKNOWN)
    hooks.check_pairs()
    found = frozenset(hooks.names)
    if os.environ.get("RECORD_FRAMEWORKS") == "1":  # docs/legacy-patching.md is made from it
        result = {"version": version("mcp-agent"), "fired": sorted(found & set(V1_2))}
        text = json.dumps(result, indent=2) + "\n"
        RESULT.write_text(text, encoding="utf-8")
    return found


def test_version_1_2_has_32_hooks_and_each_has_a_patch_point() -> None:
    assert len(V1_2) == 32
    assert {*HOOKS_OF_SDK, *(hook for point in POINTS for hook in point.hooks)} >= set(V1_2)


@pytest.mark.slow
@pytest.mark.shows(
    "mcp_agent", "agent", "llm", "tool", "messages", "resources", "progress", "transport"
)
@pytest.mark.parametrize("hook", V1_2)
def test_fires(hook: str, fired: frozenset[str]) -> None:
    assert hook in fired
