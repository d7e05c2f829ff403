"""The body of a response that the program has yet to read, observed as its bytes pass.

Everything that a client makes of a response (streams, helpers, raw responses) reads and closes this
body, so all of them stay what they are. The operation ends with the body: read to its end, closed
early, failed, or dropped.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from inspector.integrations.clients.endpoint import Endpoint
from inspector.integrations.streamed import inside
from inspector.integrations.verdicts import refused_as
from instrument import Operation
from instrument.operations import RepeatableOperation

_MAX_EVENT_BYTES = 8_000_000
_MAX_BODY_BYTES = 8_000_000
"""Limits of one event, and of a body that is not made of events: longer ones are not reported."""
_AWS_EVENTS = "application/vnd.amazon.eventstream"


class StreamFailedError(Exception):
    """The provider ended a stream with an error, or sent what nobody can read."""


class ObservedBody:
    """The body of one response, and the operation that ends with it."""

    def __init__(self, response: Any, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._pieces = endpoint.pieces()
        self._operations: list[RepeatableOperation] = []
        self._refused: Callable[[str], Exception] = Exception
        self._is_read = self._is_rubbish = self._is_too_long = False
        kind = str(response.headers.get("content-type", "")).lower()
        self._rest = b""
        self._data: list[str] = []
        self._decode = _content_decoder(response)
        self._add = (
            self._add_lines
            if "event-stream" in kind
            else self._add_frames
            if kind.startswith(_AWS_EVENTS)
            else self._add_body
        )
        self._chunk: Callable[..., object] = lambda **_: None
        kind_of_stream: Any = type(response.stream)
        response.stream = _observing(kind_of_stream)(response.stream, self)

    @property
    def is_over(self) -> bool:
        """Whether it was read or closed while the client handled the response."""
        return self._is_read

    def hold(self, operation: RepeatableOperation, refused: Callable[[str], Exception]) -> None:
        """Take over an open operation, and leave its context to what the caller does next."""
        if not operation._is_reported:
            return
        self._refused = refused
        operation.seal()
        self._operations.append(operation)
        with inside(operation):
            pass

    def begin(self, operation: Operation) -> None:
        """Count the pieces of the answer on `operation`."""
        self._chunk = operation.chunk

    def add(self, data: bytes) -> bool:
        """Add bytes as they came; return whether they end the answer with a failure.

        Some versions of the clients raise for it, and close nothing.
        """
        if not self._is_rubbish:
            try:
                for piece in (data,) if self._decode is None else self._decode(data):
                    self._add(piece)
            except Exception:  # noqa: BLE001 - the client itself raises for it
                self._is_rubbish = True
                self._rest = b""
        return bool(self._operations) and self._failure() is not None

    def answer(self) -> Any:
        """Return the answer as far as it came."""
        with suppress(Exception):
            if self._add == self._add_body:
                return self._endpoint.read(self._rest)
            return self._pieces.answer()
        return None

    def end(self, error: BaseException | None = None) -> None:
        """End the operation; without an error, as what came says."""
        operation = self._take()
        if operation is None:
            return
        error = self._report(operation, error)
        try:
            with refused_as(self._refused):
                operation.__exit__(type(error) if error else None, error, None)
        except Exception as left:
            if not operation.settles(left):  # what has passed stays as it is
                raise

    async def end_async(self, error: BaseException | None = None) -> None:
        """Do as `end`; interceptors may await."""
        operation = self._take()
        if operation is None:
            return
        error = self._report(operation, error)
        try:
            with refused_as(self._refused):
                await operation.__aexit__(type(error) if error else None, error, None)
        except Exception as left:
            if not operation.settles(left):
                raise

    def leave(self) -> None:
        """End the operation of a body that nobody reads on."""
        self.end(self.closing())

    def closing(self) -> BaseException | None:
        """Return the error of a body that is closed: none if all of its answer came."""
        return None if self._is_read or self._pieces.is_done else self._failure() or GeneratorExit()

    def _take(self) -> RepeatableOperation | None:
        self._is_read = True
        with suppress(IndexError):
            return self._operations.pop()
        return None

    def _report(self, operation: Operation, error: BaseException | None) -> BaseException | None:
        operation.result = answer = self.answer()
        with suppress(Exception):
            if (usage := self._endpoint.usage(answer)) is not None:
                operation.set(usage=usage)
        return error or self._failure()

    def _failure(self) -> StreamFailedError | None:
        if self._pieces.failure is not None:
            return StreamFailedError(self._pieces.failure)
        return StreamFailedError("the data is not an event") if self._is_rubbish else None

    def _add_body(self, data: bytes) -> None:
        self._is_too_long |= len(self._rest) + len(data) > _MAX_BODY_BYTES
        self._rest = b"" if self._is_too_long else self._rest + data

    def _add_lines(self, data: bytes) -> None:
        """Add server-sent events: their `data` says all, its `type` also which event it is."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._is_too_long and lines:
            lines[0], self._is_too_long = b"", False
        if len(self._rest) > _MAX_EVENT_BYTES:  # the next ones are read again
            self._rest, self._is_too_long = b"", True
        for line in lines:
            text = line.rstrip(b"\r").decode()
            if text.startswith("data:"):
                self._data.append(text[5:].lstrip())
            elif not text and self._data:
                event = "\n".join(self._data)
                self._data.clear()
                if self._pieces.read(event):
                    self._chunk(text=self._pieces.new_text)

    def _add_frames(self, data: bytes) -> None:
        """Add AWS event stream messages, whose payload has the event in base 64."""
        self._rest += data
        while len(self._rest) >= 12:
            length, head = (int.from_bytes(self._rest[at : at + 4], "big") for at in (0, 4))
            if not 16 + head <= length <= _MAX_EVENT_BYTES:
                raise ValueError
            if len(self._rest) < length:
                return
            payload = json.loads(self._rest[12 + head : length - 4])
            self._rest = self._rest[length:]
            if isinstance(encoded := payload.get("bytes"), str):
                if self._pieces.read(base64.b64decode(encoded).decode()):
                    self._chunk(text=self._pieces.new_text)
            elif isinstance(message := payload.get("message"), str):
                self._pieces.failure = message


class _Stream:
    """A byte stream of the HTTP client, passed on and observed."""

    def __init__(self, source: Any, body: ObservedBody) -> None:
        self._inspector_source = source
        self._inspector_body = body

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inspector_source, name)

    def __del__(self) -> None:
        with suppress(Exception):  # dropped, while the interpreter ends or not
            self._inspector_body.leave()


class _SyncStream(_Stream):
    def __iter__(self) -> Iterator[bytes]:
        body = self._inspector_body
        try:
            for data in self._inspector_source:
                if body.add(data):
                    body.end()
                yield data
        except GeneratorExit:  # `close` follows
            raise
        except BaseException as error:
            body.end(error)
            raise
        body.end()

    def close(self) -> None:
        """Close the source, and then the operation."""
        try:
            self._inspector_source.close()
        finally:
            self._inspector_body.leave()


class _AsyncStream(_Stream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = self._inspector_body
        try:
            async for data in self._inspector_source:
                if body.add(data):
                    await body.end_async()
                yield data
        except GeneratorExit:
            raise
        except BaseException as error:
            await body.end_async(error)
            raise
        await body.end_async()

    async def aclose(self) -> None:
        """Close the source, and then the operation."""
        try:
            await self._inspector_source.aclose()
        finally:
            await self._inspector_body.end_async(self._inspector_body.closing())


@cache
def _observing(kind: type) -> Callable[[Any, ObservedBody], Any]:
    """Return our class for byte streams of `kind`: the HTTP client asks for its own base class."""
    known = {one.__name__: one for one in reversed(kind.__mro__)}
    if (base := known.get("AsyncByteStream")) is not None and "SyncByteStream" not in known:
        return type("ObservedStream", (_AsyncStream, base), {})
    return type("ObservedStream", (_SyncStream, known["SyncByteStream"]), {})


def _content_decoder(response: Any) -> Callable[[bytes], Iterable[bytes]] | None:
    """Return what undoes the compression of a body; None if it is not compressed."""
    if not response.headers.get("content-encoding"):
        return None
    same = type(response)(200, headers=response.headers, stream=response.stream)
    decoder: Any = same._get_content_decoder()

    def decode(data: bytes) -> Iterable[bytes]:
        found = decoder.decode(data)
        return (found,) if isinstance(found, bytes) else found  # `httpx2` yields them in pieces

    return decode
