"""Operations for models, by wrapping the methods of each class that calls one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any, Final

from inspector.integrations.conversion import (
    ConvertedMessage,
    MessageDict,
    answer_text,
    as_messages,
    find_own,
    text_of,
    token_counts,
)
from inspector.integrations.crewai.calls import Call, Describe, WrappedCalls
from inspector.integrations.deduplication import MODEL_CALL
from inspector.integrations.patches import Patches
from instrument import Bus, Operation
from instrument.operations import enclosing_call_id, is_current

_SETTINGS = ("temperature", "top_p", "max_tokens", "seed", "frequency_penalty", "presence_penalty")
_KEYS = ("role", "content", "tool_calls", "tool_call_id", "name")
"""The parts of a message that a model reads; the others are objects of the framework."""
_TOOLS: Final = 1, "tools"
_FUNCTIONS: Final = 3, "available_functions"


class CrewAIModels:
    """Wraps what calls models.

    Args:
        bus: The bus that they are reported on.
        is_watched: Whether a call that is made now is watched.
        patches: The adapter's patches.
        calls: Wraps methods.
        describe_function: Describes the call of a function that an LLM call was given.
    """

    def __init__(
        self,
        bus: Bus,
        is_watched: Callable[[], bool],
        patches: Patches,
        calls: WrappedCalls,
        describe_function: Describe,
    ) -> None:
        self._bus, self._is_watched, self._patches = bus, is_watched, patches
        self._calls, self._function = calls, calls.wrapping(describe_function)
        # One for each `attach`: two that watch the same model both hear what it says.
        self._now: ContextVar[CrewAIModelCall | None] = ContextVar(
            "inspector.crewai.call", default=None
        )

    def watch(self, base: Any) -> None:
        """Watch the classes below `base`, also those that are made later."""
        if base is None:
            return
        for kind in _below(base):
            self._watch_kind(kind)
        self._patches.put(base, "__init_subclass__", self._wrap_init_subclass)

    def _wrap_init_subclass(self, original: Any) -> Any:
        @wraps(original)
        def __init_subclass__(kind: type, **kwargs: Any) -> None:  # noqa: N807
            original.__func__(kind, **kwargs)
            self._watch_kind(kind)

        made: Any = classmethod
        return made(__init_subclass__)

    def _watch_kind(self, kind: type) -> None:
        own = [name for name in ("call", "acall") if name in vars(kind)]
        self._calls.put(kind, dict.fromkeys(own, self._describe))

    def _describe(
        self, llm: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> CrewAIModelCall | None:
        if not self._is_watched() or is_current(self._bus, MODEL_CALL):
            return None
        return CrewAIModelCall(llm, args, kwargs, self._function, self._now)

    def wrap_emit(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the framework's event bus: a model says there what it streams, and its tokens."""

        @wraps(original)
        def emit(events: Any, source: Any, event: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._now.get()
            if call is not None and call.owner is source:
                self._patches.attempt(partial(call.notice, event))
            return original(events, source, event, *args, **kwargs)

        return emit

    def wrap_retry(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap what tries a model again that is overloaded: each wait is reported."""

        @wraps(original)
        def run(operation: Callable[[], Any], **kwargs: Any) -> Any:
            if self._now.get() is None or kwargs:
                return original(operation, **kwargs)
            errors: list[Exception] = []

            def attempt() -> Any:
                try:
                    return operation()
                except Exception as error:
                    errors.append(error)
                    raise

            def sleep(delay_s: float) -> None:
                self._patches.attempt(lambda: self._report_retry(errors, delay_s))
                time.sleep(delay_s)

            return original(attempt, sleep=sleep)

        return run

    def _report_retry(self, errors: list[Exception], delay_s: float) -> None:
        call_id, call = enclosing_call_id(self._bus, MODEL_CALL), self._now.get()
        response = getattr(errors[-1], "response", None)
        headers = getattr(response, "headers", None) or {}
        if call_id is not None and call is not None:
            self._bus._emit_sync(
                "llm_retrying",
                llm=call.owner,
                attempt=len(errors),
                status_code=getattr(errors[-1], "status_code", None),
                retry_after=headers.get("retry-after"),
                delay_s=delay_s,
                call_id=call_id,
            )


class CrewAIModelCall(Call):
    """One call of a model."""

    noun = MODEL_CALL

    def __init__(
        self,
        owner: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        wrap_function: Callable[[Any], Any],
        now: ContextVar[CrewAIModelCall | None],
    ) -> None:
        super().__init__(owner, args, kwargs)
        self._messages = self.argument(0, "messages")
        messages: Sequence[Any] = as_messages(self._messages)
        self._converted = [ConvertedMessage(_shown(one), one) for one in messages]
        self._prompt: Any = [one.message for one in self._converted]
        self._tools = self.argument(*_TOOLS)
        self._function, self._now = wrap_function, now
        self.hook_kwargs = {
            "llm": owner,
            "prompt": self._prompt,
            "model": owner.model,
            "provider": _provider(owner),
            "request_params": self._params(),
        }
        self._begin()

    def _begin(self) -> None:
        """Forget what an earlier attempt has received."""
        self._text, self._facts = "", dict[str, Any]()
        self._usage: dict[str, int] | None = None

    def _params(self) -> dict[str, Any]:
        llm = self.owner
        found = {name: getattr(llm, name, None) for name in _SETTINGS}
        params = {name: value for name, value in found.items() if value is not None}
        if llm.stop_sequences:
            params["stop"] = list(llm.stop_sequences)
        if self._tools:
            params["tools"] = self._tools
        schema = self.argument(6, "response_model")
        if schema is not None:
            params["response_model"] = schema
        return {**params, "stream": bool(llm._effective_stream())}

    def prepare(self, operation: Operation) -> None:
        """Pass the messages and tools that hooks left, and tell what functions are called."""
        self._begin()
        if operation.args is not self._prompt or operation.injections:
            messages = [self._own(one) for one in as_messages(operation.args)]
            added = [{"role": one.role, "content": one.text} for one in operation.injections]
            self.with_argument(0, "messages", [*messages, *added])
        wanted = operation.kwargs.get("request_params") or {}
        if wanted.get("tools") is not self._tools and (wanted.get("tools") or self._tools):
            self.with_argument(*_TOOLS, wanted.get("tools"))
        functions = self.argument(*_FUNCTIONS)
        if isinstance(functions, Mapping):
            watched = {name: self._watched_function(name, one) for name, one in functions.items()}
            self.with_argument(*_FUNCTIONS, watched)

    def _own(self, message: Any) -> Any:
        own = find_own(message, self._converted)
        if own is not None:
            return own if isinstance(own, Mapping) else message
        if isinstance(message, Mapping) and "role" in message and "content" in message:
            return message
        role = message.get("role", "user") if isinstance(message, Mapping) else "user"
        return {"role": role, "content": text_of(message)}

    def _watched_function(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(_: Any, /, *args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        if getattr(function, "__self__", None) is not None:  # a tool, which is told by itself
            return function
        run = wraps(function)(run)
        run.__name__ = name
        return partial(self._function(run), run)

    @contextmanager
    def around(self) -> Iterator[None]:
        """Hear what the model says of this call; report the pieces of a stream that broke."""
        before = self._now.get()
        self._now.set(self)
        try:
            yield
        except BaseException:
            if self._text and self.operation is not None:
                self.operation.result = self._answer(self._text)
            raise
        finally:
            self._now.set(before)
            if self._usage is not None and self.operation is not None:
                self.operation.set(usage=self._usage)

    def notice(self, event: Any) -> None:
        """Take what the model tells the framework: pieces, tokens, why it stopped."""
        if event.type in ("llm_stream_chunk", "llm_thinking_chunk"):
            is_text = event.type == "llm_stream_chunk" and event.tool_call is None
            if self.operation is not None:
                self.operation.chunk(text=event.chunk if is_text else "")
            if is_text:
                self._text += event.chunk
        elif event.type == "llm_call_completed":
            usage = _usage(event.usage)
            self._usage = _sum(self._usage, usage) if usage is not None else self._usage
            facts = {"finish_reason": event.finish_reason, "id": event.response_id}
            self._facts |= {name: value for name, value in facts.items() if value is not None}

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return the answer as a message."""
        return self._answer(returned)

    def _answer(self, returned: Any) -> MessageDict:
        return {"role": "assistant", "parts": _parts(returned), **self._facts}

    def make(self, result: Any) -> Any:
        """Return an answer of a hook, which is a text to the framework."""
        return answer_text(result) if isinstance(result, Mapping) else result


def _below(kind: Any) -> Iterator[Any]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _shown(message: Any) -> MessageDict:
    if not isinstance(message, Mapping):
        return {"role": "user", "content": message}
    return {key: message[key] for key in _KEYS if key in message}


def _parts(answer: Any) -> list[MessageDict]:
    """Return the parts of an answer: a text, calls of tools, or an object of a schema."""
    from crewai.utilities.agent_utils import extract_tool_call_info  # noqa: PLC0415

    if isinstance(answer, list):
        found = [(one, extract_tool_call_info(one)) for one in answer]
        return [
            {"type": "tool_call", "id": info[0], "name": info[1], "arguments": info[2]}
            if info
            else {"type": "text", "content": str(one)}
            for one, info in found
        ]
    dump = getattr(answer, "model_dump_json", None)
    return [{"type": "text", "content": dump() if dump is not None else str(answer)}]


def _usage(usage: Mapping[str, Any] | None) -> dict[str, int] | None:
    """Return the tokens of an LLM call as hooks name them."""
    from crewai.types.usage_metrics import UsageMetrics  # noqa: PLC0415 - imported here only

    counted = UsageMetrics.from_provider_dict(dict(usage)) if usage else None
    if counted is None:
        return None
    return token_counts(
        counted.prompt_tokens,
        counted.completion_tokens,
        cache_read=counted.cached_prompt_tokens,
        cache_write=counted.cache_creation_tokens,
        reasoning=counted.reasoning_tokens,
    )


def _sum(known: dict[str, int] | None, more: dict[str, int]) -> dict[str, int]:
    """Return the tokens of several requests of one call."""
    known = known or {}
    return {name: known.get(name, 0) + more.get(name, 0) for name in {**known, **more}}


def _provider(llm: Any) -> str | None:
    """Return the provider of one of the framework's models; None of a class of the program."""
    is_own = type(llm).__module__.partition(".")[0] == "crewai"
    return llm.provider if is_own else None


def model_name(llm: Any) -> str | None:
    """Return the name of an agent's model, which may be its name alone."""
    name = getattr(llm, "model", llm)
    return name if isinstance(name, str) else None
