"""Operations for tools, by wrapping the methods that run them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Any

from inspector.integrations.crewai.calls import Call
from inspector.integrations.deduplication import is_reported, reporting
from inspector.integrations.patches import Patches
from inspector.integrations.verdicts import ErrorResultError
from instrument import Bus, Operation

_call_id: ContextVar[str | None] = ContextVar("inspector.crewai.tool_call_id", default=None)


class CrewAITools:
    """Describes the calls of tools.

    Args:
        bus: The bus that they are reported on.
        is_watched: Whether a call that is made now is watched.
        patches: The adapter's patches.
    """

    def __init__(self, bus: Bus, is_watched: Callable[[], bool], patches: Patches) -> None:
        self._bus, self._is_watched, self._attempt = bus, is_watched, patches.attempt

    def describe_run(
        self, tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> CrewAIToolCall | None:
        """Describe a call of a tool with its own arguments."""
        return self._once(ToolRun(tool, args, kwargs)) if self._is_watched() else None

    def describe_invoke(
        self, tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> CrewAIToolCall | None:
        """Describe a call of a tool with one argument, which has the arguments."""
        return self._once(ToolInvocation(tool, args, kwargs)) if self._is_watched() else None

    def describe_function(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> CrewAIToolCall | None:
        """Describe a call of a function that an LLM call was given to call itself."""
        return self._once(FunctionRun(function, args, kwargs)) if self._is_watched() else None

    def _once(self, call: CrewAIToolCall) -> CrewAIToolCall | None:
        return None if is_reported(call.name, self._bus) else call

    def naming(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap what carries out a model's call of a tool, which has an id."""

        @wraps(original)
        def execute(*args: Any, **kwargs: Any) -> Any:
            before = _call_id.get()
            _call_id.set(self._attempt(lambda: _id_of((*args, *kwargs.values()))))
            try:
                return original(*args, **kwargs)
            finally:
                _call_id.set(before)

        return execute


class CrewAIToolCall(Call):
    """One call of a tool; an error is the framework's `ToolFailure`, which the model reads."""

    noun = "tool_call"

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(owner, args, kwargs)
        self.name = self._name()
        self._shown = self._arguments()
        self.hook_kwargs = {
            "tool_name": self.name,
            "args": self._shown,
            "context": {"tool_type": "function", "tool_description": self._description()},
            "tool_call_id": _call_id.get(),
        }

    def _name(self) -> str:
        from crewai.utilities.string_utils import sanitize_tool_name  # noqa: PLC0415

        name: str = sanitize_tool_name(self.owner.name)
        return name

    def _description(self) -> Any:
        return self.owner.description

    def _arguments(self) -> Any:
        return self.kwargs

    def around(self) -> AbstractContextManager[object]:
        """Mark the call of an MCP server's tool, whose name on the server is another one."""
        original = getattr(self.owner, "_original_tool", None) or self.owner
        name = getattr(original, "original_tool_name", None)
        return reporting(name) if isinstance(name, str) else nullcontext()

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return the result; a failure that the tool declares is an error."""
        from crewai.tools.tool_failure import ToolFailure  # noqa: PLC0415 - imported here only

        if isinstance(returned, ToolFailure):
            operation.result = returned.as_agent_message()
            return ErrorResultError(operation.result, returned)
        return returned

    def refuse(self, text: str) -> Any:
        """Return the failure that the model reads in place of a result."""
        from crewai.tools.tool_failure import ToolFailure  # noqa: PLC0415 - imported here only

        return ToolFailure(message=text)

    def finish(self, result: Any) -> Any:
        """Return the result with the texts that hooks inject for the model."""
        result = super().finish(result)
        injections = self.operation.injections if self.operation is not None else ()
        if not injections:
            return result
        from crewai.tools.tool_failure import ToolFailure  # noqa: PLC0415 - imported here only

        added = "\n\n".join(one.text for one in injections)
        if isinstance(result, ToolFailure):
            return result.model_copy(update={"message": f"{result.message}\n\n{added}"})
        text = result if isinstance(result, str) else self._text(result)
        return f"{text}\n\n{added}"

    def _text(self, result: Any) -> str:
        text: str = self.owner.format_output_for_agent(result)
        return text


class ToolRun(CrewAIToolCall):
    """One call of a tool with its own arguments."""

    def _arguments(self) -> Any:
        if not self.args:
            return self.kwargs
        function = getattr(self.owner, "func", None) or self.owner._run
        return {**signature(function).bind_partial(*self.args).arguments, **self.kwargs}

    def prepare(self, operation: Operation) -> None:
        """Pass the hooks' arguments by name."""
        if operation.args is not self._shown:
            self.args, self.kwargs = (), {**operation.args}


class FunctionRun(ToolRun):
    """One call of a function that an LLM call was given to call itself."""

    def _name(self) -> str:
        return str(self.owner.__name__)

    def _description(self) -> Any:
        return self.owner.__doc__

    def _arguments(self) -> Any:
        if not self.args:
            return self.kwargs
        return {**signature(self.owner).bind_partial(*self.args).arguments, **self.kwargs}

    def _text(self, result: Any) -> str:
        return str(result)


class ToolInvocation(CrewAIToolCall):
    """One call of a tool with one argument, JSON or a dict, which has the arguments."""

    def _arguments(self) -> Any:
        value = self.argument(0, "input")
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            return {"input": value}

    def prepare(self, operation: Operation) -> None:
        """Pass the hooks' arguments."""
        if operation.args is not self._shown:
            self.with_argument(0, "input", dict(operation.args))


def _id_of(values: Iterable[Any]) -> str | None:
    """Return the id of the model's call of a tool, which is one of `values`."""
    for value in values:
        found = value.get("id") if isinstance(value, dict) else getattr(value, "id", None)
        is_call = isinstance(value, dict) or hasattr(value, "function")
        if is_call and isinstance(found, str):
            return found
    return None
