"""Operations for tools, by wrapping `run` and `arun`, which all callers use."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from inspector.integrations.langchain.messages import appended
from inspector.integrations.langchain.outcome import bubble_result, bubbles_up
from inspector.integrations.langchain.shared import Attachment
from inspector.integrations.verdicts import NO_RESULT, ErrorResultError, instead_of
from instrument import Operation
from instrument.operations import is_current

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

NOUN: Final = "tool_call"
_NOTHING: Any = object()


def watch(attachment: Attachment) -> None:
    """Wrap the two methods that run every tool."""
    tools, patches = _Tools(attachment), attachment.patches
    kind = patches.find("langchain_core.tools.base", "BaseTool")
    patches.put(kind, "run", tools.wrap_run)
    patches.put(kind, "arun", tools.wrap_arun)


def watch_nodes(attachment: Attachment) -> None:
    """Wrap the check that refuses unknown tools."""
    node = attachment.patches.find("langgraph.prebuilt.tool_node", "ToolNode")
    attachment.patches.put(node, "_validate_tool_call", _Tools(attachment).wrap_validate)


class _Tools:
    """The wrappers."""

    def __init__(self, attachment: Attachment) -> None:
        self._bus, self._attachment = attachment.bus, attachment

    def _described(self, tool: BaseTool, input: Any, call_id: str | None) -> _ToolCall | None:
        if is_current(self._bus, NOUN, tool.name):
            return None
        return self._attachment.describe(tool, lambda: _ToolCall(tool, input, call_id))

    def wrap_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def run(tool: BaseTool, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(tool, tool_input, kwargs.get("tool_call_id"))
            if call is None:
                return original(tool, tool_input, *args, **kwargs)

            def body(operation: Operation) -> Any:
                try:
                    result = original(tool, call.begin(operation), *args, **kwargs)
                except Exception as error:  # noqa: BLE001 - raised there
                    return call.bubbled(error)
                return call.checked(result)

            try:
                result = self._bus.call_sync(NOUN, body, **call.hook_kwargs)
            except Exception as error:  # noqa: BLE001 - raised there
                result = call.instead_of(error)
            return call.output(result)

        return run

    def wrap_arun(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @wraps(original)
        async def arun(tool: BaseTool, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(tool, tool_input, kwargs.get("tool_call_id"))
            if call is None:
                return await original(tool, tool_input, *args, **kwargs)

            async def body(operation: Operation) -> Any:
                try:
                    result = await original(tool, call.begin(operation), *args, **kwargs)
                except Exception as error:  # noqa: BLE001 - raised there
                    return call.bubbled(error)
                return call.checked(result)

            try:
                result = await self._bus.call(NOUN, body, **call.hook_kwargs)
            except Exception as error:  # noqa: BLE001 - raised there
                result = call.instead_of(error)
            return call.output(result)

        return arun

    def wrap_validate(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def validate(node: Any, call: Any) -> Any:
            refused = original(node, call)
            if refused is None or not self._attachment.is_watched(node):
                return refused
            about = {"tool_name": call["name"], "args": call["args"], "tool_call_id": call["id"]}
            with (
                suppress(*NO_RESULT),
                self._bus.operation(NOUN, context=None, **about) as operation,
            ):
                operation.result = refused.content
                raise ErrorResultError(str(refused.content), refused)
            return refused

        return validate


class _ToolCall:
    """One call of a tool, as hook kwargs and in LangChain's types."""

    def __init__(self, tool: BaseTool, tool_input: Any, tool_call_id: str | None) -> None:
        self._tool, self._input, self._id = tool, tool_input, tool_call_id
        self._shown = _shown(tool, tool_input)
        self._operation: Operation | None = None
        self._returned: Any = None
        self._result: Any = _NOTHING
        self._bubble: Exception | None = None
        self.hook_kwargs: dict[str, Any] = {
            "tool_name": tool.name,
            "args": self._shown,
            "context": {"tool_type": "function", "tool_description": tool.description},
            "tool_call_id": tool_call_id,
        }

    def begin(self, operation: Operation) -> Any:
        """Return the input of this attempt: the hooks' arguments, and those of the graph."""
        self._operation, self._bubble = operation, None
        args = operation.args
        if args == self._shown:
            return self._input
        if not isinstance(self._input, Mapping):
            return next(iter(args.values())) if len(args) == 1 else dict(args)
        hidden = {name: self._input[name] for name in self._input if name not in self._shown}
        return {**args, **hidden}

    def checked(self, result: Any) -> Any:
        """Return the content of the tool's message; one that is an error is raised."""
        self._returned = result
        self._result = result.content if _is_message(result) else result
        if _is_message(result) and result.status == "error":
            if self._operation is not None:
                self._operation.result = self._result
            raise ErrorResultError(str(result.content), result)
        return self._result

    def bubbled(self, error: Exception) -> Any:
        """Return the result to report for an interrupt; raise any other error."""
        if not bubbles_up(error):
            raise error
        self._bubble = error
        return bubble_result(error)

    def instead_of(self, error: Exception) -> Any:
        """Return the result in place of `error`; raise an exception of the tool."""
        if self._bubble is not None:
            return None
        if not isinstance(error, NO_RESULT):
            raise error
        return instead_of(error, self._refused)

    def _refused(self, text: str) -> Any:
        from langchain_core.messages import ToolMessage  # noqa: PLC0415
        from langchain_core.tools import ToolException  # noqa: PLC0415

        if self._id is None:  # the program called it, not a model
            raise ToolException(text) from None
        return ToolMessage(text, tool_call_id=self._id, name=self._tool.name, status="error")

    def output(self, result: Any) -> Any:
        """Return `result` as a tool returns it, with the injections of hooks."""
        if self._bubble is not None:
            raise self._bubble
        if result is self._result:
            result = self._returned
        elif result is not self._returned:
            result = self._as_output(result)
        if self._operation is not None and hasattr(result, "tool_call_id"):
            for injection in self._operation.injections:
                result = appended(result, injection.text)
        return result

    def _as_output(self, value: Any) -> Any:
        from langchain_core.messages import ToolMessage  # noqa: PLC0415
        from langchain_core.messages.tool import ToolOutputMixin  # noqa: PLC0415

        if self._id is None or isinstance(value, ToolOutputMixin):
            return value
        content = value if isinstance(value, str) else json.dumps(value, default=str)
        return ToolMessage(content, tool_call_id=self._id, name=self._tool.name)


def _is_message(result: Any) -> bool:
    """Return whether a tool's result is packed into a `ToolMessage`."""
    return hasattr(result, "tool_call_id") and hasattr(result, "content")


def _shown(tool: BaseTool, tool_input: Any) -> dict[str, Any]:
    """Return the model's arguments, without the state, store and runtime of the graph."""
    if not isinstance(tool_input, Mapping):
        try:
            name = next(iter(tool.args), "input")
        except Exception:  # noqa: BLE001 - of a schema that cannot be read
            name = "input"
        return {name: tool_input}
    args = dict(tool_input)
    try:
        return dict(tool._filter_injected_args(args))
    except Exception:  # noqa: BLE001 - of another version, or of a schema that cannot be read
        return args
