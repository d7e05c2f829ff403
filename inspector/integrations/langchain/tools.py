"""Operations for tools, by wrapping `run` and `arun`, which every caller uses."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from inspector.integrations.langchain.bubbling import bubbles_up, said_by
from inspector.integrations.langchain.messages import appended
from inspector.integrations.langchain.watching import Watching
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, HookStopped, refusal
from instrument import Operation
from instrument.operations import is_current

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

NOUN = "tool_call"
_NOTHING: Any = object()


def watch(watching: Watching) -> None:
    """Wrap the two methods by which every tool is run."""
    tools, patches = _Tools(watching), watching.patches
    kind = patches.find("langchain_core.tools.base", "BaseTool")
    patches.put(kind, "run", tools.wrap_run)
    patches.put(kind, "arun", tools.wrap_arun)


def watch_nodes(watching: Watching) -> None:
    """Wrap the check for unknown tools, after which nothing is run."""
    node = watching.patches.find("langgraph.prebuilt.tool_node", "ToolNode")
    watching.patches.put(node, "_validate_tool_call", _Tools(watching).wrap_validate)


class _Tools:
    """The wrappers."""

    def __init__(self, watching: Watching) -> None:
        self._bus = watching.bus
        self._is_watched = watching.is_watched
        self._attempt = watching.patches.attempt

    def _described(self, tool: BaseTool, given: Any, call_id: str | None) -> _ToolCall | None:
        if not self._is_watched(tool) or is_current(self._bus, NOUN, tool.name):
            return None
        return self._attempt(lambda: _ToolCall(tool, given, call_id))

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
                    return call.left_by(error)
                return call.checked(result)

            try:
                result = self._bus.call_sync(NOUN, body, **call.told)
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
                    return call.left_by(error)
                return call.checked(result)

            try:
                result = await self._bus.call(NOUN, body, **call.told)
            except Exception as error:  # noqa: BLE001 - raised there
                result = call.instead_of(error)
            return call.output(result)

        return arun

    def wrap_validate(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def validate(node: Any, call: Any) -> Any:
            refused = original(node, call)
            if refused is None or not self._is_watched(node):
                return refused
            told = {"tool_name": call["name"], "args": call["args"], "tool_call_id": call["id"]}
            with (
                suppress(ErrorResultError, HookStopped, *REFUSALS),
                self._bus.operation(NOUN, context=None, **told) as operation,
            ):
                operation.result = refused.content
                raise ErrorResultError(str(refused.content), refused)
            return refused

        return validate


class _ToolCall:
    """One call of a tool, in our words and in LangChain's."""

    def __init__(self, tool: BaseTool, tool_input: Any, tool_call_id: str | None) -> None:
        self._tool, self._input, self._id = tool, tool_input, tool_call_id
        self._shown = _shown(tool, tool_input)
        self._operation: Operation | None = None
        self._returned: Any = None
        self._told: Any = _NOTHING
        self._bubble: Exception | None = None
        self.told = {
            "tool_name": tool.name,
            "args": self._shown,
            "context": {"tool_type": "function", "tool_description": tool.description},
            "tool_call_id": tool_call_id,
        }

    def begin(self, operation: Operation) -> Any:
        """Return the input of this attempt: what hooks left, and what the graph has put in."""
        self._operation, self._bubble = operation, None
        args = operation.args
        if args == self._shown:
            return self._input
        if not isinstance(self._input, Mapping):
            return next(iter(args.values())) if len(args) == 1 else dict(args)
        hidden = {name: self._input[name] for name in self._input if name not in self._shown}
        return {**args, **hidden}

    def checked(self, result: Any) -> Any:
        """Return what the tool answered, out of its message; one that is an error is raised."""
        self._returned = result
        self._told = result.content if _is_message(result) else result
        if _is_message(result) and result.status == "error":
            if self._operation is not None:
                self._operation.result = self._told
            raise ErrorResultError(str(result.content), result)
        return self._told

    def left_by(self, error: Exception) -> Any:
        """Return what is told of a tool that was left by an interrupt; raise any other error."""
        if not bubbles_up(error):
            raise error
        self._bubble = error
        return said_by(error)

    def instead_of(self, error: Exception) -> Any:
        """Return the result where the operation ended with `error`; raise what is the tool's."""
        if self._bubble is not None:
            return None
        if isinstance(error, ErrorResultError):
            return error.result
        if isinstance(error, HookStopped):
            return error.value
        if not isinstance(error, REFUSALS):
            raise error
        from langchain_core.messages import ToolMessage  # noqa: PLC0415
        from langchain_core.tools import ToolException  # noqa: PLC0415

        if self._id is None:  # the program called it itself: what a tool raises that cannot
            raise ToolException(refusal(error)) from None
        return ToolMessage(
            refusal(error), tool_call_id=self._id, name=self._tool.name, status="error"
        )

    def output(self, result: Any) -> Any:
        """Return `result` as a tool returns it, with what hooks want the model to see."""
        if self._bubble is not None:
            raise self._bubble
        if result is self._told:
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
    """Return what the model gave: without state, store and runtime, which the graph puts in."""
    if not isinstance(tool_input, Mapping):
        try:
            name = next(iter(tool.args), "input")
        except Exception:  # noqa: BLE001 - of a schema that cannot be read
            name = "input"
        return {name: tool_input}
    given = dict(tool_input)
    try:
        return dict(tool._filter_injected_args(given))
    except Exception:  # noqa: BLE001 - of another version, or of a schema that cannot be read
        return given
