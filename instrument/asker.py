"""The part of a bus that asks a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from instrument.once import once
from instrument.operations import current_call_id
from instrument.question import APPROVAL_TIMEOUT_S
from instrument.waiting import completed

if TYPE_CHECKING:
    from instrument.approvals import ApprovalAnswer, ApprovalProvider
    from instrument.channel import Channel, Waiting
    from instrument.parts import Question
else:
    Channel = object

ASKER = "ask"
"""Name of the asker where the program asks without giving one."""


class Asker(Channel):
    """Puts questions to a person, through the provider that was set last."""

    _approval_providers: tuple[list[ApprovalProvider], ...]
    _lock: Lock

    def set_approval_provider(self, provider: ApprovalProvider) -> Callable[[], None]:
        """Set the provider that asks people; the last one set is used.

        Returns:
            A function that withdraws it once.

        Raises:
            TypeError: It has no `ask`.
        """
        if not callable(getattr(provider, "ask", None)):
            raise TypeError(
                f"Cannot let {provider!r} ask a person: it has no `ask(request)`. "
                "See `ApprovalProvider`."
            )
        entry = [provider]  # a list each: a provider set twice is withdrawn twice

        def withdraw() -> None:
            with self._lock:
                self._approval_providers = tuple(
                    other for other in self._approval_providers if other is not entry
                )

        with self._lock:
            self._approval_providers = (*self._approval_providers, entry)
        return once(withdraw)

    async def ask(
        self,
        prompt: str,
        *,
        form: Mapping[str, Any] | None = None,
        signal_name: str | None = None,
        kind: Literal["question", "breakpoint"] = "question",
        default: str | None = None,
        timeout: float = APPROVAL_TIMEOUT_S,  # noqa: ASYNC109 - part of the request
        name: str | None = None,
    ) -> ApprovalAnswer:
        """Ask a person a question and return the answer.

        The answer to a question is `answer`, with a `payload`, or `decline` or `cancel`: see
        `ApprovalAnswer.is_answered`. A breakpoint is allowed or denied. No answer is made up:
        without a provider, after a failure and after the timeout the default counts.

        Args:
            prompt: The text of the question.
            form: JSON Schema of the payload; without one the answer is text.
            signal_name: Name of the signal, where a workflow waits for one.
            kind: A question, or a breakpoint: a stop to look around.
            default: For a question `decline` (default) or `cancel`; for a breakpoint `deny`
                (default) or `allow`.
            timeout: Seconds until the default counts.
            name: The asker, for the trail.

        Raises:
            ValueError: An argument is invalid.
            asyncio.CancelledError: The asking task was cancelled; the request is withdrawn.
        """
        from instrument.asking import question_with  # noqa: PLC0415 - few processes ask

        question = question_with(
            prompt,
            form=form,
            signal_name=signal_name,
            kind=kind,
            default=default,
            timeout_s=timeout,
        )
        return await _ask(self, self._waiting, question, name)

    def ask_sync(
        self,
        prompt: str,
        *,
        form: Mapping[str, Any] | None = None,
        signal_name: str | None = None,
        kind: Literal["question", "breakpoint"] = "question",
        default: str | None = None,
        timeout: float = APPROVAL_TIMEOUT_S,
        name: str | None = None,
    ) -> ApprovalAnswer:
        """Run `ask` from sync code.

        Nobody can be asked on a thread whose event loop is running: the loop would block.

        Args:
            prompt: The text of the question; see `ask` for all arguments.
            form: JSON Schema of the payload.
            signal_name: Name of the signal.
            kind: A question, or a breakpoint.
            default: The decision after the timeout.
            timeout: Seconds until the default counts.
            name: The asker.

        Raises:
            ValueError: An argument is invalid.
        """
        from instrument.asking import question_with  # noqa: PLC0415 - few processes ask

        question = question_with(
            prompt,
            form=form,
            signal_name=signal_name,
            kind=kind,
            default=default,
            timeout_s=timeout,
        )
        return completed(_ask(self, self._sync_waiting, question, name))


async def _ask(
    bus: Channel, waiting: Waiting, question: Question, name: str | None
) -> ApprovalAnswer:
    from instrument.asking import Subject, ask_person  # noqa: PLC0415 - see `Asker.ask`

    call_id = current_call_id(bus)
    subject = Subject(None, name or ASKER, {} if call_id is None else {"call_id": call_id})
    return await ask_person(bus, waiting, question, subject)
