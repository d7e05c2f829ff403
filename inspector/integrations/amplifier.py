"""Adapter for Amplifier: sessions, and the model and tool calls of their mounted modules.

The kernel has no loop of its own: orchestrators are modules, which emit events as they like. But
all of them call `execute` of tools and `complete` of providers. These are wrapped, module by
module, so that nothing depends on events; sessions, prompts and cancellation, which only events
report, are observed.

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

from inspector.agent_side.on_import import after_import
from inspector.integrations.conversion import AgentFacts
from inspector.integrations.deduplication import is_reported
from inspector.integrations.patches import Patches
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import (
    NO_RESULT,
    REFUSALS,
    ErrorResultError,
    instead_of,
    refusal,
)
from instrument import Bus, Decision, Operation
from instrument import default as shared

if TYPE_CHECKING:
    from amplifier_core import ChatRequest, ChatResponse, HookResult, ToolResult

__amplifier_module_type__ = "hook"

PRIORITY = -1000
"""The priority of our observers: first, since later ones see nothing of a denied event."""

Method = Callable[..., Awaitable[Any]]

_A_MODULE = "tool:pre of Amplifier"
"""The name of the interceptor where another module of the session decides."""
_refusing: ContextVar[object] = ContextVar("inspector-amplifier-refusing", default=None)
"""The data of the refused event: other events at the same time are not refused."""

_logger = logging.getLogger("inspector")
_numbers = count(1)
"""Numbers for the names of handlers, which the kernel removes by name."""


async def mount(coordinator: Any, config: dict[str, Any] | None = None) -> Callable[[], None]:
    """Watch one session: the `amplifier.modules` entry point `hooks-inspector`.

    Args:
        coordinator: The coordinator of the session.
        config: `attach: false` leaves it to the program to attach to the service.

    Returns:
        A function that undoes it, which the kernel calls when it cleans up.
    """
    if (config or {}).get("attach", True):
        from inspector.attach import attach as attach_process  # noqa: PLC0415

        attach_process(integrations="off")
    return _Adapter(shared.bus).watch(coordinator)


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every session of this process when it executes.

    Args:
        *targets: Sessions, or their coordinators.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    adapter = _Adapter(bus or shared.bus)
    if targets:
        for target in targets:
            adapter.watch(getattr(target, "coordinator", target))
        return adapter.close
    if not adapter.patches.claim(adapter.bus):
        return lambda: None
    adapter.watch_all()
    return adapter.close


class _Adapter:
    """State of one `attach()` or `mount()`."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._sessions: dict[int, Patches] = {}
        """The patches of each session, by the id of its coordinator."""
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
        """Watch sessions of the older kernel in Python, which has other entry points."""
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
            for one in (*args, *kwargs.values()):
                coordinator = getattr(one, "coordinator", one)
                if hasattr(coordinator, "mount_points"):
                    self.patches.attempt(partial(self.watch, coordinator))
            return await original(*args, **kwargs)

        return enter

    def watch(self, coordinator: Any) -> Callable[[], None]:
        """Watch the mounted modules; those mounted later are found when the session executes."""
        key = id(coordinator)
        if key not in self._sessions:
            self._sessions[key] = Patches("amplifier")
            coordinator.register_cleanup(partial(self._forget, key))
            self.patches.attempt(lambda: self._observe(coordinator))
        self._wrap_modules(coordinator)
        return self.close

    # --- wrapped methods ----------------------------------------------------------------------

    def _wrap_modules(self, coordinator: Any) -> None:
        undo = self._sessions.get(id(coordinator))
        if undo is None:  # the session has ended, or we have detached
            return
        orchestrator = _mounted(coordinator, "orchestrator")
        if orchestrator is not None:
            self._put(orchestrator, "execute", partial(self._executing, coordinator), undo)
        for name, tool in _named(coordinator, "tools"):
            self._put(tool, "execute", partial(self._calling, coordinator, name), undo)
        for name, provider in _named(coordinator, "providers"):
            self._put(provider, "complete", partial(self._completing, name), undo)

    def _executing(self, coordinator: Any, original: Method) -> Method:
        @wraps(original)
        async def execute(prompt: str, *args: Any, **kwargs: Any) -> Any:
            self._wrap_modules(coordinator)  # more may be mounted by now
            if (hooks := kwargs.get("hooks")) is not None:
                kwargs["hooks"] = _Hooks(hooks, self._report_denied)

            async def run(operation: Operation) -> Any:
                return await original(prompt, *args, **kwargs)

            agent = self.patches.attempt(lambda: _facts(coordinator, prompt))
            if agent is None:
                return await original(prompt, *args, **kwargs)
            with in_session(agent.conversation_id):
                try:
                    return await self.bus.call("agent_call", run, agent=agent)
                except REFUSALS as error:  # an orchestrator answers with a text
                    return refusal(error)

        return execute

    async def _report_denied(self, data: Mapping[str, Any], reason: str) -> None:
        """Report a tool that a module of the session refused, and that nobody calls."""

        def refuse(**_: Any) -> Decision | None:
            return Decision.deny(reason) if _refusing.get() is data else None

        async def run(operation: Operation) -> Any:
            return None

        about: dict[str, Any] = {
            "tool_name": _text(data.get("tool_name")) or "unknown",
            "args": data.get("tool_input"),
            "context": None,
            "tool_call_id": _text(data.get("tool_call_id")),
        }
        refusing = _refusing.set(data)
        off = self.bus.intercept("before_tool_call", refuse, priority=PRIORITY, name=_A_MODULE)
        try:
            await self.bus.call("tool_call", run, **about)
        except REFUSALS:
            pass
        finally:
            off()
            _refusing.reset(refusing)

    def _calling(self, coordinator: Any, name: str, original: Method) -> Method:
        @wraps(original)
        async def execute(tool_input: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
            if is_reported(name, self.bus):
                return await original(tool_input, *args, **kwargs)

            async def run(operation: Operation) -> Any:
                tool, now = original, operation.kwargs["tool_name"]
                if now != name:
                    tool = dict(_named(coordinator, "tools"))[now].execute
                result = await tool(operation.args, *args, **kwargs)
                if getattr(result, "success", True) is False:
                    operation.result = result
                    raise ErrorResultError(_error_text(result), result)
                return result

            about = {"tool_name": name, "args": tool_input, "context": coordinator}
            try:
                result = await self.bus.call("tool_call", run, **about)
            except NO_RESULT as error:
                result = instead_of(error, _refused)
            return _as_tool_result(result)

        return execute

    def _completing(self, name: str, original: Method) -> Method:
        @wraps(original)
        async def complete(request: ChatRequest, *args: Any, **kwargs: Any) -> Any:
            async def run(operation: Operation) -> Any:
                response = await original(_with_prompt(request, operation), *args, **kwargs)
                usage = getattr(response, "usage", None)
                if usage is not None:
                    counts = self.patches.attempt(lambda: usage.model_dump(exclude_none=True))
                    operation.set(usage=counts)
                return response

            about = self.patches.attempt(lambda: _model_call(original, request, kwargs))
            if about is None:
                return await original(request, *args, **kwargs)
            try:
                answer = await self.bus.call("llm_generate", run, provider=name, **about)
            except NO_RESULT as error:  # the run ends with the reason as its answer
                answer = instead_of(error, str)
            return _as_response(answer)

        return complete

    def _put(self, owner: Any, name: str, make: Callable[[Any], Any], patches: Patches) -> None:
        """Wrap the attribute `name` of `owner`, once."""

        def marked(original: Any) -> Any:
            ours = make(original)
            ours._inspector_bus = self.bus
            return ours

        if getattr(getattr(owner, name, None), "_inspector_bus", None) is not self.bus:
            patches.put(owner, name, marked)

    # --- observed events ----------------------------------------------------------------------

    def _observe(self, coordinator: Any) -> None:
        for event, report in (
            ("session:start", self._session_started),
            ("session:resume", self._session_started),
            ("session:end", self._session_finished),
            ("prompt:submit", self._prompt_submitted),
            ("cancel:requested", self._cancelled),
        ):
            off = self._register(coordinator.hooks, event, report)
            self._sessions[id(coordinator)].callback(off)

    def _register(
        self, hooks: Any, event: str, report: Callable[[Mapping[str, Any]], Any]
    ) -> Callable[[], None]:
        from amplifier_core import HookResult  # noqa: PLC0415

        async def handle(event: str, data: dict[str, Any]) -> HookResult:
            try:
                await report(data)
            except Exception:  # never into the program that is watched
                _logger.debug("Cannot report the event %s.", event, exc_info=True)
            return HookResult(action="continue")

        name = f"inspector-{next(_numbers)}"
        off = hooks.register(event, handle, priority=PRIORITY, name=name)

        def undo() -> None:
            with suppress(Exception):  # the session has ended
                off()

        return undo

    async def _session_started(self, data: Mapping[str, Any]) -> None:
        session_id = _text(data.get("session_id")) or "unknown"
        metadata = {**(data.get("metadata") or {}), "parent_id": data.get("parent_id")}
        await self.bus._emit("session_started", session_id=session_id, metadata=metadata)

    async def _session_finished(self, data: Mapping[str, Any]) -> None:
        session_id = _text(data.get("session_id")) or "unknown"
        status = data.get("status") or "completed"
        await self.bus._emit("session_finished", session_id=session_id, status=status, error=None)

    async def _prompt_submitted(self, data: Mapping[str, Any]) -> None:
        await self.bus._emit("prompt_submitted", prompt=data.get("prompt"), context=None)

    async def _cancelled(self, data: Mapping[str, Any]) -> None:
        session_id = _text(data.get("session_id")) or "unknown"
        await self.bus._emit("operation_cancelled", operation_id=session_id, context=None)


class _Hooks:
    """The hook registry of an orchestrator, whose refusals are reported."""

    def __init__(
        self, hooks: Any, report_denied: Callable[[Mapping[str, Any], str], Awaitable[None]]
    ) -> None:
        self._hooks, self._report_denied = hooks, report_denied

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hooks, name)

    async def emit(self, event: str, data: Any = None, *args: Any) -> Any:
        result = await self._hooks.emit(event, data, *args)
        if event == "tool:pre" and getattr(result, "action", None) == "deny":
            try:
                reason = _text(result.reason) or "denied by a module"
                await self._report_denied(data if isinstance(data, Mapping) else {}, reason)
            except Exception:  # never into the program that is watched
                _logger.debug("Cannot report a denied tool call.", exc_info=True)
        return result


def _facts(coordinator: Any, prompt: Any) -> AgentFacts:
    session = (getattr(coordinator, "config", None) or {}).get("session", {})
    orchestrator = session.get("orchestrator")
    if isinstance(orchestrator, Mapping):
        orchestrator = orchestrator.get("module")
    return AgentFacts(
        coordinator,
        _text((session.get("metadata") or {}).get("agent_name")) or _text(orchestrator),
        input=prompt,
        conversation_id=_text(getattr(coordinator, "session_id", None)),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _mounted(coordinator: Any, point: str) -> Any:
    with suppress(Exception):  # nothing is mounted there
        return coordinator.get(point)
    return None


def _named(coordinator: Any, point: str) -> Iterable[tuple[str, Any]]:
    found = _mounted(coordinator, point)
    return list(found.items()) if isinstance(found, Mapping) else ()


def _model_call(
    complete: Method, request: ChatRequest, kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the hook kwargs of an LLM call."""
    provider = getattr(complete, "__self__", None)
    defaults = (getattr(provider, name, None) for name in ("model", "default_model"))
    default = next((one for one in defaults if isinstance(one, str)), None)
    return {
        "llm": provider,
        "prompt": _messages(request),
        "model": kwargs.get("model") or request.model or default,
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
    """Return the request with the messages that interceptors left."""
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
    """Return an answer in the kernel's type."""
    if hasattr(value, "content"):
        response: ChatResponse = value
        return response
    from amplifier_core.message_models import ChatResponse, TextBlock  # noqa: PLC0415

    return ChatResponse(content=[TextBlock(text=str(value))], finish_reason="stop")


def _as_tool_result(value: Any) -> ToolResult:
    if hasattr(value, "success"):
        result: ToolResult = value
        return result
    from amplifier_core import ToolResult  # noqa: PLC0415

    return ToolResult(success=True, output=value)


def _refused(reason: str) -> ToolResult:
    from amplifier_core import ToolResult  # noqa: PLC0415

    return ToolResult(success=False, output=reason, error={"message": reason})


def _error_text(result: Any) -> str:
    error = getattr(result, "error", None)
    message = error.get("message") if isinstance(error, Mapping) else error
    return str(message or getattr(result, "output", None) or "error")
