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
    ("id", Kind.TEXT, "Its id.", None),
    ("title", Kind.TEXT, "Its title.", None),
    ("status", Kind.CHOICE, "Its status.", SessionStatus),
    ("engine", Kind.CHOICE, "What executes it.", Engine),
    ("started", Kind.TIME, "Its start.", None),
    ("ended", Kind.TIME, "Its end.", None),
    (
        "duration",
        Kind.DURATION,
        "How long anything of it ran, until now: without the pauses between its runs.",
        None,
    ),
    ("waiting", Kind.DURATION, "How long any of it waited for a person, until now.", None),
    ("active", Kind.DURATION, "Its duration without that.", None),
    ("spans", Kind.COUNT, "How many spans it has.", None),
    ("errors", Kind.COUNT, "How many of them failed.", None),
    ("llm_calls", Kind.COUNT, "How often it called a model.", None),
    ("tool_calls", Kind.COUNT, "How often it called a tool.", None),
    ("input_tokens", Kind.COUNT, "Tokens sent to models.", None),
    ("output_tokens", Kind.COUNT, "Tokens made by models.", None),
    ("tokens", Kind.COUNT, "Both together.", None),
    ("cost", Kind.MONEY, "What it cost, in US dollars.", None),
    ("model", Kind.TEXT, "A model that it used.", None),
    ("service", Kind.TEXT, "A service that it ran in.", None),
    ("agent", Kind.TEXT, "An agent that took part.", None),
    ("tag", Kind.TEXT, "A tag that it has.", None),
    ("user", Kind.TEXT, "A user for whom it worked.", None),
    ("cause", Kind.TEXT, "What failed first, once it is over.", None),
    ("cause_key", Kind.TEXT, "The group of alike causes that it is part of.", None),
)

SPAN_FIELDS = _fields(
    QueryScope.SPAN,
    ("id", Kind.TEXT, "Its id.", None),
    ("trace", Kind.TEXT, "The id of its trace.", None),
    ("name", Kind.TEXT, "Its name.", None),
    ("kind", Kind.CHOICE, "What it is.", SpanKind),
    ("status", Kind.CHOICE, "Its status.", SpanStatus),
    ("root", Kind.FLAG, "Whether its trace begins with it.", None),
    ("tool", Kind.TEXT, "The tool that it calls.", None),
    ("agent", Kind.TEXT, "The agent that it runs.", None),
    ("model", Kind.TEXT, "The model that it calls.", None),
    ("started", Kind.TIME, "Its start.", None),
    ("ended", Kind.TIME, "Its end.", None),
    ("duration", Kind.DURATION, "From its beginning to its end, or until now.", None),
    ("waiting", Kind.DURATION, "How long it waited for a person: waits that are over.", None),
    ("active", Kind.DURATION, "Its duration without its own waits.", None),
    ("input_tokens", Kind.COUNT, "Tokens sent to the model.", None),
    ("output_tokens", Kind.COUNT, "Tokens made by the model.", None),
    ("tokens", Kind.COUNT, "Both together.", None),
    ("cost", Kind.MONEY, "What it cost, in US dollars.", None),
    ("size", Kind.SIZE, "How many bytes it takes.", None),
)

FIELDS = {QueryScope.SESSION: SESSION_FIELDS, QueryScope.SPAN: SPAN_FIELDS}
