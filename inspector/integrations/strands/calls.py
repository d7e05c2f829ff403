"""Operations for model and tool calls of agents, as Strands middleware."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, TypeAlias

from inspector.integrations.deduplication import is_reported
from inspector.integrations.patches import Patches
from inspector.integrations.strands import conversion
from inspector.integrations.streamed import StreamedCall
from inspector.integrations.verdicts import NO_RESULT, ErrorResultError, instead_of
from instrument import Bus, Operation
from instrument.operations import current_call_id

Events: TypeAlias = AsyncGenerator[Any, None]
Next: TypeAlias = Callable[[Any], Events]
Describe: TypeAlias = Callable[[Any], dict[str, Any]]
Handler: TypeAlias = Callable[[Any, Next, dict[str, Any]], Events]


class StageCalls:
    """Reports the calls of an agent's two middleware stages.

    Attributes:
        stages: Stage of Strands to its handler.
    """

    def __init__(self, bus: Bus, patches: Patches) -> None:
        self._bus, self._attempt = bus, patches.attempt
        self._open: dict[str, list[Events]] = {}
        self.stages: dict[Any, Callable[[Any, Next], Events]] = {}
        for stage, event, describe, handler in (
            ("InvokeModelStage", "ModelStopReason", conversion.model_call, self._model),
            ("ExecuteToolStage", "ToolResultEvent", conversion.tool_call, self._tool),
        ):
            found, result = (patches.find("strands.middleware", one) for one in (stage, event))
            if found is not None and result is not None:
                self.stages[found] = partial(self._begin, describe, handler)

    async def close(self, run: str) -> None:
        """Close calls that a run left open: Strands leaves them to the garbage collector."""
        for events in self._open.pop(run, ()):
            with suppress(RuntimeError):  # it runs in another task, which closes it
                await events.aclose()

    def _begin(self, describe: Describe, handler: Handler, context: Any, following: Next) -> Events:
        """Call a handler, and remember its generator until the run ends."""
        about = self._attempt(lambda: describe(context))
        if about is None or is_reported(about.get("tool_name", ""), self._bus):
            return following(context)
        events = handler(context, following, about)
        run = current_call_id(self._bus)
        if run is not None:
            others = [one for one in self._open.get(run, ()) if _is_open(one)]
            self._open[run] = [*others, events]
        return events

    async def _tool(self, context: Any, following: Next, about: dict[str, Any]) -> Events:
        from strands.middleware import ToolResultEvent  # noqa: PLC0415

        last = _LastEvent(ToolResultEvent)

        async def source(operation: Operation) -> Events:
            async for event in last.of(following(conversion.with_tool(context, operation))):
                yield event
            if last.event is None:  # Strands raises for it
                return
            result = operation.result = last.event.tool_result
            if result.get("status") == "error":
                raise ErrorResultError(conversion.text(result), result) from last.event.exception

        call = StreamedCall(self._bus, "tool_call", source, **about)
        try:
            async with aclosing(aiter(call)) as events:
                async for event in events:
                    yield event
            result = call.result
        except NO_RESULT as error:
            result = instead_of(
                error, lambda text: {"status": "error", "content": [{"text": text}]}
            )
        result = conversion.tool_result(result, about["tool_call_id"])
        result = conversion.injected(result, call.injections)
        is_same = last.event is not None and last.event.tool_result is result
        yield last.event if is_same else ToolResultEvent(result)

    async def _model(self, context: Any, following: Next, about: dict[str, Any]) -> Events:
        from strands.middleware import ModelStopReason  # noqa: PLC0415

        last = _LastEvent(ModelStopReason)

        async def source(operation: Operation) -> Events:
            async for event in last.of(following(conversion.with_prompt(context, operation))):
                yield event
            if last.event is not None:
                operation.result = last.event.message
                self._attempt(lambda: operation.set(usage=conversion.usage(last.event.usage)))

        call = StreamedCall(self._bus, "llm_generate", source, conversion.text_of_event, **about)
        try:
            async with aclosing(aiter(call)) as events:
                async for event in events:
                    yield event
            answer = call.result
        except NO_RESULT as error:  # Strands has an answer for a cancelled LLM call too
            answer = instead_of(error, str)
        if last.event is not None and last.event.message is answer:
            yield last.event
        else:
            message = conversion.message(answer)
            yield ModelStopReason(conversion.stop_reason(message), message, *last.cost())


class _LastEvent:
    """Passes events on, except the last one, which has the result."""

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
        """Return the usage and the metrics of an LLM call: zeros where no model was called."""
        if self.event is None:
            return {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}, {"latencyMs": 0}
        return self.event.usage, self.event.metrics


def _is_open(events: Any) -> bool:
    return events.ag_frame is not None
