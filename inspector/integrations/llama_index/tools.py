"""Operations for tools, by wrapping what runs them: agents, and functions that are tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Any

from inspector.integrations.deduplication import is_reported
from inspector.integrations.patches import Patches
from inspector.integrations.verdicts import NO_RESULT, ErrorResultError, instead_of
from instrument import Bus, Operation

_tool_id: ContextVar[str | None] = ContextVar("inspector.llama_index.tool_id", default=None)
_NOTHING: Any = object()
_PLAIN = (str, int, float, bool, dict, list)


class WatchedTools:
    """Wraps what runs tools.

    Args:
        bus: The bus that they are reported on.
        is_watched: Whether a call that is made now is watched.
        patches: The adapter's patches.
    """

    def __init__(self, bus: Bus, is_watched: Callable[[], bool], patches: Patches) -> None:
        self._bus, self._is_watched, self._attempt = bus, is_watched, patches.attempt

    def _described(
        self, tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> _ToolCall | None:
        """Return the call; None if it is not watched, or is reported already."""
        if not self._is_watched():
            return None
        call = self._attempt(lambda: _ToolCall(tool, args, kwargs))
        if call is None or is_reported(call.hook_kwargs["tool_name"], self._bus):
            return None
        return call

    def wrap_step(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Wrap the step of an agent that calls a tool: it knows the id of the call."""

        @wraps(original)
        async def call_tool(agent: Any, *args: Any, **kwargs: Any) -> Any:
            events = (*args, *kwargs.values())
            found = next((one.tool_id for one in events if hasattr(one, "tool_id")), None)
            with _named(found):
                return await original(agent, *args, **kwargs)

        return call_tool

    def wrap_agent_call(
        self, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        """Wrap the method by which an agent runs a tool of any kind."""

        @wraps(original)
        async def _call_tool(agent: Any, ctx: Any, tool: Any, tool_input: dict[str, Any]) -> Any:
            call = self._described(tool, (), tool_input)
            if call is None:
                return await original(agent, ctx, tool, tool_input)

            async def body(operation: Operation) -> Any:
                try:
                    return call.checked(await original(agent, ctx, tool, operation.args), operation)
                except Exception as error:  # noqa: BLE001 - raised there
                    return call.paused(error)

            return await self._called(call, body)

        return _call_tool

    def wrap_acall(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Wrap the method by which a function that is a tool runs."""

        @wraps(original)
        async def acall(tool: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(tool, args, kwargs)
            if call is None:
                return await original(tool, *args, **kwargs)

            async def body(operation: Operation) -> Any:
                own_args, own_kwargs = call.arguments(operation)
                try:
                    result = await original(tool, *own_args, **own_kwargs)
                except Exception as error:  # noqa: BLE001 - raised there
                    return call.paused(error)
                return call.checked(result, operation)

            return await self._called(call, body)

        return acall

    def wrap_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the method by which a function that is a tool runs, in sync code."""

        @wraps(original)
        def call_sync(tool: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(tool, args, kwargs)
            if call is None:
                return original(tool, *args, **kwargs)

            def body(operation: Operation) -> Any:
                own_args, own_kwargs = call.arguments(operation)
                return call.checked(original(tool, *own_args, **own_kwargs), operation)

            try:
                result = self._bus.call_sync("tool_call", body, **call.hook_kwargs)
            except NO_RESULT as error:
                result = instead_of(error, call.refused)
            return call.output(result)

        return call_sync

    async def _called(self, call: _ToolCall, body: Callable[[Operation], Awaitable[Any]]) -> Any:
        try:
            result = await self._bus.call("tool_call", body, **call.hook_kwargs)
        except NO_RESULT as error:
            result = instead_of(error, call.refused)
        return call.output(result)


class _ToolCall:
    """One call of a tool, as hook kwargs and in LlamaIndex's types."""

    def __init__(self, tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._args, self._kwargs = args, kwargs
        self._name: str = tool.metadata.get_name()
        hidden = getattr(tool, "ctx_param_name", None)
        self._shown = {name: value for name, value in kwargs.items() if name != hidden}
        if args:
            bound = signature(tool.real_fn).bind_partial(*args).arguments
            self._shown = {**bound, **self._shown}
        self._operation: Operation | None = None
        self._own: Any = _NOTHING
        self._returned: Any = None
        self._pause: Exception | None = None
        self.hook_kwargs = {
            "tool_name": self._name,
            "args": self._shown,
            "context": {"tool_type": "function", "tool_description": tool.metadata.description},
            "tool_call_id": _tool_id.get(),
        }

    def arguments(self, operation: Operation) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what the tool gets: the hooks' arguments, and what the model does not see."""
        if operation.args is self._shown:
            return self._args, dict(self._kwargs)
        hidden = {name: self._kwargs[name] for name in self._kwargs if name not in self._shown}
        return (), {**operation.args, **hidden}

    def checked(self, output: Any, operation: Operation) -> Any:
        """Return what to report of a tool's output; one that is an error is raised."""
        self._operation, self._pause, self._returned = operation, None, output
        raw = getattr(output, "raw_output", output)
        content = getattr(output, "content", output)
        self._own = raw if isinstance(raw, _PLAIN) else content
        if getattr(output, "is_error", False):
            operation.result = content
            raise ErrorResultError(str(content), output) from getattr(output, "exception", None)
        return self._own

    def paused(self, error: Exception) -> Any:
        """Return what to report of a tool that waits for an event; raise any other error."""
        if type(error).__name__ != "WaitingForEvent":
            raise error
        self._pause = error
        return {"waiting": True}

    def refused(self, text: str) -> Any:
        """Return the output that the model reads in place of a result."""
        from llama_index.core.tools import ToolOutput  # noqa: PLC0415 - imported here only

        return ToolOutput(
            content=text,
            tool_name=self._name,
            raw_input=self._shown,
            raw_output=text,
            is_error=True,
        )

    def output(self, result: Any) -> Any:
        """Return `result` as a tool returns it, with the injections of hooks."""
        from llama_index.core.base.llms.types import TextBlock  # noqa: PLC0415
        from llama_index.core.tools import ToolOutput  # noqa: PLC0415

        if self._pause is not None:
            raise self._pause
        if result is self._own:
            result = self._returned
        elif not isinstance(result, ToolOutput):
            result = ToolOutput(
                content=str(result),
                tool_name=self._name,
                raw_input=self._shown,
                raw_output=result,
            )
        injections = self._operation.injections if self._operation is not None else ()
        if injections and isinstance(result, ToolOutput):
            added = [TextBlock(text=one.text) for one in injections]
            result = result.model_copy(update={"blocks": [*result.blocks, *added]})
        return result


@contextmanager
def _named(tool_id: str | None) -> Iterator[None]:
    """Give the call that the block makes its id."""
    before = _tool_id.get()
    _tool_id.set(tool_id)
    try:
        yield
    finally:
        _tool_id.set(before)
