"""A query as an SQL condition that everything it asks for fulfils, and as little else as may be.

Only what the columns of the row itself can tell is asked of SQLite; `inspector.search` looks at
what comes back. So this can leave anything out, but nothing that would fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import apsw

from inspector.query.fields import Scope
from inspector.query.tree import All, Compare, Either, Node, Not, Operator

SESSION_COLUMNS = {"status": "session.status", "started": "session.started_ns"}

SPAN_COLUMNS = {
    "kind": "span.kind",
    "status": "span.status",
    "root": "span.is_root",
    "started": "span.start_ns",
    "ended": "span.end_ns",
    "waiting": "span.wait_ns",
    "input_tokens": "span.input_tokens",
    "output_tokens": "span.output_tokens",
    "cost": "span.cost_usd",
    "size": "span.size_bytes",
}

_COLUMNS: Mapping[Scope, Mapping[str, str]] = {
    Scope.SESSION: SESSION_COLUMNS,
    Scope.SPAN: SPAN_COLUMNS,
}
_ORDER = frozenset({Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST})


class Condition(NamedTuple):
    """An SQL condition with its parameters."""

    sql: str
    parameters: tuple[apsw.SQLiteValue, ...] = ()
    is_exact: bool = True
    """Whether it holds for nothing but what is asked for, and so may be negated."""


_ANYTHING = Condition("1", (), is_exact=False)


def narrowing(node: Node) -> Condition:
    """Return the condition for rows of the scope that `node` was checked for."""
    match node:
        case All(parts):
            return _joined(" AND ", "1", [narrowing(part) for part in parts])
        case Either(parts):
            return _joined(" OR ", "0", [narrowing(part) for part in parts])
        case Not(part):
            inner = narrowing(part)
            return inner._replace(sql=f"NOT {inner.sql}") if inner.is_exact else _ANYTHING
        case Compare():
            return _compare(node)
        case _:
            return _ANYTHING


def _joined(word: str, empty: str, conditions: list[Condition]) -> Condition:
    return Condition(
        f"({word.join(one.sql for one in conditions) or empty})",
        tuple(parameter for one in conditions for parameter in one.parameters),
        all(one.is_exact for one in conditions),
    )


def _compare(node: Compare) -> Condition:
    column = _COLUMNS[node.field.scope].get(node.field.name)
    if column is None:
        return _ANYTHING
    if node.operator is Operator.IS_KNOWN:
        return Condition(f"({column} IS NOT NULL)")
    if node.operator is Operator.EQUALS:
        return Condition(f"({column} IS ?)", (node.value,))
    if node.operator in _ORDER:  # in SQL, nothing compares with NULL: not even negated
        return Condition(f"coalesce({column} {node.operator} ?, 0)", (node.value,))
    return _ANYTHING
