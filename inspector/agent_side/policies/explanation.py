"""Explanation of policies in words: those in force, and the trial of a call. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.agent_side.policies.budgets import Budget
from inspector.agent_side.policies.decision import combine
from inspector.agent_side.policies.file import Rules
from inspector.agent_side.policies.interceptor import decision_of
from inspector.agent_side.policies.rules import BEFORE_TOOL_CALL, Event, Policy, Question


class RuleText(NamedTuple):
    """One rule, for people and machines."""

    kind: str
    name: str
    words: str
    line: int | None


class Trial(NamedTuple):
    """The result of trying out a call."""

    verdict: str
    """`allow`, `deny`, `ask`, `break`, or `none` if no policy matches."""
    reason: str
    matched: tuple[RuleText, ...]
    """The matching policies and breakpoints."""
    counted: tuple[RuleText, ...]
    """The budgets that count the call."""


def lines(rules: Rules) -> Iterator[RuleText]:
    """Yield the rules in force in a file, in order; notes are of the kind `note`."""
    for kind, listed in (("policy", rules.policies), ("breakpoint", rules.breakpoints)):
        first: Policy | None = None
        for policy in listed.policies:
            yield _policy_line(kind, policy)
            if first is not None and set(policy.hooks) <= set(first.hooks):
                words = f"is never reached: {first.name} comes first and covers every case"
                yield RuleText("note", policy.name, words, policy.source.line)
            if first is None and _is_about_all(policy):
                first = policy
    for budget in rules.budgets:
        yield _budget_line(budget)


def needs_prices(rules: Rules) -> bool:
    """Return whether any budget limits cost."""
    return any(budget.of == "cost_usd" for budget in rules.budgets)


def try_out(rules: Sequence[Rules], event: Event) -> Trial:
    """Return the result for `event` while no budget is used up."""
    matched = [one for each in rules if (one := each.policies.first(event)) is not None]
    stops = [one for each in rules if (one := each.breakpoints.first(event)) is not None][:1]
    decision = combine([decision_of(one, event) for one in (*matched, *stops)])
    if decision is not None and decision.effect == "deny":
        stops = []
    budgets = [
        _budget_line(budget)
        for each in rules
        for budget in each.budgets
        if event.hook in budget.gates
        and (budget.tools is None or budget.tools.fit(event.kwargs.get("tool_name")))
    ]
    return Trial(
        "none" if decision is None else decision.effect,
        "no policy applies, so the call runs" if decision is None else decision.reason,
        (
            *(_policy_line("policy", one) for one in matched),
            *(_policy_line("breakpoint", one) for one in stops),
        ),
        tuple(budgets),
    )


def _is_about_all(policy: Policy) -> bool:
    return not (policy.tools or policy.servers or policy.agents or policy.where)


def _policy_line(kind: str, policy: Policy) -> RuleText:
    subject = "tools" if policy.hooks == (BEFORE_TOOL_CALL,) else ", ".join(policy.hooks)
    tools = "" if policy.tools is None else f" {policy.tools}"
    words = [f"{policy.action} {subject}{tools}"]
    if policy.servers is not None:
        words.append(f"of servers {policy.servers}")
    if policy.agents is not None:
        words.append(f"used by agents {policy.agents}")
    if policy.where:
        words.append("where " + " and ".join(one.words for one in policy.where))
    if policy.action in ("ask", "break"):
        words.append(_silence(policy.question))
    return RuleText(kind, policy.name, " ".join(words), policy.source.line)


def _budget_line(budget: Budget) -> RuleText:
    whose = "the process" if budget.is_per_process else "each session"
    calls = f" of {budget.tools}" if budget.tools is not None else ""
    words = f"at {budget.figures(budget.at)}{calls} in {whose}"
    if budget.is_asking:
        words = f"ask {words}, and again every {budget.figures(budget.step)}"
        words += f" {_silence(budget.question)}"
    else:
        words = f"stop {words}"
    if budget.warn_at is not None:
        words += f", warn at {budget.figures(budget.warn_at)}"
    return RuleText("budget", budget.name, words, budget.source.line)


def _silence(question: Question) -> str:
    return f"({question.default} after {question.timeout_s:g} s of silence)"
