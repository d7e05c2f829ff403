"""Rules, their contracts, and the flow that they control."""

import asyncio
import contextlib
import gc
from dataclasses import dataclass, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument import (
    Bus,
    HookContractError,
    HookDenied,
    HookFailed,
    HookStopped,
    Operation,
)
from instrument.flow import (
    CONTRACTS,
    AgentEvent,
    AgentStatus,
    AssistantMessage,
    AssistantResponse,
    FlowTypes,
    HookDecision,
    HookPoint,
    ToolCall,
    ToolResult,
)
from instrument.flow.point import Hook
from tests.support.faults.interleaving import interrupted_at_each_line
from tests.unit.instrument.conftest import Person

CONTINUE, RETRY, FAIL, STOP, ASK = HookDecision
E = AgentEvent


@pytest.fixture
def point(bus: Bus) -> HookPoint:
    return HookPoint(bus=bus)


async def fire(bus: Bus, event: AgentEvent, value: Any = None) -> Any:
    """Let `event` come with `value`, as an emitter would; return what leaves it."""
    match event:
        case E.BEFORE_LLM_CALL:
            return await bus.call("llm_generate", lambda _: "called", prompt=[])
        case E.AFTER_LLM_CALL:
            return await bus.call("llm_generate", lambda _: value, prompt=[])
        case E.BEFORE_TOOL_EXECUTION:
            kwargs = {"tool_name": value.name, "args": value.arguments, "tool_call_id": value.id}
            return await bus.call("tool_call", lambda op: op.kwargs, **kwargs)
        case E.AFTER_TOOL_EXECUTION:
            return await bus.call("tool_call", lambda _: value, tool_name="t")
        case E.ON_TOOL_ERROR:
            return await bus.call("tool_call", _raise, tool_name="t")
        case E.BEFORE_FINAL_RESPONSE:
            outcome = await bus.dispatch("before_final_response", agent=None, response=value)
            outcome.raise_if_ended()
            return outcome.data["response"]
        case E.QUERY_END:
            return await bus.call("agent_call", lambda _: value)


def _raise(op: Operation) -> None:
    raise OSError("disk full")


VALUES: dict[AgentEvent, Any] = {
    E.BEFORE_LLM_CALL: None,
    E.AFTER_LLM_CALL: AssistantMessage("answer"),
    E.BEFORE_TOOL_EXECUTION: ToolCall("1", "search", {"q": "x"}),
    E.AFTER_TOOL_EXECUTION: ToolResult("1", "search", "found"),
    E.ON_TOOL_ERROR: None,
    E.BEFORE_FINAL_RESPONSE: AssistantMessage("final"),
    E.QUERY_END: AssistantResponse("end"),
}


@pytest.mark.parametrize("event", E)
async def test_each_of_the_seven_events_comes(
    point: HookPoint, bus: Bus, event: AgentEvent
) -> None:
    seen: list[AgentStatus] = []
    point.on(event).handle(effects=[seen.append])

    with contextlib.suppress(OSError):
        await fire(bus, event, VALUES[event])

    assert [status.event for status in seen] == [event]
    assert len(E) == 7
    assert event == event.value


def test_each_call_returns_the_hook(point: HookPoint) -> None:
    hook = point.on(E.QUERY_END)

    assert hook.when(lambda status: True) is hook
    assert hook.handle(decision=CONTINUE, value=None, effects=[]) is hook


def test_an_agent_can_have_rules_of_its_own(bus: Bus) -> None:
    class Agent(HookPoint):
        _bus = bus

        def __init__(self, name: str) -> None:
            self.name = name
            self.conversation_history: list[str] = []
            self.on(E.BEFORE_LLM_CALL).when(self._is_first).handle(effects=[self._greet])

        def _is_first(self, status: AgentStatus) -> bool:
            return not status.conversation_history

        def _greet(self, status: AgentStatus) -> None:
            status.conversation_history.append(f"be kind, {status.agent.name}")

    one, two = Agent("one"), Agent("two")
    bus.call_sync("llm_generate", lambda _: "", agent=one)
    bus.call_sync("llm_generate", lambda _: "", agent=one)

    assert one.conversation_history == ["be kind, one"]
    assert two.conversation_history == []


@pytest.mark.parametrize("is_async", [False, True])
async def test_conditions_values_and_effects_are_sync_or_async(
    point: HookPoint, bus: Bus, is_async: bool
) -> None:
    seen: list[Any] = []

    def condition(status: AgentStatus) -> bool:
        return bool(status.assistant_message.content == "answer")

    def value(status: AgentStatus, current: AssistantMessage) -> AssistantMessage:
        return AssistantMessage(current.content + "!")

    def effect(status: AgentStatus) -> str:
        seen.append(status.assistant_message)
        return "ignored"

    def later(fn: Any) -> Any:
        async def run(*args: Any) -> Any:
            await asyncio.sleep(0)
            return fn(*args)

        return run if is_async else fn

    point.on(E.AFTER_LLM_CALL).when(later(condition)).handle(
        value=later(value), effects=[later(effect)]
    )

    assert await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("answer")) == AssistantMessage(
        "answer!"
    )
    assert seen == [AssistantMessage("answer")]
    assert await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("b")) == AssistantMessage("b")


async def test_a_value_may_be_a_constant(point: HookPoint, bus: Bus) -> None:
    point.on(E.AFTER_LLM_CALL).handle(value=AssistantMessage("fixed"))

    assert await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("x")) == AssistantMessage("fixed")


async def test_an_effect_does_not_change_the_value(point: HookPoint, bus: Bus) -> None:
    def effect(status: AgentStatus) -> AssistantMessage:
        status.conversation_history.append("note")
        return AssistantMessage("not this")

    history: list[Any] = []
    point.on(E.AFTER_LLM_CALL).handle(effects=[effect])

    result = await bus.call("llm_generate", lambda _: AssistantMessage("a"), prompt=history)

    assert result == AssistantMessage("a")
    assert history == ["note"]


async def test_what_an_effect_writes_into_the_value_does_not_count(
    point: HookPoint, bus: Bus
) -> None:
    def effect(status: AgentStatus) -> None:
        assert status.tool_call is not None
        status.tool_call.arguments["evil"] = True
        status.tool_call.name = "another"

    seen: list[Any] = []
    point.on(E.BEFORE_TOOL_EXECUTION).handle(effects=[effect])
    point.on(E.BEFORE_TOOL_EXECUTION).handle(effects=[lambda status: seen.append(status.tool_call)])

    args = await bus.call("tool_call", lambda op: op.args, tool_name="search", args={"q": 1})

    assert args == {"q": 1}
    assert (seen[0].name, seen[0].arguments) == ("search", {"q": 1})


async def test_continue_goes_on_to_the_next_hook_and_values_chain(
    point: HookPoint, bus: Bus
) -> None:
    seen: list[str] = []

    def adding(text: str) -> Any:
        def value(status: AgentStatus, current: AssistantMessage) -> AssistantMessage:
            seen.append(current.content)
            return AssistantMessage(current.content + text)

        return value

    for text in "bcd":
        point.on(E.AFTER_LLM_CALL).handle(decision=CONTINUE, value=adding(text))

    assert await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("a")) == AssistantMessage("abcd")
    assert seen == ["a", "ab", "abc"]


async def test_retry_runs_the_llm_again(point: HookPoint, bus: Bus) -> None:
    answers = ["no plan", "<plan>"]
    point.on(E.AFTER_LLM_CALL).when(
        lambda status: "<plan>" not in status.assistant_message.content
    ).handle(decision=RETRY, effects=[lambda status: status.conversation_history.append("plan!")])
    history: list[Any] = []

    result = await bus.call("llm_generate", lambda _: answers.pop(0), prompt=history)

    assert (result, history) == ("<plan>", ["plan!"])


async def test_fail_stops_with_an_error(point: HookPoint, bus: Bus) -> None:
    hook = point.on(E.BEFORE_LLM_CALL).handle(decision=FAIL)
    with pytest.raises(RuntimeError, match=r"^Hook BEFORE_LLM_CALL requested FAIL$") as caught:
        await fire(bus, E.BEFORE_LLM_CALL)
    assert isinstance(caught.value, HookFailed)
    hook.remove()
    point.on(E.BEFORE_LLM_CALL).handle(decision=FAIL, value="out of budget")
    with pytest.raises(HookFailed, match="out of budget"):
        await fire(bus, E.BEFORE_LLM_CALL)


async def test_stop_returns_the_value(point: HookPoint, bus: Bus) -> None:
    point.on(E.BEFORE_FINAL_RESPONSE).handle(decision=STOP, value=AssistantMessage("cached"))

    with pytest.raises(HookStopped) as caught:
        await fire(bus, E.BEFORE_FINAL_RESPONSE, AssistantMessage("x"))
    assert caught.value.value == AssistantMessage("cached")


async def test_a_stop_before_the_llm_keeps_it_from_being_called(point: HookPoint, bus: Bus) -> None:
    point.on(E.BEFORE_LLM_CALL).handle(
        decision=STOP, value=lambda status, current: AssistantMessage("cached")
    )

    result: Any = await bus.call("llm_generate", lambda _: pytest.fail("was called"))

    assert result == AssistantMessage("cached")


WRONG = ["text", 7, ToolCall(), AssistantResponse()]


@pytest.mark.parametrize("event", [event for event in E if not CONTRACTS[event].is_retryable])
async def test_a_retry_where_there_is_none_is_an_error(
    point: HookPoint, bus: Bus, event: AgentEvent
) -> None:
    point.on(event).handle(decision=RETRY)

    with pytest.raises(RuntimeError) as caught:
        await fire(bus, event, VALUES[event])

    assert isinstance(caught.value, HookContractError)
    assert str(caught.value) == (
        f"A hook on {event.name} requested RETRY, which that event does not allow. "
        "Retryable events: AFTER_LLM_CALL, BEFORE_FINAL_RESPONSE."
    )


@pytest.mark.parametrize("event", [event for event in E if CONTRACTS[event].stop is None])
async def test_a_stop_where_it_is_not_meaningful_is_an_error(
    point: HookPoint, bus: Bus, event: AgentEvent
) -> None:
    point.on(event).handle(decision=STOP, value=AssistantMessage())

    with pytest.raises(RuntimeError, match="Events that can be stopped: BEFORE_LLM_CALL, AFTER"):
        await fire(bus, event, VALUES[event])


@pytest.mark.parametrize("event", [event for event in E if CONTRACTS[event].stop])
@pytest.mark.parametrize("value", [None, *WRONG])
async def test_a_stop_without_a_proper_value_is_an_error(
    point: HookPoint, bus: Bus, event: AgentEvent, value: Any
) -> None:
    point.on(event).handle(decision=STOP, value=value)

    with pytest.raises(RuntimeError, match="wrong value: expected AssistantMessage, got "):
        await fire(bus, event, VALUES[event])


@pytest.mark.parametrize("event", E)
@pytest.mark.parametrize("is_function", [False, True])
@given(data=st.data())
def test_a_value_of_the_wrong_type_is_an_error(
    event: AgentEvent, is_function: bool, data: st.DataObject
) -> None:
    contract = CONTRACTS[event]
    made = {"AssistantMessage", "ToolCall", "ToolResult", "AssistantResponse"}
    kinds = [getattr(FlowTypes(), name) for name in sorted(made - {contract.value})]
    value = data.draw(st.sampled_from([*(kind() for kind in kinds), "text", 7]))
    bus = Bus()
    HookPoint(bus=bus).on(event).handle(value=(lambda s, c: value) if is_function else value)

    with pytest.raises(HookContractError) as caught:
        asyncio.run(fire(bus, event, VALUES[event]))

    expected = f"{contract.value}{' or None' if contract.is_optional else ''}"
    assert str(caught.value) == (
        f"A hook on {event.name} has a wrong value: expected {expected}, "
        f"got {type(value).__name__}."
    )


async def test_a_function_that_forgets_to_return_is_an_error(point: HookPoint, bus: Bus) -> None:
    point.on(E.AFTER_LLM_CALL).handle(value=lambda status, current: None)

    with pytest.raises(HookContractError, match="expected AssistantMessage, got NoneType"):
        await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("a"))


def test_the_contracts_are_as_documented() -> None:
    message = "AssistantMessage"
    assert {event.value: tuple(contract) for event, contract in CONTRACTS.items()} == {
        "before_llm_call": (None, False, False, message),
        "after_llm_call": (message, False, True, message),
        "before_tool_execution": ("ToolCall", False, False, None),
        "after_tool_execution": ("ToolResult", False, False, None),
        "on_tool_error": ("ToolResult", False, False, None),
        "before_final_response": (message, False, True, message),
        "query_end": ("AssistantResponse", True, False, None),
    }


POPULATED = {
    E.BEFORE_LLM_CALL: set(),
    E.AFTER_LLM_CALL: {"assistant_message"},
    E.BEFORE_TOOL_EXECUTION: {"tool_call"},
    E.AFTER_TOOL_EXECUTION: {"tool_result"},
    E.ON_TOOL_ERROR: {"tool_result", "error"},
    E.BEFORE_FINAL_RESPONSE: {"assistant_message"},
    E.QUERY_END: set(),
}


@pytest.mark.parametrize("event", E)
async def test_only_the_events_own_fields_are_populated(
    point: HookPoint, bus: Bus, event: AgentEvent
) -> None:
    statuses: list[AgentStatus] = []
    point.on(event).handle(effects=[statuses.append])

    with contextlib.suppress(OSError):
        await fire(bus, event, VALUES[event])

    own = {"tool_call", "tool_result", "assistant_message", "error"}
    assert {name for name in own if getattr(statuses[0], name) is not None} == POPULATED[event]
    assert [f.name for f in fields(AgentStatus)] == [
        "event",
        "agent",
        "iteration",
        "tool_call",
        "tool_result",
        "assistant_message",
        "error",
        "conversation_history",
    ]


async def test_the_status_has_the_core_fields(point: HookPoint, bus: Bus) -> None:
    agent = object()
    statuses: list[AgentStatus] = []
    point.on(E.BEFORE_LLM_CALL).handle(effects=[statuses.append])

    await bus.call("llm_generate", lambda _: "", agent=agent, iteration=3, prompt=["hi"])

    status = statuses[0]
    assert (status.agent, status.iteration, status.conversation_history) == (agent, 3, ["hi"])


async def test_a_tool_error_comes_only_when_a_tool_failed(point: HookPoint, bus: Bus) -> None:
    errors: list[Any] = []
    point.on(E.ON_TOOL_ERROR).handle(effects=[lambda status: errors.append(status.error)])

    await fire(bus, E.AFTER_TOOL_EXECUTION, ToolResult(result="fine"))
    await fire(bus, E.AFTER_TOOL_EXECUTION, {"isError": False})
    assert errors == []
    await fire(bus, E.AFTER_TOOL_EXECUTION, ToolResult(error="no access"))
    await fire(bus, E.AFTER_TOOL_EXECUTION, {"isError": True})
    with pytest.raises(OSError, match="disk full"):
        await fire(bus, E.ON_TOOL_ERROR)
    assert [str(error) for error in errors] == ["no access", "{'isError': True}", "disk full"]


async def test_a_tool_error_can_be_enriched(point: HookPoint, bus: Bus) -> None:
    def enrich(status: AgentStatus, current: ToolResult) -> ToolResult:
        return ToolResult(error=f"{current.error}; see the manual")

    point.on(E.AFTER_TOOL_EXECUTION).when(lambda status: status.tool_result.error).handle(
        value=enrich
    )

    assert await fire(bus, E.ON_TOOL_ERROR) == "disk full; see the manual"


async def test_a_query_ends_after_the_response_is_prepared(point: HookPoint, bus: Bus) -> None:
    seen: list[Any] = []

    def polish(status: AgentStatus, current: Any) -> AssistantResponse:
        seen.append(current)
        return AssistantResponse("polished")

    point.on(E.QUERY_END).handle(value=polish)

    assert await fire(bus, E.QUERY_END, AssistantResponse("raw")) == AssistantResponse("polished")
    assert seen == [AssistantResponse("raw")]
    assert await fire(bus, E.QUERY_END, "raw") == "polished"


async def test_a_tool_call_can_be_rewritten(point: HookPoint, bus: Bus) -> None:
    def safer(status: AgentStatus, current: ToolCall) -> ToolCall:
        current.arguments["path"] = "/tmp"
        return ToolCall(current.id, "safe", current.arguments)

    point.on(E.BEFORE_TOOL_EXECUTION).handle(value=safer)
    call = ToolCall("1", "risky", {"path": "/"})

    kwargs = await fire(bus, E.BEFORE_TOOL_EXECUTION, call)

    assert (kwargs["tool_name"], kwargs["args"]) == ("safe", {"path": "/tmp"})
    assert call.arguments == {"path": "/"}


async def test_a_value_changed_in_place_counts(point: HookPoint, bus: Bus) -> None:
    def change(status: AgentStatus, current: Any) -> Any:
        current.content = "changed"
        return current

    point.on(E.AFTER_LLM_CALL).handle(value=change)

    assert await fire(bus, E.AFTER_LLM_CALL, "plain") == "changed"
    assert await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("a")) == AssistantMessage("changed")


# --- beyond the text of the contract ----------------------------------------------------------


async def test_condition_then_effects_then_value(point: HookPoint, bus: Bus) -> None:
    steps: list[str] = []

    def step(name: str, result: Any) -> Any:
        def run(*_: Any) -> Any:
            steps.append(name)
            return result

        return run

    point.on(E.AFTER_LLM_CALL).when(step("condition", True)).handle(
        value=step("value", AssistantMessage()), effects=[step("one", None), step("two", None)]
    )
    point.on(E.AFTER_LLM_CALL).when(step("refused", False)).handle(
        decision=FAIL, effects=[step("never", None)]
    )

    await fire(bus, E.AFTER_LLM_CALL, AssistantMessage())

    assert steps == ["condition", "one", "two", "value", "refused"]


@pytest.mark.parametrize("decision", [RETRY, STOP, FAIL])
async def test_the_first_that_ends_the_flow_is_the_last_to_run(
    point: HookPoint, bus: Bus, decision: HookDecision
) -> None:
    value = AssistantMessage("s") if decision is STOP else None
    point.on(E.BEFORE_FINAL_RESPONSE).handle(decision=decision, value=value)
    point.on(E.BEFORE_FINAL_RESPONSE).handle(effects=[lambda _: pytest.fail("ran")])

    outcome = await bus.dispatch(
        "before_final_response", agent=None, response=AssistantMessage("a")
    )

    assert outcome.action == decision.value


async def test_none_keeps_the_value_but_where_none_is_one(point: HookPoint, bus: Bus) -> None:
    point.on(E.AFTER_LLM_CALL).handle(value=None)
    point.on(E.QUERY_END).handle(value=None)
    point.on(E.AFTER_LLM_CALL)  # never handled: continue

    assert await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("a")) == AssistantMessage("a")
    assert await fire(bus, E.QUERY_END, AssistantResponse("a")) is None


@pytest.mark.parametrize("where", ["condition", "effect", "value"])
async def test_exceptions_of_a_rule_propagate(point: HookPoint, bus: Bus, where: str) -> None:
    def broken(*_: Any) -> None:
        raise LookupError("a bug")

    hook = point.on(E.AFTER_LLM_CALL)
    if where == "condition":
        hook.when(broken).handle()
    else:
        hook.handle(**({"effects": [broken]} if where == "effect" else {"value": broken}))

    with pytest.raises(LookupError, match="a bug"):
        await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("a"))


async def test_a_rule_can_be_removed_and_handled_anew(point: HookPoint, bus: Bus) -> None:
    hook = point.on(E.AFTER_LLM_CALL).handle(decision=FAIL)
    hook.handle(value=AssistantMessage("b"))
    assert await fire(bus, E.AFTER_LLM_CALL, AssistantMessage("a")) == AssistantMessage("b")

    hook.remove()
    hook.remove()

    assert bus._hooks == {}


def test_a_rule_that_two_threads_remove_at_once_is_gone(point: HookPoint, bus: Bus) -> None:
    rules: list[Hook] = []

    def remove() -> None:
        rules.append(point.on(E.BEFORE_LLM_CALL))
        rules[-1].handle(decision=FAIL).remove()
        assert bus._hooks == {}

    assert interrupted_at_each_line(Hook.remove, remove, lambda: rules[-1].remove()) > 3


def test_a_condition_without_a_handle_is_reported(
    point: HookPoint, caplog: pytest.LogCaptureFixture
) -> None:
    point.on(E.AFTER_LLM_CALL).when(lambda status: True)
    gc.collect()

    assert "A hook on AFTER_LLM_CALL has a `when` and no `handle`" in caplog.text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: p.on("before_lunch"), "give one of before_llm_call, "),
        (
            lambda p: p.on(E.QUERY_END).handle(decision="PAUSE"),
            "give CONTINUE, RETRY, FAIL, STOP, ASK",
        ),
        (lambda p: p.on(E.QUERY_END).when(True), "its condition True is not callable"),
        *(
            (lambda p, e=effects: p.on(E.QUERY_END).handle(effects=e), "a list of functions")
            for effects in (print, [print, 7], "print", {print})
        ),
    ],
)
def test_a_bad_rule_says_what_is_wrong(point: HookPoint, make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make(point)


async def test_a_host_may_have_classes_of_its_own(bus: Bus) -> None:
    class Message:
        def __init__(self, content: Any = "") -> None:
            self.content = content

    @dataclass
    class Call:
        id: Any
        name: str
        arguments: Any

    types = FlowTypes(AssistantMessage=Message, ToolCall=Call)
    point = HookPoint(types=types, bus=bus)
    seen: list[Any] = []
    point.on(E.AFTER_LLM_CALL).handle(effects=[lambda s: seen.append(s.assistant_message)])
    point.on(E.BEFORE_TOOL_EXECUTION).handle(value=lambda s, c: Call(c.id, "safe", c.arguments))
    message = Message("a")

    assert await fire(bus, E.AFTER_LLM_CALL, message) is message
    assert seen == [message]
    assert await fire(bus, E.AFTER_LLM_CALL, "plain") == "plain"
    kwargs = await fire(bus, E.BEFORE_TOOL_EXECUTION, ToolCall("1", "risky", {}))
    assert kwargs["tool_name"] == "safe"
    point.on(E.AFTER_LLM_CALL).handle(value=AssistantMessage())
    with pytest.raises(HookContractError):
        await fire(bus, E.AFTER_LLM_CALL, message)


# --- ASK: a person decides --------------------------------------------------------------------


CALL = ToolCall("1", "delete_file", {"path": "/"})


async def test_a_rule_may_ask_a_person(bus: Bus, point: HookPoint) -> None:
    def is_delete(status: AgentStatus) -> bool:
        return str(status.tool_call.name).startswith("delete")

    point.on(E.BEFORE_TOOL_EXECUTION).when(is_delete).handle(decision=ASK, value="Delete it?")
    bus.set_approval_provider(person := Person("allow"))

    assert (await fire(bus, E.BEFORE_TOOL_EXECUTION, CALL))["args"] == {"path": "/"}
    await fire(bus, E.BEFORE_TOOL_EXECUTION, ToolCall("2", "read_file", {}))

    (request,) = person.requests
    assert request.prompt == "Delete it?"
    assert request.interceptor.startswith("before_tool_execution ask when ")
    assert request.interceptor.endswith("is_delete")


async def test_what_a_person_refuses_a_rule_refuses(bus: Bus, point: HookPoint) -> None:
    point.on(E.BEFORE_TOOL_EXECUTION).handle(decision="ask")
    bus.set_approval_provider(person := Person("deny"))

    with pytest.raises(HookDenied, match="refused: deny"):
        await fire(bus, E.BEFORE_TOOL_EXECUTION, CALL)
    assert person.requests[0].prompt == "Hook BEFORE_TOOL_EXECUTION asks"


async def test_what_to_ask_may_be_computed(bus: Bus, point: HookPoint) -> None:
    def prompt(status: AgentStatus, current: Any) -> str:
        return f"Really {current.name}?"

    point.on(E.BEFORE_TOOL_EXECUTION).handle(decision=ASK, value=prompt)
    bus.set_approval_provider(person := Person("allow"))
    await fire(bus, E.BEFORE_TOOL_EXECUTION, CALL)

    assert person.requests[0].prompt == "Really delete_file?"
