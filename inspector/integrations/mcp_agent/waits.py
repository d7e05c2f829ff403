"""Patches where mcp-agent waits: signals, human input, elicitation, cancellation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.integrations.mcp_agent.arguments import CallArguments, context_of, session_of
from inspector.integrations.mcp_agent.patches import Function, PatchContext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.agent_side.control.signals import Signal

_logger = logging.getLogger("inspector")

ELICITATION = "elicitation"
"""The signal of a server's question to the user."""
NOT_A_PAUSE = "cancel"
"""The signal that every workflow waits for while it runs."""


class _Waiter(NamedTuple):
    """One call of `wait_for_signal`, and how its signal reaches it."""

    session_id: str
    signal_name: str
    executor: Any
    loop: asyncio.AbstractEventLoop
    ids: dict[str, Any]
    payload_type: Any


class Waiters:
    """Waiting workflows by signal; a person's answer is signalled to them. Thread-safe."""

    def __init__(self) -> None:
        self._waiters: tuple[_Waiter, ...] = ()
        self._lock = Lock()

    @contextmanager
    def waiting(self, waiter: _Waiter) -> Iterator[None]:
        """Pass answers to the waiter during the block."""
        with self._lock:
            self._waiters = (*self._waiters, waiter)
        try:
            yield
        finally:
            with self._lock:
                self._waiters = tuple(one for one in self._waiters if one is not waiter)

    def accept(self, signal: Signal) -> bool:
        """Pass on a person's answer; False if no workflow here waits for it."""
        found = [
            one
            for one in self._waiters
            if one.signal_name == signal.name and signal.session_id in (None, one.session_id)
        ]
        if signal.decision != "answer" or not found:
            return False
        for one in found:
            payload = _as_payload(one, signal.payload)
            asyncio.run_coroutine_threadsafe(
                one.executor.signal(one.signal_name, payload, None, **one.ids), one.loop
            )
        return True


_waiters = Waiters()


def accept_signals() -> Callable[[], None]:
    """Pass people's answers to workflows; return a function that stops it."""
    from inspector.agent_side.control.signals import on_signal  # noqa: PLC0415 - only where it is patched

    return on_signal(_waiters.accept)


def _as_payload(waiter: _Waiter, payload: Any) -> Any:
    if "response" in getattr(waiter.payload_type, "model_fields", {}):  # HumanInputResponse
        text = payload if isinstance(payload, str) else str(payload)
        return waiter.payload_type(request_id=waiter.signal_name, response=text)
    return payload


def wait_for_signal(patch: PatchContext, original: Function) -> Function:
    """`Executor.wait_for_signal`, by which mcp-agent waits for human input too."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        executor, arguments = args[0], CallArguments(args, kwargs)
        name = str(arguments.get(1, "signal_name"))
        if name == NOT_A_PAUSE:
            return await original(*args, **kwargs)
        about = {"session_id": session_of(executor), "signal_name": name}
        waiter = _Waiter(
            about["session_id"],
            name,
            executor,
            asyncio.get_running_loop(),
            {"workflow_id": arguments.get(3, "workflow_id"), "run_id": arguments.get(4, "run_id")},
            arguments.get(7, "signal_type"),
        )
        with _waiters.waiting(waiter):
            return await _paused(
                patch, about, arguments.get(5, "signal_description"), arguments.call(original)
            )

    return patched


async def _paused(patch: PatchContext, about: dict[str, str], prompt: Any, wait: Any) -> Any:
    payload = None
    try:
        await patch.bus._emit("session_paused", prompt=prompt, **about)
        payload = await wait
    except BaseException:  # a time-out, or it is cancelled or closed: nothing can be awaited
        wait.close()
        patch.bus._emit_sync("session_resumed", payload=None, **about)
        raise
    await patch.bus._emit("session_resumed", payload=payload, **about)
    return payload


def elicit(patch: PatchContext, original: Function) -> Function:
    """`MCPAgentClientSession._handle_elicitation_callback`.

    Where the program has no callback and the inspector has people, it asks them.
    """

    async def patched(*args: Any, **kwargs: Any) -> Any:
        session, params = args[0], CallArguments(args, kwargs).get(2, "params")
        about = {"session_id": session_of(session), "signal_name": ELICITATION}
        context = context_of(session)
        has_its_own = getattr(context, "elicitation_handler", None) or getattr(
            context, "upstream_session", None
        )
        if has_its_own or not patch.bus._approval_providers:
            answer = original(*args, **kwargs)
        else:
            from inspector.agent_side.control.elicitation import make_elicit  # noqa: PLC0415

            server = getattr(getattr(session, "server_config", None), "name", None)
            answer = make_elicit(bus=patch.bus, server_name=server)(None, params)
        return await _paused(patch, about, getattr(params, "message", None), answer)

    return patched


def cancel(patch: PatchContext, original: Function) -> Function:
    """`Workflow.cancel`."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        workflow = args[0]
        await patch.bus._emit(
            "operation_cancelled",
            operation_id=str(workflow.run_id or workflow.name),
            context=context_of(workflow),
            reason="the workflow is cancelled",
        )
        return await original(*args, **kwargs)

    return patched
