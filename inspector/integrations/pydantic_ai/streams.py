"""Model answers: each is reported whole, and the pieces of a stream are counted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, TextPartDelta
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from inspector.integrations.conversion import token_counts
from inspector.integrations.pydantic_ai.messages import answer_message
from inspector.integrations.streamed import inside
from instrument import Operation


class CountedModel(WrapperModel):
    """A model that counts the pieces of its streams."""

    def __init__(
        self, wrapped: Model, operation: Operation, on_failure: Callable[[Exception], None]
    ) -> None:
        super().__init__(wrapped)
        self._operation = operation
        self._on_failure = on_failure

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Open the model's own stream, and count its pieces."""
        opening = self.wrapped.request_stream(
            messages, model_settings, model_request_parameters, run_context
        )
        async with AsyncExitStack() as stack:
            # The framework opens it outside of the task that reports the call.
            with self._recording(), inside(self._operation):
                stream = await stack.enter_async_context(opening)
            original = getattr(stream, "_get_event_iterator", None)
            if original is not None:
                stream._get_event_iterator = lambda: self._counted(original())  # type: ignore[method-assign]
            try:
                yield stream
            finally:
                with suppress(Exception):  # of a stream left early: what was received
                    report(self._operation, stream.get())

    async def _counted(self, events: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async with AsyncExitStack() as stack:
            if (close := getattr(events, "aclose", None)) is not None:
                stack.push_async_callback(close)
            with self._recording():
                async for event in events:
                    self._operation.chunk(text=_text_of(event))
                    yield event

    @contextmanager
    def _recording(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._on_failure(error)
            raise


def _text_of(event: Any) -> str:
    """Return what an event of a stream adds to the text of the answer."""
    kind = getattr(event, "event_kind", None)
    if kind == "part_start" and isinstance(event.part, TextPart):
        return event.part.content
    if kind == "part_delta" and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def report(operation: Operation, response: ModelResponse) -> dict[str, Any]:
    """Report a model's answer and usage; return the answer as a message."""
    answer = answer_message(response)
    usage = response.usage
    counts = token_counts(
        usage.input_tokens,
        usage.output_tokens,
        cache_read=getattr(usage, "cache_read_tokens", 0),
        cache_write=getattr(usage, "cache_write_tokens", 0),
        reasoning=(usage.details or {}).get("reasoning_tokens", 0),
    )
    operation.set(usage=counts)
    operation.result = answer
    return answer
