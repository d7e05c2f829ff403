"""Operations for model and tool calls of agents, as Strands middleware."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import wraps
from typing import Any

from inspector.integrations.deduplication import is_reported
from inspector.integrations.patches import Patches
from inspector.integrations.strands import terms
from inspector.integrations.streamed import StreamedCall
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, HookStopped, refusal
from instrument import Bus, Operation
from instrument.operations import current_call_id

Events = AsyncGenerator[Any, None]
Next = Callable[[Any], Events]
Handler = Callable[[Any, Next], Events]


class StageCalls:
    """Reports the calls of an agent's two middleware stages.

    Attributes:
        stages: Stage of Strands to its handler.
    """

    def __init__(self, bus: Bus, patches: Patches) -> None:
        self._bus, self._attempt = bus, patches.attempt
        self._open: dict[str, list[Events]] = {}
        self.stages: dict[Any, Handler] = {}
        for stage, event, handler in (
            ("InvokeModelStage", "ModelStopReason", self._model),
            ("ExecuteToolStage", "ToolResultEvent", self._tool),
        ):
            found, result = (patches.find("strands.middleware", one) for one in (stage, event))
            if found is not None and result is not None:
                self.stages[found] = self._kept(handler)

    async def close(self, run: str) -> None:
        """Close calls that a run left open: Strands leaves them to the garbage collector."""
        for events in self._open.pop(run, ()):
            with suppress(RuntimeError):  # it runs in another task, which closes it
                await events.aclose()

    def _kept(self, handler: Handler) -> Handler:
        @wraps(handler)
        def begin(context: Any, following: Next) -> Events:
            events = handler(context, following)
            run = current_call_id(self._bus)
            if run is not None:
                others = [one for one in self._open.get(run, ()) if _is_open(one)]
                self._open[run] = [*others, events]
            return events

        return begin

    async def _tool(self, context: Any, following: Next) -> Events:
        about = self._attempt(lambda: terms.called(context))
        if about is None or is_reported(about["tool_name"], self._bus):
            told = following(context)
        else:
            told = self._told_tool(context, following, about)
        async with aclosing(told) as events:
            async for event in events:
                yield event

    async def _told_tool(self, context: Any, following: Next, about: dict[str, Any]) -> Events:
        from strands.middleware import ToolResultEvent  # noqa: PLC0415

        last = _Last(ToolResultEvent)

        async def source(operation: Operation) -> Events:
            async for event in last.of(following(terms.with_tool(context, operation))):
                yield event
            if last.event is None:  # Strands says so itself
                return
            result = operation.result = last.event.tool_result
            if result.get("status") == "error":  # an error that is an answer is an error
                raise ErrorResultError(terms.text(result), result) from last.event.exception

        call = StreamedCall(
            self._bus,
            "tool_call",
            source,
            **about,
        )
        try:
            async with aclosing(aiter(call)) as events:
                async for event in events:
                    yield event
            result = call.result
        except ErrorResultError as error:
            result = error.result
        except HookStopped as stop:
            result = stop.value
        except REFUSALS as error:  # the model reads it and goes on
            result = {"status": "error", "content": [{"text": refusal(error)}]}
        result = terms.injected(terms.tool_result(result, about["tool_call_id"]), call.injections)
        is_same = last.event is not None and last.event.tool_result is result
        yield last.event if is_same else ToolResultEvent(result)

    async def _model(self, context: Any, following: Next) -> Events:
        about = self._attempt(lambda: terms.asked(context))
        if about is None:
            async with aclosing(following(context)) as untold:
                async for event in untold:
                    yield event
            return
        from strands.middleware import ModelStopReason  # noqa: PLC0415

        last = _Last(ModelStopReason)

        async def source(operation: Operation) -> Events:
            async for event in last.of(following(terms.with_prompt(context, operation))):
                yield event
            if last.event is not None:
                operation.result = last.event.message
                self._attempt(lambda: operation.set(usage=terms.usage(last.event.usage)))

        call = StreamedCall(
            self._bus,
            "llm_generate",
            source,
            **about,
        )
        try:
            async with aclosing(aiter(call)) as events:
                async for event in events:
                    yield event
            answer = call.result
        except HookStopped as stop:
            answer = stop.value
        except REFUSALS as error:  # what a cancelled model call is to Strands: an answer
            answer = refusal(error)
        if last.event is not None and last.event.message is answer:
            yield last.event
        else:
            message = terms.message(answer)
            yield ModelStopReason(terms.stop_reason(message), message, *last.cost())


class _Last:
    """Passes events on, and keeps back those of the kind that says the result."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self.event: Any = None

    async def of(self, source: Events) -> Events:
        self.event = None
        async with aclosing(source) as events:
            async for event in events:
                if isinstance(event, self._kind):
                    self.event = event
                else:
                    yield event

    def cost(self) -> tuple[Any, Any]:
        """Return the usage and the metrics of a model call: none where no model was called."""
        if self.event is None:
            return {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}, {"latencyMs": 0}
        return self.event.usage, self.event.metrics


def _is_open(events: Any) -> bool:
    return events.ag_frame is not None
