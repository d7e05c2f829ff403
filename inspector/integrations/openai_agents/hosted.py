"""Operations for hosted tools: the provider runs them, and its answer says what they did.

Only a call of a hosted MCP server can be decided here, where the provider asks before it runs.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import isawaitable
from typing import Any, Final

from inspector.integrations.openai_agents.messages import Item, arguments_of, as_item
from inspector.integrations.openai_agents.runs import Run, current_run
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, refusal
from instrument import Bus, HookStopped
from instrument.operations import ReportedOperation

NOUN: Final = "tool_call"

Awaited = Callable[..., Awaitable[Any]]

_ARGUMENTS: Final = {
    "web_search_call": ("action",),
    "file_search_call": ("queries",),
    "code_interpreter_call": ("code", "container_id"),
    "image_generation_call": (),
    "mcp_call": ("arguments",),
}
"""Fields that are a call's arguments, by the type of its item."""
_RESULTS: Final = ("output", "results", "outputs", "result")
_FAILED: Final = ("failed", "incomplete")


class HostedTools:
    """Reports the hosted tools of one answer, each once, below the open LLM call."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reported: set[str] = set()

    def report(self, own: Any) -> None:
        """Report an item of the answer if it is a call of a hosted tool."""
        self._run.attempt(lambda: self._report(own))

    def _report(self, own: Any) -> None:
        kind = getattr(own, "type", None)
        if not isinstance(kind, str) or kind not in _ARGUMENTS:
            return
        item = as_item(own)
        key = str(item.get("id") or item)  # those without an id are not one
        if key in self._reported:
            return
        self._reported.add(key)
        result, error = _result(item), _error(item)
        approved = item.get("approval_request_id")
        if approved in self._run.approvals:  # it has been open since it was approved
            if error is None:
                self._run.approvals.end(approved, result)
            else:
                self._run.approvals.fail(approved, error, result)
            return
        operation = ReportedOperation(self._run.bus, NOUN, _about(item))
        operation.__enter__()
        operation.result = result
        operation.__exit__(None if error is None else type(error), error, None)


def wrap_approvals(bus: Bus, original: Awaited) -> Awaited:
    """Wrap the function that asks the program whether calls of hosted MCP servers may run."""

    @wraps(original)
    async def approve(*, approval_requests: list[Any], **kwargs: Any) -> Any:
        run = current_run(bus)
        if run is not None:
            approval_requests = [_with_watched_callback(one, run) for one in approval_requests]
        return await original(approval_requests=approval_requests, **kwargs)

    return approve


def _with_watched_callback(request: Any, run: Run) -> Any:
    tool = copy.copy(request.mcp_tool)
    own, tool.on_approval_request = tool.on_approval_request, None
    item = as_item(request.request_item)
    key, about = item.get("id"), _about(item)
    shown = about["args"]

    def rejected(reason: str, error: Exception | None = None) -> dict[str, Any]:
        run.approvals.fail(key, error or ErrorResultError(reason, reason), reason)
        return {"approve": False, "reason": reason}

    async def decide(request: Any) -> Any:
        try:
            operation = await run.approvals.begin_async(key, NOUN, **about)
        except HookStopped as stop:
            return {"approve": False, "reason": str(stop.value)}
        except REFUSALS as error:
            return {"approve": False, "reason": refusal(error)}
        if operation.args != shown:
            return rejected(
                "Not run: the provider runs this tool, so its arguments cannot be edited."
            )
        try:
            answer = own(request)
            answer = await answer if isawaitable(answer) else answer
        except BaseException as error:
            run.approvals.fail(key, error)
            raise
        if not answer["approve"]:
            rejected(str(answer.get("reason") or "Tool execution was not approved."))
        return answer

    if own is not None:
        tool.on_approval_request = decide
    return dataclasses.replace(request, mcp_tool=tool)


def _about(item: Item) -> dict[str, Any]:
    kind = str(item["type"])
    args: Any = {name: item[name] for name in _ARGUMENTS.get(kind, ()) if name in item}
    if "arguments" in item:
        args = arguments_of(item["arguments"])
    elif isinstance(args.get("action"), dict):
        args = args["action"]
    server = item.get("server_label")
    return {
        "tool_name": item.get("name") or kind.removesuffix("_call"),
        "args": args if isinstance(args, dict) else {"input": args},
        "context": {
            "tool_type": "datastore" if kind == "file_search_call" else "extension",
            "tool_description": f"of the MCP server {server}" if server else None,
        },
        "tool_call_id": item.get("id"),
    }


def _result(item: Item) -> Any:
    """Return what a tool has answered; of an image that it is one."""
    result = next((item[name] for name in _RESULTS if name in item), None)
    if item["type"] == "image_generation_call" and result:
        return "[image]"
    if item["type"] == "code_interpreter_call" and isinstance(result, list):
        return ["[image]" if _is_image_data(one) else one for one in result]
    return result


def _is_image_data(output: Any) -> bool:
    url = output.get("url") if isinstance(output, dict) else None
    return isinstance(url, str) and url.startswith("data:")


def _error(item: Item) -> ErrorResultError | None:
    error, status = item.get("error"), item.get("status")
    if not error and status not in _FAILED:
        return None
    message = error.get("message") or error.get("content") if isinstance(error, dict) else error
    return ErrorResultError(str(message or status), _result(item))
