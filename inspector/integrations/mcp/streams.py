"""Wrappers of the two streams between SDK and transport that report each message."""

from __future__ import annotations

from contextvars import Context, copy_context
from types import TracebackType
from typing import TYPE_CHECKING, Any

from inspector.integrations.mcp.sdk import Sdk
from inspector.integrations.mcp.wire import ConnectionFacts
from inspector.integrations.verdicts import VERDICTS, refusal, refused_as

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage


class _TappedStream:
    """A wrapped stream of the SDK, which otherwise behaves as the original."""

    def __init__(self, stream: Any, wire: ConnectionFacts, sdk: Sdk) -> None:
        self._stream, self._wire, self._sdk = stream, wire, sdk

    @property
    def wire(self) -> ConnectionFacts:
        """The connection that it is one half of."""
        return self._wire

    async def __aenter__(self) -> Any:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        left: bool | None = await self._stream.__aexit__(kind, error, trace)
        return left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class TappedWrite(_TappedStream):
    """A stream that reports each message before it is sent."""

    async def send(self, item: SessionMessage) -> None:
        """Send a message, unless a hook refuses it: then it fails as the SDK's requests fail."""
        sdk = self._sdk
        envelope = sdk.envelope(item)
        if envelope is None:
            await self._stream.send(item)
            return
        with refused_as(sdk.error, VERDICTS):
            changed = await self._wire.sent(envelope)
        if changed is not envelope:
            item = sdk.replaced(item, changed)
        inject = sdk.inject
        if inject is not None and "method" in envelope and "id" in envelope:
            self._wire.run(envelope, lambda: inject(item))
        await self._stream.send(item)


class TappedRead(_TappedStream):
    """A stream that reports each received message before the SDK sees it."""

    def __init__(self, stream: Any, wire: ConnectionFacts, sdk: Sdk, write: Any) -> None:
        super().__init__(stream, wire, sdk)
        self._write = write
        self._context: Context | None = None

    @property
    def last_context(self) -> Context | None:
        """The context in which the SDK (2.x) handles the last message: inside its operation."""
        return self._context or getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        """Receive a message; one that a hook refuses is answered with an error, and passed over."""
        while True:
            try:
                item = await self._stream.receive()
            except BaseException as error:
                self._wire.closed(_reason(error))
                raise
            self._context = None
            if not hasattr(item, "message"):  # what the transport could not read
                return item
            accepted = await self._accepted(item)
            if accepted is not None:
                return accepted

    async def _accepted(self, item: SessionMessage) -> SessionMessage | None:
        envelope = self._sdk.envelope(item)
        if envelope is None:
            return item
        try:
            changed = await self._wire.received(envelope)
        except VERDICTS as error:
            if "method" in envelope and "id" in envelope:
                await self._write.send(self._sdk.error_message(envelope["id"], refusal(error)))
                return None
            if "method" in envelope:
                return None
            refused: SessionMessage = self._sdk.error_message(envelope.get("id"), refusal(error))
            return refused
        if "method" in envelope and "id" in envelope:
            self._context = self._wire.run(envelope, copy_context)
        if changed is not envelope:
            item = self._sdk.replaced(item, changed)
        return item

    def __aiter__(self) -> TappedRead:
        return self

    async def __anext__(self) -> Any:
        from anyio import EndOfStream  # noqa: PLC0415 - the SDK's

        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Close the stream and end its open requests."""
        self._wire.closed()
        await self._stream.aclose()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Leave the stream and end its open requests."""
        self._wire.closed(None if error is None else _reason(error))
        return await super().__aexit__(kind, error, trace)


def tap(read: Any, write: Any, wire: ConnectionFacts, sdk: Sdk) -> tuple[Any, Any]:
    """Return the two streams as reporting ones; unchanged if they are already."""
    if isinstance(read, TappedRead):
        return read, write
    tapped = TappedWrite(write, wire, sdk)
    return TappedRead(read, wire, sdk, write), tapped


def wire_of(stream: Any) -> ConnectionFacts | None:
    """Return the connection that a stream reports; None for any other stream."""
    return stream.wire if isinstance(stream, _TappedStream) else None


def _reason(error: BaseException) -> str:
    return {"EndOfStream": "the server ended the connection"}.get(
        type(error).__name__, type(error).__name__
    )
