"""The tests that the adapter of the MCP SDK passes with both of its major versions.

The module of a version subclasses `McpContract`; it attaches the adapter to `bus` in a fixture.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar

import pytest

from inspector.integrations import mcp
from instrument import ApprovalAnswer, Bus, Decision
from tests.integrations.cancellation import cancel_from_browser
from tests.integrations.hook_log import HookLog


class Shelf:
    """A server in this process, and what its tools were really called with."""

    def __init__(self, server: Any, tool_error: type[Exception]) -> None:
        self.ran: list[Any] = []
        self.server = server

        async def fetch(title: str) -> str:
            self.ran.append(title)
            return f"the book {title}"

        async def fail(title: str) -> str:
            self.ran.append(title)
            raise tool_error(f"no {title}")

        async def flaky() -> str:
            self.ran.append(len(self.ran))
            if len(self.ran) == 1:
                raise tool_error("not yet")
            return "now"

        def top() -> str:
            return "dust"

        def describe(title: str) -> str:
            return f"Describe {title}."

        for function in (fetch, fail, flaky):
            server.tool()(function)
        server.resource("shelf://top")(top)
        server.prompt()(describe)


class McpContract:
    """The contract, for one version."""

    framework: ClassVar[str]
    make_server: ClassVar[staticmethod[..., Any]]
    tool_error: ClassVar[type[Exception]]
    request_error: ClassVar[type[Exception]]
    connect: ClassVar[staticmethod[..., AbstractAsyncContextManager[Any]]]
    """Opens a client of a server in this process, in a mode of the protocol."""
    as_uri: ClassVar[staticmethod[..., Any]] = staticmethod(str)
    modes: ClassVar[tuple[str, ...]] = ("auto", "legacy")
    cancelled: ClassVar[tuple[type[BaseException], ...]] = (asyncio.CancelledError,)
    """Exceptions of a call whose session is cancelled."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test with `mode` in each mode of the protocol."""
        if "mode" in metafunc.fixturenames:
            metafunc.parametrize("mode", self.modes)

    @pytest.fixture
    def shelf(self) -> Shelf:
        return Shelf(self.make_server("shelf"), self.tool_error)

    async def call(self, shelf: Shelf, mode: str, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Call a tool; return whether the result is an error, and its text."""
        async with self.connect(shelf.server, mode) as client:
            result = (await client.call_tool(tool, arguments)).model_dump(by_alias=True)
        (content,) = result["content"]
        return result["isError"], content["text"]

    @pytest.mark.shows("deny")
    async def test_a_denied_tool_does_not_run_and_the_model_reads_why(
        self, bus: Bus, shelf: Shelf, mode: str
    ) -> None:
        bus.intercept("before_tool_call", lambda **_: Decision.deny("not on Sundays"))

        answer = await self.call(shelf, mode, "fetch", title="Emma")

        assert (answer, shelf.ran) == ((True, "Denied: not on Sundays"), [])

    @pytest.mark.shows("edit")
    async def test_arguments_that_a_hook_changed_are_what_runs(
        self, bus: Bus, shelf: Shelf, mode: str
    ) -> None:
        bus.intercept("before_tool_call", lambda **_: Decision.modify(args={"title": "Persuasion"}))

        await self.call(shelf, mode, "fetch", title="Emma")

        assert shelf.ran == ["Persuasion"]

    @pytest.mark.shows("replace")
    async def test_a_result_that_a_hook_replaced_has_the_sdks_type(
        self, bus: Bus, shelf: Shelf, mode: str
    ) -> None:
        bus.intercept("after_tool_call", lambda **_: Decision.modify(result="hidden"))

        assert await self.call(shelf, mode, "fetch", title="Emma") == (False, "hidden")

    @pytest.mark.shows("retry", "tool_error")
    async def test_a_tool_that_answers_with_an_error_is_run_again(
        self, bus: Bus, hooks: HookLog, shelf: Shelf, mode: str
    ) -> None:
        bus.intercept("error_tool_call", lambda **_: Decision.retry("once more"))

        assert await self.call(shelf, mode, "flaky") == (False, "now")
        assert len(shelf.ran) == 2

    @pytest.mark.shows("approve")
    async def test_a_person_allows_a_call_and_edits_it(
        self, bus: Bus, shelf: Shelf, mode: str
    ) -> None:
        class Person:
            async def ask(self, request: Any) -> ApprovalAnswer:
                return ApprovalAnswer("allow", changes={"args": {"title": "Sanditon"}})

        bus.set_approval_provider(Person())
        bus.intercept("before_tool_call", lambda **_: Decision.ask_user("May it?"))

        await self.call(shelf, mode, "fetch", title="Emma")

        assert shelf.ran == ["Sanditon"]

    @pytest.mark.shows("resources")
    async def test_resources_and_prompts_are_reported(
        self, hooks: HookLog, shelf: Shelf, mode: str
    ) -> None:
        async with self.connect(shelf.server, mode) as client:
            await client.read_resource(self.as_uri("shelf://top"))
            await client.get_prompt("describe", {"title": "Emma"})
            with pytest.raises(self.request_error):
                await client.read_resource(self.as_uri("shelf://none"))

        fetched = hooks.one("after_resource_fetch")
        assert (fetched["uri"], fetched["mime_type"]) == ("shelf://top", "text/plain")
        assert hooks.one("after_prompt_apply")["template_id"] == "describe"
        assert hooks.one("error_resource_fetch")["uri"] == "shelf://none"

    async def test_a_refused_prompt_fails_as_the_sdks_requests_fail(
        self, bus: Bus, shelf: Shelf, mode: str
    ) -> None:
        bus.intercept("before_prompt_apply", lambda **_: Decision.deny("no"))

        async with self.connect(shelf.server, mode) as client:
            with pytest.raises(self.request_error, match="Denied: no"):
                await client.get_prompt("describe", {"title": "Emma"})

    @pytest.mark.shows("cancel")
    async def test_a_call_that_a_person_cancels_ends(self) -> None:
        server = self.make_server("shelf")

        async def run(running: asyncio.Event) -> Any:
            async def forever() -> str:
                running.set()
                await asyncio.Event().wait()
                return "never"

            server.tool()(forever)
            async with self.connect(server, self.modes[0]) as client:
                return await client.call_tool("forever", {})

        spans = await cancel_from_browser(mcp.attach, run, ends_with=self.cancelled)
        assert "execute_tool forever" in spans

    @pytest.mark.shows("once")
    async def test_a_call_that_an_agent_reports_is_reported_once(
        self, bus: Bus, hooks: HookLog, shelf: Shelf, mode: str
    ) -> None:
        async with self.connect(shelf.server, mode) as client:
            args = {"title": "Emma"}
            async with bus.operation("tool_call", tool_name="fetch", args=args):
                await client.call_tool("fetch", args)

        calls = hooks.of("before_tool_call")  # the server is watched too
        assert len([one for one in calls if hooks.parent_noun(one) != "rpc_handle"]) == 1
        assert shelf.ran == ["Emma"]
