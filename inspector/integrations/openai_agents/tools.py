"""Operations for calls of function tools, including those that are rejected before they run."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final

from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result

from inspector.integrations.deduplication import is_reported
from inspector.integrations.openai_agents.messages import arguments_of
from inspector.integrations.openai_agents.runs import current_run
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, refusal
from instrument import Bus, HookStopped, Operation
from instrument.operations import ReportedOperation

NOUN: Final = "tool_call"

Awaited = Callable[..., Awaitable[Any]]


class _Failure:
    """Holder of the exception of a tool that the framework has turned into text for the model."""

    error: BaseException | None = None


_failure: ContextVar[_Failure | None] = ContextVar("inspector.openai_agents.failure", default=None)


class Tools:
    """Builds the wrappers of the functions that run tools."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def wrap_invoke(self, original: Awaited) -> Awaited:
        """Wrap the function that runs a tool after approval and guardrails."""
        from agents.tool import _FunctionToolInvocationResult as Invoked  # noqa: PLC0415 - its own

        @wraps(original)
        async def invoke(*, function_tool: Any, context: Any, arguments: str) -> Any:
            run = current_run(self._bus)
            if run is None or is_reported(function_tool.name, self._bus):
                return await original(
                    function_tool=function_tool, context=context, arguments=arguments
                )
            call = _ToolCall(function_tool, context, arguments)

            async def body(operation: Operation) -> Any:
                failure = call.begin(operation)
                before = _failure.set(failure)
                try:
                    invoked = await original(
                        function_tool=function_tool,
                        context=context,
                        arguments=call.sent(operation),
                    )
                finally:
                    _failure.reset(before)
                return call.checked(operation, invoked)

            try:
                result = await self._bus.call(NOUN, body, **call.hook_kwargs)
            except HookStopped as stop:
                return Invoked(stop.value)
            except REFUSALS as error:
                return Invoked(refusal(error), is_sdk_generated_error=True)
            except Exception as error:
                if not call.has_answered(error):
                    raise
                return call.invoked
            finally:
                if call.operation is not None:
                    run.injections += call.operation.injections
            return call.invoked if call.is_unchanged(result) else Invoked(result)

        return invoke

    def wrap_failure(self, original: Awaited) -> Awaited:
        """Wrap the function that turns a tool's exception into text."""

        @wraps(original)
        async def explain(*, error: BaseException, **kwargs: Any) -> Any:
            result = await original(error=error, **kwargs)
            failure = _failure.get()
            if failure is not None and result is not None:
                failure.error = error
            return result

        return explain

    def wrap_mcp_result(self, original: Awaited) -> Any:
        """Wrap the function that reads an MCP tool's result and ignores its error flag."""

        @wraps(original)
        async def extract(*, result: Any, **kwargs: Any) -> Any:
            failure = _failure.get()
            is_new = hasattr(result, "is_error")  # the old name may warn that it is deprecated
            is_error = getattr(result, "is_error" if is_new else "isError", False)
            if failure is not None and is_error:
                texts = (getattr(one, "text", None) for one in result.content)
                failure.error = ErrorResultError("\n".join(filter(None, texts)), result)
            return await original(result=result, **kwargs)

        return staticmethod(extract)

    def wrap_guardrails(self, original: Awaited) -> Awaited:
        """Wrap the guardrails of a tool, which may reject a call before it runs."""

        @wraps(original)
        async def check(*, func_tool: Any, tool_context: Any, **kwargs: Any) -> Any:
            try:
                rejection = await original(func_tool=func_tool, tool_context=tool_context, **kwargs)
            except Exception as error:
                self.report_rejected(func_tool.name, tool_context, error)
                raise
            if rejection is not None:
                self.report_rejected(
                    func_tool.name, tool_context, ErrorResultError(str(rejection), rejection)
                )
            return rejection

        return check

    def wrap_rejection(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function that makes the output of a tool rejected by a person."""

        @wraps(original)
        def reject(agent: Any, tool_call: Any, **kwargs: Any) -> Any:
            item = original(agent, tool_call, **kwargs)
            name = getattr(tool_call, "name", None)
            if isinstance(name, str):
                error = ErrorResultError(str(item.output), item.output)
                self.report_rejected(name, tool_call, error)
            return item

        return reject

    def report_rejected(self, name: str, call: Any, error: Exception) -> None:
        """Report a call that was rejected before it ran."""
        run = current_run(self._bus)
        call_id = str(getattr(call, "call_id", None) or getattr(call, "tool_call_id", ""))
        arguments = getattr(call, "arguments", None) or getattr(call, "tool_arguments", None) or ""
        if run is None or call_id in run.rejected:
            return
        run.rejected.update([call_id] if call_id else ())
        about = {"tool_name": name, "args": _shown(arguments), "tool_call_id": call_id}
        operation = ReportedOperation(
            self._bus, NOUN, {"context": {"tool_type": "function"}, **about}
        )
        operation.__enter__()
        operation.result = getattr(error, "result", None)
        operation.__exit__(type(error), error, None)


class _ToolCall:
    """One call of a tool, as hook kwargs and in the framework's types."""

    def __init__(self, tool: Any, context: Any, arguments: str) -> None:
        self._context, self._arguments = context, arguments
        self._shown = _shown(arguments)
        self._result: Any = None
        self._failed_with: Exception | None = None
        self.operation: Operation | None = None
        self.invoked: Any = None
        self._failure = _Failure()
        self.hook_kwargs: dict[str, Any] = {
            "tool_name": tool.name,
            "args": self._shown,
            "context": {"tool_type": "function", "tool_description": tool.description},
            "tool_call_id": context.tool_call_id,
        }

    def begin(self, operation: Operation) -> _Failure:
        """Begin an attempt, and return where its failure is recorded."""
        self.operation, self._failure, self._failed_with = operation, _Failure(), None
        return self._failure

    def sent(self, operation: Operation) -> str:
        """Return the arguments of this attempt as the JSON text that the framework expects."""
        if operation.args == self._shown:
            return self._arguments
        return json.dumps(operation.args)

    def checked(self, operation: Operation, invoked: Any) -> Any:
        """Return the result to report; one that is an error is raised."""
        self.invoked, self._result = invoked, invoked.output
        if self._waits():
            self._result = {"waits_for_approval": True}
        error = self._failure.error
        if error is None and invoked.is_sdk_generated_error:
            error = ErrorResultError(str(invoked.output), invoked.output)
        if isinstance(error, Exception):
            operation.result = invoked.output
            self._failed_with = error
            raise error
        return self._result

    def has_answered(self, error: Exception) -> bool:
        """Return whether the framework has already turned `error` into an answer."""
        return error is self._failed_with

    def is_unchanged(self, result: Any) -> bool:
        """Return whether hooks have left the result as it was."""
        return self.invoked is not None and result is self._result

    def _waits(self) -> bool:
        """Return whether the tool is an agent that waits for an approval."""
        with suppress(Exception):  # of another version
            scope_id = get_agent_tool_state_scope(self._context)
            result = peek_agent_tool_run_result(self._context.tool_call, scope_id=scope_id)
            return bool(getattr(result, "interruptions", None))
        return False


def _shown(arguments: str) -> Any:
    """Return arguments as a mapping, as hooks expect them."""
    decoded = arguments_of(arguments)
    return decoded if isinstance(decoded, dict) else {"input": arguments} if arguments else {}
