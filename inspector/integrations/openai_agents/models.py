"""Operations for model calls: the run loop gets a wrapped model."""

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

from inspector.integrations.openai_agents.messages import (
    MessageDict,
    injected,
    lines_of,
    own_items,
    text_of,
    told_answer,
)
from inspector.integrations.openai_agents.runs import Run, current_run
from inspector.integrations.streamed import StreamedCall
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, HookStopped, refusal
from instrument import Bus, Operation

NOUN = "llm_generate"

_POSITIONS: Final = (
    "system_instructions",
    "input",
    "model_settings",
    "tools",
    "output_schema",
    "handoffs",
    "tracing",
)
"""Parameters of `Model.stream_response`, which the run loop gives by position."""
_FAILED: Final = ("response.incomplete", "response.failed", "response.error", "error")
"""Events with which a stream ends, and the run loop raises."""
_OFFERED: Final = ("stream", "system", "tools")
"""What is told with the settings and is none."""


def wrap_get_model(bus: Bus, original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the method that resolves the model of a turn."""

    @wraps(original)
    def get_model(*args: Any, **kwargs: Any) -> Any:
        model, run = original(*args, **kwargs), current_run(bus)
        if run is None:
            return model
        # One for the whole run: the framework knows the models of a run by their identity.
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
        """Ask the model."""
        call = _ModelCall(self._inspector_model, self._inspector_run, args, kwargs)

        async def ask(operation: Operation) -> MessageDict:
            args, kwargs = call.sent(operation)
            response = await call.model.get_response(*args, **kwargs)
            return call.answered(operation, response)

        try:
            answer = await call.run.bus.call(NOUN, ask, **call.told)
        except HookStopped as stop:
            answer = stop.value
        except REFUSALS as error:
            raise AgentsException(refusal(error)) from error
        return call.own_response(answer)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Stream the model's answer; its last event waits for the hooks' decision."""
        call = _ModelCall(self._inspector_model, self._inspector_run, args, kwargs, streams=True)
        pieces = _Deltas(call.run.bus, NOUN, call.stream, **call.told)
        try:
            async with aclosing(aiter(pieces)) as events:
                async for event in events:
                    yield event
        except ErrorResultError as error:  # the run loop knows what to raise for it
            yield error.result
            return
        except REFUSALS as error:
            raise AgentsException(refusal(error)) from error
        for event in call.last_events(pieces.result):
            yield event


class _Deltas(StreamedCall[Any]):
    """Counts pieces of the answer, not events that say that there will be one."""

    def measured(
        self, operation: Operation, source: AsyncGenerator[Any, None]
    ) -> AsyncGenerator[Any, None]:
        return _counted(operation, source)


async def _counted(
    operation: Operation, source: AsyncGenerator[Any, None]
) -> AsyncGenerator[Any, None]:
    async with aclosing(source):
        async for event in source:
            if str(getattr(event, "type", "")).endswith(".delta"):
                operation.chunk()
            yield event


class _ModelCall:
    """One call of a model, in our words and in the framework's."""

    def __init__(
        self, model: Any, run: Run, args: Any, kwargs: dict[str, Any], *, streams: bool = False
    ) -> None:
        self.model, self.run = model, run
        self._count = len(args)
        self._given = {**dict(zip(_POSITIONS, args, strict=False)), **kwargs}
        self._lines = lines_of(self._given.get("input"))
        self._prompt = [line.told for line in self._lines]
        self._settings = _set(self._given.get("model_settings"))
        self._injections = list(run.injections)
        self._response: ModelResponse | None = None
        self._told: MessageDict | None = None
        self._last: Any = None
        self.told = {
            "llm": model,
            "prompt": self._prompt,
            "model": _name(model),
            "provider": _provider(model),
            "request_params": {**self._settings, **_offered(self._given), "stream": streams},
        }

    def sent(self, operation: Operation) -> tuple[list[Any], dict[str, Any]]:
        """Return what the model is given: what the run loop gave, as hooks left it."""
        given, injections = dict(self._given), [*self._injections, *operation.injections]
        if operation.args is not self._prompt:
            given["input"] = own_items(operation.args, self._lines)
        if injections:
            items = own_items(self._prompt, self._lines) if isinstance(given["input"], str) else ()
            given["input"] = [*(items or given["input"]), *injected(injections)]
        wanted = operation.kwargs["request_params"] or {}
        if wanted.get("system") != self.told["request_params"].get("system"):
            given["system_instructions"] = wanted.get("system")
        if changed := self._changed(wanted):
            given["model_settings"] = replace(given["model_settings"], **changed)
        positions = _POSITIONS[: self._count]
        return [given.pop(name) for name in positions], given

    def answered(self, operation: Operation, response: ModelResponse) -> MessageDict:
        """Tell the usage of an answer, and return it as it is told."""
        self._response = response
        del self.run.injections[: len(self._injections)]
        operation.set(usage=_usage(response.usage))
        self._told = told_answer(response.output, response.response_id)
        return self._told

    def own_response(self, answer: Any) -> ModelResponse:
        """Return the answer that hooks left, as the framework's."""
        if isinstance(answer, ModelResponse):
            return answer
        if self._response is None:
            return ModelResponse(output=[_message(answer)], usage=Usage(), response_id=None)
        if answer is self._told or answer == self._told:
            return self._response
        return replace(self._response, output=[_message(answer)])

    async def stream(self, operation: Operation) -> AsyncGenerator[Any, None]:
        """Ask the model; yield all but the event with the whole answer."""
        args, kwargs = self.sent(operation)
        seen = _Seen()
        self._last = None
        source = self.model.stream_response(*args, **kwargs)
        try:
            async for event in source:
                if isinstance(event, ResponseCompletedEvent):
                    self._last = event
                    continue
                if getattr(event, "type", None) in _FAILED:
                    raise ErrorResultError(_failure(event), event)
                seen.add(event)
                yield event
        finally:
            if hasattr(source, "aclose"):
                await source.aclose()
            response = getattr(self._last, "response", None)
            output = getattr(response, "output", None) or seen.output()
            operation.result = self._told = told_answer(output, getattr(response, "id", None))
            operation.set(usage=_usage(getattr(response, "usage", None)))
        del self.run.injections[: len(self._injections)]

    def last_events(self, answer: Any) -> list[Any]:
        """Return the event with the whole answer, as hooks left it."""
        if answer is self._told or answer == self._told:
            return [] if self._last is None else [self._last]
        output = answer.output if isinstance(answer, ModelResponse) else [_message(answer)]
        if self._last is not None:
            response = self._last.response.model_copy(update={"output": output})
            return [self._last.model_copy(update={"response": response})]
        return [_delta(output[0]), _completed(output)]

    def _changed(self, wanted: dict[str, Any]) -> dict[str, Any]:
        known = {field.name for field in fields(ModelSettings)}
        return {
            name: value
            for name, value in wanted.items()
            if name in known and name not in _OFFERED and self._settings.get(name) != value
        }


class _Seen:
    """What there was of an answer whose whole never came."""

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
    """Return the settings that are set."""
    if not isinstance(settings, ModelSettings):
        return {}
    named = ((field.name, getattr(settings, field.name)) for field in fields(settings))
    return {name: value for name, value in named if value is not None}


def _offered(given: dict[str, Any]) -> dict[str, Any]:
    offered: dict[str, Any] = {}
    if given.get("system_instructions"):
        offered["system"] = given["system_instructions"]
    tools = [_tool(tool) for tool in given.get("tools") or ()]
    tools += [
        {
            "name": one.tool_name,
            "description": one.tool_description,
            "parameters": one.input_json_schema,
        }
        for one in given.get("handoffs") or ()
    ]
    if tools:
        offered["tools"] = tools
    return offered


def _tool(tool: Any) -> dict[str, Any]:
    if isinstance(tool, FunctionTool):
        return {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.params_json_schema,
        }
    return {"name": getattr(tool, "name", type(tool).__name__)}


def _name(model: Any) -> str | None:
    name = getattr(model, "model", None)
    return name if isinstance(name, str) else None


def _provider(model: Any) -> str | None:
    """Return whose API is called, where the class of the model says it."""
    return "openai" if type(model).__module__.startswith("agents.models.openai") else None


def _usage(usage: Any) -> dict[str, int] | None:
    """Return the tokens of `Usage` or of the API's `ResponseUsage`, which name them alike."""
    if usage is None or not (usage.input_tokens or usage.output_tokens):
        return None
    read, written = usage.input_tokens_details, usage.output_tokens_details
    told = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": getattr(read, "cached_tokens", 0),
        "cache_write_tokens": getattr(read, "cache_write_tokens", 0),
        "reasoning_tokens": getattr(written, "reasoning_tokens", 0),
    }
    always = ("input_tokens", "output_tokens")
    return {name: count for name, count in told.items() if count or name in always}


def _failure(event: Any) -> str:
    """Return what the provider says of a failure."""
    response = getattr(event, "response", None)
    for about in (getattr(response, "error", None), event):
        if isinstance(message := getattr(about, "message", None), str):
            return message
    reason = getattr(getattr(response, "incomplete_details", None), "reason", None)
    return f"{event.type}: {reason}" if reason else str(event.type)


def _message(answer: Any) -> ResponseOutputMessage:
    text = ResponseOutputText(text=text_of(answer), type="output_text", annotations=[])
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
