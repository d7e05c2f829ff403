"""Budgets: usage limits for a session or the process, and a ledger of usage.

The usage of a call is known when it ends, so a budget of tokens, cost or time acts at the next
operation. Calls are counted before they run.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from threading import Lock
from time import monotonic
from typing import NamedTuple
from weakref import WeakSet

from inspector.agent_side.policies.decision import PolicyDecision
from inspector.agent_side.policies.rules import BEFORE_TOOL_CALL, Globs, Question, SourceLine
from instrument import HookDenied

UNITS = {
    "tokens": "tokens",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "cost_usd": "USD",
    "seconds": "seconds",
    "calls": "calls",
}
"""Units of budgets, in words."""

MAX_ACCOUNTS = 10_000
"""Limit of sessions; beyond it, the least recently active one starts again at 0."""

MAX_CALLS = 100_000
"""Limit of running calls; beyond it, the oldest stays counted if it is refused."""

MAX_WAITS = 10_000
"""Limit of open waits; beyond it, the clock runs on."""

_logger = logging.getLogger("inspector")


@dataclass(frozen=True, slots=True)
class Budget:
    """One `[[budgets]]` table."""

    name: str
    of: str
    """A key of `UNITS`."""
    at: float
    warn_at: float | None
    step: float
    """Extension of the limit by each yes of a person."""
    is_asking: bool
    is_per_process: bool
    stops_at_unknown: bool
    """Whether an LLM call of unknown usage exhausts the budget."""
    tools: Globs | None
    question: Question
    source: SourceLine

    @property
    def gates(self) -> tuple[str, ...]:
        """The events that the budget can stop."""
        is_of_calls = self.of == "calls"
        return (BEFORE_TOOL_CALL,) if is_of_calls else (BEFORE_TOOL_CALL, "before_llm_generate")

    @property
    def measure(self) -> str:
        """What of a call counts, in words."""
        return "the cost" if self.of == "cost_usd" else "the usage"

    @property
    def advice(self) -> str:
        """What to do about a call of which that is unknown."""
        return " (name its price in a file, in INSPECTOR_PRICES)" * (self.of == "cost_usd")

    def figures(self, amount: float) -> str:
        """Return an amount in words."""
        unit = "" if self.of == "cost_usd" else f" {UNITS[self.of]}"
        return self._number(amount) + unit

    def share(self, used: float, limit: float) -> str:
        """Return the used share of the budget, as text."""
        return f"{self._number(used)} of {self.figures(limit)}"

    def _number(self, amount: float) -> str:
        if self.of == "cost_usd":
            cents, _, rest = f"{amount:,.6f}".partition(".")
            return f"${cents}.{rest[:2]}{rest[2:].rstrip('0')}"
        return f"{amount:,.1f}".removesuffix(".0")


class CallUsage(NamedTuple):
    """The usage of one LLM call; None for unknown."""

    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    model: str | None = None

    def of(self, what: str) -> float | None:
        """Return the amount that a budget of `what` counts."""
        if what == "tokens":
            parts = [one for one in (self.input_tokens, self.output_tokens) if one is not None]
            return sum(parts) if parts else None
        found: float | None = getattr(self, what)
        return found


@dataclass(slots=True, eq=False)
class _Tally:
    """The count of one budget in one session."""

    budget: Budget
    limit: float
    used: float = 0.0
    unknown: str | None = None
    """The model of a call of unknown usage."""
    waives_unknown: bool = False
    has_warned: bool = False


@dataclass(slots=True, eq=False)
class _Account:
    """The usage of one session."""

    tallies: list[_Tally]
    began_s: float
    waited_s: float = 0.0
    waiting: int = 0
    waiting_since_s: float = 0.0

    def seconds(self, now_s: float) -> float:
        """Return the running time without the waits for people."""
        waiting_s = now_s - self.waiting_since_s if self.waiting else 0.0
        return now_s - self.began_s - self.waited_s - waiting_s


class Ledger:
    """Usage counters, shared by all threads; sessions without an id share one account."""

    def __init__(self, budgets: Sequence[Budget], now_s: Callable[[], float] = monotonic) -> None:
        self._now_s = now_s
        self.is_empty = not budgets
        self._lock = Lock()
        self._of_sessions = [one for one in budgets if not one.is_per_process]
        self._of_process = [one for one in budgets if one.is_per_process]
        self._process = self._open(self._of_process)
        self._sessions: dict[str | None, _Account] = {}
        self._counted: dict[str, list[_Tally]] = {}
        """Running calls, with their tallies."""
        self._waits: dict[str, tuple[_Account, ...]] = {}
        """Open waits for people, with the accounts whose clock stands still."""
        _ledgers.add(self)

    def check(
        self, hook: str, tool: object, call_id: str | None, session: str | None
    ) -> list[PolicyDecision]:
        """Return the budgets' decisions on a starting operation, and count its call.

        Repeated checks of a `call_id` count it once.
        """
        with self._lock:
            return [
                decision
                for tally in self._tallies(session)
                if hook in tally.budget.gates
                and (tally.budget.tools is None or tally.budget.tools.fit(tool))
                and (decision := self._decide(tally, call_id, session)) is not None
            ]

    def spend(self, usage: CallUsage, session: str | None) -> None:
        """Count the usage of an LLM call."""
        with self._lock:
            for tally in self._tallies(session):
                budget = tally.budget
                if budget.of in ("calls", "seconds"):
                    continue
                amount = usage.of(budget.of)
                if amount is not None and isfinite(amount):
                    tally.used += max(amount, 0)
                elif budget.stops_at_unknown and not tally.waives_unknown:
                    tally.unknown = usage.model or "an unnamed model"

    def begin(self, session: str | None) -> None:
        """Start the clock of a session, unless it runs."""
        with self._lock:
            self._account(session)

    def wait(self, request_id: str, session: str | None) -> None:
        """Stop the clock during a question to a person."""
        with self._lock:
            if request_id in self._waits or len(self._waits) >= MAX_WAITS:
                return
            accounts = (self._account(session), self._process)
            self._waits[request_id] = accounts
            for account in accounts:
                if account.waiting == 0:
                    account.waiting_since_s = self._now_s()
                account.waiting += 1

    def resume(self, request_id: str) -> None:
        """Restart the clock once a person has answered, or is no longer awaited."""
        with self._lock:
            for account in self._waits.pop(request_id, ()):
                account.waiting -= 1
                if account.waiting == 0:
                    account.waited_s += self._now_s() - account.waiting_since_s

    def close(self, call_id: str, error: object) -> None:
        """Undo the count of a call that was refused before it ran."""
        with self._lock:
            tallies = self._counted.pop(call_id, ())
            if isinstance(error, HookDenied) and error.hook == BEFORE_TOOL_CALL:
                for tally in tallies:
                    tally.used -= 1

    def _decide(
        self, tally: _Tally, call_id: str | None, session: str | None
    ) -> PolicyDecision | None:
        budget = tally.budget
        if budget.of == "calls":
            return self._decide_call(tally, call_id)
        if budget.of == "seconds":
            account = self._process if budget.is_per_process else self._account(session)
            tally.used = account.seconds(self._now_s())
        if tally.unknown is not None or tally.used >= tally.limit:
            return self._overdrawn(tally, call_id)
        return self._warning(tally)

    def _decide_call(self, tally: _Tally, call_id: str | None) -> PolicyDecision | None:
        if call_id is not None and tally in self._counted.get(call_id, ()):
            return None
        if tally.used + 1 > tally.limit:
            return self._overdrawn(tally, call_id)
        self._count_call(tally, call_id)
        return self._warning(tally)

    def _count_call(self, tally: _Tally, call_id: str | None) -> None:
        tally.used += 1
        if call_id is not None:
            self._counted.setdefault(call_id, []).append(tally)
            if len(self._counted) > MAX_CALLS:
                del self._counted[next(iter(self._counted))]

    def _overdrawn(self, tally: _Tally, call_id: str | None) -> PolicyDecision:
        budget = tally.budget
        by = f"budget:{budget.name}"
        whose = "by this process" if budget.is_per_process else "in this session"
        if tally.unknown is not None:
            reason = (
                f"budget {budget.name}: {budget.measure} of a call to {tally.unknown} is unknown, "
                f"so the limit of {budget.figures(budget.at)} cannot be enforced{budget.advice}"
            )
            offer = "Continue anyway?"
        else:
            reason = f"budget {budget.name}: {budget.share(tally.used, tally.limit)} used {whose}"
            offer = f"Continue for another {budget.figures(budget.step)}?"
        if not budget.is_asking:
            return PolicyDecision(by, "deny", reason)
        prompt = f"{budget.question.prompt or ''} {reason[0].upper()}{reason[1:]}. {offer}"
        limit, used, unknown = tally.limit, tally.used, tally.unknown

        def grant() -> None:
            with self._lock:
                if unknown is not None:
                    tally.unknown, tally.waives_unknown = None, True
                    return
                steps = int((used - limit) // budget.step) + 1
                tally.limit = max(tally.limit, limit + steps * budget.step)
                if budget.of == "calls":
                    self._count_call(tally, call_id)

        question = Question(prompt.strip(), budget.question.timeout_s, budget.question.default)
        return PolicyDecision(by, "ask", reason, question, grant)

    def _warning(self, tally: _Tally) -> PolicyDecision | None:
        budget = tally.budget
        if tally.has_warned or budget.warn_at is None or tally.used < budget.warn_at:
            return None
        tally.has_warned = True
        reason = f"budget {budget.name}: {budget.share(tally.used, tally.limit)} used"
        _logger.warning("%s.", reason[0].upper() + reason[1:])
        return PolicyDecision(f"budget:{budget.name}", "allow", reason)

    def _tallies(self, session: str | None) -> list[_Tally]:
        return [*self._account(session).tallies, *self._process.tallies]

    def _account(self, session: str | None) -> _Account:
        account = self._sessions.pop(session, None) or self._open(self._of_sessions)
        self._sessions[session] = account  # the most recent one
        if len(self._sessions) > MAX_ACCOUNTS:
            del self._sessions[next(iter(self._sessions))]
        return account

    def _open(self, budgets: Sequence[Budget]) -> _Account:
        return _Account([_Tally(one, one.at) for one in budgets], self._now_s())


_ledgers: WeakSet[Ledger] = WeakSet()


def _renew_locks() -> None:
    """Replace locks in a forked child: a thread of the parent may have locked them."""
    for ledger in _ledgers:
        ledger._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
