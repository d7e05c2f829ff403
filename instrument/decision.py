"""Decisions of interceptors, and the combined outcome for one event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from instrument.errors import HookDenied, HookFailed, HookStopped, HookVerdict
from instrument.question import APPROVAL_OPTIONS, APPROVAL_TIMEOUT_S

if TYPE_CHECKING:
    from instrument.approvals import ApprovalAnswer
    from instrument.parts import Injection, Question, Verdict


Action: TypeAlias = Literal[
    "continue", "modify", "inject_context", "ask_user", "deny", "retry", "stop", "fail"
]
ACTIONS = ("continue", "modify", "inject_context", "ask_user", "deny", "retry", "stop", "fail")
ENDING = frozenset({"deny", "retry", "stop", "fail"})
"""Actions that end the chain: no later interceptor runs."""

CHANGING = frozenset({"modify", "inject_context", "ask_user"})
"""Actions that may change the data."""

ROLES = ("system", "user", "assistant")


class _NoChanges(dict[str, Any]):
    """An empty dict that stays empty, and stays the only one when it is pickled or copied."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("These changes are read-only.")

    __setitem__ = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> str:
        return "NO_CHANGES"


NO_CHANGES: Mapping[str, Any] = _NoChanges()


class Unset:
    """A marker that distinguishes an omitted value from None."""

    def __repr__(self) -> str:
        return "UNSET"

    __reduce__ = __repr__


UNSET = Unset()


class Decision:
    """The decision of an interceptor. None means `continue_()`.

    Made by its class methods.

    `continue_`, `modify`, `inject_context` and `ask_user` let the next interceptor decide;
    `deny`, `retry`, `stop` and `fail` end the chain. None of the latter performs the operation.

    Attributes:
        action: One of `ACTIONS`.
        reason: Why; on the trace and in the error.
        changes: Kwargs of the event that are replaced.
        value: The new value of the event (`modify`), or the value returned instead (`stop`).
        injection: The injection of `inject_context`.
        question: The question of `ask_user`.
        user_message: A line for the user, whatever the action.
        by: The name in the trail, if an interceptor decides for several; else its own.
    """

    __slots__ = (
        "action",
        "by",
        "changes",
        "injection",
        "question",
        "reason",
        "user_message",
        "value",
    )

    def __init__(
        self,
        action: Action,
        *,
        reason: str | None = None,
        changes: Mapping[str, Any] = NO_CHANGES,
        value: Any = UNSET,
        injection: Injection | None = None,
        question: Question | None = None,
        user_message: str | None = None,
        by: str | None = None,
    ) -> None:
        self.action: Action = action
        self.reason = reason
        self.changes = changes
        self.value = value
        self.injection = injection
        self.question = question
        self.user_message = user_message
        self.by = by

    def __repr__(self) -> str:
        return f"Decision({self.action!r}, reason={self.reason!r})"  # no payload

    @classmethod
    def continue_(cls, reason: str | None = None) -> Decision:
        """Continue without a change."""
        return cls("continue", reason=reason)

    @classmethod
    def modify(
        cls, value: Any = UNSET, /, *, reason: str | None = None, **changes: Any
    ) -> Decision:
        """Continue with changed data.

        Args:
            value: The new value of the event: `args` of a tool call, `response` of an LLM call;
                the catalogue says which kwarg that is.
            reason: Why.
            **changes: New values of writable kwargs, by name.
        """
        return cls("modify", reason=reason, value=value, changes=changes)

    @classmethod
    def deny(cls, reason: str) -> Decision:
        """Deny: the operation does not run and raises `HookDenied`."""
        return cls("deny", reason=reason)

    @classmethod
    def retry(cls, reason: str | None = None, **changes: Any) -> Decision:
        """Discard the result and run again; only for retryable events, run by `call`.

        Args:
            reason: Why.
            **changes: Kwargs of the next attempt that are other than those of the first.
        """
        return cls("retry", reason=reason, changes=changes)

    @classmethod
    def stop(cls, value: Any, reason: str | None = None) -> Decision:
        """End early with `value`; only on events that declare the type of that value."""
        return cls("stop", value=value, reason=reason)

    @classmethod
    def fail(cls, reason: str) -> Decision:
        """End with an error: `HookFailed`."""
        return cls("fail", reason=reason)

    @classmethod
    def inject_context(
        cls,
        text: str,
        *,
        role: str = "system",
        ephemeral: bool = False,
        reason: str | None = None,
        user_message: str | None = None,
    ) -> Decision:
        """Continue and add `text` for the model; the emitter reads it from `op.injections`."""
        from instrument.parts import Injection  # noqa: PLC0415 - see there

        injection = Injection(text, role, ephemeral)
        return cls("inject_context", injection=injection, reason=reason, user_message=user_message)

    @classmethod
    def ask_user(
        cls,
        prompt: str,
        *,
        options: tuple[str, ...] = APPROVAL_OPTIONS,
        default: str = "deny",
        timeout: float = APPROVAL_TIMEOUT_S,
        kind: Literal["approval", "breakpoint"] = "approval",
        reason: str | None = None,
    ) -> Decision:
        """Continue only if a person allows it.

        The person is asked once, after all interceptors, about the final data. No answer within
        `timeout` seconds counts as `default` (`allow` or `deny`); every failure denies. Of several
        questions the first is asked, and a timeout allows only if all of them say so.
        A `breakpoint` is a stop to look around, not an approval.
        """
        from instrument.parts import Question  # noqa: PLC0415 - see there

        question = Question(prompt, tuple(options), default, timeout, kind)
        return cls("ask_user", question=question, reason=reason)


class Outcome:
    """The combined outcome of all decisions on one event.

    Attributes:
        hook: The event.
        data: Its final kwargs, with every modification.
        action: `continue`, `deny`, `fail`, `stop` or `retry`; `ask_user` only where the caller
            asks.
        reason: Reason of the action.
        decided_by: The interceptor that ended the chain, `approval` for a person.
        stop_value: The value that a stop returns.
        retry_changes: Changed kwargs of the next attempt.
        changes: The kwargs that interceptors or a person replaced.
        shown: Values that a vocabulary shows its handlers in place of read-only ones in `data`.
        injections: Text for the model, in order.
        question: The question of the first `ask_user`, or None.
        approval: The answer to the question.
        user_messages: Lines for the user, in order.
    """

    __slots__ = (
        "_lines",
        "action",
        "approval",
        "changes",
        "data",
        "decided_by",
        "hook",
        "injections",
        "question",
        "reason",
        "retry_changes",
        "shown",
        "stop_value",
        "user_messages",
    )

    def __init__(self, hook: str, data: dict[str, Any]) -> None:
        self.hook = hook
        self.data = data
        self.action: Action = "continue"
        self.reason: str | None = None
        self.decided_by: str | None = None
        self.stop_value: Any = None
        self.retry_changes: Mapping[str, Any] = NO_CHANGES
        self.changes: Mapping[str, Any] = NO_CHANGES
        self.shown: Mapping[str, Any] = NO_CHANGES
        self.injections: list[Injection] = []
        self.question: Question | None = None
        self.approval: ApprovalAnswer | None = None
        self.user_messages: list[str] = []
        # The trail, as plain tuples: they take a third of the time.
        self._lines: list[tuple[str, str, float, str | None, str | None]] = []

    def __repr__(self) -> str:
        return f"Outcome({self.hook!r}, {self.action!r}, reason={self.reason!r})"

    @property
    def trail(self) -> list[Verdict]:
        """Every decision, in order."""
        from instrument.parts import Verdict  # noqa: PLC0415 - see there

        return [Verdict(*line) for line in self._lines]

    @property
    def is_allowed(self) -> bool:
        """True if the emitter may proceed."""
        return self.action == "continue"

    def error(self) -> HookVerdict | None:
        """Return the exception that an operation raises for this outcome, or None.

        A retry has no error: the emitter runs the operation again.
        """
        kinds: dict[str, type[HookVerdict]] = {"deny": HookDenied, "fail": HookFailed}
        details: dict[str, Any] = {
            "hook": self.hook,
            "interceptor": self.decided_by,
            "call_id": self.data.get("call_id"),
        }
        if self.action == "stop":
            return HookStopped(self.stop_value, self.reason or "stopped by a hook", **details)
        if self.action in kinds:
            return kinds[self.action](
                self.reason or f"{self.action} by {self.decided_by}", **details
            )
        if self.action == "ask_user":
            return HookDenied("nobody was asked", **details)
        return None

    def raise_if_ended(self) -> None:
        """Raise `HookDenied`, `HookFailed` or `HookStopped` if the chain ended that way."""
        error = self.error()
        if error is not None:
            raise error
