"""The tree of a checked query, as plain data.

Every comparison is of one scope. Where a query for sessions has a condition on spans, some span of
the session has to match, and the other way round: this is `Related`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.service.query.fields import Field, QueryScope


class Relation(StrEnum):
    """The related object that must match: a span of the trace or session, or the session."""

    PARENT = "parent"
    CHILD = "child"
    ANCESTOR = "ancestor"
    DESCENDANT = "descendant"
    SPAN = "span"
    SESSION = "session"


class Operator(StrEnum):
    """The comparison of a value. An unknown value is neither equal nor less nor greater."""

    EQUALS = "="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    CONTAINS = "~"
    FITS = ":"
    """Operator for a case-insensitive match, in which `*` is a wildcard."""
    IS_KNOWN = "*"


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds; no parts always hold."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """One part holds."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Node


@dataclass(frozen=True, slots=True)
class Compare:
    """A field has a value; of a field with many values, one has."""

    field: Field
    operator: Operator
    value: str | int | float
    """The value in the field's unit: nanoseconds, bytes, dollars; text is case-folded."""


@dataclass(frozen=True, slots=True)
class CompareAttribute:
    """An attribute of a span, or else of its resource, has a value."""

    key: str
    operator: Operator
    text: str
    """Case-folded."""
    number: int | float | None
    """`text` as a number, if it is one; numbers are compared with it."""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a span, or the title or id of a session, has these words in a row."""

    scope: QueryScope
    words: str
    """Words as `words.fold` returns them; at least one."""
    is_prefix: bool = False
    """The last word may be the beginning of one."""


@dataclass(frozen=True, slots=True)
class Related:
    """A related object matches."""

    relation: Relation
    part: Node


def one_of(field: Field, values: Collection[str] | None) -> Node:
    """Return the condition that `field` has one of `values`; without any, all match."""
    if not values:
        return All()
    return Either(tuple(Compare(field, Operator.EQUALS, str(value)) for value in values))


Node: TypeAlias = All | Either | Not | Compare | CompareAttribute | Text | Related
