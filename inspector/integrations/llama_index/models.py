"""Operations for models, by wrapping the methods of each class that is used."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import aclosing, closing
from functools import partial, wraps
from typing import Any, Final, NamedTuple

from inspector.integrations.conversion import ConvertedMessage
from inspector.integrations.patches import Patches
from inspector.integrations.streamed import GeneratorSource, StreamedCall, WatchedGenerator
from instrument import Bus, HookStopped, Operation
from instrument.operations import is_current

NOUN: Final = "llm_generate"
_PARAMS = ("temperature", "max_tokens", "top_p", "stop", "seed")


class Method(NamedTuple):
    """A way to call a model."""

    name: str
    is_completion: bool
    is_streamed: bool
    is_async: bool


METHODS = tuple(
    Method(f"{'a' * is_async}{'stream_' * is_streamed}{name}", is_completion, is_streamed, is_async)
    for name, is_completion in (("chat", False), ("complete", True))
    for is_streamed in (False, True)
    for is_async in (False, True)
)


class WatchedModels:
    """Wraps what calls models.

    Args:
        bus: The bus that they are reported on.
        is_watched: Whether a call that is made now is watched.
        patches: The adapter's patches.
    """

    def __init__(self, bus: Bus, is_watched: Callable[[], bool], patches: Patches) -> None:
        self._bus, self._is_watched, self._patches = bus, is_watched, patches
        self._kinds: set[type] = set()

    def wrap_init(self, original: Callable[..., None]) -> Callable[..., None]:
        """Wrap the making of a model: its class is watched from then on."""

        @wraps(original)
        def __init__(model: Any, /, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            original(model, *args, **kwargs)
            self._watch(type(model))

        return __init__

    def watch_those_of(self, workflow: Any) -> None:
        """Watch the models of an agent, or of the agents of a workflow, made before attaching."""
        members = getattr(workflow, "agents", None)
        agents = members.values() if isinstance(members, Mapping) else ()
        for agent in (workflow, *agents):
            model = getattr(agent, "llm", None)
            if model is not None:
                self._watch(type(model))

    def _watch(self, kind: type) -> None:
        if kind in self._kinds:
            return
        self._kinds.add(kind)
        for method in METHODS:
            inherited = getattr(kind, method.name, None)
            if inherited is None or getattr(inherited, _OURS, None) is self:
                continue  # of a class above, which is watched
            self._patches.put(kind, method.name, partial(self._wrap, method))

    def _wrap(self, method: Method, original: Callable[..., Any]) -> Callable[..., Any]:
        if method.is_streamed:
            wrap = self._wrap_astream if method.is_async else self._wrap_stream
        else:
            wrap = self._wrap_acall if method.is_async else self._wrap_call
        ours = wrap(method, original)
        setattr(ours, _OURS, self)
        return ours

    def _described(
        self, method: Method, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _ModelCall | None:
        """Return the call; None if it is not watched, or is inside another LLM call."""
        if not self._is_watched() or is_current(self._bus, NOUN):
            return None
        return self._patches.attempt(lambda: _ModelCall(method, model, args, kwargs))

    def _wrap_call(self, method: Method, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def call_model(model: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(method, model, args, kwargs)
            if call is None:
                return original(model, *args, **kwargs)

            def body(operation: Operation) -> Any:
                response = original(model, *call.args(operation), **call.kwargs)
                return self._reported(call, operation, response)

            return call.response(self._bus.call_sync(NOUN, body, **call.hook_kwargs))

        return call_model

    def _wrap_acall(
        self, method: Method, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        @wraps(original)
        async def call_model(model: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(method, model, args, kwargs)
            if call is None:
                return await original(model, *args, **kwargs)

            async def body(operation: Operation) -> Any:
                response = await original(model, *call.args(operation), **call.kwargs)
                return self._reported(call, operation, response)

            return call.response(await self._bus.call(NOUN, body, **call.hook_kwargs))

        return call_model

    def _reported(self, call: _ModelCall, operation: Operation, response: Any) -> Any:
        call.own = response
        self._patches.attempt(lambda: call.report(operation, response))
        return call.answer

    def _wrap_stream(
        self, method: Method, original: Callable[..., Any]
    ) -> Callable[..., Generator[Any, None, None]]:
        def watched(call: _ModelCall, model: Any) -> Generator[Any, None, None]:
            answer = None
            try:
                with self._bus.operation(NOUN, **call.hook_kwargs) as operation:
                    source = original(model, *call.args(operation), **call.kwargs)
                    try:
                        with closing(operation.stream(source, text_of=_delta)) as pieces:
                            for piece in pieces:
                                self._patches.attempt(partial(call.add, piece))
                                yield piece
                    finally:
                        self._patches.attempt(partial(call.report_pieces, operation))
                answer = operation.result
            except HookStopped as stopped:
                answer = stopped.value
            yield from call.rest(answer)

        @wraps(original)
        def stream(model: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(method, model, args, kwargs)
            if call is None:
                return original(model, *args, **kwargs)
            return _begun(watched(call, model))

        return stream

    def _wrap_astream(
        self, method: Method, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[AsyncGenerator[Any, None]]]:
        async def watched(
            call: _ModelCall, model: Any, source: GeneratorSource[Any]
        ) -> AsyncGenerator[Any, None]:
            async def pieces_of(operation: Operation) -> AsyncGenerator[Any, None]:
                call.begin()
                originals = await original(model, *call.args(operation), **call.kwargs)
                try:
                    async with aclosing(source.of(originals)) as pieces:
                        async for piece in pieces:
                            self._patches.attempt(partial(call.add, piece))
                            yield piece
                finally:
                    self._patches.attempt(partial(call.report_pieces, operation))

            streamed: StreamedCall[Any]
            streamed = StreamedCall(self._bus, NOUN, pieces_of, _delta, **call.hook_kwargs)
            try:
                async with aclosing(aiter(streamed)) as pieces:
                    async for piece in pieces:
                        yield piece
                answer = streamed.result
            except HookStopped as stopped:
                answer = stopped.value
            for piece in call.rest(answer):
                yield piece

        @wraps(original)
        async def astream(model: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._described(method, model, args, kwargs)
            if call is None:
                return await original(model, *args, **kwargs)
            stream = WatchedGenerator(partial(watched, call, model))
            return await _abegun(stream)

        return astream


def _delta(piece: Any) -> Any:
    return piece.delta


_OURS = "_inspector_models"
"""The attribute of our methods that names who made them."""


class _ModelCall:
    """One call of a model, as hook kwargs and in LlamaIndex's types."""

    def __init__(
        self, method: Method, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        from inspector.integrations.llama_index.messages import (  # noqa: PLC0415 - imports it
            convert,
            offered_tools,
        )

        name = "prompt" if method.is_completion else "messages"
        prompt, self._rest = (args[0], args[1:]) if args else (kwargs[name], ())
        self.kwargs = {key: value for key, value in kwargs.items() if key != name}
        self._method, self._own_prompt = method, prompt
        self._converted: list[ConvertedMessage] = []
        self._prompt: Any = prompt
        if not method.is_completion:
            self._converted = convert(prompt)
            self._prompt = [one.message for one in self._converted]
        self.own: Any = None
        self.answer: Any = None
        self.begin()
        params = {
            name: value
            for name in _PARAMS
            if (value := kwargs.get(name, getattr(model, name, None))) is not None
        }
        if kwargs.get("tools"):
            params["tools"] = offered_tools(kwargs["tools"])
        self.hook_kwargs = {
            "llm": model,
            "prompt": self._prompt,
            "model": model_name(model),
            "provider": _provider(model),
            "request_params": {**params, "stream": method.is_streamed},
        }

    def begin(self) -> None:
        """Forget what an earlier attempt has received."""
        self._last: Any = None
        self._usage: dict[str, int] | None = None

    def args(self, operation: Operation) -> tuple[Any, ...]:
        """Return the model's positional arguments after the hooks' changes."""
        return (self._prompt_of(operation), *self._rest)

    def _prompt_of(self, operation: Operation) -> Any:
        if operation.args is self._prompt and not operation.injections:
            return self._own_prompt
        if self._method.is_completion:
            return "\n\n".join([str(operation.args), *(one.text for one in operation.injections)])
        from inspector.integrations.llama_index.messages import (  # noqa: PLC0415 - imports it
            own_messages,
            with_injections,
        )

        return with_injections(own_messages(operation.args, self._converted), operation.injections)

    def report(self, operation: Operation, response: Any) -> None:
        """Report the answer, and the tokens where they are counted."""
        from inspector.integrations.llama_index.messages import (  # noqa: PLC0415 - imports it
            answer_message,
            usage_of,
        )

        operation.result = self.answer = answer_message(response)
        usage = usage_of(response) or self._usage
        if usage is not None:
            operation.set(usage=usage)

    def add(self, piece: Any) -> None:
        """Remember a piece: each has the whole text so far."""
        from inspector.integrations.llama_index.messages import usage_of  # noqa: PLC0415

        self._last = piece
        self._usage = usage_of(piece) or self._usage

    def report_pieces(self, operation: Operation) -> None:
        """Report what was received of a stream, also of one that broke."""
        if self._last is not None:
            self.report(operation, self._last)

    def response(self, answer: Any) -> Any:
        """Return the answer after the hooks' changes."""
        if self.own is not None and (answer is None or answer is self.answer):
            return self.own
        from inspector.integrations.llama_index.messages import own_response  # noqa: PLC0415

        return own_response(answer, is_completion=self._method.is_completion)

    def rest(self, answer: Any) -> list[Any]:
        """Return what follows the pieces of a stream: the hooks' answer, if there is one."""
        if answer is None or answer is self.answer:
            return []
        return [self.response(answer)]


def _begun(stream: Generator[Any, None, None]) -> Generator[Any, None, None]:
    """Return a stream whose first piece has come: a request that fails raises where it is made."""
    first = next(stream, None)

    def rest() -> Generator[Any, None, None]:
        with closing(stream):
            if first is not None:
                yield first
            yield from stream

    return rest()


async def _abegun(stream: WatchedGenerator[Any]) -> AsyncGenerator[Any, None]:
    """Return a stream whose first piece has come: a request that fails raises where it is made."""
    first = await anext(stream, None)

    async def rest(source: GeneratorSource[Any]) -> AsyncGenerator[Any, None]:
        async with aclosing(source.of(stream)) as pieces:
            if first is not None:
                yield first
            async for piece in pieces:
                yield piece

    return WatchedGenerator(rest)


def model_name(model: Any) -> str | None:
    """Return the name of a model, if it has one."""
    name = model.metadata.model_name
    return name if isinstance(name, str) and name != "unknown" else None


def _provider(model: Any) -> str | None:
    """Return the provider of an integration of LlamaIndex: that of its package."""
    package = type(model).__module__.split(".")
    return package[2] if package[:2] == ["llama_index", "llms"] and len(package) > 2 else None
