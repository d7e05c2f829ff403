"""What the bus is told of a function: its noun, its name and its arguments."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CoroutineType
from typing import Any, NamedTuple, TypeAlias

from inspector.integrations.conversion import AgentFacts
from inspector.integrations.deduplication import TOOL_CALL, is_reported
from inspector.own_code.arguments import BoundCall, Parameters
from instrument import Bus, CustomNoun, HookContractError, Operation
from instrument.operations import current_call_id

MAX_DESCRIPTION_CHARS = 1_024

_logger = logging.getLogger("inspector")

Function: TypeAlias = Callable[..., Any]


class ToolFacts(NamedTuple):
    """The description of a tool that its hooks carry as `context`."""

    tool_description: str | None
    tool_type: str = "function"


class Described:
    """A function that runs as an operation.

    Args:
        noun: Its kind: `agent_call`, `tool_call`, `workflow_run` or `step_run`.
        function: The function.
        name: Its name; default: that of the function.
        description: What it does; default: the beginning of its docstring.
        kind: The kind of the span of a step.
        bus: The bus that it is reported on.
    """

    def __init__(
        self,
        noun: str,
        function: Function,
        *,
        name: str | None,
        description: str | None,
        kind: str | None,
        bus: Bus,
    ) -> None:
        self.noun = CustomNoun(noun)  # one of the catalogue: the wrappers are the same for all
        self.function = function
        self.name = name or name_of(function)
        self.bus = bus
        self._description = description or _first_paragraph(function)
        self._kind = kind
        self._parameters = Parameters(function)
        self._running: set[str] = set()
        self._has_warned = False

    def is_silent(self) -> bool:
        """Return whether to call the function as it is.

        Nobody listens, or an outer layer reports this call: a framework whose tool it is. A
        function that calls itself is told each time.
        """
        if not self.bus._hooks:
            return True
        if self.noun != TOOL_CALL or not is_reported(self.name, self.bus):
            return False
        return current_call_id(self.bus) not in self._running

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundCall:
        """Return the arguments of a call."""
        return self._parameters.bind(args, kwargs)

    def hook_kwargs(self, call: BoundCall) -> dict[str, Any]:
        """Return the kwargs of the before hook."""
        shown = call.shown
        match self.noun:
            case "tool_call":
                facts = ToolFacts(self._description)
                return {"tool_name": self.name, "args": shown, "context": facts}
            case "agent_call":
                input = next(iter(shown.values())) if len(shown) == 1 else (shown or None)
                return {"agent": AgentFacts(self.function, self.name, input, self._description)}
            case "workflow_run":
                return {"workflow": self.name, "args": shown}
            case _:
                return {"step": self.name, "kind": self._kind, "args": shown}

    @contextmanager
    def called(
        self, call: BoundCall, operation: Operation
    ) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Yield the arguments to call the function with, while it runs.

        Raises:
            HookContractError: An interceptor wants another tool, or no arguments.
        """
        if operation.kwargs.get("tool_name", self.name) != self.name:
            raise HookContractError(
                f"Cannot replace {self.name} by {operation.kwargs['tool_name']!r}: it is a "
                "function. Deny the call, or edit its arguments."
            )
        args, kwargs = call.args, call.kwargs
        if self.noun != "agent_call":
            args, kwargs = self._parameters.rebind(call, operation.args)
        call_id = operation.call_id
        self._running.add(call_id)
        try:
            yield args, kwargs
        finally:
            self._running.discard(call_id)

    def check_returned(self, returned: Any) -> Any:
        """Return what a plain function returned, in a box if that is a coroutine."""
        if not isinstance(returned, CoroutineType):
            return returned
        if not self._has_warned:
            self._has_warned = True
            _logger.warning(
                "%s returns a coroutine, so its operation ends before the work starts. Put "
                "Inspector's decorator directly above `async def`.",
                self.name,
            )
        return UnfinishedResult(returned)


class UnfinishedResult(NamedTuple):
    """A coroutine that a plain function returned, for its caller to await."""

    coroutine: CoroutineType[Any, Any, Any]


def name_of(function: Function) -> str:
    """Return the name of a function, a partial one, or a callable object."""
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__name__", type(inner).__name__))


def _first_paragraph(function: Function) -> str | None:
    own = function if inspect.isroutine(function) else getattr(function, "func", None)
    text = inspect.getdoc(own) if own is not None else None
    return text.partition("\n\n")[0][:MAX_DESCRIPTION_CHARS] if text else None
