"""The judge: one decision per event from policies, breakpoints and budgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inspector.agent_side.policies.budgets import Ledger
from inspector.agent_side.policies.file import Rules
from inspector.agent_side.policies.open_operations import OperationTracker
from inspector.agent_side.policies.rules import Event, Policy, Question, RuleList
from inspector.agent_side.policies.ruling import PolicyDecision, joined
from instrument import Decision
from instrument.decision import Outcome
from instrument.deliberation import being_decided
from instrument.question import Question as Asked

MAX_ASKED = 10_000
_MAX_NAME_CHARS = 200


class _Asked(NamedTuple):
    """A question of a budget, and where its answer will be."""

    outcome: Outcome
    question: Asked
    grant: Callable[[], None]


class Judge:
    """The interceptor that decides on every event that a rule covers."""

    def __init__(
        self,
        rules: Sequence[Rules],
        ledger: Ledger,
        operations: OperationTracker,
        session: Callable[[], str | None],
    ) -> None:
        """Make one; each of `rules` decides for itself, and the strictest counts."""
        self._policies = [one.policies for one in rules]
        self._breakpoints = RuleList([two for one in rules for two in one.breakpoints.policies])
        self._ledger = ledger
        self._operations = operations
        self._session = session
        self._asked: dict[str | int, _Asked] = {}
        """By call: dict steps are atomic, so that threads need no lock."""

    def decide(self, hook: str, /, **kwargs: Any) -> Decision | None:
        """Return the decision on an event; None if no rule applies."""
        call_id = kwargs.get("call_id")
        self._settle()
        event = Event(hook, kwargs, lambda: self._agent(kwargs))
        rulings = [ruled(one, event) for rules in self._policies if (one := rules.first(event))]
        if not any(one.verdict == "deny" for one in rulings):
            if stop := self._breakpoints.first(event):
                rulings.append(ruled(stop, event))
            rulings += self._budgets(hook, kwargs)
        ruling = joined(rulings)
        return None if ruling is None else self._decision(ruling, call_id)

    def closed(self, call_id: str, error: object) -> None:
        """Record the end of an operation."""
        self._settle()
        self._asked.pop(call_id, None)
        self._ledger.close(call_id, error)
        self._operations.closed(call_id)

    def _decision(self, ruling: PolicyDecision, call_id: str | None) -> Decision:
        if ruling.verdict == "deny":
            return Decision("deny", reason=ruling.reason, by=ruling.by)
        if ruling.verdict == "allow":
            return Decision("continue", reason=ruling.reason, by=ruling.by)
        asked = ruling.question
        question = Asked(
            asked.prompt or ruling.reason,
            default=asked.default,
            timeout_s=asked.timeout_s,
            kind="approval" if ruling.verdict == "ask" else "breakpoint",
        )
        outcome = being_decided()
        if ruling.grant is not None and outcome is not None and len(self._asked) < MAX_ASKED:
            entry = _Asked(outcome, question, ruling.grant)
            self._asked[id(question) if call_id is None else call_id] = entry
        return Decision("ask_user", question=question, reason=ruling.reason, by=ruling.by)

    def _settle(self) -> None:
        """Give budgets what people granted meanwhile."""
        for key, entry in list(self._asked.items()) if self._asked else ():
            answer = entry.outcome.approval
            is_ours = entry.outcome.question is entry.question
            if answer is None:
                continue
            if self._asked.pop(key, None) is entry and is_ours and answer.is_granted:
                entry.grant()

    def _budgets(self, hook: str, kwargs: dict[str, Any]) -> list[PolicyDecision]:
        if self._ledger.is_empty:
            return []
        tool, call_id = kwargs.get("tool_name"), kwargs.get("call_id")
        return self._ledger.check(hook, tool, call_id, self._session())

    def _agent(self, kwargs: dict[str, Any]) -> str:
        return self._operations.agent_of(kwargs.get("call_id"), kwargs.get("parent_call_id"))


def ruled(policy: Policy, event: Event) -> PolicyDecision:
    """Return the decision of a matching policy on an event."""
    action = policy.action
    by = f"{'breakpoint' if action == 'break' else 'policy'}:{policy.name}"
    if action in ("allow", "deny"):
        done = "allowed" if action == "allow" else "denied"
        return PolicyDecision(by, action, policy.reason or f"{done} by policy {policy.name}")
    subject = event.kwargs.get("tool_name") if event.hook == "before_tool_call" else None
    what = str(subject)[:_MAX_NAME_CHARS] if subject is not None else event.hook
    if action == "ask":
        reason = policy.reason or f"policy {policy.name} asks"
        prompt = policy.question.prompt or policy.reason or f"May {what} run? ({policy.name})"
    else:
        reason = policy.reason or f"breakpoint {policy.name}"
        prompt = policy.question.prompt or f"Stopped before {what} ({policy.name}). Go on?"
    return PolicyDecision(
        by, action, reason, Question(prompt, policy.question.timeout_s, policy.question.default)
    )
