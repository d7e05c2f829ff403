"""A question to a person, reported from opening to closing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from instrument.approvals import (
    ApprovalAnswer,
    ApprovalProvider,
    ApprovalRequest,
    LastWordProvider,
    answer_by_default,
    answer_from,
    refusal_of,
)
from instrument.delivery import is_our_own_cancellation
from instrument.ids import next_call_id
from instrument.parts import Question
from instrument.question import APPROVAL_OPTIONS, is_duration
from instrument.waiting import NobodyAnsweredError

if TYPE_CHECKING:
    from instrument.channel import Channel, Waiting

NO_PROVIDER = "no approval provider"

DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "question": ("decline", "cancel"),
    "breakpoint": ("deny", "allow"),
}
"""Possible defaults by kind; the first is used when none is named."""

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "question": ("Answer", "Decline"),
    "breakpoint": APPROVAL_OPTIONS,
}

_logger = logging.getLogger("mcp.instrument")


class Subject(NamedTuple):
    """The subject of a question."""

    hook: str | None
    interceptor: str
    data: Mapping[str, Any]
    callbacks: tuple[Any, ...] = ()


def question_with(
    prompt: object,
    *,
    form: Mapping[str, Any] | None,
    signal_name: str | None,
    kind: str,
    default: str | None,
    timeout_s: float,
) -> Question:
    """Return the question for the arguments of `ask`.

    Raises:
        ValueError: A part of it is invalid.
    """
    attempt = f"Cannot ask {prompt!r:.80}"
    if not isinstance(prompt, str) or not prompt:
        raise ValueError(f"{attempt}: give a prompt as a string.")
    if kind not in DEFAULTS:
        raise ValueError(f"{attempt}: kind is {kind!r}; give {' or '.join(DEFAULTS)}.")
    possible = DEFAULTS[kind]
    if default is not None and default not in possible:
        raise ValueError(
            f"{attempt}: default is {default!r}; for a {kind}, give {' or '.join(possible)}."
        )
    if not is_duration(timeout_s):
        raise ValueError(f"{attempt}: timeout is {timeout_s!r}; give a number of seconds above 0.")
    if form is not None and (kind != "question" or not isinstance(form, Mapping)):
        raise ValueError(
            f"{attempt}: `form` must be a JSON Schema mapping, and is only for questions."
        )
    if signal_name is not None and not isinstance(signal_name, str):
        raise ValueError(f"{attempt}: signal_name is {signal_name!r}; give a string, or omit it.")
    options = OPTIONS[kind]
    return Question(
        prompt,
        options,
        default or possible[0],
        timeout_s,
        "question" if kind == "question" else "breakpoint",
        form,
        signal_name,
    )


async def ask_person(
    bus: Channel,
    waiting: Waiting,
    question: Question,
    subject: Subject,
) -> ApprovalAnswer:
    """Ask the provider and return its answer; every failure is a refusal.

    It emits `request_opened` and `request_closed`; without a provider, neither.

    Raises:
        asyncio.CancelledError: The asking task was cancelled; the request is withdrawn.
    """
    providers = bus._approval_providers  # read once: another thread may withdraw the last
    refusal = refusal_of(question)
    if not providers:
        return ApprovalAnswer(refusal, NO_PROVIDER)
    (provider,) = providers[-1]
    request = _request(question, subject)
    await waiting.notify("request_opened", _opening(request))
    try:
        returned = await waiting.ask(provider, request)
    except NobodyAnsweredError:
        status, answer = _on_timeout(provider, request, question)
    except GeneratorExit:  # closed while it waited: nothing can be awaited any more
        await bus._sync_waiting.notify("request_closed", _closing(request, "withdrawn", None))
        raise
    except BaseException as error:
        if not isinstance(error, Exception | asyncio.CancelledError) or is_our_own_cancellation(
            error
        ):
            await waiting.notify("request_closed", _closing(request, "withdrawn", None))
            raise
        _logger.warning("Asking a person failed on %s", subject.hook, exc_info=error)
        status, answer = "withdrawn", ApprovalAnswer(refusal, f"asking failed: {error}")
    else:
        status, answer = _read(returned, refusal)
    await waiting.notify("request_closed", _closing(request, status, answer))
    return answer


def _on_timeout(
    provider: ApprovalProvider, request: ApprovalRequest, question: Question
) -> tuple[str, ApprovalAnswer]:
    """Return the status and answer after the timeout: a late answer, else the default."""
    try:
        late = provider.last_word(request) if isinstance(provider, LastWordProvider) else None
    except Exception as error:
        _logger.warning("Asking a person failed on %s", request.hook, exc_info=error)
        return "withdrawn", ApprovalAnswer(refusal_of(question), f"asking failed: {error}")
    if late is None:
        return "expired", answer_by_default(question)
    return _read(late, refusal_of(question))


def _read(returned: object, refusal: str) -> tuple[str, ApprovalAnswer]:
    answer = answer_from(returned)
    if answer is not None:
        return "answered", answer
    problem = f"the approval provider returned {type(returned).__name__}, which is not an answer"
    _logger.warning("Denied, because %s.", problem)
    return "withdrawn", ApprovalAnswer(refusal, problem)


def _request(question: Question, subject: Subject) -> ApprovalRequest:
    return ApprovalRequest(
        request_id=next_call_id(),
        kind=question.kind,
        hook=subject.hook,
        call_id=subject.data.get("call_id"),
        interceptor=subject.interceptor,
        prompt=question.prompt,
        options=question.options,
        default=question.default,
        timeout_s=question.timeout_s,
        data=subject.data,
        form=question.form,
        signal_name=question.signal_name,
        asked_by=subject.callbacks,
    )


def _opening(request: ApprovalRequest) -> dict[str, Any]:
    return {
        "call_id": request.call_id,
        "request_id": request.request_id,
        "kind": request.kind,
        "hook": request.hook,
        "prompt": request.prompt,
        "interceptor": request.interceptor,
        "signal_name": request.signal_name,
    }


def _closing(
    request: ApprovalRequest, status: str, answer: ApprovalAnswer | None
) -> dict[str, Any]:
    content: dict[str, Any] | None = None
    if answer is not None:
        content = {"decision": answer.decision}
        if answer.changes:
            content["changes"] = dict(answer.changes)
        if answer.payload is not None:
            content["payload"] = answer.payload
    return {
        "call_id": request.call_id,
        "request_id": request.request_id,
        "status": status,
        "answer": content,
        "reason": None if answer is None else answer.reason,
        "actor": None if answer is None else answer.actor,
        "origin": None if answer is None else answer.origin,
    }
