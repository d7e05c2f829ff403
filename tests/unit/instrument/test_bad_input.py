"""Bad input: every error names the attempt, the problem and the remedy."""

import gc
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from instrument import Bus, Decision, HookContractError, HookDenied, Operation
from instrument.control import HookRegistry as ControlRegistry
from instrument.control import HookResult
from instrument.flow import HookPoint, ToolCall
from instrument.guidance import create_content_loader, create_hook_registry
from instrument.guidance.definition import HookDefinition
from instrument.guidance.errors import GuidanceValueError
from instrument.guidance.loader import ContentError
from instrument.typed import BeforeToolCallEvent, HookHost
from instrument.typed import HookRegistry as TypedRegistry


def nothing(**_: Any) -> None:
    pass


def saying(returned: Any) -> Callable[..., Any]:
    def gate(*_: Any, **__: Any) -> Any:
        return returned

    return gate


class Case(NamedTuple):
    """A bad input, and the parts of its message."""

    do: Callable[[Bus], Any]
    """May return something to be awaited."""
    error: type[Exception]
    attempted: str
    wrong: str
    to_do: str


def deciding(decision: Any, hook: str = "before_tool_call") -> Callable[[Bus], Awaitable[Any]]:
    async def run(bus: Bus) -> None:
        bus.intercept(hook, saying(decision), name="gate")
        (await bus.dispatch(hook, tool_name="rm", args={})).raise_if_ended()

    return run


async def decide_by_control(bus: Bus) -> None:
    ControlRegistry(bus).register("tool:pre", saying(HookResult(action="block")), name="gate")  # type: ignore[arg-type] # that is the point
    (await bus.dispatch("before_tool_call", tool_name="rm", args={})).raise_if_ended()


def intercepting(bus: Bus, **options: Any) -> None:
    bus.intercept("before_tool_call", nothing, **options)


def guidance(**fields: Any) -> HookDefinition:
    mapping = {
        "tag": "plan",
        "type": "action",
        "lifecycle": "start",
        "name": "Plan",
        "requirement_level": "MUST",
        **fields,
    }
    return create_hook_registry(app="demo").register(mapping)


async def load_from_outside(_: Bus) -> None:
    loader = create_content_loader(base_path=Path(__file__).parent)
    await loader.load(guidance(content_file="../secret.md"))


async def call_later(_: Operation) -> None:
    pytest.fail("ran")


def hosted(bus: Bus) -> type[HookHost]:
    class Hosted(HookHost):
        hook_bus = bus

    return Hosted


async def use_no_tool(bus: Bus) -> None:
    def forget(event: BeforeToolCallEvent) -> None:
        event.tool_use = None  # type: ignore[assignment] # that is the point

    TypedRegistry(bus=bus).add_callback(BeforeToolCallEvent, forget)
    await bus.dispatch("before_tool_call", tool_name="rm", args={})


INTERCEPT = "Cannot intercept before_tool_call with "
ON_RULE = "Cannot put a hook on BEFORE_TOOL_EXECUTION"

CASES = {
    # a wrong type
    "register a name": Case(
        lambda bus: bus.register(7, nothing),  # type: ignore[arg-type]
        TypeError,
        "Cannot register",
        "for 7",
        "the hook must be a string such as 'before_tool_call'",
    ),
    "register a function": Case(
        lambda bus: bus.register("a_hook", "print"),  # type: ignore[arg-type]
        TypeError,
        "Cannot register 'print' for 'a_hook'",
        "it is not callable",
        "Give a function",
    ),
    "observe all": Case(
        lambda bus: bus.observe_all(None),  # type: ignore[arg-type]
        TypeError,
        "Cannot observe all with None",
        "it is not callable",
        "Give a function",
    ),
    "intercept a name": Case(
        lambda bus: bus.intercept(["a_hook"], nothing),  # type: ignore[arg-type]
        TypeError,
        "Cannot intercept",
        "['a_hook']",
        "must be a string",
    ),
    "intercept with no function": Case(
        lambda bus: bus.intercept("before_tool_call", Decision.deny("no")),  # type: ignore[arg-type]
        TypeError,
        INTERCEPT,
        "Decision('deny', reason='no'): it is not callable",
        "Give a function",
    ),
    "intercept what the bus tells": Case(
        lambda bus: bus.intercept("operation_opened", nothing),
        ValueError,
        "Cannot intercept operation_opened",
        "the bus emits it about itself",
        "Use `observe`",
    ),
    "intercept what the bus tells, as control": Case(
        lambda bus: ControlRegistry(bus).register("hook_failed", saying(None)),
        ValueError,
        "Cannot intercept hook_failed",
        "the bus emits it about itself",
        "Use `observe`",
    ),
    "around no noun": Case(
        lambda bus: bus.around({}, nothing),  # type: ignore[arg-type]
        TypeError,
        "Cannot put",
        "nothing around {}",
        "the operation must be a string such as 'tool_call'",
    ),
    "around no function": Case(
        lambda bus: bus.around("tool_call", 7),  # type: ignore[arg-type]
        TypeError,
        "Cannot put 7 around 'tool_call'",
        "it is not callable",
        "Give a function with a `yield`",
    ),
    "a provider that asks nobody": Case(
        lambda bus: bus.set_approval_provider(print),  # type: ignore[arg-type]
        TypeError,
        "Cannot let <built-in function print> ask a person",
        "it has no `ask(request)`",
        "See `ApprovalProvider`",
    ),
    "a callback of no event": Case(
        lambda bus: TypedRegistry(bus=bus).add_callback(str, nothing),  # type: ignore[type-var, arg-type]
        TypeError,
        "for <class 'str'>",
        "it is not an event",
        "Events: ",
    ),
    "a handler of control": Case(
        lambda bus: ControlRegistry(bus).register("tool:pre", None),  # type: ignore[arg-type]
        TypeError,
        "Cannot register None for tool:pre",
        "it is not callable",
        "Give a function",
    ),
    "a callback that is none": Case(
        lambda bus: TypedRegistry(bus=bus).add_callback(BeforeToolCallEvent, 7),  # type: ignore[arg-type]
        TypeError,
        "Cannot add 7 for ",
        "it is not callable",
        "Give a function",
    ),
    "a bus": Case(
        lambda _: Bus(max_retries=-1),
        ValueError,
        "Cannot make a bus",
        "max_retries is -1",
        "Give an integer of at least 0",
    ),
    "intercept under a number": Case(
        lambda bus: intercepting(bus, name=7),
        TypeError,
        INTERCEPT,
        "its name is 7",
        "give a string",
    ),
    "call an async function from sync code": Case(
        lambda bus: bus.call_sync("tool_call", call_later, tool_name="rm"),
        TypeError,
        "Cannot run",
        "an async function by `call_sync`",
        "Use `await call(…)`",
    ),
    "an agent with one provider": Case(
        lambda bus: hosted(bus)(hooks=nothing),
        TypeError,
        "Cannot make a Hosted",
        "with hooks=<function nothing",
        "give a list",
    ),
    "types of flow": Case(
        lambda bus: HookPoint(types=ToolCall, bus=bus),  # type: ignore[arg-type]
        TypeError,
        "Cannot make a hook point",
        "with types=<class",
        "give `FlowTypes(…)`",
    ),
    "a tool use that is none": Case(
        use_no_tool,
        HookContractError,
        "A callback gave BeforeToolCallEvent a wrong tool_use",
        "got NoneType",
        "set cancel_tool",
    ),
    # a bad priority
    **{
        f"priority {priority!r}": Case(
            lambda bus, priority=priority: intercepting(bus, priority=priority),  # type: ignore[misc]
            TypeError,
            INTERCEPT,
            f"priority is {priority!r}",
            "give an integer, lower is earlier",
        )
        for priority in (True, 1.5, float("nan"), "high", None)
    },
    "priority of control": Case(
        lambda bus: ControlRegistry(bus).register("tool:pre", nothing, priority=0.5),  # type: ignore[arg-type]
        TypeError,
        f"{INTERCEPT}{__name__}.nothing",
        "priority is 0.5",
        "give an integer, lower is earlier",
    ),
    "priority of typed": Case(
        lambda bus: TypedRegistry(bus=bus).add_callback(BeforeToolCallEvent, nothing, order=0.5),  # type: ignore[arg-type]
        TypeError,
        f"{INTERCEPT}{__name__}.nothing",
        "priority is 0.5",
        "give an integer, lower is earlier",
    ),
    "priority of guidance": Case(
        lambda _: guidance(priority=True),
        GuidanceValueError,
        "Cannot define hook 'plan'",
        "priority is True",
        "Give a whole number, higher is first",
    ),
    # bad options
    "on_error": Case(
        lambda bus: intercepting(bus, on_error="ignore"),
        ValueError,
        INTERCEPT,
        "on_error is 'ignore'",
        "give raise, deny or continue",
    ),
    **{
        f"timeout {timeout!r}": Case(
            lambda bus, timeout=timeout: intercepting(bus, timeout=timeout),  # type: ignore[misc]
            ValueError,
            INTERCEPT,
            f"timeout is {timeout!r}",
            "give a number of seconds above 0",
        )
        for timeout in (0, -1, True, "5", float("nan"), float("inf"))
    },
    # a bad decision
    "no decision": Case(
        deciding("deny"),
        HookDenied,
        "gate on before_tool_call",
        "returned str",
        "a Decision or None",
    ),
    "an impossible action": Case(
        deciding(Decision("block")),  # type: ignore[arg-type]
        HookDenied,
        "gate on before_tool_call",
        "decided 'block'",
        "use one of continue, modify",
    ),
    "a question without a prompt": Case(
        deciding(Decision.ask_user("")),
        HookDenied,
        "gate on before_tool_call",
        "wants to ask a person",
        "gave no prompt",
    ),
    **{
        f"a question for {timeout!r} s": Case(
            deciding(Decision.ask_user("Sure?", timeout=timeout)),
            HookDenied,
            "gate on before_tool_call",
            f"asks with timeout {timeout!r}",
            "a positive number of seconds",
        )
        for timeout in (0, -1.0, True, float("nan"), float("inf"))
    },
    "a read-only kwarg": Case(
        deciding(Decision.modify(context=1)),
        HookContractError,
        "gate wants to change context of before_tool_call",
        "read-only",
        "Writable there: ",
    ),
    "a value of the wrong type": Case(
        deciding(Decision.modify("rm -rf")),
        HookContractError,
        "gate gave before_tool_call a wrong args",
        "got str",
        "expected Mapping[str, Any]",
    ),
    "a retry where nothing can be retried": Case(
        deciding(Decision.retry(), "session_started"),
        HookContractError,
        "gate wants a retry on session_started",
        "cannot be retried",
        "A retry is possible on ",
    ),
    "a stop where nothing can be stopped": Case(
        deciding(Decision.stop("x"), "session_started"),
        HookContractError,
        "gate wants to stop on session_started",
        "cannot be stopped",
        "A stop is possible on ",
    ),
    "a value where there is none": Case(
        deciding(Decision.modify("x"), "session_started"),
        HookContractError,
        "gate gave session_started a new value",
        "has none",
        "Name the kwarg instead",
    ),
    "a decision of control": Case(
        decide_by_control,
        HookDenied,
        "gate",
        "a HookResult with action 'block'",
        "use one of ",
    ),
    "a decision of flow": Case(
        lambda bus: HookPoint(bus=bus).on("before_tool_execution").handle("REPEAT"),
        ValueError,
        ON_RULE,
        "decision 'REPEAT'",
        "give CONTINUE, ",
    ),
    "an event of flow": Case(
        lambda bus: HookPoint(bus=bus).on("TOOL"),
        ValueError,
        "Cannot put a hook on 'TOOL'",
        "'TOOL'",
        "give one of before_llm_call, ",
    ),
    # guidance
    "an escaping content path": Case(
        load_from_outside,
        ContentError,
        "Cannot load hook 'demo:action:start:plan'",
        "'../secret.md' is outside the folder",
        "Move the text into the folder",
    ),
    **{
        f"tag {tag!r}": Case(
            lambda _, tag=tag: guidance(tag=tag),  # type: ignore[misc]
            GuidanceValueError,
            f"Cannot define hook {str(tag)!r}",
            f"tag is {tag!r}",
            "Give ",
        )
        for tag in ("../plan", "a/b", "Plan", "a b", "", ".hidden", "con", "a\0b", "plan\n", "é", 7)
    },
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_an_error_says_what_was_attempted_what_is_wrong_and_what_to_do(
    bus: Bus, case: Case
) -> None:
    async def do() -> None:
        returned = case.do(bus)
        if isinstance(returned, Awaitable):
            await returned

    with pytest.raises(case.error) as caught:
        await do()

    message = str(caught.value)
    for part in (case.attempted, case.wrong, case.to_do):
        assert part in message


def test_a_condition_without_a_handle_is_logged_with_its_remedy(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    HookPoint(bus=bus).on("before_tool_execution").when(lambda status: True)
    gc.collect()

    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    for part in (
        "A hook on BEFORE_TOOL_EXECUTION",
        "has a `when` and no `handle`",
        "Add `.handle(…)`",
    ):
        assert part in record.getMessage()


@pytest.mark.parametrize(
    "refused",
    [case for name, case in CASES.items() if name.startswith(("register", "intercept", "around"))],
)
def test_what_was_refused_is_not_in_the_table(bus: Bus, refused: Case) -> None:
    with pytest.raises(refused.error):
        refused.do(bus)

    assert bus._hooks == {}
