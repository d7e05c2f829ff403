"""Operations for the model and tool calls of agents."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial, wraps
from typing import Any, TypeAlias

from inspector.integrations.conversion import (
    ConvertedMessage,
    changed_settings,
    token_counts,
    tool_definition,
)
from inspector.integrations.deduplication import is_reported, mark_of_span_around
from inspector.integrations.patches import Patches
from inspector.integrations.streamed import GeneratorSource, StreamedCall, WatchedGenerator
from inspector.integrations.verdicts import NO_RESULT, ErrorResultError, instead_of
from instrument import Bus, Operation
from instrument.operations import is_current
from instrument.parts import Injection

Responses: TypeAlias = AsyncGenerator[Any, None]
CallTool: TypeAlias = Callable[..., Awaitable[Any]]

_SETTINGS = ("temperature", "top_p", "top_k", "max_output_tokens", "stop_sequences", "seed")
_OWN_SCOPE = "gcp.vertex.agent"
"""The instrumentation scope of the framework's own spans."""


class Calls:
    """Wraps what calls models and tools.

    Args:
        bus: The bus that they are reported on.
        is_watched: Whether a call that is made now is watched.
        patches: The adapter's patches.
    """

    def __init__(self, bus: Bus, is_watched: Callable[[], bool], patches: Patches) -> None:
        self._bus, self._is_watched, self._patches = bus, is_watched, patches
        self._kinds: set[type] = set()

    # --- tools ----------------------------------------------------------------------------------

    def calling_tool(self, original: CallTool) -> CallTool:
        """Wrap the function that runs a tool."""

        @wraps(original)
        async def call_tool(tool: Any, args: dict[str, Any], tool_context: Any) -> Any:
            if not self._is_watched():
                return await original(tool, args=args, tool_context=tool_context)
            about = self._patches.attempt(lambda: _tool_call(tool, args, tool_context))
            if about is None or is_reported(about["tool_name"], self._bus):
                return await original(tool, args=args, tool_context=tool_context)
            last: Operation | None = None
            mark = self._mark_of_own_span("execute_tool")

            async def run(operation: Operation) -> Any:
                nonlocal last
                last = operation
                mark()
                result = await original(tool, args=operation.args, tool_context=tool_context)
                message = _failure(result)
                if message is not None:
                    operation.result = result
                    raise ErrorResultError(message, result)
                return result

            try:
                result = await self._bus.call("tool_call", run, **about)
            except NO_RESULT as error:
                result = instead_of(error, lambda text: {"error": text})
            return _with_texts(result, last.injections if last else ())

        return call_tool

    # --- models ---------------------------------------------------------------------------------

    def finding_model(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the method that finds the model of a run: its class is watched from then on."""

        @wraps(original)
        async def get_model(flow: Any, invocation_context: Any) -> Any:
            model = await original(flow, invocation_context)
            kind = type(model)
            if kind not in self._kinds:
                self._kinds.add(kind)
                self._patches.put(kind, "generate_content_async", self._generating)
            return model

        return get_model

    def _generating(self, original: Callable[..., Responses]) -> Callable[..., Responses]:
        @wraps(original)
        def generate(model: Any, llm_request: Any, stream: bool = False) -> Responses:
            if not self._is_watched() or is_current(self._bus, "llm_generate"):
                return original(model, llm_request, stream)
            call = self._patches.attempt(lambda: _ModelCall(model, llm_request, stream))
            if call is None:
                return original(model, llm_request, stream)
            return WatchedGenerator(partial(self._generate, original, call))

        return generate

    async def _generate(
        self, original: Callable[..., Responses], call: _ModelCall, source: GeneratorSource[Any]
    ) -> Responses:
        mark = self._mark_of_own_span("generate_content")

        async def pieces_of(operation: Operation) -> Responses:
            mark()
            call.begin()
            originals = original(call.model, call.request(operation), call.is_streamed)
            try:
                async with aclosing(source.of(originals)) as responses:
                    async for response in responses:
                        for ready in call.received(response):
                            yield ready
            finally:
                self._patches.attempt(lambda: call.report(operation))

        streamed: StreamedCall[Any]
        streamed = StreamedCall(
            self._bus, "llm_generate", pieces_of, _text_of_piece, **call.hook_kwargs
        )
        try:
            async with aclosing(aiter(streamed)) as pieces:
                async for piece in pieces:
                    yield piece
            answer = streamed.result
        except NO_RESULT as error:
            answer = instead_of(error, str)
        for response in call.rest(answer):
            yield response

    def _mark_of_own_span(self, operation: str) -> Callable[[], object]:
        def is_same(span: Any) -> bool:
            return bool(span.name.startswith(operation))

        found = self._patches.attempt(lambda: mark_of_span_around(_OWN_SCOPE, is_same))
        return (lambda: None) if found is None else (lambda: self._patches.attempt(found))


class _ModelCall:
    """One call of a model, as hook kwargs and in the framework's types."""

    def __init__(self, model: Any, llm_request: Any, is_streamed: bool) -> None:
        from inspector.integrations.adk.messages import convert  # noqa: PLC0415 - imports it

        self.model, self._request, self.is_streamed = model, llm_request, is_streamed
        config = llm_request.config
        self._settings = {
            name: value for name in _SETTINGS if (value := getattr(config, name, None)) is not None
        }
        self._converted: list[ConvertedMessage] = convert(llm_request.contents)
        self._prompt = [one.message for one in self._converted]
        self._answer: Any = None
        self.hook_kwargs = {
            "llm": model,
            "prompt": self._prompt,
            "model": llm_request.model or model.model,
            "provider": _provider(model),
            "request_params": {
                **self._settings,
                "stream": is_streamed,
                **_system(config),
                **_tools(config),
            },
        }
        if "max_output_tokens" in self._settings:
            self.hook_kwargs["request_params"]["max_tokens"] = self._settings["max_output_tokens"]
        self.begin()

    def begin(self) -> None:
        """Forget what an earlier attempt has received."""
        self._waiting: list[Any] = []
        self._whole: list[Any] = []
        self._pieces: list[Any] = []

    def request(self, operation: Operation) -> Any:
        """Return the request with the changes of hooks, in a copy if there are any."""
        from inspector.integrations.adk.messages import (  # noqa: PLC0415 - imports it
            own_contents,
            with_injections,
        )

        changes: dict[str, Any] = {}
        if operation.args is not self._prompt:
            changes["contents"] = own_contents(operation.args, self._converted)
        wanted = operation.kwargs.get("request_params") or {}
        settings = {
            name: value
            for name, value in changed_settings(wanted, self._settings).items()
            if name in _SETTINGS
        }
        system = wanted.get("system")
        if system is not None and system != _system(self._request.config).get("system"):
            settings["system_instruction"] = system
        if settings:
            changes["config"] = self._request.config.model_copy(update=settings)
        request = self._request.model_copy(update=changes) if changes else self._request
        return with_injections(request, operation.injections)

    def received(self, response: Any) -> list[Any]:
        """Return the responses that can be passed on.

        A whole one is held back until the operation has ended, because hooks may replace it; but
        not behind a piece that follows.
        """
        if response.partial:
            ready, self._waiting = [*self._waiting, response], []
            self._pieces.append(response)
            return ready
        self._waiting.append(response)
        self._whole.append(response)
        return []

    def report(self, operation: Operation) -> None:
        """Report the answer and the tokens, also of a stream that broke."""
        from inspector.integrations.adk.messages import answer_message  # noqa: PLC0415

        received = self._whole or self._pieces
        if not received:
            return
        operation.result = self._answer = answer_message(received)
        counted = [one.usage_metadata for one in received if one.usage_metadata is not None]
        if counted:
            operation.set(usage=_usage(counted[-1]))

    def rest(self, answer: Any) -> list[Any]:
        """Return what is still to be passed on: the model's own responses, or the hooks' answer."""
        if answer is None or answer is self._answer:
            return self._waiting
        from inspector.integrations.adk.messages import own_response  # noqa: PLC0415

        return [own_response(answer)]


def _text_of_piece(response: Any) -> str | None:
    """Return what a piece of a stream adds to the text; a whole response repeats its pieces."""
    if not response.partial or response.content is None:
        return None
    parts = response.content.parts or ()
    return "".join(part.text for part in parts if part.text and not part.thought)


def _tool_call(tool: Any, args: dict[str, Any], tool_context: Any) -> dict[str, Any]:
    """Return the hook kwargs of a tool call."""
    return {
        "tool_name": tool.name,
        "args": args,
        "context": {"tool_type": "function", "tool_description": tool.description},
        "tool_call_id": tool_context.function_call_id,
    }


def _failure(result: Any) -> str | None:
    """Return the message of a result that says it is an error; None of any other."""
    if not isinstance(result, Mapping):
        return None
    if result.get("status") == "error" or result.get("isError") is True:
        found = result.get("error_message") or result.get("error") or result.get("message")
        return str(found or result.get("content") or "error")
    error = result.get("error")
    return str(error) if error and len(result) == 1 else None


def _with_texts(result: Any, injections: tuple[Injection, ...]) -> Any:
    """Return a tool's result with the texts that hooks inject for the model."""
    if not injections:
        return result
    texts = "\n".join(injection.text for injection in injections)
    known = result if isinstance(result, dict) else {"result": result}
    return {**known, "context": texts}


def _provider(model: Any) -> str | None:
    """Return the provider of one of the framework's models; None of a class of the program."""
    name = type(model).__module__.rpartition(".")[2]
    if name in ("google_llm", "gemma_llm", "apigee_llm"):
        return "gcp.gemini"
    if name == "anthropic_llm":
        return "anthropic"
    provider, slash, _ = str(model.model).partition("/")  # `LiteLlm("openai/gpt-5")`
    return provider if name == "lite_llm" and slash else None


def _system(config: Any) -> dict[str, Any]:
    """Return the instructions of a request, as text."""
    from inspector.integrations.adk.messages import system_text  # noqa: PLC0415 - imports it

    text = system_text(getattr(config, "system_instruction", None))
    return {"system": text} if text else {}


def _tools(config: Any) -> dict[str, Any]:
    """Return the functions that a request offers."""
    found = [
        tool_definition(
            one.name,
            one.description,
            one.parameters_json_schema
            or (one.parameters and one.parameters.model_dump(exclude_none=True, mode="json")),
        )
        for tool in getattr(config, "tools", None) or ()
        for one in getattr(tool, "function_declarations", None) or ()
    ]
    return {"tools": found} if found else {}


def _usage(usage: Any) -> dict[str, int]:
    """Return the tokens of an LLM call as hooks name them; thoughts are part of the output."""
    thoughts = usage.thoughts_token_count or 0
    return token_counts(
        (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0),
        (usage.candidates_token_count or 0) + thoughts,
        cache_read=usage.cached_content_token_count or 0,
        cache_write=0,
        reasoning=thoughts,
    )
