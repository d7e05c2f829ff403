"""The capability added to each run: it reports operations and applies decisions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from pydantic_ai import RunContext, exceptions
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import ToolDefinition

from inspector.integrations.conversion import (
    AgentFacts,
    ConvertedMessage,
    changed_settings,
    tool_definition,
)
from inspector.integrations.deduplication import is_reported, mark_of_span_around
from inspector.integrations.patches import Patches
from inspector.integrations.pydantic_ai.messages import (
    convert,
    own_messages,
    own_response,
    run_input,
    with_injections,
)
from inspector.integrations.pydantic_ai.streams import CountedModel, report
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import refused_as
from instrument import Bus, HookStopped, Operation
from instrument.parts import Injection

_OWN_SCOPE = "pydantic-ai"
"""The instrumentation scope of Pydantic AI's own spans, which a program may turn on."""
_DEFERRED = (exceptions.CallDeferred, exceptions.ApprovalRequired)


def _facts(ctx: RunContext[Any]) -> AgentFacts:
    return AgentFacts(
        ctx.agent,
        getattr(ctx.agent, "name", None) or "agent",
        input=run_input(ctx.prompt),
        description=getattr(ctx.agent, "description", None),
        model=getattr(ctx.model, "model_name", None),
    )


class RunWatch(AbstractCapability[Any]):
    """The capability that watches one run, outside all of the program's own.

    Args:
        bus: The bus that the run is reported on.
        patches: The adapter's patches, which log what this version lacks.
        conversation_id: The one that the program named for this run.
    """

    def __init__(self, bus: Bus, patches: Patches, conversation_id: str | None = None) -> None:
        self.bus = bus
        self._attempt = patches.attempt
        self._named = conversation_id
        self._model_call: Operation | None = None
        """The current LLM call."""
        self._failure: Exception | None = None
        """The exception that ended its stream."""
        self._injections: list[Injection] = []
        """Injections of tools, for the next LLM call."""

    def get_ordering(self) -> CapabilityOrdering:
        """Wrap every other capability."""
        return CapabilityOrdering(position="outermost")

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:
        """Report one run of an agent."""
        run = self._attempt(lambda: (_facts(ctx), _session_id(self._named, ctx.conversation_id)))
        if run is None:
            unwatched: AgentRunResult[Any] = await handler()
            return unwatched
        agent, session_id = run
        mark = self._mark_of_own_span("invoke_agent")
        with in_session(session_id), refused_as(exceptions.AgentRunError):
            async with self.bus.operation("agent_call", agent=agent) as operation:
                mark()
                result: AgentRunResult[Any] = await handler()
                operation.result = output = self._attempt(lambda: result.output)
        if operation.result is not output:
            return replace(result, output=operation.result)
        return result

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: Any
    ) -> ModelResponse:
        """Report one LLM call, with all its attempts."""
        described = self._attempt(lambda: _model_call(request_context))
        if described is None:
            unwatched: ModelResponse = await handler(request_context)
            return unwatched
        messages, settings, about = described
        prompt = about["prompt"]
        operation = self.bus.operation("llm_generate", **about)
        mark = self._mark_of_own_span("chat")
        response: ModelResponse | None = None
        answer = None
        try:
            with refused_as(exceptions.AgentRunError):
                async with operation:
                    mark()
                    if operation.args is not prompt:
                        request_context.messages = own_messages(operation.args, messages)
                    wanted = operation.kwargs["request_params"] or {}
                    if changed := changed_settings(wanted, settings):
                        final: Any = settings | changed
                        request_context.model_settings = final
                    self._injections += operation.injections
                    if self._injections:
                        request_context.messages = with_injections(
                            request_context.messages, self._injections
                        )
                        self._injections.clear()
                    response = await self._answer(operation, handler(request_context))
                    answer = self._attempt(partial(report, operation, response))
        except HookStopped as stop:
            return own_response(stop.value, answer, response)
        return own_response(operation.result, answer, response)

    async def _answer(self, operation: Operation, answer: Awaitable[ModelResponse]) -> Any:
        """Await the answer; raise the failure of a stream, which the framework only cancels."""
        self._model_call, self._failure = operation, None
        try:
            return await answer
        except asyncio.CancelledError:
            if self._failure is None:
                raise
            raise self._failure from None
        finally:
            self._model_call = self._failure = None

    def get_wrapper_model(self, model: Model) -> Model | None:
        """Return a model that counts the pieces of a streamed answer; None if it is whole."""
        operation = self._model_call
        if operation is None or not operation.kwargs["request_params"].get("stream"):
            return None
        return CountedModel(model, operation, self._record_failure)

    def _record_failure(self, error: Exception) -> None:
        self._failure = error

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Report one tool call, after its approval."""
        about = self._attempt(lambda: _tool_call(call, tool_def))
        if about is None or is_reported(about["tool_name"], self.bus):
            return await handler(args)
        shown = _arguments(call, args)
        last: Operation | None = None
        deferred: Exception | None = None
        mark = self._mark_of_own_span("execute_tool")

        async def run(operation: Operation) -> Any:
            nonlocal last, deferred
            mark()
            last, deferred = operation, None
            final = args
            if operation.args != shown:
                final = _validated(ctx, about["tool_name"], operation.args)
            try:
                return await handler(final)
            except exceptions.SkipToolExecution as skip:  # by a hook of the program
                return skip.result
            except _DEFERRED as deferral:  # no error: it goes on elsewhere, or another time
                deferred = deferral
                return {"deferred": type(deferral).__name__}

        try:
            with refused_as(exceptions.ToolFailed):  # the model reads it and goes on
                result = await self.bus.call("tool_call", run, args=shown, **about)
        except HookStopped as stop:
            return stop.value
        finally:
            if last is not None:
                self._injections += last.injections
        if deferred is not None:
            raise deferred
        return result

    def _mark_of_own_span(self, operation_name: str) -> Callable[[], object]:
        def is_same(span: Any) -> bool:
            return bool((span.attributes or {}).get("gen_ai.operation.name") == operation_name)

        found = self._attempt(lambda: mark_of_span_around(_OWN_SCOPE, is_same))
        return (lambda: None) if found is None else (lambda: self._attempt(found))


def _model_call(
    request_context: ModelRequestContext,
) -> tuple[list[ConvertedMessage], dict[str, Any], dict[str, Any]]:
    """Return the messages, the settings and the hook kwargs of an LLM call."""
    messages = convert(request_context.messages)
    settings = dict(request_context.model_settings or {})
    about = {
        "llm": request_context.model,
        "prompt": [one.message for one in messages],
        "model": request_context.model.model_name,
        "provider": request_context.model.system,
        "request_params": {**settings, **_offered(request_context)},
    }
    return messages, settings, about


def _tool_call(call: ToolCallPart, tool_def: ToolDefinition) -> dict[str, Any]:
    """Return the hook kwargs of a tool call, without its arguments."""
    return {
        "tool_name": call.tool_name,
        "context": {"tool_type": "function", "tool_description": tool_def.description},
        "tool_call_id": call.tool_call_id,
    }


def _offered(request_context: ModelRequestContext) -> dict[str, Any]:
    parameters = request_context.model_request_parameters
    offered: dict[str, Any] = {"stream": getattr(request_context, "streaming", False)}
    tools = [
        tool_definition(tool.name, tool.description, tool.parameters_json_schema)
        for tool in (*parameters.function_tools, *parameters.output_tools)
    ]
    if tools:
        offered["tools"] = tools
    parts = getattr(parameters, "instruction_parts", None)
    if parts:
        offered["system"] = "\n\n".join(part.content for part in parts)
    return offered


def _session_id(named: str | None, conversation_id: str | None) -> str | None:
    """Return the conversation that the program has named.

    A run without one gets a generated id, which later runs inherit with the messages; that is
    the program's own session.
    """
    if named is not None and named != "new":
        return named
    return None if _is_generated(conversation_id) else conversation_id


def _is_generated(conversation_id: str | None) -> bool:
    try:
        return UUID(conversation_id or "").version == 7
    except ValueError:
        return False


def _arguments(call: ToolCallPart, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model's arguments, which are plain values."""
    try:
        return dict(call.args_as_dict())
    except Exception:  # noqa: BLE001 - a hook of the program has changed them
        return dict(args)


def _validated(ctx: RunContext[Any], tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return changed arguments in the types of the tool's parameters.

    Raises:
        ValidationError: The tool does not take them; the model reads the error.
    """
    tools = getattr(ctx.tool_manager, "tools", None) or {}
    tool = tools.get(tool_name)
    if tool is None:
        return dict(args)
    validated: dict[str, Any] = tool.args_validator.validate_python(dict(args))
    return validated
