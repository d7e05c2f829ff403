"""Approval requests, the answers to them, and the rules for which answers count.

The agent's own process decides. Every failure on the way to a person (no provider, a provider that
raises, an invalid answer) denies; only a timeout is answered by the question's own default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from instrument.parts import Kind, Question
from instrument.question import are_kwargs

GRANTS = frozenset({"allow", "allow once", "allow always"})


class ApprovalRequest(NamedTuple):
    """A request to a person for approval or an answer."""

    request_id: str
    """Unique in this process."""
    kind: Kind
    """What is asked for: an approval, a question or a breakpoint."""
    hook: str | None
    """The waiting event; None if there is none."""
    call_id: str | None
    """The waiting operation; None if there is none."""
    interceptor: str
    """Name of the asker."""
    prompt: str
    """The question, as the person reads it."""
    options: tuple[str, ...]
    """Decisions to choose from."""
    default: str
    """Decision after the timeout: `allow` or `deny`; for a question `decline` or `cancel`."""
    timeout_s: float
    """Time until the default applies."""
    data: Mapping[str, Any]
    """The final kwargs of the event; do not change them."""
    form: Mapping[str, Any] | None = None
    """JSON Schema of the answer to a question; None: text."""
    signal_name: str | None = None
    """Name of the signal, where a workflow waits for one."""
    asked_by: tuple[Any, ...] = ()
    """The asking callbacks: `interceptor` has their names, which may be equal."""


class ApprovalAnswer(NamedTuple):
    """A person's answer to a request."""

    decision: str
    """`allow`, `allow_once`, `allow_always`, `deny`; or `answer`, `decline`, `cancel`."""
    reason: str | None = None
    """Shown to the agent."""
    changes: Mapping[str, Any] = MappingProxyType({})
    """Kwargs of the event that the person edited while allowing it."""
    payload: Any = None
    """The answer to a question."""
    actor: str | None = None
    """Name the person gave, unverified; None: nobody, or unknown."""
    origin: str | None = None
    """Channel of the answer, such as `browser`."""
    check: Callable[[Mapping[str, Any]], str | None] | None = None
    """Function that returns how the kwargs about to run differ from those shown, or None.

    Other callbacks run between the answer and the operation, and may edit arguments in place.
    """

    @property
    def is_granted(self) -> bool:
        """True if the operation may proceed; any unknown decision is a refusal."""
        return normal(self.decision) in GRANTS

    @property
    def is_answered(self) -> bool:
        """True if a question was answered; `payload` is the answer, whatever its value."""
        return normal(self.decision) == "answer"

    def objection_to(self, data: Mapping[str, Any]) -> str | None:
        """Return why `data` must not run, or None; a failing check also objects."""
        if self.check is None:
            return None
        try:
            return self.check(data)
        except Exception as error:  # noqa: BLE001 - after any failure, it is unknown what would run
            return f"cannot check the allowed arguments: {type(error).__name__}: {error}"


class ApprovalProvider(Protocol):
    """An object that asks people, such as a terminal, the Inspector service or a test.

    For sync code, `ask` runs on a separate event loop; a provider that cannot run there has
    `ask_sync` too (`SyncApprovalProvider`).
    """

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer | str:
        """Return the answer: an `ApprovalAnswer`, or just its `decision`.

        The bus cancels this when the time is up.
        """


@runtime_checkable
class SyncApprovalProvider(ApprovalProvider, Protocol):
    """A provider for sync code, which calls it on a separate thread with a timeout."""

    def ask_sync(self, request: ApprovalRequest) -> ApprovalAnswer | str:
        """Return the answer to sync code."""


@runtime_checkable
class LastWordProvider(ApprovalProvider, Protocol):
    """A provider that answers from another thread, even while the asking one is busy."""

    def last_word(self, request: ApprovalRequest) -> ApprovalAnswer | str | None:
        """Accept no answer to `request` from now on, and return an earlier one, if any.

        Called after the timeout, which a busy event loop may notice late.
        """


def normal(decision: str) -> str:
    """Return a decision normalised: `Allow Once` equals `allow_once`."""
    return decision.strip().lower().replace("_", " ").replace("-", " ")


def answer_from(returned: object) -> ApprovalAnswer | None:
    """Convert a provider's return value to an answer, or None if it is not one."""
    if isinstance(returned, str):
        return ApprovalAnswer(returned)
    if not isinstance(returned, ApprovalAnswer):
        return None
    decision: object = returned.decision
    return returned if isinstance(decision, str) and are_kwargs(returned.changes) else None


def answer_by_default(question: Question) -> ApprovalAnswer:
    """Return the answer that applies after a timeout."""
    may_allow = question.kind != "question" and question.default == "allow"
    decision = "allow" if may_allow else refusal_of(question)
    return ApprovalAnswer(decision, f"nobody answered within {round(question.timeout_s, 2):g} s")


def refusal_of(question: Question) -> str:
    """Return how `question` is refused when asking fails."""
    if question.kind != "question":
        return "deny"
    return question.default if question.default in ("decline", "cancel") else "decline"
