"""The decision of one policy or budget, and how several are combined. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

from inspector.agent_side.policies.rules import Question

PolicyEffect: TypeAlias = Literal["allow", "deny", "ask", "break"]

JOINT = " + "
"""Separator of the names in a joint question; no name contains it."""

MAX_PROMPT_CHARS = 16_000
MAX_NAME_CHARS = 200


class PolicyDecision(NamedTuple):
    """The decision of one policy or budget."""

    by: str
    """Its kind and name, such as `policy:no deletes`; an "always" answer applies to it."""
    effect: PolicyEffect
    reason: str
    question: Question = Question()
    grant: Callable[[], None] | None = None
    """The callback of a budget that asks, for a yes."""


def combine(decisions: Sequence[PolicyDecision]) -> PolicyDecision | None:
    """Return the combined decision: the strictest, with the reason of the first such.

    One denial denies. All that ask share one question and its answer. Without an answer, it allows
    only if that is the default of all of them, after the longest of their times; else it denies
    after the shortest.
    """
    refused = [one for one in decisions if one.effect == "deny"]
    if refused:
        return refused[0]
    asking = [one for one in decisions if one.effect in ("ask", "break")]
    if len(asking) > 1:
        return _one_question(asking)
    if asking:
        return asking[0]
    if not decisions:
        return None
    return decisions[0]._replace(reason="; ".join(one.reason for one in decisions))


def _one_question(asking: Sequence[PolicyDecision]) -> PolicyDecision:
    prompts = [one.question.prompt or one.reason for one in asking]
    may_silence_allow = all(one.question.default == "allow" for one in asking)
    times_s = [one.question.timeout_s for one in asking]
    question = Question(
        prompt="\n".join(dict.fromkeys(prompts))[:MAX_PROMPT_CHARS],
        timeout_s=max(times_s) if may_silence_allow else min(times_s),
        default="allow" if may_silence_allow else "deny",
    )
    grants = [one.grant for one in asking if one.grant is not None]

    def grant() -> None:
        for each in grants:
            each()

    return PolicyDecision(
        by=_names(asking),
        effect="ask" if any(one.effect == "ask" for one in asking) else "break",
        reason="; ".join(one.reason for one in asking),
        question=question,
        grant=grant,
    )


def _names(asking: Sequence[PolicyDecision]) -> str:
    """Return a joint name; "always" for it is not "always" for one of them."""
    whole = JOINT.join(one.by for one in asking)
    if len(whole) <= MAX_NAME_CHARS:
        return whole
    mark = sha256(whole.encode()).hexdigest()[:16]
    return f"{whole[: MAX_NAME_CHARS - 20]}… {mark}"
