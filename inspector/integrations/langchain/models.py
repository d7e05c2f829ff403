"""Operations for chat models, by wrapping `_generate_with_cache` and `stream`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing, closing, contextmanager
from functools import cache, partial, wraps
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from inspector.integrations.langchain.messages import (
    as_answer,
    as_chunk,
    merged,
    usage_of,
    with_injections,
)
from inspector.integrations.langchain.shared import Attachment
from inspector.integrations.streamed import GeneratorSource, WatchedGenerator
from instrument import HookStopped, Operation
from instrument.operations import is_current

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk
    from langchain_core.outputs import ChatResult

Stream: TypeAlias = Callable[..., Generator[Any, None, None]]
AsyncStream: TypeAlias = Callable[..., AsyncGenerator[Any, None]]

NOUN: Final = "llm_generate"


def watch(attachment: Attachment) -> None:
    """Wrap the four methods that call a chat model."""
    models, patches = _Models(attachment), attachment.patches
    kind = patches.find("langchain_core.language_models.chat_models", "BaseChatModel")
    patches.put(kind, "_generate_with_cache", models.wrap_generate)
    patches.put(kind, "_agenerate_with_cache", models.wrap_agenerate)
    patches.put(kind, "stream", models.wrap_stream)
    patches.put(kind, "astream", models.wrap_astream)


class _Models:
    """Builds the wrappers of the methods of chat models."""

    def __init__(self, attachment: Attachment) -> None:
        self._bus, self._attachment = attachment.bus, attachment
        self._attempt = attachment.patches.attempt

    def _described(
        self, model: BaseChatModel, input: Any, stop: Any, kwargs: Any
    ) -> _ModelCall | None:
        """Return the call; None if it is not watched, or is inside another LLM call."""
        if is_current(self._bus, NOUN):
            return None
        return self._attachment.describe(model, lambda: _ModelCall(model, input, stop, kwargs))

    def wrap_generate(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def generate(
            model: BaseChatModel,
            messages: Any,
            stop: Any = None,
            run_manager: Any = None,
            **kwargs: Any,
        ) -> Any:
            call = self._described(model, messages, stop, kwargs)
            if call is None:
                return original(model, messages, stop, run_manager, **kwargs)

            def body(operation: Operation) -> Any:
                self._attempt(lambda: _count_chunks(run_manager, operation))
                sent = call.prompt(operation)
                return call.answer(operation, original(model, sent, stop, run_manager, **kwargs))

            return call.result(self._bus.call_sync(NOUN, body, **call.hook_kwargs))

        return generate

    def wrap_agenerate(
        self, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        @wraps(original)
        async def agenerate(
            model: BaseChatModel,
            messages: Any,
            stop: Any = None,
            run_manager: Any = None,
            **kwargs: Any,
        ) -> Any:
            call = self._described(model, messages, stop, kwargs)
            if call is None:
                return await original(model, messages, stop, run_manager, **kwargs)

            async def body(operation: Operation) -> Any:
                self._attempt(lambda: _count_chunks(run_manager, operation))
                sent = call.prompt(operation)
                result = await original(model, sent, stop, run_manager, **kwargs)
                return call.answer(operation, result)

            return call.result(await self._bus.call(NOUN, body, **call.hook_kwargs))

        return agenerate

    def wrap_stream(self, original: Stream) -> Stream:
        @wraps(original)
        def stream(
            model: BaseChatModel, input: Any, config: Any = None, **kwargs: Any
        ) -> Generator[AIMessageChunk, None, None]:
            call = self._described(model, input, kwargs.get("stop"), kwargs)
            if call is None:
                yield from original(model, input, config, **kwargs)
                return
            try:
                with self._bus.operation(NOUN, **call.hook_kwargs) as operation:
                    source = original(model, call.prompt(operation), config, **kwargs)
                    with (
                        call.streaming(operation),
                        closing(operation.stream(source, text_of=_text)) as pieces,
                    ):
                        for piece in pieces:
                            call.pieces.append(piece)
                            yield piece
            except HookStopped as stopped:
                if not call.pieces:
                    yield as_chunk(as_answer(stopped.value))

        return stream

    def wrap_astream(self, original: AsyncStream) -> AsyncStream:
        async def watched(
            model: BaseChatModel,
            input: Any,
            config: Any,
            kwargs: Any,
            source: GeneratorSource[AIMessageChunk],
        ) -> AsyncGenerator[AIMessageChunk, None]:
            call = self._described(model, input, kwargs.get("stop"), kwargs)
            if call is None:
                async with aclosing(source.of(original(model, input, config, **kwargs))) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            try:
                async with self._bus.operation(NOUN, **call.hook_kwargs) as operation:
                    originals = original(model, call.prompt(operation), config, **kwargs)
                    with call.streaming(operation):
                        stream = operation.stream(source.of(originals), text_of=_text)
                        async with aclosing(stream) as pieces:
                            async for piece in pieces:
                                call.pieces.append(piece)
                                yield piece
            except HookStopped as stopped:
                if not call.pieces:
                    yield as_chunk(as_answer(stopped.value))

        @wraps(original)
        def astream(
            model: BaseChatModel, input: Any, config: Any = None, **kwargs: Any
        ) -> AsyncGenerator[AIMessageChunk, None]:
            return WatchedGenerator(partial(watched, model, input, config, kwargs))

        return astream


class _ModelCall:
    """One call of a model, as hook kwargs and in LangChain's types."""

    def __init__(self, model: BaseChatModel, input: Any, stop: Any, kwargs: Any) -> None:
        self._input, self._messages = input, _messages(model, input)
        self._result: ChatResult | None = None
        self.pieces: list[AIMessageChunk] = []
        about = _about(model, stop, kwargs)
        self.hook_kwargs: dict[str, Any] = {
            "llm": model,
            "prompt": self._messages,
            "model": about.pop("model", None),
            "provider": about.pop("provider", None),
            "request_params": about,
        }

    def prompt(self, operation: Operation) -> Any:
        """Return the model's input after the hooks' changes."""
        if operation.args is self._messages and not operation.injections:
            return self._input
        return with_injections(operation.args, operation.injections)

    def answer(self, operation: Operation, result: ChatResult) -> Any:
        """Report the usage, and return the message, or messages, of a result."""
        self._result = result
        messages = [generation.message for generation in result.generations]
        message = messages[0] if len(messages) == 1 else None
        operation.set(usage=usage_of(message, (result.llm_output or {}).get("token_usage")))
        return messages if message is None else message

    def result(self, answer: Any) -> Any:
        """Return the `ChatResult` with the answer after the hooks' changes."""
        own = self._result
        if own is not None and (isinstance(answer, list) or own.generations[0].message is answer):
            return own
        from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: PLC0415

        return ChatResult(generations=[ChatGeneration(message=as_answer(answer))])

    @contextmanager
    def streaming(self, operation: Operation) -> Iterator[None]:
        """Report the chunks as one answer, also when the consumer stops early."""
        operation.seal()
        try:
            yield
        finally:
            operation.result = message = merged(self.pieces)
            operation.set(usage=usage_of(message))


def _messages(model: BaseChatModel, input: Any) -> Any:
    """Return the messages of a model's input, which may be a text or a prompt."""
    try:
        return model._convert_input(input).to_messages()
    except Exception:  # noqa: BLE001 - the model itself raises for it
        return input


def _about(model: BaseChatModel, stop: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the provider, model and parameters of a call, as far as LangChain knows them."""
    try:
        known: dict[str, Any] = {**model._get_ls_params(**{**kwargs, "stop": stop})}
    except Exception:  # noqa: BLE001 - of an integration that expects no such call
        known = {}
    about = {
        "provider": known.get("ls_provider"),
        "model": known.get("ls_model_name"),
        "temperature": known.get("ls_temperature"),
        "max_tokens": known.get("ls_max_tokens"),
        "stop": stop,
        "tools": kwargs.get("tools"),
    }
    return {name: value for name, value in about.items() if value is not None}


def _text(piece: AIMessageChunk) -> str:
    return _content_text(piece.content)


def _content_text(content: Any) -> str:
    """Return the text in the content of a message, a text or a list of blocks."""
    if isinstance(content, str):
        return content
    texts = (one.get("text") for one in content if isinstance(one, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _count_chunks(run_manager: Any, operation: Operation) -> None:
    """Count the pieces streamed inside `invoke`, as for a graph that streams messages."""
    if run_manager is not None:
        run_manager.handlers = [*run_manager.handlers, _counter()(operation)]


@cache
def _counter() -> Callable[[Operation], Any]:
    from langchain_core.callbacks import BaseCallbackHandler  # noqa: PLC0415 - imported here only

    class Counter(BaseCallbackHandler):
        run_inline = True

        def __init__(self, operation: Operation) -> None:
            self._operation = operation

        def on_llm_new_token(self, token: Any, **_: Any) -> None:
            self._operation.chunk(text=_content_text(token))

        def on_stream_event(self, event: Any, **_: Any) -> None:
            if event.get("event") == "content-block-delta":
                delta = event.get("delta") or {}
                text = delta.get("text") if delta.get("type") == "text-delta" else None
                self._operation.chunk(text=text or "")

    return Counter
