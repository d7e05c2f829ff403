"""One call of a provider's client as an operation, with the client's own types outside."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from contextvars import ContextVar
from copy import copy
from functools import wraps
from typing import Any, TypeAlias
from weakref import WeakSet

from inspector.integrations.clients.bodies import ObservedBody
from inspector.integrations.clients.endpoint import Endpoint, Json
from inspector.integrations.deduplication import MODEL_CALL, is_model_call_reported
from inspector.integrations.patches import Patches
from inspector.integrations.verdicts import refused_as
from instrument import Bus, HookContractError, Operation
from instrument.operations import RepeatableOperation
from subscribers.exits import when_forked

Request: TypeAlias = Callable[..., Any]
AsyncRequest: TypeAlias = Callable[..., Awaitable[Any]]


class ApiCalls:
    """Builds the wrappers of a client's methods.

    Args:
        bus: The bus that calls are reported on.
        patches: The adapter's patches, which log what this version lacks.
        endpoints: The routes that call a model, by path.
        is_watched: Returns whether a client is watched.
        provider: Returns the provider that a client calls.
    """

    def __init__(
        self,
        bus: Bus,
        patches: Patches,
        endpoints: Mapping[str, Endpoint],
        is_watched: Callable[[Any], bool],
        provider: Callable[[Any], str],
    ) -> None:
        self._bus, self._attempt = bus, patches.attempt
        self._endpoints, self._provider = endpoints, provider
        self._is_watched = is_watched
        self._is_on = True
        self._bodies: WeakSet[ObservedBody] = WeakSet()
        """Those that hold an operation open."""
        when_forked(self._bodies.clear)
        self._sent: ContextVar[tuple[ApiCall, Operation] | None] = ContextVar(
            "inspector.integrations.clients.sent", default=None
        )

    def end(self) -> None:
        """Report no more: somebody may have wrapped our wrappers by then.

        A program that stops reading an answer closes it with its end, or never.
        """
        self._is_on = False
        for body in [*self._bodies]:
            self._attempt(body.leave)

    def wrap_request(self, original: Request) -> Request:
        """Wrap the method that sends all requests of a client."""

        @wraps(original)
        def request(client: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
            if (endpoint := self._endpoint(client, options)) is None:
                return original(client, cast_to, options, *args, **kwargs)
            options = _prepared(client, options)
            call = self._described(client, endpoint, cast_to, options, kwargs)
            if call is None:
                return original(client, cast_to, options, *args, **kwargs)
            with refused_as(call.refused):
                for operation in call.attempts():
                    try:
                        with ExitStack() as stack:
                            stack.enter_context(operation)
                            with self._sending(call, operation):
                                sent = call.sent(operation)
                                call.result = original(client, cast_to, sent, *args, **kwargs)
                            if self._is_left_open(call, operation):
                                stack.pop_all()
                                return call.result
                    except Exception as error:
                        if not operation.settles(error):
                            raise
                        call.failure = error
                if (response := call.replaced(operation)) is None:
                    return call.result
                return client._process_response(**response)

        return request

    def wrap_async_request(self, original: AsyncRequest) -> AsyncRequest:
        """Wrap the same method of an async client."""

        @wraps(original)
        async def request(
            client: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any
        ) -> Any:
            if (endpoint := self._endpoint(client, options)) is None:
                return await original(client, cast_to, options, *args, **kwargs)
            if hasattr(options := _prepared(client, options), "__await__"):
                options = await options
            call = self._described(client, endpoint, cast_to, options, kwargs)
            if call is None:
                return await original(client, cast_to, options, *args, **kwargs)
            with refused_as(call.refused):
                for operation in call.attempts():
                    try:
                        async with AsyncExitStack() as stack:
                            await stack.enter_async_context(operation)
                            with self._sending(call, operation):
                                sent = call.sent(operation)
                                call.result = await original(client, cast_to, sent, *args, **kwargs)
                            if self._is_left_open(call, operation):
                                stack.pop_all()
                                return call.result
                    except Exception as error:
                        if not operation.settles(error):
                            raise
                        call.failure = error
                if (response := call.replaced(operation)) is None:
                    return call.result
                return await client._process_response(**response)

        return request

    def wrap_process(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the method that gets each response that is no failure, sync or async."""

        @wraps(original)
        def process_response(client: Any, *args: Any, **kwargs: Any) -> Any:
            sent = self._sent.get()
            if sent is not None and sent[0].client is client:
                call, operation = sent
                self._attempt(lambda: call.receive(operation, kwargs["response"]))
            return original(client, *args, **kwargs)

        return process_response

    def _endpoint(self, client: Any, options: Any) -> Endpoint | None:
        """Return the route of a request that is to be reported here; else None."""
        path = str(getattr(options, "url", "")).partition("?")[0]
        endpoint = self._endpoints.get(path)
        if endpoint is None or not (self._is_on and self._bus._hooks and self._is_watched(client)):
            return None
        is_sent = str(getattr(options, "method", "")).lower() == "post"
        return endpoint if is_sent and not is_model_call_reported(self._bus) else None

    def _described(
        self, client: Any, endpoint: Endpoint, cast_to: Any, options: Any, kwargs: Any
    ) -> ApiCall | None:
        if not isinstance(getattr(options, "json_data", None), Mapping):
            return None
        return self._attempt(
            lambda: ApiCall(
                client, self._bus, endpoint, cast_to, options, kwargs, self._provider(client)
            )
        )

    def _is_left_open(self, call: ApiCall, operation: RepeatableOperation) -> bool:
        body = call.left_open(operation)
        if body is not None:
            self._bodies.add(body)
        return body is not None

    @contextmanager
    def _sending(self, call: ApiCall, operation: Operation) -> Iterator[None]:
        token = self._sent.set((call, operation))
        try:
            yield
        finally:
            self._sent.reset(token)


class ApiCall:
    """One call, as hook kwargs and in the client's types.

    Attributes:
        client: The client that makes it.
        result: The client's result of the last attempt.
        failure: What it raised instead, if interceptors have settled that.
    """

    def __init__(
        self,
        client: Any,
        bus: Bus,
        endpoint: Endpoint,
        cast_to: Any,
        options: Any,
        kwargs: Mapping[str, Any],
        provider: str,
    ) -> None:
        self.client, self.result = client, None
        self.failure: Exception | None = None
        self._bus, self._endpoint, self._options = bus, endpoint, options
        self._cast_to = cast_to
        self._is_stream = bool(kwargs.get("stream"))
        self._stream_type = kwargs.get("stream_cls")
        self._request: Json = dict(options.json_data)
        self._body: ObservedBody | None = None
        self._answer: Any = None
        beside = ("model", endpoint.input)
        settings = {name: value for name, value in self._request.items() if name not in beside}
        self._kwargs = {
            "llm": client,
            "prompt": self._request.get(endpoint.input),
            "model": self._request.get("model"),
            "provider": provider,
            "request_params": settings,
            **({"operation_name": endpoint.operation_name} if endpoint.operation_name else {}),
        }

    def attempts(self) -> Iterator[RepeatableOperation]:
        """Yield an operation for each time that it runs."""
        number = 0
        while True:
            operation = RepeatableOperation(self._bus, MODEL_CALL, dict(self._kwargs))
            self._answer = self._body = self.failure = self.result = None
            yield operation
            if not operation.must_run_again():
                return
            self._kwargs |= operation.next_attempt(number, self._bus._max_retries, self.failure)
            number += 1

    def sent(self, operation: Operation) -> Any:
        """Return the client's options after the hooks' changes."""
        request = dict(operation.kwargs["request_params"] or {})
        if "stream" in self._request:  # what the program gets is its own decision
            request["stream"] = self._request["stream"]
        if self._endpoint.input in self._request or operation.args is not None:
            request[self._endpoint.input] = operation.args
        if "model" in self._request:
            request["model"] = operation.kwargs["model"]
        if operation.injections:
            self._endpoint.inject(request, operation.injections)
        if request == self._request:
            return self._options
        options = copy(self._options)
        options.json_data = request
        return options

    def receive(self, operation: Operation, response: Any) -> None:
        """Report a response: what it says, or what is still to come of it."""
        if not response.is_success:
            return
        if not response.is_closed:
            self._body = ObservedBody(response, self._endpoint)
            self._body.begin(operation)
            return
        try:
            operation.result = self._answer = self._endpoint.read(response.content)
        except ValueError:  # no JSON: the client says so
            return
        if (usage := self._endpoint.usage(self._answer)) is not None:
            operation.set(usage=usage)

    def left_open(self, operation: RepeatableOperation) -> ObservedBody | None:
        """Return the body that is to be read and holds the operation open, if there is one."""
        if self._body is None:
            return None
        if self._body.is_over:
            operation.result = self._answer = self._body.answer()
            return None
        self._body.hold(operation, self.refused)
        return self._body

    def replaced(self, operation: RepeatableOperation) -> dict[str, Any] | None:
        """Return the arguments of `_process_response` for an answer that a hook gives.

        None: hooks left the provider's.

        Raises:
            HookContractError: It is no answer of this route.
        """
        decision = operation._decision
        is_edited = decision is not None and decision.order == "return"
        is_own = operation.result is self._answer and self.result is not None
        if is_own and not is_edited:
            return None
        try:
            return self._response(operation.result)
        except Exception as error:
            raise HookContractError(
                f"The result of a hook is not a response of {self._endpoint.path}: {error}"
            ) from error

    def _response(self, value: Any) -> dict[str, Any]:
        options = copy(self._options)
        cast_to = self.client._maybe_override_cast_to(self._cast_to, options)
        answer = self._endpoint.answer(value, self._request, self._answer)
        if self._is_stream:
            if type(self.client._make_sse_decoder()).__name__ != "SSEDecoder":
                raise ValueError("this client does not support server-sent events")
            content = self._endpoint.body(self._endpoint.events(answer, self._request))
            kind = "text/event-stream"
        else:
            content, kind = json.dumps(answer).encode(), "application/json"
        return {
            "cast_to": cast_to,
            "options": options,
            "response": self._made(200, kind, content),
            "stream": self._is_stream,
            "stream_cls": self._stream_type,
        }

    def refused(self, text: str) -> Exception:
        """Return the client's exception for a call that is not permitted."""
        error = {"type": "permission_error", "message": text, "code": "denied_by_hook"}
        content = json.dumps({"type": "error", "error": error}).encode()
        try:
            response = self._made(403, "application/json", content)
            made: Exception = self.client._make_status_error_from_response(response)
        except Exception:  # noqa: BLE001 - this version makes its errors elsewhere
            return PermissionError(text)
        return made

    def _made(self, status: int, kind: str, content: bytes) -> Any:
        """Return a response of the client's own HTTP library."""
        options = copy(self._options)
        self.client._maybe_override_cast_to(self._cast_to, options)
        request = self.client._build_request(options)
        make = sys.modules[type(request).__module__].Response
        return make(status, headers={"content-type": kind}, content=content, request=request)


def _prepared(client: Any, options: Any) -> Any:
    """Return options whose body is as it is sent, where this version prepares it at the call."""
    prepare = getattr(client, "_copy_and_prepare", None)
    return options if prepare is None else prepare(options)
