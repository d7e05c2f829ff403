"""Streamed answers while they run: the text so far, and when the newest chunk came."""

from __future__ import annotations

from collections.abc import Mapping
from time import time_ns
from typing import Any

from subscribers.bridge.moments import LiveRecords
from subscribers.bridge.spans import OwnedSpan, SpanTable
from subscribers.content.redaction import Redactor
from subscribers.content.text_so_far import TextSoFar
from subscribers.options import Capture
from subscribers.spec.engine import Engine

TEXT = "inspector.stream.text"
CHARS = "inspector.stream.chars"
LAST_CHUNK_S = "inspector.stream.last_chunk_s"
"""Attributes of live records alone: the span that ended has the whole answer."""

_FAMILIES = frozenset({"llm", "llm_loop"})


class _Streamed:
    """What came of one answer; written by the agent's thread, read by the one that sends."""

    __slots__ = ("_keeps_text", "_last_ns", "_start_ns", "_text", "is_scheduled")

    _last_ns: int

    def __init__(self, start_ns: int, redactor: Redactor | None, *, keeps_text: bool) -> None:
        self.is_scheduled = False
        self._start_ns = start_ns
        self._keeps_text = keeps_text
        self._text = TextSoFar(redactor)

    def add(self, text: str) -> None:
        self._last_ns = time_ns()
        if text and self._keeps_text:
            self._text.add(text)

    def attributes(self) -> Mapping[str, Any]:
        """Return what is known now; a later chunk schedules the next record."""
        self.is_scheduled = False
        last_chunk_s = max(self._last_ns - self._start_ns, 0) / 1e9
        if not self._text.chars:
            return {LAST_CHUNK_S: last_chunk_s}
        return {
            TEXT: self._text.shown(),
            CHARS: self._text.chars,
            LAST_CHUNK_S: last_chunk_s,
        }


class Streaming:
    """Reports streamed answers of models; the cost of a chunk is that of keeping its text."""

    def __init__(self, engine: Engine, table: SpanTable, live: LiveRecords) -> None:
        self._calls = table.calls
        self._live = live
        capture = engine.options.capture
        self._redactor = None if capture is Capture.FULL else engine.redactor
        self._keeps_text = capture is not Capture.OFF

    def on_chunk(self, call_id: str, text: str) -> None:
        """Keep the text of a chunk, and have it reported soon."""
        call = self._calls.get(call_id)
        if call is None or (owned := call.owned) is None:
            return
        streamed: _Streamed | None = owned.streamed
        if streamed is None:
            streamed = self._begin(owned)
            if streamed is None:
                return
        streamed.add(text)
        if not streamed.is_scheduled:
            streamed.is_scheduled = True
            self._live.soon(owned.span, streamed.attributes)

    def _begin(self, owned: OwnedSpan) -> _Streamed | None:
        if owned.family not in _FAMILIES:
            return None
        start_ns = getattr(owned.span, "start_time", None) or time_ns()
        streamed = _Streamed(start_ns, self._redactor, keeps_text=self._keeps_text)
        owned.streamed = streamed
        return streamed
