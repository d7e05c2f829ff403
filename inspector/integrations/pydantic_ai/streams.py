"""Model answers, also streamed: reported whole, with their pieces counted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from inspector.integrations.pydantic_ai.messages import told_response
from instrument import Operation


class CountedModel(WrapperModel):
    """A model that counts the pieces of its streams."""

    def __init__(
        self, wrapped: Model, operation: Operation, note_broken: Callable[[Exception], None]
    ) -> None:
        super().__init__(wrapped)
        self._operation = operation
        self._note_broken = note_broken

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Open the model's own stream, and watch it."""
        opening = self.wrapped.request_stream(
            messages, model_settings, model_request_parameters, run_context
        )
        async with AsyncExitStack() as stack:
            with self._recording():
                stream = await stack.enter_async_context(opening)
            original = getattr(stream, "_get_event_iterator", None)
            if original is not None:
                stream._get_event_iterator = lambda: self._counted(original())  # type: ignore[method-assign]  # of this one
            try:
                yield stream
            finally:
                with suppress(Exception):  # of a stream left early: what there was
                    tell(self._operation, stream.get())

    async def _counted(self, events: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async with AsyncExitStack() as stack:
            if (close := getattr(events, "aclose", None)) is not None:
                stack.push_async_callback(close)
            with self._recording():
                async for event in events:
                    self._operation.chunk()
                    yield event

    @contextmanager
    def _recording(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._note_broken(error)
            raise


def tell(operation: Operation, response: ModelResponse) -> dict[str, Any]:
    """Report a model's answer; return it in the reported form."""
    told = told_response(response)
    operation.set(usage=_usage(response))
    operation.result = told
    return told


def _usage(response: ModelResponse) -> dict[str, int]:
    usage = response.usage
    told = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": getattr(usage, "cache_read_tokens", 0),
        "cache_write_tokens": getattr(usage, "cache_write_tokens", 0),
        "reasoning_tokens": (usage.details or {}).get("reasoning_tokens", 0),
    }
    always = ("input_tokens", "output_tokens")
    return {name: count for name, count in told.items() if count or name in always}
