"""One question to a person, told from opening to closing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from instrument.approvals import (
    ApprovalAnswer,
    ApprovalRequest,
    Kind,
    answer_by_default,
    answer_from,
)
from instrument.decision import Question
from instrument.delivery import is_our_own_cancellation
from instrument.ids import next_call_id
from instrument.waiting import Channel, NobodyAnsweredError, Waiting

NO_PROVIDER = "no approval provider"

_logger = logging.getLogger("mcp.instrument")


class Subject(NamedTuple):
    """What a question is about."""

    hook: str | None
    interceptor: str
    data: Mapping[str, Any]


async def ask_person(
    bus: Channel,
    waiting: Waiting,
    question: Question,
    subject: Subject,
    kind: Kind = "approval",
) -> ApprovalAnswer:
    """Ask the provider, and return what counts as its answer: every failure is a refusal.

    `request_opened` and `request_closed` are told around it. With no provider nothing is opened.

    Raises:
        asyncio.CancelledError: The asking task was cancelled; the request is withdrawn.
    """
    providers = bus._approval_providers  # read once: another thread may withdraw the last
    if not providers:
        return ApprovalAnswer("deny", NO_PROVIDER)
    (provider,) = providers[-1]
    request = _request(question, subject, kind)
    await waiting.tell("request_opened", _opening(request))
    try:
        returned = await waiting.ask(provider, request)
    except NobodyAnsweredError:
        status, answer = "expired", answer_by_default(question)
    except GeneratorExit:  # closed while it waited: nothing can be awaited any more
        await bus._sync_waiting.tell("request_closed", _closing(request, "withdrawn", None))
        raise
    except BaseException as error:
        if not isinstance(error, Exception | asyncio.CancelledError) or is_our_own_cancellation(
            error
        ):
            await waiting.tell("request_closed", _closing(request, "withdrawn", None))
            raise
        _logger.warning("Asking a person failed on %s", subject.hook, exc_info=error)
        status, answer = "withdrawn", ApprovalAnswer("deny", f"asking failed: {error}")
    else:
        status, answer = _read(returned)
    await waiting.tell("request_closed", _closing(request, status, answer))
    return answer


def _read(returned: object) -> tuple[str, ApprovalAnswer]:
    answer = answer_from(returned)
    if answer is not None:
        return "answered", answer
    problem = f"the approval provider returned {type(returned).__name__}, which is no answer"
    _logger.warning("Denied, because %s.", problem)
    return "withdrawn", ApprovalAnswer("deny", problem)


def _request(question: Question, subject: Subject, kind: Kind) -> ApprovalRequest:
    return ApprovalRequest(
        request_id=next_call_id(),
        kind=kind,
        hook=subject.hook,
        call_id=subject.data.get("call_id"),
        interceptor=subject.interceptor,
        prompt=question.prompt,
        options=question.options,
        default=question.default,
        timeout_s=question.timeout_s,
        data=subject.data,
    )


def _opening(request: ApprovalRequest) -> dict[str, Any]:
    return {
        "call_id": request.call_id,
        "request_id": request.request_id,
        "kind": request.kind,
        "hook": request.hook,
        "prompt": request.prompt,
    }


def _closing(
    request: ApprovalRequest, status: str, answer: ApprovalAnswer | None
) -> dict[str, Any]:
    told: dict[str, Any] | None = None
    if answer is not None:
        told = {"decision": answer.decision}
        if answer.changes:
            told["changes"] = dict(answer.changes)
        if answer.payload is not None:
            told["payload"] = answer.payload
    return {
        "call_id": request.call_id,
        "request_id": request.request_id,
        "status": status,
        "answer": told,
        "reason": None if answer is None else answer.reason,
    }
