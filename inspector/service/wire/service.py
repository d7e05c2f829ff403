"""The HTTP JSON about the service: its health, imports and refusals."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from inspector.service.wire.base import QualifiedId, Wire


class StoreHealth(Wire):
    """The state of the store. While it is not writable, senders must wait."""

    state: Literal["ok", "full", "read_only", "unavailable", "incomplete"] = Field(
        description="`incomplete`: of a reader that cannot ask one of its services."
    )
    since: str = Field(description="RFC 3339, UTC.")
    message: str = Field(description="The problem and its remedy; empty when `state` is `ok`.")


class StoreUsage(Wire):
    """The size of the store, and its retention."""

    used_bytes: int = Field(description="Bytes of sessions; the file may also contain free pages.")
    retention: str = Field(
        description="`INSPECTOR_RETENTION`, limited to the size of a store in memory."
    )


class HistoryHealth(Wire):
    """The state of the history that everything is copied to."""

    state: Literal["starting", "ok", "away", "refused"] = Field(
        description="`away` passes by itself; `refused` needs somebody."
    )
    since: str = Field(description="RFC 3339, UTC.")
    message: str | None = Field(description="The problem and its remedy; null if there is none.")
    behind: int = Field(description="Number of changes that are not copied yet.")
    replicas: tuple[str, ...] = Field(
        default=(),
        description="With `INSPECTOR_HISTORY_COPIES`: a sentence on each replica that is behind or "
        "does not answer.",
    )


class WriterHealth(Wire):
    """The state of a service that a reader asks."""

    name: str
    store: StoreHealth = Field(description="Its store; `incomplete`: it does not answer.")


class Health(Wire):
    """`GET /health`: the service, and whether it is ready to receive telemetry."""

    name: Literal["mcp-agent-inspector"] = "mcp-agent-inspector"
    version: str
    ready: bool = Field(
        description="Of a reader: whether a service answers, and each has answered or failed."
    )
    store: StoreHealth | None = Field(default=None, description="Requires the token.")
    usage: StoreUsage | None = Field(
        default=None, description="Requires the token; null if it cannot be read."
    )
    history: HistoryHealth | None = Field(
        default=None, description="Requires the token; null without `INSPECTOR_HISTORY`."
    )
    writers: list[WriterHealth] | None = Field(
        default=None, description="Of a reader: its services. Requires the token."
    )


class PriceSource(Wire):
    """The price list in use. It is bundled; nothing is downloaded."""

    name: str
    version: str | None
    date: str | None = Field(description="Publication date of the version; null if unknown.")
    state: Literal["not_needed", "loaded", "failed"] = Field(
        description="`not_needed`: no LLM call needed it yet."
    )


class Recomputation(Wire):
    """The current or last recomputation of stored costs."""

    is_running: bool
    looked_at: int = Field(description="LLM calls processed.")
    changed: int = Field(description="LLM calls whose cost changed.")
    error: str | None = Field(description="Why it ended early.")


class Prices(Wire):
    """`GET /prices`: the prices that the cost of LLM calls is computed from."""

    price_list: PriceSource
    file: str | None = Field(
        description="`INSPECTOR_PRICES`: prices that take precedence over the list."
    )
    recomputation: Recomputation


class ImportMistake(Wire):
    """A part of an imported file that was rejected."""

    line: int = Field(description="First line of the part, from 1.")
    message: str


class ImportReport(Wire):
    """`POST /import`: the outcome. Valid parts are kept even if others are rejected."""

    spans: int = Field(description="Imported.")
    span_duplicates: int = Field(description="Already stored, unchanged.")
    logs: int = Field(description="Imported log records of a trace or a session.")
    log_duplicates: int
    rejected: int = Field(description="Invalid spans, records and values.")
    not_stored: int = Field(description="Metrics, and log records that belong to no trace.")
    sessions: list[QualifiedId] = Field(description="Ids of the sessions in it, the first 1000.")
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
        None, description="For a `bad_query`: the index of the first wrong character."
    )
    length: int | None = Field(
        None, description="Number of wrong characters; 0 at the end of the query."
    )
    suggestion: str | None = Field(None, description="Suggested replacement of these characters.")
    session_id: QualifiedId | None = Field(
        None, description="For a `session_not_found`: the session that does not exist."
    )
