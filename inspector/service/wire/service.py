"""The HTTP JSON about the service: its health, imports and refusals."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from inspector.service.wire.base import Wire


class StoreHealth(Wire):
    """The state of the store. While it cannot be written, senders are asked to wait."""

    state: Literal["ok", "full", "read_only", "unavailable"]
    since: str = Field(description="RFC 3339, UTC.")
    message: str = Field(description="The problem and its remedy; empty when `state` is `ok`.")


class StoreUsage(Wire):
    """The size of the store, and its retention."""

    used_bytes: int = Field(
        description="Bytes of sessions; the file may be larger, with free pages."
    )
    retention: str = Field(
        description="`INSPECTOR_RETENTION`, and no more than a store in memory holds."
    )


class Health(Wire):
    """`GET /health`: who answers, and whether it is ready to take telemetry in."""

    name: Literal["mcp-agent-inspector"] = "mcp-agent-inspector"
    version: str
    ready: bool
    store: StoreHealth | None = Field(default=None, description="For those who have the token.")
    usage: StoreUsage | None = Field(
        default=None, description="For those who have the token; null when it cannot be read."
    )


class PriceSource(Wire):
    """The list of prices in use. It comes with its package; nothing is fetched."""

    name: str
    version: str | None
    date: str | None = Field(
        description="When that version was published; null when this release does not know it."
    )
    state: Literal["not_needed", "loaded", "failed"] = Field(
        description="`not_needed`: no LLM call needed it yet."
    )


class Recomputation(Wire):
    """The computation of the costs of stored LLM calls, or the last one."""

    is_running: bool
    looked_at: int = Field(description="LLM calls that were looked at.")
    changed: int = Field(description="Of them, those that got another cost.")
    error: str | None = Field(description="Why it ended before its time.")


class Prices(Wire):
    """`GET /prices`: what the cost of LLM calls is computed from."""

    price_list: PriceSource
    file: str | None = Field(description="`INSPECTOR_PRICES`: prices that come before the list.")
    recomputation: Recomputation


class ImportMistake(Wire):
    """A part of an imported file that was rejected."""

    line: int = Field(description="On which it begins, from 1.")
    message: str


class ImportReport(Wire):
    """`POST /import`: what became of a file. What is good is kept, whatever stands beside it."""

    spans: int = Field(description="Taken.")
    span_duplicates: int = Field(description="There before, just so.")
    logs: int = Field(description="Log records of a trace or a session, taken.")
    log_duplicates: int
    rejected: int = Field(description="Spans, records and values that could not be read.")
    not_stored: int = Field(description="Metrics, and log records that belong to no trace.")
    sessions: list[str] = Field(description="Ids of the sessions in it, the first 1000.")
    mistakes: list[ImportMistake] = Field(description="The first 100.")
    mistake_count: int


class Problem(BaseModel):
    """RFC 9457 `application/problem+json`, with a stable `code`."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    position: int | None = Field(
        None, description="Of a `bad_query`: the index of the first wrong character."
    )
    length: int | None = Field(
        None, description="Number of wrong characters; 0 at the end of the query."
    )
    suggestion: str | None = Field(None, description="Suggested replacement of these characters.")
