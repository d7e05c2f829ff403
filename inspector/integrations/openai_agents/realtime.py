"""Operations for realtime sessions: agents, hand-offs, the model's responses and tools.

A session tells everything through its event queue. What it asks before it goes on is wrapped: the
settings of the next agent, and the tools (`Tools`).
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import wraps
from types import SimpleNamespace
from typing import Any, Final
from weakref import WeakKeyDictionary

from agents.exceptions import AgentsException

from inspector.integrations.open_operations import OpenOperations
from inspector.integrations.openai_agents import runs as agent_runs
from inspector.integrations.openai_agents.messages import answer_message, as_item, convert
from inspector.integrations.openai_agents.models import offered_to_model, usage_of
from inspector.integrations.openai_agents.runs import Runs, facts_of, running
from inspector.integrations.openai_agents.tools import Tools
from inspector.integrations.patches import Patches
from inspector.integrations.session import in_session
from inspector.integrations.streamed import inside
from inspector.integrations.verdicts import ErrorResultError, ProviderError, refused_as
from instrument import Bus
from instrument.operations import ReportedOperation
from instrument.parts import Injection

NOUN: Final = "llm_generate"

Awaited = Callable[..., Awaitable[Any]]

_DELTAS: Final = ("transcript_delta", "output_text_delta")
_SETTINGS: Final = ("voice", "modalities", "output_modalities", "tool_choice", "speed")
"""Settings of the model that are reported as such."""


def patch(runs: Runs, tools: Tools, patches: Patches) -> None:
    """Wrap the methods of a session, once the program has imported it."""
    session = patches.find("agents.realtime.session", "RealtimeSession")
    sessions = _Sessions(runs, tools, patches)
    put = patches.put
    put(session, "_get_updated_model_settings_from_agent", sessions.wrap_settings)
    put(session, "__aenter__", sessions.wrap_enter)
    put(session, "__aexit__", sessions.wrap_exit)
    put(session, "_cleanup", sessions.wrap_cleanup)
    put(session, "_put_event", sessions.wrap_event)
    put(session, "_put_event_nowait", sessions.wrap_event)
    put(session, "_handle_tool_call", sessions.wrap_tool_call)
    put(session, "_resolve_approval_rejection_message", sessions.wrap_rejection)
    put(session, "_build_realtime_tool_output", sessions.wrap_guardrail)


class _Sessions:
    """The sessions that are reported on one bus, and the wrappers that report them."""

    def __init__(self, runs: Runs, tools: Tools, patches: Patches) -> None:
        self._runs, self._tools, self._attempt = runs, tools, patches.attempt
        self._sessions: WeakKeyDictionary[Any, _Session] = WeakKeyDictionary()

    def wrap_settings(self, original: Awaited) -> Awaited:
        """Wrap the method that prepares a session for its first or next agent."""

        @wraps(original)
        async def prepare(session: Any, *, agent: Any, **kwargs: Any) -> Any:
            reported = self._sessions.get(session)
            if reported is None and self._runs.wants(agent):
                reported = self._sessions[session] = _Session(self._runs.bus, session)
            if reported is None:
                return await original(session, agent=agent, **kwargs)
            with refused_as(AgentsException):
                await reported.go_on_with(agent)
            reported.settings = await original(session, agent=agent, **kwargs)
            return reported.settings

        return prepare

    def wrap_enter(self, original: Awaited) -> Awaited:
        """Wrap the method that connects."""

        @wraps(original)
        async def enter(session: Any) -> Any:
            try:
                return await original(session)
            except BaseException as error:
                self._end(session, error)
                raise

        return enter

    def wrap_exit(self, original: Awaited) -> Awaited:
        """Wrap the method that leaves the program's block, which may have raised."""

        @wraps(original)
        async def leave(session: Any, kind: Any, error: Any, traceback: Any) -> Any:
            if (reported := self._sessions.get(session)) is not None:
                reported.error = error
            return await original(session, kind, error, traceback)

        return leave

    def wrap_cleanup(self, original: Awaited) -> Awaited:
        """Wrap the method that ends the connection, whoever closes it."""

        @wraps(original)
        async def clean_up(session: Any) -> None:
            try:
                await original(session)
            finally:
                self._end(session, getattr(session, "_stored_exception", None))

        return clean_up

    def wrap_event(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the methods that put an event into the queue, async or not."""

        @wraps(original)
        def put(session: Any, event: Any) -> Any:
            if (reported := self._sessions.get(session)) is not None:
                self._attempt(lambda: reported.report(event))
            return original(session, event)

        return put

    def wrap_tool_call(self, original: Awaited) -> Awaited:
        """Wrap the method that runs one tool, in a task of its own."""

        @wraps(original)
        async def handle(session: Any, *args: Any, **kwargs: Any) -> None:
            with self._running(session):
                await original(session, *args, **kwargs)

        return handle

    def wrap_rejection(self, original: Awaited) -> Awaited:
        """Wrap the method that says why a person has rejected a tool call."""

        @wraps(original)
        async def reject(session: Any, **kwargs: Any) -> Any:
            reason = await original(session, **kwargs)
            call = SimpleNamespace(**(kwargs.get("tool_call") or {}))
            with self._running(session):
                error = ErrorResultError(str(reason), reason)
                self._tools.report_rejected(kwargs["tool"].name, call, error)
            return reason

        return reject

    def wrap_guardrail(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the method that makes the output of a tool that a guardrail has rejected."""

        @wraps(original)
        def reject(session: Any, *, tool: Any, tool_call: Any, output: str, **kwargs: Any) -> Any:
            with self._running(session):
                error = ErrorResultError(output, output)
                self._tools.report_rejected(tool.name, tool_call, error)
            return original(session, tool=tool, tool_call=tool_call, output=output, **kwargs)

        return reject

    @contextmanager
    def _running(self, session: Any) -> Iterator[None]:
        reported = self._sessions.get(session)
        operation = None if reported is None else reported.agent_operation()
        if reported is None or operation is None:
            yield
            return
        with in_session(reported.group_id), inside(operation), running(reported):
            yield

    def _end(self, session: Any, error: BaseException | None) -> None:
        if (reported := self._sessions.pop(session, None)) is not None:
            reported.end(error)


class _Session:
    """A reported session, in place of a `Run` for its tools."""

    def __init__(self, bus: Bus, session: Any) -> None:
        self.bus = bus
        self.injections: list[Injection] = []
        self.rejected: set[str] = set()
        self.settings: dict[str, Any] = {}
        self.error: BaseException | None = None
        tracing = getattr(session, "_base_model_settings", {}).get("tracing")
        self.group_id = tracing.get("group_id") if isinstance(tracing, dict) else None
        self._session = session
        self._agents: list[int] = []
        """Agents in the order in which they took over; one that takes over again goes on."""
        self._agent = 0
        self._operations = OpenOperations(bus)
        self._response: _Response | None = None
        self._last_answer: str | None = None
        self._last_prompt: str | None = None

    def agent_operation(self) -> Any:
        """Return the operation of the agent that speaks."""
        return self._operations.find(self._agent)

    async def go_on_with(self, agent: Any) -> None:
        """Report that `agent` speaks from here on, below the one that handed over to it."""
        if id(agent) not in self._agents:
            with in_session(self.group_id):
                await self._operations.begin_async(
                    id(agent), agent_runs.NOUN, parent=self._agent or None, agent=facts_of(agent)
                )
            self._agents.append(id(agent))
        self._agent = id(agent)

    def report(self, event: Any) -> None:
        """Report an event of the session."""
        if event.type == "raw_model_event":
            self._report_model(event.data)
        elif event.type == "history_added" and getattr(event.item, "role", None) == "user":
            self._report_prompt(event.item.item_id, _text(event.item))
        elif event.type == "guardrail_tripped":
            names = (one.guardrail.get_name() for one in event.guardrail_results)
            self._report_progress(f"Guardrail tripped: {', '.join(names)}")
        elif event.type == "error":
            about = as_item(event.error) if not isinstance(event.error, str) else {}
            self._report_progress(f"Error: {about.get('message') or event.error}")

    def end(self, error: BaseException | None) -> None:
        """Close everything that is open."""
        self._end_response(None)
        for key in reversed(self._agents):
            if (left := self.error or error) is None:
                self._operations.end(key, self._last_answer)
            else:
                self._operations.fail(key, left, self._last_answer)

    def _report_model(self, event: Any) -> None:
        response = self._response
        if event.type == "turn_started":
            self._end_response(None)
            self._response = self._operations.run(self._agent, self._begin_response)
        elif event.type == "input_audio_transcription_completed":
            self._report_prompt(event.item_id, event.transcript)
        elif event.type == "audio_interrupted":
            about = {"operation_id": event.item_id, "context": None}
            self._notify("operation_cancelled", **about, reason="The user interrupted the agent.")
        elif response is not None:
            if event.type in _DELTAS:
                response.add(event)
            elif event.type == "function_call":
                call = {"name": event.name, "call_id": event.call_id, "arguments": event.arguments}
                response.calls.append({"type": "function_call", **call})
            elif event.type == "usage":
                response.usage = event
            elif event.type == "raw_server_event":
                response.error = _failure(event.data) or response.error
            elif event.type == "turn_ended":
                self._end_response(event.response_id)

    def _begin_response(self) -> _Response:
        settings, model = self.settings, self._session.model
        offered = offered_to_model({**settings, "system_instructions": settings["instructions"]})
        chosen = {name: settings[name] for name in _SETTINGS if settings.get(name) is not None}
        name = settings.get("model_name") or getattr(model, "model", None)
        messages = convert(item for one in self._session._history for item in _items(one))
        kwargs = {
            "llm": model,
            "prompt": [one.message for one in messages],
            "model": name if isinstance(name, str) else None,
            "provider": "openai" if type(model).__module__.startswith("agents.") else None,
            "request_params": {**chosen, **offered, "stream": True},
        }
        return _Response(ReportedOperation(self.bus, NOUN, kwargs))

    def _end_response(self, response_id: Any) -> None:
        response, self._response = self._response, None
        if response is not None:
            response.end(response_id)
            self._last_answer = response.text() or self._last_answer

    def _report_prompt(self, item_id: str, text: str) -> None:
        if text and item_id != self._last_prompt:  # a transcript may make an item of its own
            self._last_prompt = item_id
            self._notify("prompt_submitted", prompt=text, context=None)

    def _report_progress(self, message: str) -> None:
        about = {"percent": None, "message": message, "context": None}
        self._notify("progress_update", operation_id="session", **about)

    def _notify(self, hook: str, **kwargs: Any) -> None:
        self._operations.run(self._agent, lambda: self.bus._notify_sync(hook, **kwargs))


class _Response:
    """One response of the model, from its start to its end."""

    def __init__(self, operation: ReportedOperation) -> None:
        self.calls: list[dict[str, Any]] = []
        self.usage: Any = None
        self.error: BaseException | None = None
        self._texts: dict[str, str] = {}
        self._operation = operation
        self._context = copy_context()
        self._context.run(operation.__enter__)

    def add(self, event: Any) -> None:
        """Add a piece of a transcript or a text."""
        self._texts[event.item_id] = self._texts.get(event.item_id, "") + event.delta
        self._context.run(self._operation.chunk)

    def text(self) -> str:
        """Return all that was said."""
        return "\n".join(self._texts.values())

    def end(self, response_id: Any) -> None:
        """Close the operation with what there is."""
        messages = [{"role": "assistant", "content": text} for text in self._texts.values()]
        self._operation.result = answer_message([*messages, *self.calls], response_id)
        if self.usage is not None:
            self._operation.set(usage=usage_of(self.usage.usage, self.usage))
        kind = None if self.error is None else type(self.error)
        self._context.run(self._operation.__exit__, kind, self.error, None)


def _failure(event: Any) -> BaseException | None:
    """Return why a response is not whole, from the provider's own event at its end."""
    response = event.get("response") if isinstance(event, dict) else None
    if not isinstance(response, dict) or event.get("type") != "response.done":
        return None
    status, details = response.get("status"), response.get("status_details") or {}
    reason = (details.get("error") or {}).get("message") or details.get("reason") or status
    if status == "cancelled":
        return CancelledError(reason)
    return ProviderError(str(reason), None) if status in ("failed", "incomplete") else None


def _items(own: Any) -> list[dict[str, Any]]:
    """Return an item of the history as items of the API: texts and transcripts, never media."""
    if own.type == "message":
        pieces = [_words(one) or f"[{one.type.removeprefix('input_')}]" for one in own.content]
        content = "\n".join(pieces) or "[audio]"
        return [{"type": "message", "role": own.role, "content": content}]
    call_id = own.call_id or own.item_id
    call = {"type": own.type, "name": own.name, "arguments": own.arguments, "call_id": call_id}
    if own.output is None:
        return [call]
    return [call, {"type": "function_call_output", "call_id": call_id, "output": own.output}]


def _text(message: Any) -> str:
    return "\n".join(filter(None, map(_words, message.content)))


def _words(piece: Any) -> str | None:
    return getattr(piece, "text", None) or getattr(piece, "transcript", None)
