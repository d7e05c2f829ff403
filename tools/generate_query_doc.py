"""Generate the tables of `docs/query.md` from the fields of the query language."""

from __future__ import annotations

from pathlib import Path

from inspector.service.query.fields import SESSION_FIELDS, SPAN_FIELDS, Field, Kind
from tools.pages import filled, table

_VALUES = {
    Kind.TEXT: '`fetch`, `git_*`, `"git push"`',
    Kind.CHOICE: "one of those in the table",
    Kind.FLAG: "`yes`, `no`",
    Kind.COUNT: "`1500`, `1.5k`, `2M`",
    Kind.MONEY: "`0.05`, `$2`",
    Kind.DURATION: "`200ms`, `1.5s`, `10m`, `2h`, `1d`",
    Kind.SIZE: "`512`, `10kB`, `1.5MiB`",
    Kind.TIME: "`2026-11-01` (the day), `2026-11-01T09:30`, `today`, `-2h` (so long ago); UTC,"
    " unless it says otherwise",
}


def outputs() -> dict[Path, str]:
    """Return the page."""
    parts = {
        "values": table("| type | such as |", (f"| {kind} | {_VALUES[kind]} |" for kind in Kind)),
        "session": _fields(SESSION_FIELDS),
        "span": _fields(SPAN_FIELDS),
    }
    return filled("query.md", parts)


def _fields(fields: dict[str, Field]) -> str:
    rows = (f"| `{one.name}` | {_type(one)} | {one.description} |" for one in fields.values())
    return table("| field | type | meaning |", rows)


def _type(field: Field) -> str:
    return ", ".join(f"`{choice}`" for choice in field.choices) or field.kind
