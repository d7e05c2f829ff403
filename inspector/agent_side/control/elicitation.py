"""MCP elicitation, answered in the inspector.

`ClientSession(elicitation_callback=inspector.elicit)`: a server's request becomes a question with
the server's form, and the answer accepts, declines or cancels. One callback serves both eras of
the protocol, requests that the server sends and those in an input-required result (2026-07-28), and
both major versions of the Python SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from inspector.agent_side.control.forms import problem_of
from instrument import ApprovalAnswer, Bus
from instrument import default as shared
from instrument.question import APPROVAL_TIMEOUT_S

if TYPE_CHECKING:
    from mcp.types import ElicitResult

SIGNAL = "elicitation"
NO_FIELDS: Mapping[str, Any] = {"type": "object", "properties": {}}
"""The form of a request that can only be accepted, declined or cancelled."""


class Callback(Protocol):
    """The SDK's `ElicitationFnT`."""

    async def __call__(self, context: Any, params: Any) -> Any:
        """Return an `ElicitResult`."""


def make_elicit(
    *,
    bus: Bus | None = None,
    timeout_s: float = APPROVAL_TIMEOUT_S,
    server_name: str | None = None,
    otherwise: Callback | None = None,
) -> Callback:
    """Return a callback for `ClientSession(elicitation_callback=…)`.

    Args:
        bus: The bus that asks people; default: the shared one.
        timeout_s: Time limit; then it is cancelled.
        server_name: Name of the server, on the trace and in the request.
        otherwise: The callback that answers when no person does.
    """

    async def elicit(context: Any, params: Any) -> Any:
        message = str(getattr(params, "message", "") or "The server requests input.")
        url, form = getattr(params, "url", None), _form_of(params)
        if url is not None:  # never opened from here, and has no form
            message = f"{message}\n\nOpen this link only if you trust it: {url}"
        answer = await (bus or shared.bus).ask(
            message,
            form=NO_FIELDS if url is not None else form,
            signal_name=SIGNAL,
            default="cancel",
            timeout=timeout_s,
            name=server_name or "MCP elicitation",
        )
        if otherwise is not None and answer.actor is None and not answer.is_answered:
            return await otherwise(context, params)
        return _result_of(answer, form, is_url=url is not None)

    return elicit


async def elicit(context: Any, params: Any) -> ElicitResult:
    """Pass an elicitation to people: `ClientSession(elicitation_callback=inspector.elicit)`.

    People fill in a form; an address is shown, never opened. Without anybody, or an answer within
    300 s, it cancels.

    Args:
        context: The context of the SDK; ignored.
        params: Parameters of `elicitation/create`, in any version of the protocol and the SDK.
    """
    result: ElicitResult = await make_elicit()(context, params)
    return result


async def input_responses(result: Any, callback: Callback = elicit) -> dict[str, Any]:
    """Answer the elicitations in an input-required result (2026-07-28).

    For code that calls `session.call_tool(…, allow_input_required=True)` itself; `Client` does this
    with its `elicitation_callback`.

    Args:
        result: The `InputRequiredResult`.
        callback: Answers them one after the other.

    Returns:
        The `input_responses` to send back, without requests that are no elicitation.
    """
    requests: Mapping[str, Any] = getattr(result, "input_requests", None) or {}
    return {
        key: await callback(None, request.params)
        for key, request in requests.items()
        if getattr(request, "method", None) == "elicitation/create"
    }


def _form_of(params: Any) -> Mapping[str, Any]:
    """Return the form in either version of the SDK."""
    form = getattr(params, "requested_schema", None) or getattr(params, "requestedSchema", None)
    return form if isinstance(form, Mapping) else NO_FIELDS


def _result_of(answer: ApprovalAnswer, form: Mapping[str, Any], *, is_url: bool) -> Any:
    from mcp.types import ElicitResult  # noqa: PLC0415 - an agent may lack MCP

    if not answer.is_answered:
        return ElicitResult(action="decline" if answer.decision == "decline" else "cancel")
    if is_url:
        return ElicitResult(action="accept")
    payload = {} if answer.payload is None else answer.payload
    if problem_of(form, payload) is not None or not isinstance(payload, dict):
        return ElicitResult(action="cancel")  # the provider ignored the form
    return ElicitResult(action="accept", content=payload)
