"""Operations for LangGraph graphs, agents and subgraphs, by wrapping `stream`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import AsyncExitStack, ExitStack, aclosing, closing, contextmanager, suppress
from functools import partial, wraps
from typing import Any, Final, TypeAlias

from inspector.integrations.conversion import AgentFacts
from inspector.integrations.langchain.outcome import StreamOutcome, bubble_result, bubbles_up
from inspector.integrations.langchain.shared import Attachment
from inspector.integrations.session import in_session
from inspector.integrations.streamed import GeneratorSource, WatchedGenerator
from instrument import Operation

Stream: TypeAlias = Callable[..., Generator[Any, None, None]]
AsyncStream: TypeAlias = Callable[..., AsyncGenerator[Any, None]]
Signals: TypeAlias = Iterator[tuple[str, dict[str, Any]]]

NOUN: Final = "agent_call"
SIGNAL = "interrupt"
"""The signal that an interrupted graph waits for."""


class _Run:
    """One run of a graph."""

    def __init__(self, graph: Any, input: Any, config: Any, kwargs: dict[str, Any]) -> None:
        configurable = _configurable(graph, config)
        self.is_nested = "__pregel_task_id" in configurable
        thread_id = configurable.get("thread_id")
        self.session_id = None if thread_id is None else str(thread_id)
        self.agent = AgentFacts(
            graph, graph.get_name(), input=_messages(input), conversation_id=self.session_id
        )
        mode = "values" if self.is_nested else getattr(graph, "stream_mode", "values")
        self.outcome = StreamOutcome(kwargs.get("stream_mode") or mode)
        self._resume = getattr(input, "resume", None)
        self._bubble: Exception | None = None

    @contextmanager
    def ending(self, operation: Operation) -> Iterator[None]:
        """Record the result of the run; an interrupt or a hand-off is no error."""
        operation.seal()
        try:
            yield
        except Exception as error:
            if not bubbles_up(error):
                raise
            self._bubble, operation.result = error, bubble_result(error)
        else:
            with suppress(Exception):  # of an unknown shape: never into the program
                operation.result = self.outcome.result()

    def go_on(self) -> None:
        """Raise the interrupt or hand-off for the graph above."""
        if self._bubble is not None:
            raise self._bubble

    def resumed(self) -> Signals:
        """Yield the hook of a session that resumes with an answer."""
        if self._resume is not None and not self.is_nested:
            yield from self._signal("session_resumed", payload=self._resume)

    def paused(self) -> Signals:
        """Yield the hook of a session that waits for an answer."""
        if self.outcome.interrupts and not self.is_nested:
            values = [getattr(one, "value", one) for one in self.outcome.interrupts]
            prompt = values[0] if len(values) == 1 else values
            yield from self._signal("session_paused", prompt=prompt)

    def _signal(self, hook: str, **about: Any) -> Signals:
        if self.session_id is not None:
            yield hook, {"session_id": self.session_id, "signal_name": SIGNAL, **about}


def watch(attachment: Attachment) -> None:
    """Wrap the two methods that run every graph."""
    graphs, patches = _Graphs(attachment), attachment.patches
    kind = patches.find("langgraph.pregel", "Pregel")
    patches.put(kind, "stream", graphs.wrap_stream)
    patches.put(kind, "astream", graphs.wrap_astream)


class _Graphs:
    """The wrappers."""

    def __init__(self, attachment: Attachment) -> None:
        self._bus, self._describe = attachment.bus, attachment.describe

    def wrap_stream(self, original: Stream) -> Stream:
        bus = self._bus

        @wraps(original)
        def stream(
            graph: Any, input: Any, config: Any = None, **kwargs: Any
        ) -> Generator[Any, None, None]:
            run = self._describe(graph, lambda: _Run(graph, input, config, kwargs))
            if run is None:
                yield from original(graph, input, config, **kwargs)
                return
            with ExitStack() as stack:
                with in_session(run.session_id):
                    operation = stack.enter_context(bus.operation(NOUN, agent=run.agent))
                    for signal, about in run.resumed():
                        bus._emit_sync(signal, **about)
                source = _steps(original(graph, input, config, **kwargs), run.session_id)
                with run.ending(operation), closing(operation.stream(source)) as pieces:
                    for piece in pieces:
                        run.outcome.add(piece)
                        yield piece
                for signal, about in run.paused():
                    bus._emit_sync(signal, **about)
            run.go_on()

        return stream

    def wrap_astream(self, original: AsyncStream) -> AsyncStream:
        bus = self._bus

        async def watched(
            graph: Any, input: Any, config: Any, kwargs: Any, source: GeneratorSource[Any]
        ) -> AsyncGenerator[Any, None]:
            originals = source.of(original(graph, input, config, **kwargs))
            run = self._describe(graph, lambda: _Run(graph, input, config, kwargs))
            if run is None:
                async with aclosing(originals) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            async with AsyncExitStack() as stack:
                with in_session(run.session_id):
                    opening = bus.operation(NOUN, agent=run.agent)
                    operation = await stack.enter_async_context(opening)
                    for signal, about in run.resumed():
                        await bus._emit(signal, **about)
                steps = _AsyncSteps(originals, run.session_id)
                with run.ending(operation):
                    async with aclosing(operation.stream(steps)) as pieces:
                        async for piece in pieces:
                            run.outcome.add(piece)
                            yield piece
                for signal, about in run.paused():
                    await bus._emit(signal, **about)
            run.go_on()

        @wraps(original)
        def astream(
            graph: Any, input: Any, config: Any = None, **kwargs: Any
        ) -> AsyncGenerator[Any, None]:
            return WatchedGenerator(partial(watched, graph, input, config, kwargs))

        return astream


def _steps(source: Generator[Any, None, None], session_id: str | None) -> Iterator[Any]:
    """Run each step of `source` in the session, but not its consumer."""
    with closing(source):
        while True:
            with in_session(session_id):
                try:
                    piece = next(source)
                except StopIteration:
                    return
            yield piece


class _AsyncSteps:
    """The asynchronous form of `_steps`."""

    def __init__(self, source: GeneratorSource[Any], session_id: str | None) -> None:
        self._source, self._session_id = source, session_id

    def __aiter__(self) -> _AsyncSteps:
        return self

    async def __anext__(self) -> Any:
        with in_session(self._session_id):
            return await anext(self._source)

    async def aclose(self) -> None:
        await self._source.aclose()


def _configurable(graph: Any, config: Any) -> dict[str, Any]:
    """Return the configuration of a run: of its caller, its context and its graph."""
    from langchain_core.runnables.config import ensure_config  # noqa: PLC0415

    try:
        from langgraph._internal._config import ensure_config as merge  # noqa: PLC0415

        return dict(merge(graph.config, config).get("configurable") or {})
    except Exception:  # noqa: BLE001 - of another version
        return dict(ensure_config(config).get("configurable") or {})


def _messages(input: Any) -> Any:
    """Return the input of a graph, with its messages as messages."""
    if hasattr(input, "resume"):
        return None if input.resume is None else str(input.resume)
    if not isinstance(input, dict) or "messages" not in input:
        return input
    try:
        from langchain_core.messages import convert_to_messages  # noqa: PLC0415

        return {**input, "messages": convert_to_messages(input["messages"])}
    except Exception:  # noqa: BLE001 - the graph itself raises for it
        return input
