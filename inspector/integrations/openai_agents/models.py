"""Operations for LLM calls: the run loop gets a wrapped model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import fields, replace
from functools import wraps
from typing import Any, Final

from agents import FunctionTool, ModelResponse, ModelSettings, Usage
from agents.exceptions import AgentsException
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

from inspector.integrations.conversion import (
    MessageDict,
    answer_text,
    changed_settings,
    text_of,
    token_counts,
    tool_definition,
)
from inspector.integrations.openai_agents.hosted import HostedTools
from inspector.integrations.openai_agents.messages import (
    answer_message,
    convert,
    injected,
    own_items,
)
from inspector.integrations.openai_agents.runs import Run, current_run
from inspector.integrations.streamed import StreamedCall
from inspector.integrations.verdicts import ProviderError, refused_as
from instrument import Bus, HookStopped, Operation

NOUN: Final = "llm_generate"

_POSITIONS: Final = (
    "system_instructions",
    "input",
    "model_settings",
    "tools",
    "output_schema",
    "handoffs",
    "tracing",
)
"""Parameters of `Model.stream_response`, which the run loop passes by position."""
_FAILED: Final = ("response.incomplete", "response.failed", "response.error", "error")
"""Types of events that end a stream and make the run loop raise."""


def wrap_get_model(bus: Bus, original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the method that resolves the model of a turn."""

    @wraps(original)
    def get_model(*args: Any, **kwargs: Any) -> Any:
        model, run = original(*args, **kwargs), current_run(bus)
        if run is None:
            return model
        # One for the whole run: the framework identifies the models of a run by `is`.
        return run.models.setdefault(id(model), WatchedModel(model, run))

    return get_model


class WatchedModel:
    """A wrapped model that otherwise behaves as the original, also for `isinstance`."""

    def __init__(self, model: Any, run: Run) -> None:
        self._inspector_model = model
        self._inspector_run = run

    @property  # type: ignore[misc]  # as every proxy has it
    def __class__(self) -> Any:
        return type(self._inspector_model)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inspector_model, name)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Call the model."""
        call = _ModelCall(self._inspector_model, self._inspector_run, args, kwargs)

        async def run(operation: Operation) -> MessageDict:
            args, kwargs = call.sent(operation)
            response = await call.model.get_response(*args, **kwargs)
            return call.answered(operation, response)

        try:
            with refused_as(AgentsException):
                answer = await call.run.bus.call(NOUN, run, **call.hook_kwargs)
        except HookStopped as stop:
            answer = stop.value
        return call.own_response(answer)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Stream the model's answer; its last event waits for the hooks' decision."""
        call = _ModelCall(self._inspector_model, self._inspector_run, args, kwargs, streams=True)
        pieces = _Deltas(call.run.bus, NOUN, call.stream, **call.hook_kwargs)
        try:
            with refused_as(AgentsException):
                async with aclosing(aiter(pieces)) as events:
                    async for event in events:
                        yield event
        except ProviderError as error:  # the run loop raises for it
            yield error.result
            return
        for event in call.last_events(pieces.result):
            yield event


_TEXTS = ("response.output_text.delta", "response.refusal.delta")


class _Deltas(StreamedCall[Any]):
    """A streamed call that counts the pieces of the answer only, not the events around them."""

    def measured(
        self, operation: Operation, source: AsyncGenerator[Any, None]
    ) -> AsyncGenerator[Any, None]:
        return _counted(operation, source)


async def _counted(
    operation: Operation, source: AsyncGenerator[Any, None]
) -> AsyncGenerator[Any, None]:
    async with aclosing(source):
        async for event in source:
            kind = str(getattr(event, "type", ""))
            if kind.endswith(".delta"):
                operation.chunk(text=event.delta if kind in _TEXTS else "")
            yield event


class _ModelCall:
    """One call of a model, as hook kwargs and in the framework's types."""

    def __init__(
        self, model: Any, run: Run, args: Any, kwargs: dict[str, Any], *, streams: bool = False
    ) -> None:
        self.model, self.run = model, run
        self._count = len(args)
        self._arguments = {**dict(zip(_POSITIONS, args, strict=False)), **kwargs}
        self._messages = convert(self._arguments.get("input"))
        self._prompt = [one.message for one in self._messages]
        self._settings = _set(self._arguments.get("model_settings"))
        self._injections = list(run.injections)
        self._response: ModelResponse | None = None
        self._answer: MessageDict | None = None
        self._last: Any = None
        self.hook_kwargs: dict[str, Any] = {
            "llm": model,
            "prompt": self._prompt,
            "model": name if isinstance(name := getattr(model, "model", None), str) else None,
            "provider": _provider(model),
            "request_params": {
                **self._settings,
                **offered_to_model(self._arguments),
                "stream": streams,
            },
        }

    def sent(self, operation: Operation) -> tuple[list[Any], dict[str, Any]]:
        """Return the run loop's arguments after the hooks' changes, by position and by name."""
        arguments, injections = dict(self._arguments), [*self._injections, *operation.injections]
        if operation.args is not self._prompt:
            arguments["input"] = own_items(operation.args, self._messages)
        if injections:
            items = (
                own_items(self._prompt, self._messages)
                if isinstance(arguments["input"], str)
                else ()
            )
            arguments["input"] = [*(items or arguments["input"]), *injected(injections)]
        wanted = operation.kwargs["request_params"] or {}
        if wanted.get("system") != self.hook_kwargs["request_params"].get("system"):
            arguments["system_instructions"] = wanted.get("system")
        known = {field.name for field in fields(ModelSettings)}
        changed = changed_settings(wanted, self._settings)
        if changed := {name: value for name, value in changed.items() if name in known}:
            arguments["model_settings"] = replace(arguments["model_settings"], **changed)
        positions = _POSITIONS[: self._count]
        return [arguments.pop(name) for name in positions], arguments

    def answered(self, operation: Operation, response: ModelResponse) -> MessageDict:
        """Report the usage of an answer, and return the answer as a message."""
        self._response = response
        del self.run.injections[: len(self._injections)]
        hosted = HostedTools(self.run)
        return self._report(operation, hosted, response.output, response.response_id, response)

    def _report(
        self, operation: Operation, hosted: HostedTools, output: Any, answer_id: Any, response: Any
    ) -> MessageDict:
        """Report what an answer has; of what the provider has made of it nothing is certain."""
        attempt = self.run.attempt
        operation.set(usage=attempt(lambda: usage_of(getattr(response, "usage", None))))
        output = output if isinstance(output, list) else []
        for item in output:
            hosted.report(item)
        self._answer = attempt(lambda: answer_message(output, answer_id)) or {"role": "assistant"}
        return self._answer

    def own_response(self, answer: Any) -> ModelResponse:
        """Return the answer after the hooks' changes, in the framework's type."""
        if isinstance(answer, ModelResponse):
            return answer
        if self._response is None:
            return ModelResponse(output=[_message(answer)], usage=Usage(), response_id=None)
        if answer is self._answer or answer == self._answer:
            return self._response
        return replace(self._response, output=[_message(answer)])

    async def stream(self, operation: Operation) -> AsyncGenerator[Any, None]:
        """Call the model; yield all but the event with the whole answer."""
        args, kwargs = self.sent(operation)
        received, hosted = _ReceivedAnswer(), HostedTools(self.run)
        self._last = None
        source = self.model.stream_response(*args, **kwargs)
        try:
            async for event in source:
                if isinstance(event, ResponseCompletedEvent):
                    self._last = event
                    continue
                if getattr(event, "type", None) in _FAILED:
                    raise ProviderError(_failure(event), event)
                received.add(event)
                if getattr(event, "type", None) == "response.output_item.done":
                    hosted.report(event.item)
                yield event
        finally:
            if hasattr(source, "aclose"):
                await source.aclose()
            response = getattr(self._last, "response", None)
            output = getattr(response, "output", None) or received.output()
            answer_id = getattr(response, "id", None)
            operation.result = self._report(operation, hosted, output, answer_id, response)
        del self.run.injections[: len(self._injections)]

    def last_events(self, answer: Any) -> list[Any]:
        """Return the closing events, with the whole answer after the hooks' changes."""
        if answer is self._answer or answer == self._answer:
            return [] if self._last is None else [self._last]
        output = answer.output if isinstance(answer, ModelResponse) else [_message(answer)]
        if self._last is not None:
            response = self._last.response.model_copy(update={"output": output})
            return [self._last.model_copy(update={"response": response})]
        return [_delta(output[0]), _completed(output)]


class _ReceivedAnswer:
    """The received pieces of an answer, in case its last event never comes."""

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._text = ""

    def add(self, event: Any) -> None:
        kind = getattr(event, "type", None)
        if kind == "response.output_text.delta":
            self._text += event.delta
        elif kind == "response.output_item.done":
            self._items.append(event.item)
            self._text = ""

    def output(self) -> list[Any]:
        return [*self._items, *([_message(self._text)] if self._text else ())]


def _set(settings: Any) -> dict[str, Any]:
    """Return the settings whose value is not None."""
    if not isinstance(settings, ModelSettings):
        return {}
    named = ((field.name, getattr(settings, field.name)) for field in fields(settings))
    return {name: value for name, value in named if value is not None}


def offered_to_model(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return instructions, tools and hand-offs as request parameters."""
    offered: dict[str, Any] = {}
    if arguments.get("system_instructions"):
        offered["system"] = arguments["system_instructions"]
    tools = [_tool(tool) for tool in arguments.get("tools") or ()]
    tools += [
        tool_definition(one.tool_name, one.tool_description, one.input_json_schema)
        for one in arguments.get("handoffs") or ()
    ]
    if tools:
        offered["tools"] = tools
    return offered


def _tool(tool: Any) -> dict[str, Any]:
    if isinstance(tool, FunctionTool):
        return tool_definition(tool.name, tool.description, tool.params_json_schema)
    return {"name": getattr(tool, "name", type(tool).__name__)}


def _provider(model: Any) -> str | None:
    """Return the provider whose API is called, if the model's class shows it."""
    return "openai" if type(model).__module__.startswith("agents.models.openai") else None


def usage_of(usage: Any, modalities: Any = None) -> dict[str, int] | None:
    """Return the tokens of `Usage` or of the API's `ResponseUsage`, which have the same fields.

    Args:
        usage: The counts.
        modalities: What has the details that say how many of them are audio.
    """
    if usage is None or not (usage.input_tokens or usage.output_tokens):
        return None
    read, written = usage.input_tokens_details, usage.output_tokens_details
    heard = getattr(modalities, "input_tokens_details", None)
    spoken = getattr(modalities, "output_tokens_details", None)
    cached = getattr(heard, "cached_tokens_details", None)
    return token_counts(
        usage.input_tokens,
        usage.output_tokens,
        cache_read=getattr(read, "cached_tokens", 0),
        cache_write=getattr(read, "cache_write_tokens", 0),
        reasoning=getattr(written, "reasoning_tokens", 0),
        audio_input=getattr(heard, "audio_tokens", 0),
        audio_output=getattr(spoken, "audio_tokens", 0),
        audio_cache_read=getattr(cached, "audio_tokens", 0),
    )


def _failure(event: Any) -> str:
    """Return the provider's message about a failure."""
    response = getattr(event, "response", None)
    for about in (getattr(response, "error", None), event):
        if isinstance(message := getattr(about, "message", None), str):
            return message
    reason = getattr(getattr(response, "incomplete_details", None), "reason", None)
    return f"{event.type}: {reason}" if reason else str(event.type)


def _message(answer: Any) -> ResponseOutputMessage:
    text = ResponseOutputText(text=answer_text(answer), type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="inspector", type="message", role="assistant", status="completed", content=[text]
    )


def _delta(message: Any) -> ResponseTextDeltaEvent:
    return ResponseTextDeltaEvent(
        type="response.output_text.delta",
        delta=text_of(message.content[0].text),
        item_id=message.id,
        content_index=0,
        output_index=0,
        sequence_number=0,
        logprobs=[],
    )


def _completed(output: list[Any]) -> ResponseCompletedEvent:
    response = Response(
        id="inspector",
        object="response",
        created_at=0,
        model="",
        output=output,
        tools=[],
        tool_choice="auto",
        parallel_tool_calls=False,
    )
    return ResponseCompletedEvent(type="response.completed", response=response, sequence_number=1)
