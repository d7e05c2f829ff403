"""The range of start times that contains all matches of a query."""

from __future__ import annotations

from typing import NamedTuple

from inspector.service.model.records import MAX_INT
from inspector.service.query.fields import QueryScope
from inspector.service.query.tree import All, Compare, Either, Node, Operator


class Between(NamedTuple):
    """A range of time, open where None."""

    first_ns: int | None = None
    beyond_ns: int | None = None


def started_between(node: Node, scope: QueryScope) -> Between:
    """Return the range of start times of all matches of `node` in `scope`."""
    match node:
        case All(parts):
            inner = [started_between(part, scope) for part in parts]
            firsts = [one.first_ns for one in inner if one.first_ns is not None]
            beyonds = [one.beyond_ns for one in inner if one.beyond_ns is not None]
            return Between(max(firsts, default=None), min(beyonds, default=None))
        case Either(parts):
            inner = [started_between(part, scope) for part in parts]
            lows, highs = [one.first_ns for one in inner], [one.beyond_ns for one in inner]
            return Between(
                None if None in lows else min(low for low in lows if low is not None),
                None if None in highs else max(high for high in highs if high is not None),
            )
        case Compare(field, operator, int(value)) if field.scope is scope:
            if field.name == "started":
                return _compared(operator, value)
    return Between()


def _compared(operator: Operator, value: int) -> Between:
    after = min(value + 1, MAX_INT)
    match operator:
        case Operator.AT_LEAST:
            return Between(value, None)
        case Operator.GREATER:
            return Between(after, None)
        case Operator.LESS:
            return Between(None, value)
        case Operator.AT_MOST:
            return Between(None, after)
        case Operator.EQUALS:
            return Between(value, after)
        case _:
            return Between()
