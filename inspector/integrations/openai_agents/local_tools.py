"""Operations for API tools that run locally: shell, patches, custom, computer.

Each has a function or an editor of the program, which is called after approval. For one call, a
copy of the tool has a wrapped one.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from inspect import isawaitable
from typing import Any, Final, NamedTuple

from agents.editor import ApplyPatchResult
from agents.exceptions import AgentsException
from agents.tool import ShellCallOutcome, ShellCommandOutput, ShellResult

from inspector.integrations.openai_agents.messages import as_item
from inspector.integrations.openai_agents.runs import Run, current_run
from inspector.integrations.verdicts import NO_RESULT, ErrorResultError, instead_of, refused_as
from instrument import Bus, Operation

NOUN: Final = "tool_call"

Awaited = Callable[..., Awaitable[Any]]


class _Seam(NamedTuple):
    """The seam at which a kind of tool is called, and how its input is converted."""

    tool: str
    """The attribute of the call that is the tool."""
    name: str
    """The attribute of the tool that is called, or whose methods are."""
    shown: Callable[[Any], dict[str, Any]]
    """Returns the last argument of the call as arguments for hooks."""
    changed: Callable[[Any, dict[str, Any]], Any]
    """Returns that argument with the hooks' changes applied."""
    refused: Callable[[str], Any] = str
    """Makes the result that the model reads from a refusal."""


def _with_action(request: Any, args: dict[str, Any]) -> Any:
    action = dataclasses.replace(request.data.action, **args)
    return dataclasses.replace(request, data=dataclasses.replace(request.data, action=action))


def _with_local_action(request: Any, args: dict[str, Any]) -> Any:
    action = request.data.action.model_copy(update=args)
    data = request.data.model_copy(update={"action": action})
    return dataclasses.replace(request, data=data)


def _operation_shown(operation: Any) -> dict[str, Any]:
    names = ("type", "path", "diff", "move_to")
    values = ((name, getattr(operation, name)) for name in names)
    return {name: value for name, value in values if value is not None}


def _failed_command(reason: str) -> ShellResult:
    outcome = ShellCallOutcome(type="exit", exit_code=1)
    return ShellResult(output=[ShellCommandOutput(stderr=reason, outcome=outcome)])


SEAMS = {
    "ShellAction": _Seam(
        "shell_tool",
        "executor",
        lambda request: dataclasses.asdict(request.data.action),
        _with_action,
        _failed_command,
    ),
    "LocalShellAction": _Seam(
        "local_shell_tool",
        "executor",
        lambda request: dict(as_item(request.data.action)),
        _with_local_action,
    ),
    "CustomToolAction": _Seam(
        "custom_tool",
        "on_invoke_tool",
        lambda text: {"input": text},
        lambda _, args: args.get("input", ""),
    ),
    "ApplyPatchAction": _Seam(
        "apply_patch_tool",
        "editor",
        _operation_shown,
        lambda operation, args: dataclasses.replace(operation, **args),
        lambda reason: ApplyPatchResult(status="failed", output=reason),
    ),
}
"""The seams by the class of the framework that runs the tools."""


def wrap_execute(bus: Bus, seam: _Seam, original: Awaited) -> Any:
    """Wrap the class method that runs one call of such a tool."""

    @wraps(original)
    async def execute(*, call: Any, **kwargs: Any) -> Any:
        run = current_run(bus)
        if run is not None:
            call = _with_watched_tool(call, run, seam)
        return await original(call=call, **kwargs)

    return staticmethod(execute)


def wrap_computer(bus: Bus, original: Awaited) -> Any:
    """Wrap the class method that carries out a model's computer actions."""

    @wraps(original)
    async def act(computer: Any, tool_call: Any) -> Any:
        if current_run(bus) is None:
            return await original(computer, tool_call)
        item = as_item(tool_call)
        screenshots: list[Any] = []

        async def body(_: Operation) -> str:
            screenshots.append(await original(computer, tool_call))
            return "[screenshot]"

        with refused_as(AgentsException):  # a refusal has no screenshot
            await bus.call(
                NOUN,
                body,
                tool_name="computer",
                args={"actions": item.get("actions") or [item.get("action")]},
                context={"tool_type": "function"},
                tool_call_id=item.get("call_id"),
            )
        return screenshots[-1]

    return staticmethod(act)


def _with_watched_tool(call: Any, run: Run, seam: _Seam) -> Any:
    tool = getattr(call, seam.tool, None)
    own = getattr(tool, seam.name, None)
    if tool is None or own is None:
        return call
    about = {
        "tool_name": tool.name,
        "context": {"tool_type": "function"},
        "tool_call_id": as_item(call.tool_call).get("call_id"),
    }
    watch = partial(_watched, run, seam, about)
    watched = copy.copy(tool)
    setattr(watched, seam.name, _Editor(own, watch) if seam.name == "editor" else watch(own))
    return dataclasses.replace(call, **{seam.tool: watched})


class _Editor:
    """An editor whose three methods are watched."""

    def __init__(self, own: Any, watch: Callable[[Any], Any]) -> None:
        self.create_file = watch(own.create_file)
        self.update_file = watch(own.update_file)
        self.delete_file = watch(own.delete_file)


def _watched(run: Run, seam: _Seam, about: dict[str, Any], own: Callable[..., Any]) -> Awaited:
    @wraps(own)
    async def invoke(*args: Any) -> Any:
        shown = seam.shown(args[-1])
        results: list[tuple[Any, Any]] = []

        async def body(operation: Operation) -> Any:
            last = args[-1]
            if operation.args != shown:
                last = seam.changed(last, operation.args)
            result = own(*args[:-1], last)
            if isawaitable(result):
                result = await result
            results.append((_plain(result), result))
            if getattr(result, "status", None) == "failed":
                operation.result = results[-1][0]
                raise ErrorResultError(str(result.output), result)
            return results[-1][0]

        try:
            answer = await run.bus.call(NOUN, body, args=shown, **about)
        except NO_RESULT as error:
            return instead_of(error, seam.refused)
        return next((result for plain, result in results if plain is answer), answer)

    return invoke


def _plain(result: Any) -> Any:
    """Return a result as plain data."""
    is_data = dataclasses.is_dataclass(result) and not isinstance(result, type)
    return dataclasses.asdict(result) if is_data else result
