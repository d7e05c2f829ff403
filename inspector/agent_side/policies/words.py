"""Policies as text: those in force, and the trial of a call. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.agent_side.policies.budgets import Budget
from inspector.agent_side.policies.file import Rules
from inspector.agent_side.policies.judge import ruled
from inspector.agent_side.policies.rules import BEFORE_TOOL_CALL, Event, Globs, Policy, Question
from inspector.agent_side.policies.ruling import joined


class RuleText(NamedTuple):
    """One rule, for people and machines."""

    kind: str
    name: str
    words: str
    line: int | None


class Trial(NamedTuple):
    """The result of trying out a call."""

    verdict: str
    """`allow`, `deny`, `ask`, `break`, or `none` where nobody speaks of it."""
    reason: str
    matched: tuple[RuleText, ...]
    """Who spoke of it."""
    counted: tuple[RuleText, ...]
    """The budgets that hold it up when they are used up."""


def lines(rules: Rules) -> Iterator[RuleText]:
    """Yield the rules in force in a file, in order; notes are of the kind `note`."""
    for kind, listed in (("policy", rules.policies), ("breakpoint", rules.breakpoints)):
        first: Policy | None = None
        for policy in listed.policies:
            yield _policy_line(kind, policy)
            if first is not None and set(policy.hooks) <= set(first.hooks):
                said = f"is never reached: {first.name} comes first, and is about all of these"
                yield RuleText("note", policy.name, said, policy.place.line)
            if first is None and _is_about_all(policy):
                first = policy
    for budget in rules.budgets:
        yield _budget_line(budget)


def needs_prices(rules: Rules) -> bool:
    """Return whether any budget limits cost."""
    return any(budget.of == "cost_usd" for budget in rules.budgets)


def try_out(rules: Sequence[Rules], event: Event) -> Trial:
    """Return the result for `event` while every budget has some left."""
    matched = [one for each in rules if (one := each.policies.first(event)) is not None]
    stops = [one for each in rules if (one := each.breakpoints.first(event)) is not None][:1]
    ruling = joined([ruled(one, event) for one in (*matched, *stops)])
    if ruling is not None and ruling.verdict == "deny":
        stops = []
    budgets = [
        _budget_line(budget)
        for each in rules
        for budget in each.budgets
        if event.hook in budget.gates
        and (budget.tools is None or budget.tools.fit(event.kwargs.get("tool_name")))
    ]
    return Trial(
        "none" if ruling is None else ruling.verdict,
        "no policy speaks of it: it runs" if ruling is None else ruling.reason,
        (
            *(_policy_line("policy", one) for one in matched),
            *(_policy_line("breakpoint", one) for one in stops),
        ),
        tuple(budgets),
    )


def _is_about_all(policy: Policy) -> bool:
    return not (policy.tools or policy.servers or policy.agents or policy.where)


def _policy_line(kind: str, policy: Policy) -> RuleText:
    what = "tools" if policy.hooks == (BEFORE_TOOL_CALL,) else ", ".join(policy.hooks)
    said = [f"{policy.action} {what}{_of(policy.tools)}"]
    if policy.servers is not None:
        said.append(f"of servers {policy.servers}")
    if policy.agents is not None:
        said.append(f"used by agents {policy.agents}")
    if policy.where:
        said.append("where " + " and ".join(one.words for one in policy.where))
    if policy.action in ("ask", "break"):
        said.append(_silence(policy.question))
    return RuleText(kind, policy.name, " ".join(said), policy.place.line)


def _budget_line(budget: Budget) -> RuleText:
    whose = "the process" if budget.is_per_process else "each session"
    calls = f" of {budget.tools}" if budget.tools is not None else ""
    said = f"at {budget.figures(budget.at)}{calls} in {whose}"
    if budget.is_asking:
        said = f"ask {said}, again after each {budget.figures(budget.step)} more"
        said += f" {_silence(budget.question)}"
    else:
        said = f"stop {said}"
    if budget.warn_at is not None:
        said += f", warn at {budget.figures(budget.warn_at)}"
    return RuleText("budget", budget.name, said, budget.place.line)


def _of(tools: Globs | None) -> str:
    return "" if tools is None else f" {tools}"


def _silence(question: Question) -> str:
    return f"({question.default} after {question.timeout_s:g} s of silence)"
