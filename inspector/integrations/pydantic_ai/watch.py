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
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from inspector.integrations.deduplication import is_reported
from inspector.integrations.patches import Patches
from inspector.integrations.pydantic_ai.messages import (
    MessageParts,
    lines_of,
    own_messages,
    own_response,
    told_prompt,
    with_injections,
)
from inspector.integrations.pydantic_ai.streams import CountedModel, tell
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import REFUSALS, HookStopped, refusal
from instrument import Bus, Operation
from instrument.decision import Injection

_OWN_SCOPE = "pydantic-ai"
"""Of the spans that Pydantic AI makes itself, where the program wants it to."""
_DEFERRED = (exceptions.CallDeferred, exceptions.ApprovalRequired)


class AgentFacts:
    """The description of a running agent that its hooks carry."""

    def __init__(self, ctx: RunContext[Any]) -> None:
        self.agent = ctx.agent
        self.name = getattr(ctx.agent, "name", None) or "agent"
        self.description = getattr(ctx.agent, "description", None)
        self.model = getattr(ctx.model, "model_name", None)
        self.input = told_prompt(ctx.prompt)

    def __repr__(self) -> str:
        return f"Agent({self.name!r})"  # no payload


class RunWatch(AbstractCapability[Any]):
    """The capability that watches one run, outside all of the program's own.

    Args:
        bus: Where it is told.
        patches: Of the adapter: where it says what this version lacks.
        conversation_id: As the program named it for this run.
    """

    def __init__(self, bus: Bus, patches: Patches, conversation_id: str | None = None) -> None:
        self.bus = bus
        self._attempt = patches.attempt
        self._named = conversation_id
        self._asked: Operation | None = None
        """The model call that is being made."""
        self._broken: Exception | None = None
        """What its stream ended with."""
        self._injections: list[Injection] = []
        """Of tools, for the next model call."""

    def get_ordering(self) -> CapabilityOrdering:
        """Be around every other capability."""
        return CapabilityOrdering(position="outermost")

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:
        """Report one run of an agent."""
        run = self._attempt(
            lambda: (AgentFacts(ctx), _session_id(self._named, ctx.conversation_id))
        )
        if run is None:
            untold: AgentRunResult[Any] = await handler()
            return untold
        agent, session_id = run
        mark = self._mark_of_own_span("invoke_agent")
        with in_session(session_id):
            try:
                async with self.bus.operation("agent_call", agent=agent) as operation:
                    mark()
                    result: AgentRunResult[Any] = await handler()
                    operation.result = output = self._attempt(lambda: result.output)
            except REFUSALS as error:
                raise exceptions.AgentRunError(refusal(error)) from error
        if operation.result is not output:
            return replace(result, output=operation.result)
        return result

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: Any
    ) -> ModelResponse:
        """Report one model call, with all its attempts."""
        asked = self._attempt(lambda: _asked(request_context))
        if asked is None:
            untold: ModelResponse = await handler(request_context)
            return untold
        lines, settings, about = asked
        prompt = about["prompt"]
        operation = self.bus.operation("llm_generate", **about)
        mark = self._mark_of_own_span("chat")
        response: ModelResponse | None = None
        told = None
        try:
            async with operation:
                mark()
                if operation.args is not prompt:
                    request_context.messages = own_messages(operation.args, lines)
                self._change_settings(request_context, operation, settings)
                self._injections += operation.injections
                if self._injections:
                    messages = request_context.messages
                    request_context.messages = with_injections(messages, self._injections)
                    self._injections.clear()
                response = await self._asking(operation, handler(request_context))
                told = self._attempt(partial(tell, operation, response))
        except HookStopped as stop:
            return own_response(stop.value, told, response)
        except REFUSALS as error:
            raise exceptions.AgentRunError(refusal(error)) from error
        return own_response(operation.result, told, response)

    async def _asking(self, operation: Operation, answer: Awaitable[ModelResponse]) -> Any:
        """Wait for the answer; of a stream that breaks the framework says only: cancelled."""
        self._asked, self._broken = operation, None
        try:
            return await answer
        except asyncio.CancelledError:
            if self._broken is None:
                raise
            raise self._broken from None
        finally:
            self._asked = self._broken = None

    def get_wrapper_model(self, model: Model) -> Model | None:
        """Count the pieces of a streamed answer; one that is not streamed needs nothing."""
        operation = self._asked
        if operation is None or not operation.kwargs["request_params"].get("stream"):
            return None
        return CountedModel(model, operation, self._note_broken)

    def _note_broken(self, error: Exception) -> None:
        self._broken = error

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Report one tool call, which has been approved by then."""
        about = self._attempt(lambda: _called(call, tool_def))
        if about is None or is_reported(about["tool_name"], self.bus):
            return await handler(args)
        asked = _arguments(call, args)
        last: Operation | None = None
        left: Exception | None = None

        mark = self._mark_of_own_span("execute_tool")

        async def run(operation: Operation) -> Any:
            nonlocal last, left
            mark()
            last, left = operation, None
            given = args
            if operation.args != asked:
                given = _validated(ctx, about["tool_name"], operation.args)
            try:
                return await handler(given)
            except exceptions.SkipToolExecution as skip:  # by a hook of the program
                return skip.result
            except _DEFERRED as deferral:  # no error: it goes on elsewhere, or another time
                left = deferral
                return {"deferred": type(deferral).__name__}

        try:
            result = await self.bus.call("tool_call", run, args=asked, **about)
        except HookStopped as stop:
            return stop.value
        except REFUSALS as error:  # the model reads it and goes on
            raise exceptions.ToolFailed(refusal(error)) from error
        finally:
            if last is not None:
                self._injections += last.injections
        if left is not None:
            raise left
        return result

    def _mark_of_own_span(self, operation_name: str) -> Callable[[], object]:
        found = self._attempt(lambda: _mark_of_own_span(operation_name))
        return (lambda: None) if found is None else (lambda: self._attempt(found))

    def _change_settings(
        self,
        request_context: ModelRequestContext,
        operation: Operation,
        settings: Mapping[str, Any],
    ) -> None:
        wanted = operation.kwargs["request_params"] or {}
        changed = {
            name: value
            for name, value in wanted.items()
            if name not in _OFFERED and settings.get(name) != value
        }
        if changed:
            kept = dict(settings) | changed
            request_context.model_settings = ModelSettings(**kept)  # type: ignore[typeddict-item]


_OFFERED = ("stream", "system", "tools")
"""What is told with the settings and is none."""


def _mark_of_own_span(operation_name: str) -> Callable[[], None] | None:
    """Return what marks the span that Pydantic AI itself has made around this call, if any.

    Both say the same, such as tokens: it counts once. How long each took does not tell, since a
    model that is in this process answers in less time than what is around it takes.
    """
    try:
        from opentelemetry import trace  # noqa: PLC0415 - may not be installed

        from subscribers.bridge.spans import mark_inner  # noqa: PLC0415 - needs it
    except ModuleNotFoundError:
        return None
    span: Any = trace.get_current_span()
    scope = getattr(span, "instrumentation_scope", None)
    if getattr(scope, "name", None) != _OWN_SCOPE or not span.is_recording():
        return None
    if (span.attributes or {}).get("gen_ai.operation.name") != operation_name:
        return None
    return partial(mark_inner, span)


def _asked(
    request_context: ModelRequestContext,
) -> tuple[list[MessageParts], dict[str, Any], dict[str, Any]]:
    """Return the messages, the settings, and what is told of a model call."""
    lines = lines_of(request_context.messages)
    settings = dict(request_context.model_settings or {})
    about = {
        "llm": request_context.model,
        "prompt": [line.told for line in lines],
        "model": request_context.model.model_name,
        "provider": request_context.model.system,
        "request_params": {**settings, **_offered(request_context)},
    }
    return lines, settings, about


def _called(call: ToolCallPart, tool_def: ToolDefinition) -> dict[str, Any]:
    """Return what is told of a tool call, beside its arguments."""
    return {
        "tool_name": call.tool_name,
        "context": {"tool_type": "function", "tool_description": tool_def.description},
        "tool_call_id": call.tool_call_id,
    }


def _offered(request_context: ModelRequestContext) -> dict[str, Any]:
    parameters = request_context.model_request_parameters
    offered: dict[str, Any] = {"stream": getattr(request_context, "streaming", False)}
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters_json_schema,
        }
        for tool in (*parameters.function_tools, *parameters.output_tools)
    ]
    if tools:
        offered["tools"] = tools
    parts = getattr(parameters, "instruction_parts", None)
    if parts:
        offered["system"] = "\n\n".join(part.content for part in parts)
    return offered


def _session_id(named: str | None, conversation_id: str | None) -> str | None:
    """Return the conversation that the program means.

    A run without one gets one that is made up, which later runs inherit with the messages; it is
    no more than the program's own session.
    """
    if named is not None and named != "new":
        return named
    return None if _is_made_up(conversation_id) else conversation_id


def _is_made_up(conversation_id: str | None) -> bool:
    try:
        return UUID(conversation_id or "").version == 7
    except ValueError:
        return False


def _arguments(call: ToolCallPart, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the model gave them, which are plain values."""
    try:
        return dict(call.args_as_dict())
    except Exception:  # noqa: BLE001 - a hook made something else of them
        return dict(args)


def _validated(ctx: RunContext[Any], tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return changed arguments as the tool takes them: objects, where it takes objects.

    Raises:
        ValidationError: The tool does not take them; the model is told so.
    """
    tools = getattr(ctx.tool_manager, "tools", None) or {}
    tool = tools.get(tool_name)
    if tool is None:
        return dict(args)
    validated: dict[str, Any] = tool.args_validator.validate_python(dict(args))
    return validated
