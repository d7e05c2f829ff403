"""The interceptor: one decision per event from policies, breakpoints and budgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inspector.agent_side.policies.budgets import Ledger
from inspector.agent_side.policies.decision import PolicyDecision, combine
from inspector.agent_side.policies.file import Rules
from inspector.agent_side.policies.open_operations import OperationTracker
from inspector.agent_side.policies.rules import Event, Policy, Question, RuleList
from instrument import Decision
from instrument.decision import Outcome
from instrument.deliberation import being_decided
from instrument.parts import Question as BusQuestion

MAX_QUESTIONS = 10_000
_MAX_NAME_CHARS = 200


class _OpenQuestion(NamedTuple):
    """A budget's question, and the outcome that will have its answer."""

    outcome: Outcome
    question: BusQuestion
    grant: Callable[[], None]


class PolicyInterceptor:
    """The interceptor that decides on every event that a rule covers."""

    def __init__(
        self,
        rules: Sequence[Rules],
        ledger: Ledger,
        operations: OperationTracker,
        session: Callable[[], str | None],
    ) -> None:
        """Make an interceptor; of the decisions of all `rules` the strictest counts."""
        self._policies = [one.policies for one in rules]
        self._breakpoints = RuleList([two for one in rules for two in one.breakpoints.policies])
        self._ledger = ledger
        self._operations = operations
        self._session = session
        self._questions: dict[str | int, _OpenQuestion] = {}
        """Questions by call; dict operations are atomic, so threads need no lock."""

    def decide(self, hook: str, /, **kwargs: Any) -> Decision | None:
        """Return the decision on an event; None if no rule applies."""
        call_id = kwargs.get("call_id")
        self._settle()
        parent_id = kwargs.get("parent_call_id")
        event = Event(hook, kwargs, lambda: self._operations.agent_of(call_id, parent_id))
        decisions = [
            decision_of(one, event) for rules in self._policies if (one := rules.first(event))
        ]
        if not any(one.effect == "deny" for one in decisions):
            if stop := self._breakpoints.first(event):
                decisions.append(decision_of(stop, event))
            if not self._ledger.is_empty:
                tool = kwargs.get("tool_name")
                decisions += self._ledger.check(hook, tool, call_id, self._session())
        decision = combine(decisions)
        return None if decision is None else self._decision(decision, call_id)

    def closed(self, call_id: str, error: object) -> None:
        """Record the end of an operation."""
        self._settle()
        self._questions.pop(call_id, None)
        self._ledger.close(call_id, error)
        self._operations.closed(call_id)

    def _decision(self, decision: PolicyDecision, call_id: str | None) -> Decision:
        if decision.effect == "deny":
            return Decision("deny", reason=decision.reason, by=decision.by)
        if decision.effect == "allow":
            return Decision("continue", reason=decision.reason, by=decision.by)
        wording = decision.question
        question = BusQuestion(
            wording.prompt or decision.reason,
            default=wording.default,
            timeout_s=wording.timeout_s,
            kind="approval" if decision.effect == "ask" else "breakpoint",
        )
        outcome = being_decided()
        if (
            decision.grant is not None
            and outcome is not None
            and len(self._questions) < MAX_QUESTIONS
        ):
            entry = _OpenQuestion(outcome, question, decision.grant)
            self._questions[id(question) if call_id is None else call_id] = entry
        return Decision("ask_user", question=question, reason=decision.reason, by=decision.by)

    def _settle(self) -> None:
        """Extend the budgets that people have granted."""
        for key, entry in list(self._questions.items()) if self._questions else ():
            answer = entry.outcome.approval
            if answer is None:
                continue
            is_ours = entry.outcome.question is entry.question
            if self._questions.pop(key, None) is entry and is_ours and answer.is_granted:
                entry.grant()


def decision_of(policy: Policy, event: Event) -> PolicyDecision:
    """Return the decision of a matching policy on an event."""
    action = policy.action
    by = f"{'breakpoint' if action == 'break' else 'policy'}:{policy.name}"
    if action in ("allow", "deny"):
        done = "allowed" if action == "allow" else "denied"
        return PolicyDecision(by, action, policy.reason or f"{done} by policy {policy.name!r}")
    subject = event.kwargs.get("tool_name") if event.hook == "before_tool_call" else None
    what = str(subject)[:_MAX_NAME_CHARS] if subject is not None else event.hook
    if action == "ask":
        reason = policy.reason or f"policy {policy.name} asks"
        prompt = policy.question.prompt or policy.reason or f"Allow {what} to run? ({policy.name})"
    else:
        reason = policy.reason or f"breakpoint {policy.name}"
        prompt = policy.question.prompt or f"Stopped before {what} ({policy.name}). Continue?"
    return PolicyDecision(
        by, action, reason, Question(prompt, policy.question.timeout_s, policy.question.default)
    )
