"""Fast code compared with its plain version."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import fields
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from instrument import Bus, Decision, HookDenied
from instrument.decision import Outcome
from instrument.interceptors import Interceptor
from instrument.parts import Question
from instrument.typed.events import AfterToolCallEvent, BaseHookEvent, ToolUse
from instrument.typed.translation import HOOKS, event_from
from instrument.views import copied
from tests.unit.instrument.plain_deliberation import decide_plainly

DECISIONS: tuple[Callable[[], Any], ...] = (
    lambda: None,
    Decision.continue_,
    lambda: Decision.continue_("looked at it"),
    lambda: Decision.modify({"path": "/tmp"}, reason="safer"),
    lambda: Decision.modify(tool_name="ls"),
    lambda: Decision.modify(tool_call_id="x"),  # read-only
    lambda: Decision.modify(result=1),  # nowhere in the row
    lambda: Decision.inject_context("mind the gap", user_message="told it"),
    lambda: Decision.ask_user("May it?", reason="risky"),
    lambda: Decision.ask_user("May it, if nobody says no?", default="allow"),
    lambda: Decision.deny("no"),
    lambda: Decision.retry("again", args={"path": "/tmp"}),
    lambda: Decision("deny", reason="with what is no part of it", changes={"args": None}),
    lambda: Decision.stop({"ok": True}, "known"),
    lambda: Decision.fail("broken"),
    lambda: Decision("deny", reason="no", by="rule 7"),
    lambda: Decision("ask_user", question=Question("May it?"), by="rule 8"),
    lambda: Decision("continue", by=8),  # type: ignore[arg-type] # that is the point
    lambda: Decision("nonsense"),  # type: ignore[arg-type] # that is the point
    lambda: "deny",
)


class Awaited:
    """An awaitable that is no coroutine."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return self._value


async def _coroutine(value: Any) -> Any:
    return value


WAYS: tuple[Callable[[Any], Any | Awaitable[Any]], ...] = (lambda it: it, _coroutine, Awaited)


class Return(NamedTuple):
    """An interceptor: its decision, and its way to decide."""

    decision: int
    way: int
    raises: bool
    on_error: str
    spelling: str | None
    is_quiet: bool = False


RETURNS = st.builds(
    Return,
    st.integers(0, len(DECISIONS) - 1),
    st.integers(0, len(WAYS) - 1),
    st.booleans(),
    st.sampled_from(["raise", "deny", "continue"]),
    st.sampled_from([None, "tool:pre", "tool:post"]),
    st.booleans(),
)


def interceptor(number: int, answer: Return, hook: str) -> Interceptor:
    def decide(**kwargs: Any) -> Any:
        if answer.raises:
            raise ValueError(f"{number} is broken")
        return WAYS[answer.way](DECISIONS[answer.decision]())

    on_error: Any = answer.on_error
    return Interceptor(
        hook,
        decide,
        name=str(number),
        on_error=on_error,
        spelling=answer.spelling,
        is_quiet=answer.is_quiet,
    )


async def story(
    script: list[Return],
    hook: str,
    is_watched: bool,
    decide: Callable[[Bus, Outcome], Awaitable[None]],
) -> list[Any]:
    """Return all that can be seen of a decision, in order."""
    bus = Bus()
    seen: list[Any] = []
    for number, answer in enumerate(script):
        bus._add_interceptor(interceptor(number, answer, hook))
    bus.register(hook, lambda **_: seen.append("an observer is no interceptor"))
    for reported in ("hook_decided", "hook_failed") if is_watched else ():
        bus.register(
            reported, lambda reported=reported, **kwargs: seen.append((reported, plain(kwargs)))
        )
    outcome = Outcome(hook, {"tool_name": "rm", "args": {"path": "/"}, "call_id": "1"})
    try:
        await decide(bus, outcome)
    except Exception as error:  # noqa: BLE001 - it is part of the story
        seen.append(repr(error))
    seen.append([plain(verdict._asdict()) for verdict in outcome.trail])
    seen.append({name: getattr(outcome, name) for name in Outcome.__slots__ if name != "_lines"})
    return seen


def plain(reported: dict[str, Any]) -> dict[str, Any]:
    """Return the kwargs of an event without times and identities."""
    return {
        key: repr(value) if key == "exc" else value
        for key, value in reported.items()
        if key != "microseconds"
    }


@given(
    st.lists(RETURNS, max_size=6),
    st.sampled_from(["before_tool_call", "after_tool_call", "before_llm_generate", "my_event"]),
    st.sampled_from([None, "tool:pre"]),
    st.booleans(),
)
@example(
    [Return(8, 0, False, "raise", None), Return(0, 0, True, "continue", None)],
    "my_event",
    None,
    True,
)
@example([Return(10, 0, False, "raise", None)], "my_event", None, True)
@example([Return(0, 0, False, "raise", None)] * 2, "my_event", None, False)
async def test_the_loop_decides_as_the_plain_version_does(
    script: list[Return], hook: str, spelling: str | None, is_watched: bool
) -> None:
    fast = await story(
        script, hook, is_watched, lambda bus, outcome: _decide(bus, outcome, spelling)
    )
    expected = await story(
        script, hook, is_watched, lambda bus, outcome: decide_plainly(bus, outcome, spelling)
    )

    assert fast == expected


async def _decide(bus: Bus, outcome: Outcome, spelling: str | None) -> None:
    from instrument.deliberation import decide

    rest = decide(bus, bus._waiting, outcome, spelling=spelling, asks=False)
    if rest is not None:
        await rest


CONTENT = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=3,
)
NAMES = ("agent", "prompt", "messages", "args", "result", "response", "message")
STATE = ("invocation_state", "selected_tool", "tool_name", "tool_call_id", "cancel_tool", "retry")
KWARGS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys((*NAMES, *STATE), CONTENT),
        "exc": st.none() | st.builds(HookDenied, st.just("no")),
    },
)
NAMED_OTHERWISE = {
    "AfterInvocationEvent": {"exception": "exc"},
    "BeforeModelCallEvent": {"messages": "prompt"},
    "AfterModelCallEvent": {"exception": "exc"},
    "AfterToolCallEvent": {"exception": "exc"},
}
NO_DATA = {"cancel_tool", "cancel", "retry", "resume", "cancel_message", "agent", "tool_use"}


def plain_event(kind: type[BaseHookEvent], kwargs: dict[str, Any], agent: Any) -> BaseHookEvent:
    """Return an event made as a host makes it."""
    names = NAMED_OTHERWISE.get(kind.__name__, {})
    values: dict[str, Any] = {"agent": kwargs.get("agent") or agent}
    for field in fields(kind):
        kwarg = names.get(field.name, field.name)
        if field.name in NO_DATA or kwarg not in kwargs:
            continue
        is_own = field.name in kind.writable
        values[field.name] = copied(kwargs[kwarg]) if is_own else kwargs[kwarg]
    if values.get("invocation_state") is None:
        values.pop("invocation_state", None)
    if "tool_use" in {field.name for field in fields(kind)}:
        values["tool_use"] = ToolUse(
            toolUseId=kwargs.get("tool_call_id"),
            name=kwargs.get("tool_name"),
            input=copied(kwargs.get("args")),
        )
    if kind is AfterToolCallEvent and isinstance(kwargs.get("exc"), HookDenied):
        values["cancel_message"] = kwargs["exc"].reason
    return kind(**values)


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOOKS)
@settings(max_examples=30)
@given(kwargs=KWARGS)
def test_an_event_is_the_one_that_its_class_makes(
    kind: type[BaseHookEvent], kwargs: dict[str, Any]
) -> None:
    made = event_from(kind, kwargs, "mine")

    assert made == plain_event(kind, kwargs, "mine")
    assert vars(made).keys() == vars(plain_event(kind, kwargs, "mine")).keys()


@pytest.mark.parametrize("kind", HOOKS)
def test_an_event_that_was_made_fast_is_sealed_too(kind: type[BaseHookEvent]) -> None:
    event = event_from(kind, {}, None)

    for field in fields(kind):
        if field.name in kind.writable:
            setattr(event, field.name, "mine")
        else:
            with pytest.raises(AttributeError, match="not writable"):
                setattr(event, field.name, "mine")
