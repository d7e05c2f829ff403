"""Adapter for Amplifier: sessions, and the model and tool calls of their mounted modules.

The kernel has no loop of its own: orchestrators are modules, and which events they emit is up to
them. What every one of them does is to call `execute` of tools and `complete` of providers. These
are wrapped, module by module, so that nothing depends on events; what only events say (sessions,
prompts, cancellation) is observed.

As an Amplifier module this is `hooks-inspector`: an entry of a mount plan's `hooks`.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import partial, wraps
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from inspector.agent_side.on_import import after_import
from inspector.integrations.deduplication import is_reported
from inspector.integrations.patches import Patches
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, HookStopped, refusal
from instrument import Bus, Decision, Operation
from instrument import default as shared

if TYPE_CHECKING:
    from amplifier_core import ChatRequest, ChatResponse, HookResult, ToolResult

__amplifier_module_type__ = "hook"

PRIORITY = -1000
"""Of our observers: first, since the kernel shows later ones nothing of what is denied."""

Method = Callable[..., Awaitable[Any]]

_A_MODULE = "tool:pre of Amplifier"
"""Who decides, where another module of the session does."""
_refusing: ContextVar[object] = ContextVar("inspector-amplifier-refusing", default=None)
"""The data of the event that is refused: what else goes on meanwhile is not."""

_logger = logging.getLogger("inspector")
_attached: WeakSet[Bus] = WeakSet()
_numbers = count(1)
"""Names of handlers have to be unique: the kernel removes them by name."""


async def mount(coordinator: Any, config: dict[str, Any] | None = None) -> Callable[[], None]:
    """Watch one session: the `amplifier.modules` entry point `hooks-inspector`.

    Args:
        coordinator: Of the session.
        config: `attach: false` leaves it to the program to attach to the service.

    Returns:
        What takes everything back; the kernel calls it when it cleans up.
    """
    if (config or {}).get("attach", True):
        from inspector.attach import attach as attach_process  # noqa: PLC0415

        attach_process(integrations="off")
    return _Adapter(shared.bus).watch(coordinator)


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every session of this process when it executes.

    Args:
        *targets: Sessions, or their coordinators.
        bus: Where it is told.

    Returns:
        What detaches: everything is as it was. Idempotent.
    """
    here = bus or shared.bus
    adapter = _Adapter(here)
    if targets:
        for target in targets:
            adapter.watch(getattr(target, "coordinator", target))
        return adapter.close
    if here in _attached:
        return lambda: None
    _attached.add(here)
    adapter.patches.callback(_attached.discard, here)
    adapter.watch_all()
    return adapter.close


class _Adapter:
    """One `attach`, or one `mount`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._sessions: dict[int, Patches] = {}
        """What takes back what was done to a session, by the id of its coordinator."""
        self.patches = Patches("amplifier")

    def close(self) -> None:
        for key in list(self._sessions):
            self._forget(key)
        self.patches.undo()

    def _forget(self, key: int) -> None:
        session = self._sessions.pop(key, None)
        if session is not None:
            session.undo()

    def watch_all(self) -> None:
        """Watch each session from the first call of its orchestrator on."""
        for module, name in (
            ("_session_init", "initialize_session"),  # its events come at once
            ("_session_exec", "run_orchestrator"),
        ):
            self._put(
                self.patches.find("amplifier_core", module), name, self._entering, self.patches
            )
        self.patches.callback(after_import("amplifier_core.session", self._watch_former_kernel))

    def _watch_former_kernel(self) -> None:
        """Watch sessions of the kernel in Python, which has its own way through both."""
        session = self.patches.find("amplifier_core.session", "AmplifierSession")
        self._put(session, "initialize", self._initializing, self.patches)
        self._put(session, "execute", self._entering, self.patches)

    def _initializing(self, original: Method) -> Method:
        @wraps(original)
        async def initialize(session: Any, *args: Any, **kwargs: Any) -> Any:
            coordinator = session.coordinator
            self.patches.attempt(lambda: self.watch(coordinator))
            result = await original(session, *args, **kwargs)
            self.patches.attempt(lambda: self._wrap_modules(coordinator))
            return result

        return initialize

    def _entering(self, original: Method) -> Method:
        @wraps(original)
        async def enter(*args: Any, **kwargs: Any) -> Any:
            given = [*args, *kwargs.values()]
            for one in given:
                coordinator = getattr(one, "coordinator", one)
                if hasattr(coordinator, "mount_points"):
                    self.patches.attempt(partial(self.watch, coordinator))
            return await original(*args, **kwargs)

        return enter

    def watch(self, coordinator: Any) -> Callable[[], None]:
        """Watch what is mounted now; what is mounted later is found when it executes."""
        key = id(coordinator)
        if key not in self._sessions:
            self._sessions[key] = Patches("amplifier")
            coordinator.register_cleanup(partial(self._forget, key))
            self.patches.attempt(lambda: self._observe(coordinator))
        self._wrap_modules(coordinator)
        return self.close

    # --- what is wrapped ----------------------------------------------------------------------

    def _wrap_modules(self, coordinator: Any) -> None:
        undo = self._sessions.get(id(coordinator))
        if undo is None:  # it is over, or we are
            return
        orchestrator = _mounted(coordinator, "orchestrator")
        if orchestrator is not None:
            self._put(orchestrator, "execute", self._executing(coordinator), undo)
        for name, tool in _named(coordinator, "tools"):
            self._put(tool, "execute", self._calling(coordinator, name), undo)
        for name, provider in _named(coordinator, "providers"):
            self._put(provider, "complete", self._completing(coordinator, name), undo)

    def _executing(self, coordinator: Any) -> Callable[[Method], Method]:
        def make(original: Method) -> Method:
            @wraps(original)
            async def execute(prompt: str, *args: Any, **kwargs: Any) -> Any:
                self._wrap_modules(coordinator)  # there may be more than there were
                if (hooks := kwargs.get("hooks")) is not None:
                    kwargs["hooks"] = _Hooks(hooks, self._tell_denied)

                async def run(operation: Operation) -> Any:
                    return await original(prompt, *args, **kwargs)

                agent = self.patches.attempt(lambda: SessionFacts(coordinator, prompt))
                if agent is None:
                    return await original(prompt, *args, **kwargs)
                with in_session(agent.conversation_id):
                    try:
                        return await self._bus.call("agent_call", run, agent=agent)
                    except REFUSALS as error:  # an orchestrator answers with a text
                        return refusal(error)

            return execute

        return make

    async def _tell_denied(self, data: Mapping[str, Any], reason: str) -> None:
        """Tell of a tool that a module of the session refused: nobody calls it."""

        def refuse(**_: Any) -> Decision | None:
            return Decision.deny(reason) if _refusing.get() is data else None

        async def run(operation: Operation) -> Any:
            return None

        about = {
            "tool_name": _text(data.get("tool_name")) or "unknown",
            "args": data.get("tool_input"),
            "context": None,
            "tool_call_id": _text(data.get("tool_call_id")),
        }
        refusing = _refusing.set(data)
        off = self._bus.intercept("before_tool_call", refuse, priority=PRIORITY, name=_A_MODULE)
        try:
            await self._bus.call("tool_call", run, **about)
        except REFUSALS:
            pass
        finally:
            off()
            _refusing.reset(refusing)

    def _calling(self, coordinator: Any, name: str) -> Callable[[Method], Method]:
        def make(original: Method) -> Method:
            @wraps(original)
            async def execute(given: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
                if is_reported(name, self._bus):
                    return await original(given, *args, **kwargs)

                async def run(operation: Operation) -> Any:
                    tool, now = original, operation.kwargs["tool_name"]
                    if now != name:
                        tool = dict(_named(coordinator, "tools"))[now].execute
                    result = await tool(operation.args, *args, **kwargs)
                    if getattr(result, "success", True) is False:
                        operation.result = result
                        raise ErrorResultError(_error_text(result), result)
                    return result

                try:
                    result = await self._bus.call(
                        "tool_call", run, tool_name=name, args=given, context=coordinator
                    )
                except ErrorResultError as error:
                    result = error.result
                except HookStopped as stop:
                    result = stop.value
                except REFUSALS as error:  # the model reads it and goes on
                    return _refused(refusal(error))
                return _as_tool_result(result)

            return execute

        return make

    def _completing(self, coordinator: Any, name: str) -> Callable[[Method], Method]:
        def make(original: Method) -> Method:
            @wraps(original)
            async def complete(request: ChatRequest, *args: Any, **kwargs: Any) -> Any:
                async def run(operation: Operation) -> Any:
                    asked = _with_prompt(request, operation)
                    response = await original(asked, *args, **kwargs)
                    usage = getattr(response, "usage", None)
                    if usage is not None:
                        told = self.patches.attempt(lambda: usage.model_dump(exclude_none=True))
                        operation.set(usage=told)
                    return response

                about = self.patches.attempt(lambda: _asked(original, request, kwargs))
                if about is None:
                    return await original(request, *args, **kwargs)
                try:
                    return _as_response(
                        await self._bus.call("llm_generate", run, provider=name, **about)
                    )
                except HookStopped as stop:
                    return _as_response(stop.value)
                except REFUSALS as error:  # the run ends with the reason as its answer
                    return _as_response(refusal(error))

            return complete

        return make

    def _put(self, owner: Any, name: str, make: Callable[[Any], Any], patches: Patches) -> None:
        """Put a wrapper in place of what `owner` has under `name`, once."""

        def marked(original: Any) -> Any:
            ours = make(original)
            ours._inspector_bus = self._bus
            return ours

        if getattr(getattr(owner, name, None), "_inspector_bus", None) is not self._bus:
            patches.put(owner, name, marked)

    # --- what is observed ---------------------------------------------------------------------

    def _observe(self, coordinator: Any) -> None:
        for event, tell in (
            ("session:start", self._session_started),
            ("session:resume", self._session_started),
            ("session:end", self._session_finished),
            ("prompt:submit", self._prompt_submitted),
            ("cancel:requested", self._cancelled),
        ):
            off = self._register(coordinator.hooks, event, tell)
            self._sessions[id(coordinator)].callback(off)

    def _register(
        self, hooks: Any, event: str, tell: Callable[[Mapping[str, Any]], Any]
    ) -> Callable[[], None]:
        from amplifier_core import HookResult  # noqa: PLC0415

        async def handle(event: str, data: dict[str, Any]) -> HookResult:
            try:
                await tell(data)
            except Exception:  # never into the program that is watched
                _logger.debug("What %s says was not told.", event, exc_info=True)
            return HookResult(action="continue")

        name = f"inspector-{next(_numbers)}"
        off = hooks.register(event, handle, priority=PRIORITY, name=name)

        def undo() -> None:
            with suppress(Exception):  # of a session that is over
                off()

        return undo

    async def _session_started(self, data: Mapping[str, Any]) -> None:
        session_id = _text(data.get("session_id")) or "unknown"
        metadata = {**(data.get("metadata") or {}), "parent_id": data.get("parent_id")}
        await self._bus._emit("session_started", session_id=session_id, metadata=metadata)

    async def _session_finished(self, data: Mapping[str, Any]) -> None:
        session_id = _text(data.get("session_id")) or "unknown"
        status = data.get("status") or "completed"
        await self._bus._emit("session_finished", session_id=session_id, status=status, error=None)

    async def _prompt_submitted(self, data: Mapping[str, Any]) -> None:
        await self._bus._emit("prompt_submitted", prompt=data.get("prompt"), context=None)

    async def _cancelled(self, data: Mapping[str, Any]) -> None:
        session_id = _text(data.get("session_id")) or "unknown"
        await self._bus._emit("operation_cancelled", operation_id=session_id, context=None)


class _Hooks:
    """The registry of a session as its orchestrator has it: what it refuses is told."""

    def __init__(
        self, hooks: Any, tell_denied: Callable[[Mapping[str, Any], str], Awaitable[None]]
    ) -> None:
        self._hooks, self._tell_denied = hooks, tell_denied

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hooks, name)

    async def emit(self, event: str, data: Any = None, *args: Any) -> Any:
        result = await self._hooks.emit(event, data, *args)
        if event == "tool:pre" and getattr(result, "action", None) == "deny":
            try:
                reason = _text(result.reason) or "denied by a module"
                await self._tell_denied(data if isinstance(data, Mapping) else {}, reason)
            except Exception:  # never into the program that is watched
                _logger.debug("A tool that was denied was not told.", exc_info=True)
        return result


class SessionFacts:
    """The description of an executing session that its hooks carry."""

    def __init__(self, coordinator: Any, prompt: Any) -> None:
        """Describe the session of `coordinator`, which is given `prompt`."""
        self.agent = coordinator
        session = (getattr(coordinator, "config", None) or {}).get("session", {})
        orchestrator = session.get("orchestrator")
        if isinstance(orchestrator, Mapping):
            orchestrator = orchestrator.get("module")
        self.name = _text((session.get("metadata") or {}).get("agent_name")) or _text(orchestrator)
        self.input = prompt
        self.conversation_id = _text(getattr(coordinator, "session_id", None))

    def __repr__(self) -> str:
        return f"Agent({self.name!r})"  # no payload


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _mounted(coordinator: Any, point: str) -> Any:
    with suppress(Exception):  # nothing is mounted there
        return coordinator.get(point)
    return None


def _named(coordinator: Any, point: str) -> Iterable[tuple[str, Any]]:
    found = _mounted(coordinator, point)
    return list(found.items()) if isinstance(found, Mapping) else ()


def _owner(method: Any) -> Any:
    return getattr(method, "__self__", None)


def _model(method: Any) -> str | None:
    provider = _owner(method)
    for name in ("model", "default_model"):
        found = getattr(provider, name, None)
        if isinstance(found, str):
            return found
    return None


def _asked(complete: Method, request: ChatRequest, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told of a model call."""
    return {
        "llm": _owner(complete),
        "prompt": _messages(request),
        "model": kwargs.get("model") or request.model or _model(complete),
        "request_params": _params(request),
    }


def _messages(request: ChatRequest) -> list[dict[str, Any]]:
    return [message.model_dump(exclude_none=True) for message in request.messages]


def _params(request: ChatRequest) -> dict[str, Any]:
    params: dict[str, Any] = request.model_dump(
        exclude_none=True, exclude={"messages", "model", "metadata"}
    )
    if "max_output_tokens" in params:
        params["max_tokens"] = params.pop("max_output_tokens")
    return params


def _with_prompt(request: ChatRequest, operation: Operation) -> ChatRequest:
    """Return the request with the messages that interceptors want."""
    from amplifier_core.message_models import Message  # noqa: PLC0415

    messages = operation.args
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if messages != _messages(request):
        messages = [Message.model_validate(one) for one in messages]
    elif not operation.injections:
        return request
    else:
        messages = list(request.messages)
    for one in operation.injections:
        messages.append(Message(role=one.role, content=one.text))
    return request.model_copy(update={"messages": messages})


def _as_response(value: Any) -> ChatResponse:
    """Return what a hook gave as an answer in the kernel's type."""
    if hasattr(value, "content"):
        given: ChatResponse = value
        return given
    from amplifier_core.message_models import ChatResponse, TextBlock  # noqa: PLC0415

    return ChatResponse(content=[TextBlock(text=str(value))], finish_reason="stop")


def _as_tool_result(value: Any) -> ToolResult:
    if hasattr(value, "success"):
        given: ToolResult = value
        return given
    from amplifier_core import ToolResult  # noqa: PLC0415

    return ToolResult(success=True, output=value)


def _refused(reason: str) -> ToolResult:
    from amplifier_core import ToolResult  # noqa: PLC0415

    return ToolResult(success=False, output=reason, error={"message": reason})


def _error_text(result: Any) -> str:
    error = getattr(result, "error", None)
    message = error.get("message") if isinstance(error, Mapping) else error
    return str(message or getattr(result, "output", None) or "error")
