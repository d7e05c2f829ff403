"""Fields of the query language, for sessions and spans, and the types of their values.

`inspector.service.search.fields` reads them from rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.service.model.rows import Engine, SessionStatus, SpanKind, SpanStatus


class QueryScope(StrEnum):
    """The scope of a part of a query."""

    SESSION = "session"
    SPAN = "span"


class Kind(StrEnum):
    """The type of a field: its values and operators."""

    TEXT = "text"
    CHOICE = "choice"
    FLAG = "yes or no"
    COUNT = "number"
    MONEY = "amount"
    DURATION = "duration"
    SIZE = "size"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one scope."""

    scope: QueryScope
    name: str
    kind: Kind
    description: str
    choices: tuple[str, ...] = ()

    @property
    def has_order(self) -> bool:
        """Whether values can be compared by size."""
        return self.kind not in {Kind.TEXT, Kind.CHOICE, Kind.FLAG}


def _fields(
    scope: QueryScope, *rows: tuple[str, Kind, str, type[StrEnum] | None]
) -> dict[str, Field]:
    return {
        name: Field(scope, name, kind, description, tuple(one.value for one in choices or ()))
        for name, kind, description, choices in rows
    }


SESSION_FIELDS = _fields(
    QueryScope.SESSION,
    ("id", Kind.TEXT, "Id.", None),
    ("title", Kind.TEXT, "Title.", None),
    ("status", Kind.CHOICE, "Status.", SessionStatus),
    ("engine", Kind.CHOICE, "Engine that runs it.", Engine),
    ("started", Kind.TIME, "Start time.", None),
    ("ended", Kind.TIME, "End time.", None),
    (
        "duration",
        Kind.DURATION,
        "Time in which any span ran, until now: without gaps between runs.",
        None,
    ),
    ("waiting", Kind.DURATION, "Time spent waiting for a person, until now.", None),
    ("active", Kind.DURATION, "Duration without waiting.", None),
    ("spans", Kind.COUNT, "Number of spans.", None),
    ("errors", Kind.COUNT, "Number of failed spans.", None),
    ("llm_calls", Kind.COUNT, "Number of LLM calls.", None),
    ("tool_calls", Kind.COUNT, "Number of tool calls.", None),
    ("input_tokens", Kind.COUNT, "Input tokens.", None),
    ("output_tokens", Kind.COUNT, "Output tokens.", None),
    ("tokens", Kind.COUNT, "Input and output tokens.", None),
    ("cost", Kind.MONEY, "Cost in US dollars.", None),
    ("model", Kind.TEXT, "A model it called.", None),
    ("service", Kind.TEXT, "A service it ran in.", None),
    ("agent", Kind.TEXT, "An agent that took part.", None),
    ("tag", Kind.TEXT, "A tag.", None),
    ("user", Kind.TEXT, "An end user.", None),
    ("cause", Kind.TEXT, "Root cause of an ended session.", None),
    ("cause_key", Kind.TEXT, "Key shared by sessions with the same cause.", None),
)

SPAN_FIELDS = _fields(
    QueryScope.SPAN,
    ("id", Kind.TEXT, "Id.", None),
    ("trace", Kind.TEXT, "Trace id.", None),
    ("name", Kind.TEXT, "Name.", None),
    ("kind", Kind.CHOICE, "Kind.", SpanKind),
    ("status", Kind.CHOICE, "Status.", SpanStatus),
    ("root", Kind.FLAG, "Whether it is the root of its trace.", None),
    ("tool", Kind.TEXT, "The called tool.", None),
    ("agent", Kind.TEXT, "The running agent.", None),
    ("model", Kind.TEXT, "The called model.", None),
    ("started", Kind.TIME, "Start time.", None),
    ("ended", Kind.TIME, "End time.", None),
    ("duration", Kind.DURATION, "Time from start to end, or until now.", None),
    ("waiting", Kind.DURATION, "Time spent waiting for a person, in ended waits.", None),
    ("active", Kind.DURATION, "Duration without its own waits.", None),
    ("input_tokens", Kind.COUNT, "Input tokens.", None),
    ("output_tokens", Kind.COUNT, "Output tokens.", None),
    ("tokens", Kind.COUNT, "Input and output tokens.", None),
    ("cost", Kind.MONEY, "Cost in US dollars.", None),
    ("size", Kind.SIZE, "Stored size.", None),
)

FIELDS = {QueryScope.SESSION: SESSION_FIELDS, QueryScope.SPAN: SPAN_FIELDS}
