"""The client's own retries, as events on the LLM call that waits for them.

A client tries again by itself what a provider refuses for now. The call may be one of ours, or of
an adapter for a framework that calls the client: the event goes to the innermost one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

from inspector.integrations.deduplication import MODEL_CALL
from instrument import Bus
from instrument.operations import enclosing_call_id

_refused: ContextVar[tuple[Any, int] | None] = ContextVar(
    "inspector.integrations.clients.refused", default=None
)
"""Headers and status of the last response that was looked at for a retry."""


def wrap_should_retry(original: Callable[..., bool]) -> Callable[..., bool]:
    """Wrap the method that decides whether a response is a reason to try again."""

    @wraps(original)
    def should_retry(client: Any, response: Any, *args: Any, **kwargs: Any) -> bool:
        status = getattr(response, "status_code", None)
        if status is not None:
            _refused.set((response.headers, status))
        return original(client, response, *args, **kwargs)

    return should_retry


def wrap_retry_timeout(bus: Bus, original: Callable[..., float]) -> Callable[..., float]:
    """Wrap the method that says how long to wait before the next attempt."""

    @wraps(original)
    def calculate_retry_timeout(
        client: Any, remaining_retries: Any, options: Any, *args: Any, **kwargs: Any
    ) -> float:
        delay_s = original(client, remaining_retries, options, *args, **kwargs)
        if bus._hooks:
            headers = args[0] if args else kwargs.get("response_headers")
            _report(bus, client, remaining_retries, options, headers, delay_s)
        return delay_s

    return calculate_retry_timeout


def _report(
    bus: Bus, client: Any, remaining: Any, options: Any, headers: Any, delay_s: float
) -> None:
    call_id = enclosing_call_id(bus, MODEL_CALL)
    if call_id is None:
        return
    refused = _refused.get()
    status = refused[1] if refused is not None and refused[0] is headers else None
    try:
        attempt = options.get_max_retries(client.max_retries) - remaining + 1
        retry_after = None if headers is None else headers.get("retry-after")
    except Exception:  # noqa: BLE001 - of a version that counts otherwise
        attempt, retry_after = None, None
    bus._emit_sync(
        "llm_retrying",
        llm=client,
        attempt=attempt,
        status_code=status,
        retry_after=retry_after,
        delay_s=delay_s,
        call_id=call_id,
    )
