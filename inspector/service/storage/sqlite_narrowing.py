"""Translate a query to an SQL condition that selects all matches, and few other rows.

SQLite checks only columns of the row itself; `search` checks the result. So a condition may be
left out here, but no match may be lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import apsw

from inspector.service.query.fields import QueryScope
from inspector.service.query.tree import (
    All,
    Compare,
    Either,
    Node,
    Not,
    Operator,
    Related,
    Relation,
)

SESSION_COLUMNS = {
    "status": "status",
    "started": "started_ns",
    "ended": "ended_ns",
    "spans": "span_count",
    "errors": "error_count",
    "llm_calls": "llm_calls",
    "tool_calls": "tool_calls",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "tokens": "{0}.input_tokens + {0}.output_tokens",
    "cost": "cost_usd",
    "cause_key": "cause_key",
}

SPAN_COLUMNS = {
    "kind": "kind",
    "status": "status",
    "root": "is_root",
    "started": "start_ns",
    "ended": "end_ns",
    "waiting": "wait_ns",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "tokens": "coalesce({0}.input_tokens + {0}.output_tokens, {0}.input_tokens, {0}.output_tokens)",
    "cost": "cost_usd",
    "size": "size_bytes",
}

_COLUMNS: Mapping[QueryScope, Mapping[str, str]] = {
    QueryScope.SESSION: SESSION_COLUMNS,
    QueryScope.SPAN: SPAN_COLUMNS,
}
_TEXTS = {"name": "name", "tool": "subject", "agent": "subject", "model": "model"}
# Texts are compared in any case, which SQLite can do for ASCII only.
_SAME = "(lower({0}) = ? OR length({0}) <> octet_length({0}))"
_IMPLIED = {
    "tool": "{0}.kind = 'tool'",
    "agent": "{0}.kind = 'agent'",
    "model": "{0}.model IS NOT NULL",
}
_ORDER = frozenset({Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST})


class SqlCondition(NamedTuple):
    """An SQL condition with its parameters."""

    sql: str
    parameters: tuple[apsw.SQLiteValue, ...] = ()
    is_exact: bool = True
    """Whether it holds for matches only, and so may be negated."""
    has_others: bool = False
    """Whether the condition reads other rows for each row."""


_ANYTHING = SqlCondition("1", (), is_exact=False)


def narrowing(node: Node) -> SqlCondition:
    """Return the condition for rows of the scope that `node` was checked for.

    The tables of spans and of their sessions are `span` and `session`.
    """
    # By itself, each part of a conjunction may use an index.
    parts = [_narrowing(part, "span") for part in (node.parts if isinstance(node, All) else [node])]
    return _joined(
        " AND ",
        "1",
        [one._replace(sql=f"coalesce({one.sql}, 1)") if one.has_others else one for one in parts],
    )


def _narrowing(node: Node, span: str) -> SqlCondition:
    match node:
        case All(parts):
            return _joined(" AND ", "1", [_narrowing(part, span) for part in parts])
        case Either(parts):
            return _joined(" OR ", "0", [_narrowing(part, span) for part in parts])
        case Not(part):
            inner = _narrowing(part, span)
            return inner._replace(sql=f"NOT {inner.sql}") if inner.is_exact else _ANYTHING
        case Compare():
            return _compare(node, span)
        case Related(relation, part):
            return _related(relation, part, span)
        case _:
            return _ANYTHING


def _related(relation: Relation, part: Node, span: str) -> SqlCondition:
    match relation:
        case Relation.SESSION if span == "span":
            return _narrowing(part, span)
        case Relation.SPAN:
            where = "one.session_no = session.no"
            return _exists(where, "one", _narrowing(part, "one"))
        case Relation.PARENT if span == "span":
            where = (
                "parent.trace_no = span.trace_no AND parent.span_id = span.parent_id"
                " AND parent.span_id <> span.span_id"
            )
            return _exists(where, "parent", _narrowing(part, "parent"))
        case _:
            return _ANYTHING


def _exists(where: str, name: str, inner: SqlCondition) -> SqlCondition:
    if not inner.parameters:  # as good as anything: not worth the look
        return _ANYTHING
    # NULL, which is unknown, for a session whose spans are in the history.
    exists = f"EXISTS (SELECT 1 FROM span AS {name} WHERE {where} AND {inner.sql})"
    sql = f"iif(session.evicted > 0, NULL, {exists})"
    return inner._replace(sql=sql, has_others=True)


def _joined(word: str, empty: str, conditions: list[SqlCondition]) -> SqlCondition:
    return SqlCondition(
        f"({word.join(one.sql for one in conditions) or empty})",
        tuple(parameter for one in conditions for parameter in one.parameters),
        all(one.is_exact for one in conditions),
        any(one.has_others for one in conditions),
    )


def _compare(node: Compare, span: str) -> SqlCondition:
    field, operator = node.field, node.operator
    if field.scope is QueryScope.SPAN and field.name == "duration" and operator in _ORDER:
        # How long one runs that has not ended is not known here.
        lasted = f"{span}.end_ns - {span}.start_ns"
        sql = f"coalesce(max({lasted}, 0) {operator} ?, 1)"
        return SqlCondition(sql, (node.value,), is_exact=False)
    column = _COLUMNS[field.scope].get(field.name)
    if column is None:
        return _text(node, span) if field.scope is QueryScope.SPAN else _ANYTHING
    table = span if field.scope is QueryScope.SPAN else "session"
    column = column.format(table) if "{" in column else f"{table}.{column}"
    if operator is Operator.IS_KNOWN:
        return SqlCondition(f"({column} IS NOT NULL)")
    if operator is Operator.EQUALS:
        return SqlCondition(f"({column} IS ?)", (node.value,))
    if operator in _ORDER:  # in SQL, nothing compares with NULL: not even negated
        return SqlCondition(f"coalesce({column} {operator} ?, 0)", (node.value,))
    return _ANYTHING


def _text(node: Compare, span: str) -> SqlCondition:
    name = node.field.name
    hint = _IMPLIED.get(name, "1").format(span)
    # The index of words knows which sessions have one: SQLite would read all spans of each.
    if name not in _TEXTS or node.operator is not Operator.EQUALS or span == "one":
        return SqlCondition(hint, (), is_exact=False)
    same = _SAME.format(f"{span}.{_TEXTS[name]}")
    return SqlCondition(f"({hint} AND {same})", (node.value,), is_exact=False)
