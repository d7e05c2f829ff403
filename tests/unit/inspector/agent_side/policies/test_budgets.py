"""Budgets: the count of usage, whose it is, and their end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread, current_thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import context
from inspector.agent_side.policies.budgets import Budget, CallUsage, Ledger
from inspector.agent_side.policies.file import parse
from inspector.agent_side.policies.installation import enforce as put_on
from inspector.agent_side.policies.open_operations import OperationTracker
from instrument import ApprovalRequest, Bus, Decision, HookDenied
from tests.unit.inspector.agent_side.policies.conftest import Enforce, Person

TOKENS = '[[budgets]]\nname = "words"\nof = "tokens"\nat = 100\n'
CALLS = '[[budgets]]\nname = "few"\nof = "calls"\nat = 2\n'
TIME = '[[budgets]]\nname = "quick"\nof = "seconds"\nat = 10\n'
DOLLAR = '[[budgets]]\nname = "a dollar"\nof = "cost_usd"\nat = 1\n'
ASKS = 'action = "ask"\nstep = 50\n'

PRICES = '[[models]]\nmodel = "big-*"\ninput = 10\noutput = 100\n'


async def think(bus: Bus, usage: object = None, **kwargs: Any) -> None:
    """Call a model that has this usage."""
    async with bus.operation("llm_generate", **{"llm": None, "prompt": "", **kwargs}) as op:
        op.result = "answer"
        op.set(usage=usage)


async def use(bus: Bus, tool_name: str = "tool") -> None:
    """Call a tool."""
    async with bus.operation("tool_call", tool_name=tool_name, args={}) as op:
        op.result = 1


async def refusal(bus: Bus, tool_name: str = "tool") -> str:
    """Return the reason for which a tool does not run."""
    with pytest.raises(HookDenied) as refused:
        await use(bus, tool_name)
    return str(refused.value)


# --- what is counted ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "response"),
    [
        ({"input_tokens": 60, "output_tokens": 40}, None),
        ({"prompt_tokens": 60, "completion_tokens": 40}, None),
        ({"inputTokens": 60, "outputTokens": 40}, None),
        (type("Usage", (), {"input_tokens": 60, "output_tokens": 40})(), None),
        (None, {"usage": {"input_tokens": 60, "output_tokens": 40}}),
    ],
)
async def test_tokens_are_read_as_the_trace_shows_them(
    bus: Bus, enforce: Enforce, usage: object, response: object
) -> None:
    enforce(TOKENS)
    async with bus.operation("llm_generate", llm=None, prompt="") as op:
        op.result = response
        op.set(usage=usage)
    assert await refusal(bus) == "budget words: 100 of 100 tokens used in this session"
    with pytest.raises(HookDenied, match="words"):
        await think(bus)


@pytest.mark.parametrize(("of", "left"), [("input_tokens", 1), ("output_tokens", 61)])
async def test_sent_and_received_tokens_have_budgets_of_their_own(
    bus: Bus, enforce: Enforce, of: str, left: int
) -> None:
    enforce(f'[[budgets]]\nof = "{of}"\nat = 101')
    await think(bus, {"input_tokens": 100, "output_tokens": 40})
    await use(bus)
    await think(bus, {"input_tokens": left, "output_tokens": left})
    await refusal(bus)


async def test_a_cost_comes_with_the_call_or_from_the_users_prices(
    bus: Bus, enforce: Enforce, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES)
    enforce(DOLLAR, INSPECTOR_PRICES=str(prices))
    await think(bus, {"input_tokens": 1, "output_tokens": 1, "cost_usd": 0.25})
    await use(bus)
    await think(bus, {"input_tokens": 50_000, "output_tokens": 2_500}, model="big-1")
    assert await refusal(bus) == "budget a dollar: $1.00 of $1.00 used in this session"


async def test_an_unknown_cost_uses_a_budget_up(bus: Bus, enforce: Enforce) -> None:
    enforce(DOLLAR)
    await think(bus, {"input_tokens": 1, "output_tokens": 1}, model="odd-1")
    why = await refusal(bus)
    assert "the cost of a call to odd-1 is unknown" in why
    assert "INSPECTOR_PRICES" in why
    assert "$1.00" in why


async def test_unknown_usage_can_be_ignored(bus: Bus, enforce: Enforce) -> None:
    enforce(DOLLAR + 'unknown = "ignore"')
    await think(bus)
    await use(bus)


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -float("inf")])
def test_an_amount_that_is_none_is_not_known(amount: float) -> None:
    assert (
        used_up(budget_of(DOLLAR), lambda ledger: ledger.spend(CallUsage(1, 1, amount), None)) == 1
    )


async def test_a_person_may_go_on_without_knowing(bus: Bus, enforce: Enforce) -> None:
    enforce(DOLLAR + 'action = "ask"')
    bus.set_approval_provider(person := Person("allow"))
    for _ in range(3):
        await think(bus)
    assert len(person.requests) == 1
    assert person.prompts[0].endswith("Continue anyway?")


async def test_a_failed_model_call_counts_if_it_reports_usage(bus: Bus, enforce: Enforce) -> None:
    enforce(TOKENS)

    async def fail(usage: object) -> None:
        async with bus.operation("llm_generate", llm=None, prompt="") as op:
            op.set(usage=usage)
            raise OSError("cut off")

    with pytest.raises(OSError, match="cut off"):
        await fail(None)
    await use(bus)
    with pytest.raises(OSError, match="cut off"):
        await fail({"input_tokens": 100})
    await refusal(bus)


async def test_every_attempt_of_a_call_counts(bus: Bus, enforce: Enforce) -> None:
    enforce(TOKENS)
    tries: list[int] = []

    def again(**_: Any) -> Decision | None:
        return Decision.retry("once more") if len(tries) < 3 else None

    def generate(op: Any) -> str:
        tries.append(1)
        op.set(usage={"input_tokens": 30, "output_tokens": 4})
        return "x"

    bus.intercept("after_llm_generate", again)
    await bus.call("llm_generate", generate, llm=None, prompt="")
    assert "102 of 100" in await refusal(bus)


async def test_a_call_that_is_reported_twice_is_counted_once(bus: Bus, enforce: Enforce) -> None:
    enforce(TOKENS)
    async with bus.operation("llm_generate", llm="framework", prompt="") as outer:
        await think(bus, {"input_tokens": 20, "output_tokens": 10})
        await think(bus, None)
        outer.set(usage={"input_tokens": 30, "output_tokens": 10})
    await use(bus)
    await think(bus, {"input_tokens": 59})
    await use(bus)
    await think(bus, {"input_tokens": 1})
    await refusal(bus)


async def test_a_model_called_inside_a_tool_is_a_call_of_its_own(
    bus: Bus, enforce: Enforce
) -> None:
    enforce(TOKENS)
    async with bus.operation("llm_generate", llm=None, prompt="") as outer:
        async with bus.operation("tool_call", tool_name="sample", args={}):
            await think(bus, {"input_tokens": 50})
        outer.set(usage={"input_tokens": 50})
    await refusal(bus)


AMOUNT = st.none() | st.integers(0, 9)
TREE = st.recursive(
    st.tuples(AMOUNT, st.just(())),
    lambda inner: st.tuples(AMOUNT, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=8,
)


@given(TREE)
def test_nested_calls_add_up_to_the_most_complete_report(tree: Any) -> None:
    operations, counted = OperationTracker(), []
    names = iter(range(1000))

    def run(node: Any, parent: str | None) -> tuple[int, bool]:
        reported, inner = node
        call_id = str(next(names))
        operations.opened(call_id, parent, "llm_generate", {})
        results = [run(one, call_id) for one in inner]
        counted.append(operations.own_usage(call_id, CallUsage(reported, None, None)).input_tokens)
        operations.closed(call_id)
        below = sum(amount for amount, _ in results)
        is_known = reported is not None or any(known for _, known in results)
        return max(reported or 0, below), is_known

    expected, is_known = run(tree, None)
    assert sum(amount or 0 for amount in counted) == expected
    assert (None in counted) == (not is_known)


# --- calls ----------------------------------------------------------------------------------------


async def test_calls_are_counted_by_tool_before_they_are_made(bus: Bus, enforce: Enforce) -> None:
    enforce(CALLS + 'tools = ["search_*"]')
    for _ in range(4):
        await use(bus, "other")
    await use(bus, "search_web")
    await use(bus, "search_files")
    assert await refusal(bus, "search_web") == "budget few: 2 of 2 calls used in this session"
    await use(bus, "other")
    await think(bus)


async def test_a_call_that_was_refused_before_it_ran_does_not_count(
    bus: Bus, enforce: Enforce
) -> None:
    enforce(CALLS + '[[policies]]\ntools = ["asked"]\naction = "ask"')
    for _ in range(3):
        await refusal(bus, "asked")
    bus.intercept("after_tool_call", lambda **_: Decision.deny("too late"))
    for _ in range(2):
        assert await refusal(bus) == "too late"
    assert "2 of 2" in await refusal(bus)


async def test_an_edit_does_not_count_a_call_again(bus: Bus, enforce: Enforce) -> None:
    from instrument import ApprovalAnswer

    enforce(CALLS + '[[policies]]\naction = "ask"')

    class Editor:
        async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
            return ApprovalAnswer("allow", changes={"args": {"edited": True}})

    bus.set_approval_provider(Editor())
    await use(bus)
    await use(bus)
    await refusal(bus)


class Interrupting:
    """A thread that runs as far as it can in the middle of the work of this one.

    It stops when it is done, or waits for the lock of this one.
    """

    def __init__(self, ledger: Ledger, other: Callable[[], object]) -> None:
        self._lock = ledger._lock
        self._has_come = Event()
        self._other = Thread(target=self._run, args=(other,))
        ledger._lock = self  # type: ignore[assignment] # so that waiting for it shows

    def __enter__(self) -> None:
        if current_thread() is self._other:
            self._has_come.set()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _run(self, other: Callable[[], object]) -> None:
        other()
        self._has_come.set()

    def now(self) -> None:
        """Run it now."""
        self._other.start()
        assert self._has_come.wait(10)

    def finish(self) -> None:
        """Wait until it is done."""
        self._other.join(10)
        assert not self._other.is_alive()


def test_a_call_that_comes_while_another_is_counted_waits_its_turn() -> None:
    budget = budget_of('[[budgets]]\nof = "calls"\nat = 1')
    decisions: list[Any] = []

    class Counting(Ledger):
        def _count_call(self, *args: Any) -> None:
            if not decisions and not interrupting._other.ident:
                interrupting.now()
            super()._count_call(*args)

    def check(call_id: str) -> None:
        decisions.extend(ledger.check("before_tool_call", "x", call_id, None))

    ledger = Counting([budget])
    interrupting = Interrupting(ledger, lambda: check("2"))
    check("1")
    interrupting.finish()
    assert [one.effect for one in decisions] == ["deny"]


def test_the_costs_of_two_calls_at_once_are_added_up() -> None:
    ledger = Ledger([budget_of(DOLLAR)])
    interrupting = Interrupting(ledger, lambda: ledger.spend(CallUsage(1, 1, 0.5), None))

    class Cost(float):
        """An amount whose addition is interrupted."""

        def __radd__(self, other: float) -> float:
            interrupting.now()
            return other + float(self)

    ledger.spend(CallUsage(1, 1, Cost(0.5)), None)
    interrupting.finish()
    assert len(ledger.check("before_tool_call", "x", None, None)) == 1


async def test_a_call_that_a_policy_denies_is_not_counted(bus: Bus, enforce: Enforce) -> None:
    enforce(CALLS + '[[policies]]\ntools = ["no"]\naction = "deny"')
    for _ in range(3):  # events that are no operation: nobody says that they are over
        await bus.dispatch("before_tool_call", tool_name="no", args={})
    await use(bus)


# --- whose ----------------------------------------------------------------------------------------


async def test_each_session_has_its_own_and_the_process_one_for_all(
    bus: Bus, enforce: Enforce
) -> None:
    enforce(CALLS + '[[budgets]]\nname = "all"\nof = "calls"\nat = 5\nper = "process"')

    async def session(name: str) -> list[str]:
        context.set(name)
        texts = []
        for _ in range(3):
            try:
                await use(bus)
                texts.append("ran")
            except HookDenied as error:
                texts.append(error.reason)
        return texts

    over = "budget few: 2 of 2 calls used in this session"
    assert await asyncio.create_task(session("a")) == ["ran", "ran", over]
    assert await asyncio.create_task(session("b")) == ["ran", "ran", over]
    assert await asyncio.create_task(session("c")) == [
        "ran",
        *["budget all: 5 of 5 calls used by this process"] * 2,
    ]


async def test_a_session_that_hooks_announce_is_one(bus: Bus, enforce: Enforce) -> None:
    enforce(CALLS)

    async def session(name: str) -> None:
        await bus._emit("session_started", session_id=name, metadata={})
        await use(bus)
        await use(bus)
        await refusal(bus)
        await bus._emit("session_finished", session_id=name, status="completed", error=None)

    await session("a")
    await session("b")
    await use(bus)


def test_sessions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.agent_side.policies.budgets.MAX_ACCOUNTS", 3)
    ledger = Ledger([budget_of(CALLS)])
    for number in range(10):
        ledger.check("before_tool_call", "x", None, str(number))
    assert len(ledger._sessions) == 3


# --- time -----------------------------------------------------------------------------------------


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(bus: Bus) -> Iterator[Clock]:
    clock = Clock()
    off = put_on(bus, [parse(TIME, Path("x.toml"))], now_s=clock)
    yield clock
    off()


async def test_time_runs_from_the_first_operation(bus: Bus, clock: Clock) -> None:
    clock.now_s += 100
    await use(bus)
    clock.now_s += 9.5
    await use(bus)
    clock.now_s += 0.5
    assert await refusal(bus) == "budget quick: 10 of 10 seconds used in this session"


async def test_time_stands_still_while_a_person_is_waited_for(bus: Bus, clock: Clock) -> None:
    class Slow:
        async def ask(self, request: ApprovalRequest) -> str:
            clock.now_s += 500
            return "allow"

    bus.set_approval_provider(Slow())
    off = bus.intercept("before_tool_call", lambda **_: Decision.ask_user("May it?"))
    await use(bus)
    await use(bus)
    off()
    clock.now_s += 9
    await use(bus)
    clock.now_s += 1
    await refusal(bus)


async def test_time_stands_still_while_a_session_is_paused(bus: Bus, clock: Clock) -> None:
    await use(bus)
    for _ in range(2):
        await bus._emit("session_paused", session_id="s", signal_name="go", prompt="?")
        clock.now_s += 50
        await bus._emit("session_resumed", session_id="s", signal_name="go", payload=None)
    clock.now_s += 9
    await use(bus)


def test_two_waits_at_a_time_stop_it_once() -> None:
    clock = Clock()
    ledger = Ledger([budget_of(TIME)], clock)
    ledger.begin("s")
    ledger.wait("1", "s")
    clock.now_s += 5
    ledger.wait("2", "s")
    ledger.wait("2", "s")
    clock.now_s += 5
    ledger.resume("1")
    clock.now_s += 5
    ledger.resume("2")
    ledger.resume("2")
    clock.now_s += 9
    assert ledger.check("before_tool_call", "x", None, "s") == []
    clock.now_s += 1
    assert len(ledger.check("before_tool_call", "x", None, "s")) == 1


# --- warning and asking ---------------------------------------------------------------------------


async def test_a_warning_is_once_in_the_log_and_on_the_trail(
    bus: Bus, enforce: Enforce, caplog: pytest.LogCaptureFixture
) -> None:
    enforce(TOKENS + "warn_at = 80")
    events: list[Any] = []
    bus.register("hook_decided", lambda **kwargs: events.append(kwargs))
    await think(bus, {"input_tokens": 79})
    await use(bus)
    await think(bus, {"input_tokens": 1})
    await use(bus)
    await use(bus)
    reason = "budget words: 80 of 100 tokens used"
    assert [(one["interceptor"], one["action"], one["reason"]) for one in events] == [
        ("budget:words", "continue", reason)
    ]
    warnings = [one.message for one in caplog.records if one.levelno == logging.WARNING]
    assert warnings == ["Budget words: 80 of 100 tokens used."]


async def test_a_budget_that_asks_is_extended_by_each_yes(bus: Bus, enforce: Enforce) -> None:
    enforce(TOKENS + ASKS)
    bus.set_approval_provider(person := Person("allow", "allow", "deny"))
    await think(bus, {"input_tokens": 100})
    await use(bus)  # asked: 150
    await use(bus)
    await think(bus, {"input_tokens": 130})
    await use(bus)  # asked: 250
    await think(bus, {"input_tokens": 20})
    assert "refused" in await refusal(bus)
    assert person.prompts == [
        "Budget words: 100 of 100 tokens used in this session. Continue for another 50 tokens?",
        "Budget words: 230 of 150 tokens used in this session. Continue for another 50 tokens?",
        "Budget words: 250 of 250 tokens used in this session. Continue for another 50 tokens?",
    ]


async def test_a_budget_of_calls_may_ask_for_each_one(bus: Bus, enforce: Enforce) -> None:
    enforce(CALLS + 'action = "ask"\nstep = 1')
    bus.set_approval_provider(person := Person("allow"))
    for _ in range(5):
        await use(bus)
    assert len(person.requests) == 3
    assert "4 of 4 calls" in person.prompts[-1]


async def test_two_answers_at_once_extend_it_once(bus: Bus, enforce: Enforce) -> None:
    enforce(TOKENS + ASKS)
    both = asyncio.Event()

    class Both:
        count = 0

        async def ask(self, request: ApprovalRequest) -> str:
            self.count += 1
            if self.count == 2:
                both.set()
            await both.wait()
            return "allow"

    bus.set_approval_provider(person := Both())
    await think(bus, {"input_tokens": 100})
    async with asyncio.timeout(10):
        await asyncio.gather(use(bus), use(bus))
    await think(bus, {"input_tokens": 49})
    await use(bus)
    assert person.count == 2
    await think(bus, {"input_tokens": 1})
    await use(bus)
    assert person.count == 3


async def test_a_yes_to_somebody_elses_question_extends_no_budget(
    bus: Bus, enforce: Enforce
) -> None:
    enforce(TOKENS + ASKS)
    await think(bus, {"input_tokens": 100})
    off = bus.intercept("before_tool_call", lambda **_: Decision.ask_user("Other?"))
    bus.set_approval_provider(person := Person("allow"))
    await use(bus)
    off()
    await use(bus)
    assert person.prompts[0] == "Other?"
    assert "Continue for another" in person.prompts[1]


async def test_a_budget_and_a_policy_ask_in_one_question(bus: Bus, enforce: Enforce) -> None:
    enforce('[[policies]]\nname = "p"\naction = "ask"\nprompt = "May it?"\n' + TOKENS + ASKS)
    bus.set_approval_provider(person := Person("allow"))
    await think(bus, {"input_tokens": 100})
    await use(bus)
    await use(bus)
    assert person.prompts[0].startswith("May it?\nBudget words")
    assert person.requests[0].interceptor == "policy:p + budget:words"
    assert person.prompts[1] == "May it?"


async def test_a_question_without_an_answer_grants_nothing(bus: Bus, enforce: Enforce) -> None:
    enforce(TOKENS + ASKS + "timeout = 0.01")

    class Nobody:
        async def ask(self, request: ApprovalRequest) -> str:
            await asyncio.Event().wait()
            raise AssertionError

    bus.set_approval_provider(Nobody())
    await think(bus, {"input_tokens": 100})
    assert "nobody answered" in await refusal(bus)
    assert "nobody answered" in await refusal(bus)


FIGURES: list[tuple[str, float, str]] = [
    ("cost_usd", 0.0012, "$0.0012"),
    ("cost_usd", 1234.5, "$1,234.50"),
    ("seconds", 1.25, "1.2 seconds"),
    ("tokens", 1_000_000, "1,000,000 tokens"),
]


@pytest.mark.parametrize(("of", "amount", "words"), FIGURES)
def test_figures_have_their_unit(of: str, amount: float, words: str) -> None:
    budget = budget_of(f'[[budgets]]\nof = "{of}"\nat = 1')
    assert budget.figures(amount) == words


def budget_of(text: str) -> Budget:
    (budget,) = parse(text, Path("x")).budgets
    return budget


def used_up(budget: Budget, spend: Callable[[Ledger], None]) -> int:
    """Return the number of decisions after `spend`."""
    ledger = Ledger([budget])
    spend(ledger)
    return len(ledger.check("before_tool_call", "x", None, None))


@given(st.lists(st.integers(-50, 50), max_size=20))
def test_a_budget_is_used_up_exactly_at_its_sum_and_never_refunded(amounts: list[int]) -> None:
    budget = budget_of(TOKENS)

    def spend(ledger: Ledger) -> None:
        for amount in amounts:
            ledger.spend(CallUsage(amount, None, None), None)

    assert used_up(budget, spend) == (sum(max(amount, 0) for amount in amounts) >= 100)
