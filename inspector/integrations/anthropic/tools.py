"""The tool runner of the `anthropic` client: its runs and its tools, which hooks decide on."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import AbstractContextManager, aclosing, closing, contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import Any

from inspector.integrations.conversion import AgentFacts
from inspector.integrations.deduplication import is_reported
from inspector.integrations.patches import Patches
from inspector.integrations.streamed import inside
from inspector.integrations.verdicts import REFUSALS, refusal, refused_as
from instrument import Bus, Operation
from instrument.operations import current_call_id

_FUNCTIONS = "anthropic.lib.tools._beta_functions"
_MEMORY = "anthropic.lib.tools._beta_builtin_memory_tool"
_RUNNER = "anthropic.lib.tools._beta_runner"
_NAME = "tool_runner"

_call_id: ContextVar[str | None] = ContextVar("inspector.integrations.anthropic.call", default=None)
"""The model's id of the call that a runner makes."""


def watch_tools(patches: Patches, bus: Bus, is_watched: Callable[[Any], bool]) -> None:
    """Wrap the tools that a runner calls, and its loop."""
    tools = _Tools(patches, bus, is_watched)
    patches.put(patches.find(_FUNCTIONS, "BetaFunctionTool"), "call", tools.wrap_call)
    patches.put(patches.find(_FUNCTIONS, "BetaAsyncFunctionTool"), "call", tools.wrap_async_call)
    patches.put(patches.find(_MEMORY, "BetaAbstractMemoryTool"), "call", tools.wrap_call)
    patches.put(patches.find(_MEMORY, "BetaAsyncAbstractMemoryTool"), "call", tools.wrap_async_call)
    runner = patches.find(_RUNNER, "BaseSyncToolRunner")
    async_runner = patches.find(_RUNNER, "BaseAsyncToolRunner")
    patches.put(runner, "_run_tool", _wrap_run_tool)
    patches.put(async_runner, "_run_tool", _wrap_async_run_tool)
    patches.put(runner, "__run__", tools.wrap_run)
    patches.put(async_runner, "__run__", tools.wrap_async_run)


class _Tools:
    """Builds the wrappers of tools and runners."""

    def __init__(self, patches: Patches, bus: Bus, is_watched: Callable[[Any], bool]) -> None:
        self._bus, self._attempt, self._is_watched = bus, patches.attempt, is_watched

    def wrap_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def call(tool: Any, input: Any) -> Any:
            about = self._about(tool, input)
            if about is None:
                return original(tool, input)

            def run(operation: Operation) -> Any:
                return original(tool, operation.args)

            with _readable_by_the_model():
                return self._bus.call_sync("tool_call", run, **about)

        return call

    def wrap_async_call(
        self, original: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        @wraps(original)
        async def call(tool: Any, input: Any) -> Any:
            about = self._about(tool, input)
            if about is None:
                return await original(tool, input)

            async def run(operation: Operation) -> Any:
                return await original(tool, operation.args)

            with _readable_by_the_model():
                return await self._bus.call("tool_call", run, **about)

        return call

    def _about(self, tool: Any, input: Any) -> dict[str, Any] | None:
        """Return the hook kwargs of a call; None if it is not to be reported here."""
        is_watched = self._is_watched(None) or current_call_id(self._bus) is not None
        if not self._bus._hooks or not isinstance(input, dict) or not is_watched:
            return None
        name = self._attempt(lambda: tool.name)
        if name is None or is_reported(name, self._bus):
            return None
        about = {"tool_type": "function", "tool_description": getattr(tool, "description", None)}
        call_id = _call_id.get()
        return {"tool_name": name, "args": input, "context": about, "tool_call_id": call_id}

    def wrap_run(
        self, original: Callable[..., Generator[Any, None, None]]
    ) -> Callable[..., Generator[Any, None, None]]:
        @wraps(original)
        def run(runner: Any) -> Generator[Any, None, None]:
            facts = self._facts(runner)
            if facts is None:
                yield from original(runner)
                return
            with (
                _refused(),
                self._bus.operation("agent_call", agent=facts) as operation,
                closing(operation.stream(original(runner))) as steps,
                _answering(operation) as answers,
            ):
                for step in steps:
                    self._attempt(lambda: _mark_own_span(runner, operation))
                    answers.append(step)
                    yield step

        return run

    def wrap_async_run(
        self, original: Callable[..., AsyncGenerator[Any, None]]
    ) -> Callable[..., AsyncGenerator[Any, None]]:
        @wraps(original)
        async def run(runner: Any) -> AsyncGenerator[Any, None]:
            facts = self._facts(runner)
            if facts is None:
                async with aclosing(original(runner)) as steps:
                    async for step in steps:
                        yield step
                return
            with _refused():
                async with (
                    self._bus.operation("agent_call", agent=facts) as operation,
                    aclosing(operation.stream(original(runner))) as watched,
                ):
                    with _answering(operation) as answers:
                        async for step in watched:
                            self._attempt(lambda: _mark_own_span(runner, operation))
                            answers.append(step)
                            yield step

        return run

    def _facts(self, runner: Any) -> AgentFacts | None:
        if not self._bus._hooks or not self._is_watched(getattr(runner, "_client", None)):
            return None
        return self._attempt(
            lambda: AgentFacts(
                runner,
                _NAME,
                input=runner._params["messages"],
                instructions=runner._params.get("system"),
                model=runner._params["model"],
            )
        )


def _mark_own_span(runner: Any, operation: Operation) -> None:
    """Mark the span that the client makes of a run as a duplicate of ours."""
    span = getattr(runner, "_tool_runner_span", None)
    if span is None or not span.is_recording():
        return
    try:
        from subscribers.bridge.spans import mark_inner  # noqa: PLC0415 - needs OpenTelemetry
    except ModuleNotFoundError:
        return
    with inside(operation):
        mark_inner(span)


@contextmanager
def _answering(operation: Operation) -> Iterator[_Answers]:
    """Report the last of a runner's messages as its answer, with the usage of all."""
    answers = _Answers()
    try:
        yield answers
    finally:
        with suppress(Exception):  # a stream of which nothing came has none
            operation.result = answers.last()


class _Answers:
    """The messages of a run, or streams of one, of which the last and the sums are kept."""

    def __init__(self) -> None:
        self._newest: Any = None
        self._sums = Counter[str]()

    def append(self, answer: Any) -> None:
        """Take the next one; the one before is complete by now."""
        with suppress(Exception):  # there is none, or nothing came of it
            self._count()
        self._newest = answer

    def last(self) -> Any:
        """Return the last message, with the usage of the whole run."""
        message = self._count()
        usage = message.usage.model_copy(update=dict(self._sums))
        return message.model_copy(update={"usage": usage})

    def _count(self) -> Any:
        message = getattr(self._newest, "current_message_snapshot", self._newest)
        counts = message.usage.model_dump()
        self._sums.update({name: n for name, n in counts.items() if type(n) is int})
        return message


def _refused() -> AbstractContextManager[None]:
    from anthropic import AnthropicError  # noqa: PLC0415 - imported here only

    return refused_as(AnthropicError)


@contextmanager
def _readable_by_the_model() -> Iterator[None]:
    """Raise refusals as the tool's error, which the model reads."""
    try:
        yield
    except REFUSALS as error:
        from anthropic.lib.tools import ToolError  # noqa: PLC0415 - imported here only

        raise ToolError(refusal(error)) from error


def _wrap_run_tool(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def run_tool(runner: Any, tool: Any, tool_use: Any, *args: Any, **kwargs: Any) -> Any:
        with _identified(tool_use):
            return original(runner, tool, tool_use, *args, **kwargs)

    return run_tool


def _wrap_async_run_tool(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(original)
    async def run_tool(runner: Any, tool: Any, tool_use: Any, *args: Any, **kwargs: Any) -> Any:
        with _identified(tool_use):
            return await original(runner, tool, tool_use, *args, **kwargs)

    return run_tool


@contextmanager
def _identified(tool_use: Any) -> Iterator[None]:
    token = _call_id.set(getattr(tool_use, "id", None))
    try:
        yield
    finally:
        _call_id.reset(token)
