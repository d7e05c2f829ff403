"""Operations for LangGraph graphs, agents and subgraphs, by wrapping `stream`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import AsyncExitStack, ExitStack, aclosing, closing, contextmanager, suppress
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeAlias

from inspector.integrations.langchain.bubbling import bubbles_up, said_by
from inspector.integrations.langchain.outcome import StreamOutcome
from inspector.integrations.langchain.watching import Watching
from inspector.integrations.session import in_session
from inspector.integrations.streamed import GeneratorSource, Watched
from instrument import Operation

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

Stream: TypeAlias = Callable[..., Generator[Any, None, None]]
AsyncStream: TypeAlias = Callable[..., AsyncGenerator[Any, None]]
Signals: TypeAlias = Iterator[tuple[str, dict[str, Any]]]

NOUN = "agent_call"
SIGNAL = "interrupt"
"""What a graph that has interrupted itself waits for."""


class GraphFacts:
    """The description of a running graph that its hooks carry."""

    def __init__(self, graph: Pregel[Any, Any, Any, Any], given: Any, thread_id: str | None):
        """Make one."""
        self.graph = graph
        self.name = graph.get_name()
        self.input = _input(given)
        self.conversation_id = thread_id


class _Run:
    """One run of a graph."""

    def __init__(self, graph: Any, given: Any, config: Any, kwargs: dict[str, Any]) -> None:
        configurable = _configurable(graph, config)
        self.is_nested = "__pregel_task_id" in configurable
        self.session_id = _text(configurable.get("thread_id"))
        self.agent = GraphFacts(graph, given, self.session_id)
        self.outcome = StreamOutcome(kwargs.get("stream_mode") or _mode(graph, self.is_nested))
        self._resume = getattr(given, "resume", None)

        self._bubble: Exception | None = None

    @contextmanager
    def ending(self, operation: Operation) -> Iterator[None]:
        """Tell what the run came to; an interrupt, or a hand-over, is no error."""
        try:
            yield
        except Exception as error:
            if not bubbles_up(error):
                raise
            self._bubble, operation.result = error, said_by(error)
        else:
            with suppress(Exception):  # of a shape that we do not know: never into the program
                operation.result = self.outcome.result()

    def go_on(self) -> None:
        """Raise what the graph has to say to the graph above it."""
        if self._bubble is not None:
            raise self._bubble

    def resumed(self) -> Signals:
        """Return what is told of a session that goes on with an answer."""
        if self._resume is not None and not self.is_nested:
            yield from self._signal("session_resumed", payload=self._resume)

    def paused(self) -> Signals:
        """Return what is told of a session that waits for an answer."""
        if self.outcome.interrupts and not self.is_nested:
            values = [getattr(one, "value", one) for one in self.outcome.interrupts]
            prompt = values[0] if len(values) == 1 else values
            yield from self._signal("session_paused", prompt=prompt)

    def _signal(self, hook: str, **about: Any) -> Signals:
        if self.session_id is not None:
            yield hook, {"session_id": self.session_id, "signal_name": SIGNAL, **about}


def watch(watching: Watching) -> None:
    """Wrap the two methods by which every graph is run."""
    graphs, patches = _Graphs(watching), watching.patches
    kind = patches.find("langgraph.pregel", "Pregel")
    patches.put(kind, "stream", graphs.wrap_stream)
    patches.put(kind, "astream", graphs.wrap_astream)


class _Graphs:
    """The wrappers."""

    def __init__(self, watching: Watching) -> None:
        self._bus = watching.bus
        self._is_watched = watching.is_watched
        self._attempt = watching.patches.attempt

    def _described(self, graph: Any, given: Any, config: Any, kwargs: Any) -> _Run | None:
        if not self._is_watched(graph):
            return None
        return self._attempt(lambda: _Run(graph, given, config, kwargs))

    def wrap_stream(self, original: Stream) -> Stream:
        bus = self._bus

        @wraps(original)
        def stream(
            graph: Any, input: Any, config: Any = None, **kwargs: Any
        ) -> Generator[Any, None, None]:
            run = self._described(graph, input, config, kwargs)
            if run is None:
                yield from original(graph, input, config, **kwargs)
                return
            with ExitStack() as stack:
                with in_session(run.session_id):
                    operation = stack.enter_context(bus.operation(NOUN, agent=run.agent))
                    for signal, told in run.resumed():
                        bus._emit_sync(signal, **told)
                source = _steps(original(graph, input, config, **kwargs), run.session_id)
                with run.ending(operation), closing(operation.stream(source)) as pieces:
                    for piece in pieces:
                        run.outcome.add(piece)
                        yield piece
                for signal, told in run.paused():
                    bus._emit_sync(signal, **told)
            run.go_on()

        return stream

    def wrap_astream(self, original: AsyncStream) -> AsyncStream:
        bus = self._bus

        async def tell(
            graph: Any, input: Any, config: Any, kwargs: Any, source: GeneratorSource[Any]
        ) -> AsyncGenerator[Any, None]:
            untold = source.of(original(graph, input, config, **kwargs))
            run = self._described(graph, input, config, kwargs)
            if run is None:
                async with aclosing(untold) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            async with AsyncExitStack() as stack:
                with in_session(run.session_id):
                    opening = bus.operation(NOUN, agent=run.agent)
                    operation = await stack.enter_async_context(opening)
                    for signal, told in run.resumed():
                        await bus._emit(signal, **told)
                steps = _AsyncSteps(untold, run.session_id)
                with run.ending(operation):
                    async with aclosing(operation.stream(steps)) as pieces:
                        async for piece in pieces:
                            run.outcome.add(piece)
                            yield piece
                for signal, told in run.paused():
                    await bus._emit(signal, **told)
            run.go_on()

        @wraps(original)
        def astream(
            graph: Any, input: Any, config: Any = None, **kwargs: Any
        ) -> AsyncGenerator[Any, None]:
            return Watched(partial(tell, graph, input, config, kwargs))

        return astream


def _steps(source: Generator[Any, None, None], session_id: str | None) -> Iterator[Any]:
    """Pass `source` on; it is in the session while it makes a piece, and its consumer is not."""
    with closing(source):
        while True:
            with in_session(session_id):
                try:
                    piece = next(source)
                except StopIteration:
                    return
            yield piece


class _AsyncSteps:
    """Passes a source on as `_steps` does."""

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
    """Return what a run is configured with: by its caller, where it runs, where it was made."""
    from langchain_core.runnables.config import ensure_config  # noqa: PLC0415

    try:
        from langgraph._internal._config import ensure_config as merge  # noqa: PLC0415

        return dict(merge(graph.config, config).get("configurable") or {})
    except Exception:  # noqa: BLE001 - of another version
        return dict(ensure_config(config).get("configurable") or {})


def _mode(graph: Any, is_nested: bool) -> Any:
    return "values" if is_nested else getattr(graph, "stream_mode", "values")


def _input(given: Any) -> Any:
    """Return what a graph is given, with its messages as messages."""
    if hasattr(given, "resume"):
        return None if given.resume is None else str(given.resume)
    if not isinstance(given, dict) or "messages" not in given:
        return given
    messages = given["messages"]
    try:
        from langchain_core.messages import convert_to_messages  # noqa: PLC0415

        return {**given, "messages": convert_to_messages(messages)}
    except Exception:  # noqa: BLE001 - the graph itself says what is wrong with it
        return given


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
