"""Approval requests, the answers to them, and the rules for which answers count.

The agent's own process is the judge. Whatever goes wrong on the way to a person (nobody to ask,
a provider that raises, an answer that is none) denies; only saying nothing until the time is up
is answered by the question's own default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from instrument.question import Kind, Question, are_kwargs

GRANTS = frozenset({"allow", "allow once", "allow always"})


class ApprovalRequest(NamedTuple):
    """A request to a person for approval or an answer."""

    request_id: str
    """Unique in this process."""
    kind: Kind
    hook: str | None
    """The event that waits; None: it is about no event."""
    call_id: str | None
    """The operation that waits; None: it is no operation."""
    interceptor: str
    """Who wants it asked."""
    prompt: str
    options: tuple[str, ...]
    default: str
    """What counts when nobody answers in time: `allow` or `deny`; of a question a way to say no."""
    timeout_s: float
    data: Mapping[str, Any]
    """The final kwargs of the event; not to be changed."""
    form: Mapping[str, Any] | None = None
    """JSON Schema of what a question wants to know; None: text will do."""
    signal_name: str | None = None
    """What the answer is a signal for, where a workflow waits for one."""
    asked_by: tuple[Any, ...] = ()
    """The call-backs that want it asked: `interceptor` names them all, and two may share a name."""


class ApprovalAnswer(NamedTuple):
    """A person's answer to a request."""

    decision: str
    """`allow`, `allow_once`, `allow_always`, `deny`; or `answer`, `decline`, `cancel`."""
    reason: str | None = None
    changes: Mapping[str, Any] = MappingProxyType({})
    """Kwargs of the event that the person edited while allowing it."""
    payload: Any = None
    """The answer to a question."""
    actor: str | None = None
    """Who answered, by the name they give themselves; None: nobody, or it is not known."""
    origin: str | None = None
    """Which way the answer came, such as `browser`."""
    check: Callable[[Mapping[str, Any]], str | None] | None = None
    """Given the kwargs that are about to run, says why they are not what the person saw, or None.

    From answer to run others have their turn, and arguments can be changed in place.
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
        """Return why `data` must not run after all; a check that fails objects."""
        if self.check is None:
            return None
        try:
            return self.check(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody knows what would run
            return f"what was allowed cannot be checked: {type(error).__name__}: {error}"


class ApprovalProvider(Protocol):
    """An object that asks people: a terminal, the inspector, a test.

    When sync code waits, `ask` is run on a loop of its own; a provider that minds has `ask_sync`
    too (`SyncApprovalProvider`).
    """

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer | str:
        """Return the answer: an `ApprovalAnswer`, or just its `decision`.

        The bus cancels this when the time is up.
        """


@runtime_checkable
class SyncApprovalProvider(ApprovalProvider, Protocol):
    """A provider that sync code asks on a thread of its own, and leaves there in time."""

    def ask_sync(self, request: ApprovalRequest) -> ApprovalAnswer | str:
        """Return the answer to sync code."""


@runtime_checkable
class LastWordProvider(ApprovalProvider, Protocol):
    """A provider that answers from another thread, even while the asking one is busy."""

    def last_word(self, request: ApprovalRequest) -> ApprovalAnswer | str | None:
        """Take no answer to `request` from now on, and return the one that came before that.

        Called when the time is up, which a busy event loop may learn late.
        """


def normal(decision: str) -> str:
    """Return a decision as it is compared: `Allow Once` and `allow_once` are one."""
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
    """Return the answer that applies when nobody answers in time."""
    may_allow = question.kind != "question" and question.default == "allow"
    decision = "allow" if may_allow else refusal_of(question)
    return ApprovalAnswer(decision, f"nobody answered within {round(question.timeout_s, 2):g} s")


def refusal_of(question: Question) -> str:
    """Return how `question` is refused when asking fails."""
    if question.kind != "question":
        return "deny"
    return question.default if question.default in ("decline", "cancel") else "decline"
