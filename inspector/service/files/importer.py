"""Import of a file of telemetry as ended sessions: in small commits, with counts and mistakes.

Mistakes do not stop it. The same file once more changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from inspector.errors import BadDataError, ReceiveError
from inspector.service.files.inspected import is_inspected, read_inspected
from inspector.service.files.shapes import requests_in
from inspector.service.files.splitting import MAX_VALUE_BYTES, Splitter, Value
from inspector.service.files.unpacking import Unpacker
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.otlp.batch import make_batch
from inspector.service.otlp.decode_json import parse_json, read_request
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.scrub import scrub
from inspector.service.prices import Pricing

MAX_MISTAKES = 100
"""Mistakes that are listed; the rest are counted."""
MAX_SESSIONS = 1_000
"""Sessions that are listed."""
_COMMIT_ITEMS = 2_000
_COMMIT_BYTES = 8 * 1024 * 1024


class RestoreResult(Protocol):
    """Counts of the new rows of a batch, and its sessions."""

    span_count: int
    moment_count: int
    session_ids: list[str]


class Restore(Protocol):
    """The destination of rows; `Writer.restore` is one."""

    async def __call__(
        self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]
    ) -> RestoreResult:
        """Commit `spans` and `logs` of the past."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A part of the file that was not imported."""

    line: int
    message: str


@dataclass(slots=True)
class FileOutcome:
    """The result of importing a file.

    `duplicates` were stored before. `not_stored` are metrics, and log records of no trace and no
    session: this service stores neither.
    """

    spans: int = 0
    span_duplicates: int = 0
    logs: int = 0
    log_duplicates: int = 0
    rejected: int = 0
    not_stored: int = 0
    sessions: dict[str, None] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    mistake_count: int = 0

    def add_mistake(self, line: int, message: str) -> None:
        """Count a mistake, and list it up to `MAX_MISTAKES`."""
        self.mistake_count += 1
        if len(self.mistakes) < MAX_MISTAKES:
            self.mistakes.append(Mistake(line, message))


@dataclass(slots=True)
class _Batch:
    """The rows of the next commit."""

    spans: list[IncomingSpan] = field(default_factory=list)
    logs: list[IncomingLog] = field(default_factory=list)
    size_bytes: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.spans) + len(self.logs) >= _COMMIT_ITEMS or self.size_bytes >= _COMMIT_BYTES


async def import_stream(
    chunks: AsyncIterator[bytes],
    restore: Restore,
    *,
    scrubs: bool = True,
    pricing: Pricing | None = None,
) -> FileOutcome:
    """Import a file as it streams in.

    Args:
        chunks: The file, gzip or plain.
        restore: Commits.
        scrubs: Remove secrets first.
        pricing: Says what LLM calls cost.

    Raises:
        StoreUnavailableError: The store cannot be written any more; earlier commits stay.
    """
    reading = _FileReader(scrubs, pricing)
    try:
        async for chunk in chunks:
            await reading.read(_values(reading, chunk), restore)
        await reading.read(_rest(reading), restore)
    except ReceiveError as error:  # of the file as a whole: earlier commits stay
        reading.report.add_mistake(reading.line, str(error))
    if reading.has_text and not reading.has_values and not reading.report.mistakes:
        reading.report.add_mistake(1, "No JSON objects in the file")
    await reading.flush(restore)
    return reading.report


class _FileReader:
    """Decodes a file, piece by piece."""

    def __init__(self, scrubs: bool, pricing: Pricing | None) -> None:
        self.report = FileOutcome()
        self.unpacker = Unpacker()
        self.splitter = Splitter()
        self.line = 1
        self.has_text = self.has_values = False
        self._scrubs = scrubs
        self._pricing = pricing
        self._batch = _Batch()

    async def read(self, values: Iterator[Value], restore: Restore) -> None:
        """Decode `values` off the loop's thread, and commit whenever there is enough."""
        while await asyncio.to_thread(self._fill, values):
            await self.flush(restore)

    async def flush(self, restore: Restore) -> None:
        """Commit the rows of the next commit."""
        rows, self._batch = self._batch, _Batch()
        if not rows.spans and not rows.logs:
            return
        restored = await restore(rows.spans, rows.logs)
        report = self.report
        report.spans += restored.span_count
        report.span_duplicates += max(len(rows.spans) - restored.span_count, 0)
        report.logs += restored.moment_count
        report.log_duplicates += max(len(rows.logs) - restored.moment_count, 0)
        for session_id in restored.session_ids:
            if len(report.sessions) < MAX_SESSIONS:
                report.sessions[session_id] = None

    def _fill(self, values: Iterable[Value]) -> bool:
        """Decode until there is enough for a commit; False: there are no more values."""
        for value in values:
            self.line, self.has_values = value.line, True
            try:
                self._decode(value)
            except ReceiveError as error:
                self._reject(value, str(error))
            except RecursionError:
                self._reject(value, "Nested too deeply")
            if self._batch.is_full:
                return True
        return False

    def _reject(self, value: Value, message: str) -> None:
        self.report.add_mistake(value.line, message.rstrip("."))
        self.report.rejected += 1

    def _decode(self, value: Value) -> None:
        if value.is_too_large:
            raise ReceiveError(f"Skipped a value of more than {MAX_VALUE_BYTES >> 20} MiB")
        rows, report = self._batch, self.report
        rows.size_bytes += len(value.text)
        for signal, plain in requests_in(_read(value.text)):
            rejections = Rejections()
            request = read_request(signal, plain, rejections)
            if self._scrubs:
                scrub(signal, request)
            batch = make_batch(signal, request, rejections, size_bytes=len(value.text))
            if self._pricing is not None:
                self._pricing.price(batch.spans)
            rows.spans += batch.spans
            rows.logs += batch.logs
            report.not_stored += batch.not_stored
            if rejections.count:
                report.rejected += rejections.count
                report.add_mistake(
                    value.line, f"{rejections.count} {signal.items}: {rejections.reason}"
                )


def _read(text: bytes) -> Any:
    return read_inspected(text) if is_inspected(text) else parse_json(text)


def _values(reading: _FileReader, chunk: bytes) -> Iterator[Value]:
    for piece in reading.unpacker.feed(chunk):
        reading.has_text = reading.has_text or bool(piece.strip())
        yield from reading.splitter.feed(piece)


def _rest(reading: _FileReader) -> Iterator[Value]:
    try:
        for piece in reading.unpacker.finish():
            yield from reading.splitter.feed(piece)
    except BadDataError:
        # A value that is cut off has no mistake of its own.
        yield from filter(_is_whole, reading.splitter.finish())
        raise
    yield from reading.splitter.finish()


def _is_whole(value: Value) -> bool:
    try:
        _read(value.text)
    except (ReceiveError, RecursionError):
        return False
    return True
