"""Every Python block of the published contracts runs as it is printed.

Only names that a block leaves undefined are supplied. Where a text contradicts itself, the name
of the test says so.
"""

import ast
import fnmatch
import inspect
import logging
import queue
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Protocol, runtime_checkable

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

import instrument
from instrument import Bus, HookDenied, Operation, control, testing, typed
from instrument.control import HookResult, ModuleCoordinator
from instrument.flow import (
    AgentEvent,
    AgentStatus,
    AssistantMessage,
    HookDecision,
    HookPoint,
    ToolResult,
)
from instrument.testing import EventRecorder, TestCoordinator

BLOCKS = Path(__file__).with_name("documented_examples")


def blocks(vocabulary: str) -> list[tuple[str, str]]:
    """Return heading and code of each block."""
    text = (BLOCKS / f"{vocabulary}.md").read_text(encoding="utf-8")
    return re.findall(r"^## ([^\n]*)\n\n```python\n(.*?)```", text, re.MULTILINE | re.DOTALL)


VOCABULARIES = ("observe", "control", "typed", "flow")
OBSERVE, CONTROL, TYPED, FLOW = (dict(blocks(name)) for name in VOCABULARIES)


@pytest.fixture(autouse=True)
def published_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the packages that the texts import be ours."""
    for name, content in {
        "mcp_agent": {},
        "mcp_agent.core": {"instrument": instrument},
        "amplifier_core": {},
        "amplifier_core.models": vars(control),
        "amplifier_core.hooks": vars(control),
        "amplifier_core.testing": vars(testing),
    }.items():
        module = ModuleType(name)
        vars(module).update({key: value for key, value in content.items() if key[0] != "_"})
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "mcp_agent.core.instrument", instrument)


async def run(code: str, **names: Any) -> dict[str, Any]:
    """Run a block, which may await at its top, and return its names."""
    compiled = compile(code, "block", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert isinstance(compiled, CodeType)
    namespace: dict[str, Any] = {"__name__": "block", **names}
    result = eval(compiled, namespace)
    if inspect.iscoroutine(result):
        await result
    return namespace


def test_no_block_is_left_out() -> None:
    tested = Path(__file__).read_text(encoding="utf-8")
    for name in VOCABULARIES:
        for heading, _ in blocks(name):
            assert f'{name.upper()}["{heading}"]' in tested, heading
    assert [len(blocks(name)) for name in VOCABULARIES] == [4, 11, 7, 5]


# --- observe ----------------------------------------------------------------------------------


@pytest.fixture
def own_table() -> Iterator[None]:
    """Leave nothing on the bus that all share."""
    before = dict(instrument._hooks)
    yield
    instrument._hooks.clear()
    instrument._hooks.update(before)


async def test_observe_the_module_does_as_ours_though_it_logs_errors_where_its_text_says_warnings(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("mcp.instrument")
    names = await run(OBSERVE["Module interface"], _logger=logger)
    stories: list[list[Any]] = []

    for register, unregister, emit in (
        (names["register"], names["unregister"], names["_emit"]),
        (bus.register, bus.unregister, bus._emit),
    ):
        heard: list[Any] = []
        stories.append(heard)

        async def later(heard: list[Any] = heard, **kwargs: Any) -> None:
            heard.append(("later", kwargs))

        def broken(heard: list[Any] = heard, **kwargs: Any) -> None:
            heard.append(("broken", kwargs))
            raise ValueError("a bug")

        for fn in (broken, later, later):
            register("before_tool_call", fn)
        unregister("before_tool_call", later)
        unregister("never_seen", later)
        assert await emit("before_tool_call", tool_name="t") is None
        assert await emit("after_tool_call", tool_name="t") is None

    assert (
        stories[0] == stories[1] == [("broken", {"tool_name": "t"}), ("later", {"tool_name": "t"})]
    )
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


async def test_observe_the_subscriber_writes_the_prompt_on_the_current_span(
    own_table: None,
) -> None:
    await run(OBSERVE["A subscriber"])
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")

    with tracer.start_as_current_span("llm") as span:
        await instrument._emit("before_llm_generate", llm="x", prompt=["hi"], added_later=1)

    assert isinstance(span, ReadableSpan)
    assert dict(span.attributes or {}) == {"mcp.llm.prompt_json": '["hi"]'}


async def test_observe_the_guard_emits_only_when_somebody_listens(bus: Bus) -> None:
    async def not_called(*_: Any, **__: Any) -> None:
        pytest.fail("emitted to nobody")

    scope = {"_hooks": bus._hooks, "self": "me", "prompt": "hi"}
    await run(OBSERVE["The guard of an emitter"], _emit=not_called, **scope)
    with testing.capture_hook("before_llm_generate", bus=bus) as calls:
        await run(OBSERVE["The guard of an emitter"], _emit=bus._emit, **scope)

    assert calls == [((), {"llm": "me", "prompt": "hi"})]


async def test_observe_the_capture_ends_with_its_block(own_table: None) -> None:
    names = await run(OBSERVE["A capture for tests"])

    with suppress(LookupError):
        async with names["capture_hook"]("after_tool_call") as calls:
            await instrument._emit("after_tool_call", 1, result="r")
            raise LookupError
    await instrument._emit("after_tool_call", 2)

    assert calls == [((1,), {"result": "r"})]
    assert not instrument._hooks.get("after_tool_call")


# --- control ----------------------------------------------------------------------------------


async def test_control_the_protocol_is_ours() -> None:
    names = await run(
        CONTROL["Protocol Definition"],
        runtime_checkable=runtime_checkable,
        Protocol=Protocol,
        Any=Any,
        HookResult=HookResult,
    )

    assert isinstance(EventRecorder(), names["HookHandler"])


async def test_control_results_are_made() -> None:
    names = await run(CONTROL["HookResult Actions"])

    assert names["HookResult"] is HookResult


async def _deny(event: str, data: dict[str, Any]) -> HookResult:
    return HookResult(action="deny", reason="Access denied")


async def test_control_a_module_mounts_and_cleans_up() -> None:
    names = await run(
        CONTROL["mount() Function"],
        ModuleCoordinator=ModuleCoordinator,
        Callable=Callable,
        my_validation_hook=_deny,
        my_feedback_hook=EventRecorder(),
    )
    coordinator = TestCoordinator()

    cleanup = await names["mount"](coordinator, {})

    assert [len(coordinator.hooks.handlers[event]) for event in ("tool:pre", "tool:post")] == [1, 1]
    cleanup()
    assert [len(coordinator.hooks.handlers[event]) for event in ("tool:pre", "tool:post")] == [0, 0]


async def test_control_a_handler_is_registered_by_keyword() -> None:
    coordinator = TestCoordinator()
    names = await run(CONTROL["Event Registration"], coordinator=coordinator, my_handler=_deny)

    assert coordinator.hooks.handlers["tool:post"] == [_deny]
    names["unregister"]()
    assert coordinator.hooks.handlers["tool:post"] == []


async def test_control_a_handler_emits_a_debug_event() -> None:
    hooks = TestCoordinator().hooks
    names = await run(CONTROL["Debug Events"], HookResult=HookResult, time=time)
    hooks.register("tool:pre", names["my_handler"])
    hooks.register("my-hook:debug", recorder := EventRecorder())

    result = await hooks.emit("tool:pre", {})

    assert result.action == "continue"
    ((_, data),) = recorder.get_events()
    assert (data["event"], data["details"]) == ("tool:pre", "Processing...")


async def test_control_a_module_says_which_events_it_emits() -> None:
    coordinator = TestCoordinator()

    await run(CONTROL["Observability"], coordinator=coordinator)

    assert await coordinator.collect_contributions("observability.events") == [
        ["my-hook:validation_failed", "my-hook:approved"]
    ]


async def test_control_the_validation_hook_blocks_a_path() -> None:
    coordinator = TestCoordinator()
    names = await run(CONTROL["Example: Validation Hook"])
    assert await names["mount"](coordinator) is None
    bus = coordinator.hooks.bus

    allowed = await bus.call("tool_call", _path, tool_name="read_file", args={"file_path": "/tmp"})

    assert allowed == "/tmp"
    with pytest.raises(HookDenied, match="Access to /etc is not allowed"):
        await bus.call("tool_call", _path, tool_name="read_file", args={"file_path": "/etc/x"})


def _path(op: Operation) -> Any:
    return op.args["file_path"]


async def test_control_the_approval_hook_asks() -> None:
    coordinator = TestCoordinator()
    names = await run(CONTROL["Example: Approval Hook"], HookResult=HookResult, fnmatch=fnmatch)
    await names["mount"](coordinator, {"require_approval": ["*.py"]})
    fields = {"tool_name": "write_file", "tool_input": {"file_path": "a.py"}}

    result = await coordinator.hooks.emit("tool:pre", fields)
    answered = await coordinator.process_hook_result(result, "tool:pre")

    assert (result.action, result.approval_prompt) == ("ask_user", "Allow writing to a.py?")
    assert answered.action == "deny"


async def test_control_a_handler_that_catches_everything_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def process_event(event: str, data: dict[str, Any]) -> HookResult:
        raise ValueError("disk full")

    names = await run(
        CONTROL["Graceful Degradation"],
        HookResult=HookResult,
        process_event=process_event,
        logger=logging.getLogger("hook"),
    )
    hooks = TestCoordinator().hooks
    hooks.register("tool:pre", names["safe_handler"])

    assert (await hooks.emit("tool:pre", {})).action == "continue"
    assert "Hook error: disk full" in caplog.text


async def test_control_its_own_tests_pass_with_a_reason_that_says_denied_unlike_its_example() -> (
    None
):
    async def mount(coordinator: ModuleCoordinator, config: dict[str, Any]) -> None:
        coordinator.hooks.register("tool:pre", _deny)

    names = await run(CONTROL["Testing"], pytest=pytest, my_validation_hook=_deny, mount=mount)

    await names["test_hook_handler"]()
    await names["test_hook_registration"]()


async def test_control_events_are_recorded() -> None:
    names = await run(CONTROL["EventRecorder for Testing"])

    assert names["events"] == [("tool:pre", {"tool_name": "write_file"})]


# --- typed ------------------------------------------------------------------------------------

EVENTS = {name: getattr(typed, name) for name in typed.__all__}


@pytest.fixture
def agent_class(bus: Bus) -> type[typed.HookHost]:
    class Agent(typed.HookHost):
        hook_bus = bus
        name = "otter"
        messages: list[str]

        def __init__(self) -> None:
            self.messages = ["last"]

        def __call__(self) -> Any:
            return bus.call_sync("agent_call", lambda _: "done", agent=self)

    return Agent


async def test_typed_a_callback_is_added_to_hooks_though_the_text_does_not_say_whose(
    bus: Bus, agent_class: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    names = await run(
        TYPED["Registering Individual Hook Callbacks"],
        **EVENTS,
        Agent=agent_class,
        hooks=typed.HookRegistry(bus),
    )

    names["agent"]()

    assert capsys.readouterr().out == "Custom callback triggered\n"


async def test_typed_a_provider_is_passed_in_or_added_later(
    agent_class: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    names = await run(TYPED["Creating a Hook Provider"], **EVENTS, Agent=agent_class)

    names["agent"]()

    assert capsys.readouterr().out == (
        "Request started for agent: otter\n" * 2 + "Request completed for agent: otter\n" * 2
    )


async def test_typed_a_tool_is_replaced_by_a_safer_one(bus: Bus) -> None:
    names = await run(TYPED["Tool Interception"], **EVENTS)
    interceptor = names["ToolInterceptor"]()
    interceptor.safe_alternative_tool = "safe tool"
    typed.HookRegistry(bus).add_hook(interceptor)

    kwargs = bus.call_sync("tool_call", lambda op: op.kwargs, tool_name="sensitive_tool")

    assert (kwargs["selected_tool"], kwargs["tool_name"]) == ("safe tool", "safe_tool")


@pytest.mark.parametrize(
    "code",
    [TYPED["Result Modification"], TYPED["Event Property Modifications"]],
    ids=["plain", "logged"],
)
async def test_typed_a_result_is_formatted(
    bus: Bus, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    names = await run(code, **EVENTS, logger=logging.getLogger("hook"))
    typed.HookRegistry(bus).add_hook(names["ResultProcessor"]())

    result = bus.call_sync(
        "tool_call", lambda _: {"content": [{"text": "4"}]}, tool_name="calculator"
    )

    assert result == {"content": [{"text": "Result: 4"}]}
    assert ("Modifying calculator result: 4" in caplog.text) is ("logger" in code)


async def test_typed_heavy_work_is_queued(agent_class: Any) -> None:
    names = await run(TYPED["Performance Considerations"], **EVENTS)
    processor = names["AsyncProcessor"]()
    processor.background_queue = queue.Queue()

    agent_class(hooks=[processor])()

    assert processor.background_queue.get_nowait() == "last"


async def test_typed_a_provider_combines_callbacks_that_the_text_leaves_out(
    bus: Bus,
) -> None:
    names = await run(TYPED["Composability"], **EVENTS)
    heard: list[str] = []
    provider = names["RequestLoggingHook"]()
    for name in ("log_request", "log_response", "log_tool_use"):
        setattr(provider, name, lambda event, name=name: heard.append(name))
    typed.HookRegistry(bus).add_hook(provider)

    bus.call_sync("agent_call", lambda _: bus.call_sync("tool_call", lambda _: None))

    assert heard == ["log_request", "log_tool_use", "log_response"]


# --- flow -------------------------------------------------------------------------------------


@pytest.fixture
def flow_names(bus: Bus) -> dict[str, Any]:
    agent = _FlowAgent(bus=bus)
    return {
        "self": agent,
        "agent": agent,
        "AgentEvent": AgentEvent,
        "HookDecision": HookDecision,
    }


class _FlowAgent(HookPoint):
    """Names that the documented examples assume."""

    def _missing_plan_tag(self, status: AgentStatus) -> bool:
        return "<plan>" not in status.assistant_message.content

    def _inject_plan_guidance(self, status: AgentStatus) -> None:
        status.conversation_history.append("Begin with <plan>.")

    def _is_oracle_error_with_docs(self, status: AgentStatus) -> bool:
        return "ORA-" in (status.tool_result.error or "")

    def _enrich_with_oracle_docs(self, status: AgentStatus, current: ToolResult) -> ToolResult:
        return ToolResult(error=f"{current.error} (see the manual)")

    def _is_invalid_identifier_error(self, status: AgentStatus) -> bool:
        return "ORA-00904" in str(status.error)

    def _inject_schema_message(self, status: AgentStatus) -> None:
        status.conversation_history.append("The columns are …")

    def _cache_hit(self, status: AgentStatus) -> bool:
        return True

    def _cached_assistant_message(self, status: AgentStatus, current: None) -> AssistantMessage:
        return AssistantMessage("cached")


async def test_flow_a_hook_is_put_in_one_chain_though_the_text_breaks_lines_without_brackets(
    bus: Bus, flow_names: dict[str, Any]
) -> None:
    code = "(" + FLOW["9) API Usage (when + handle)"] + ")"
    code = code.replace("decision=...", "decision=decision").replace("value=...", "value=value")
    code = code.replace("[...]", "[]")
    names = {"event": AgentEvent.AFTER_LLM_CALL, "condition": lambda status: True}
    scope = {"decision": HookDecision.CONTINUE, "value": AssistantMessage("x")}

    await run(code, **flow_names, **names, **scope)

    assert await bus.call("llm_generate", lambda _: AssistantMessage("y")) == AssistantMessage("x")


async def test_flow_a_missing_plan_forces_a_retry(bus: Bus, flow_names: dict[str, Any]) -> None:
    await run(FLOW["Example 1: Validate <plan> and force retry"], **flow_names)
    agent = flow_names["agent"]
    agent.conversation_history = []

    refused = await bus.dispatch("before_final_response", agent=agent, response="no")
    accepted = await bus.dispatch("before_final_response", agent=agent, response="<plan>")

    assert (refused.action, accepted.action) == ("retry", "continue")
    assert agent.conversation_history == ["Begin with <plan>."]


async def test_flow_a_tool_error_is_enriched(bus: Bus, flow_names: dict[str, Any]) -> None:
    await run(FLOW["Example 2: Enrich tool error"], **flow_names)

    result: Any = await bus.call("tool_call", _failing, tool_name="query")

    assert result == "ORA-00904: invalid identifier (see the manual)"


async def test_flow_a_tool_error_injects_the_schema(bus: Bus, flow_names: dict[str, Any]) -> None:
    await run(FLOW["Example 3: Inject schema on tool error"], **flow_names)
    agent = flow_names["agent"]
    agent.conversation_history = []

    with pytest.raises(LookupError, match="ORA-00904"):
        await bus.call("tool_call", _failing, tool_name="query", agent=agent)

    assert agent.conversation_history == ["The columns are …"]


def _failing(op: Operation) -> Any:
    raise LookupError("ORA-00904: invalid identifier")


async def test_flow_a_cached_answer_spares_the_llm(bus: Bus, flow_names: dict[str, Any]) -> None:
    await run(FLOW["Example 4: Early exit before LLM"], **flow_names)

    answer: Any = await bus.call("llm_generate", lambda _: pytest.fail("was called"))

    assert answer == AssistantMessage("cached")
