"""The tree of a checked query, as plain data.

Every comparison is about one scope. Where a query about sessions names what only spans have, some
span of the session is meant, and the other way round: `Related` says so.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.service.query.fields import Field, QueryScope


class Relation(StrEnum):
    """Who else must fit: another span of the trace, a span of the session, the span's session."""

    PARENT = "parent"
    CHILD = "child"
    ANCESTOR = "ancestor"
    DESCENDANT = "descendant"
    SPAN = "span"
    SESSION = "session"


class Operator(StrEnum):
    """How a value is compared. What is not known is neither equal nor less nor greater."""

    EQUALS = "="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    CONTAINS = "~"
    FITS = ":"
    """Equal, in any case, where `*` stands for anything."""
    IS_KNOWN = "*"


@dataclass(frozen=True, slots=True)
class All:
    """Each part holds; of no parts: always."""

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
    """A field has a value; of a field with many, one of them has."""

    field: Field
    operator: Operator
    value: str | int | float
    """Of the field's unit: nanoseconds, bytes, dollars; text is case-folded."""


@dataclass(frozen=True, slots=True)
class CompareAttribute:
    """An attribute of a span, or else of its resource, has a value."""

    key: str
    operator: Operator
    text: str
    """Case-folded."""
    number: int | float | None
    """The same, when it is one: numbers are then compared as numbers."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a span says, or a session's title or id, has these words, one after another."""

    scope: QueryScope
    words: str
    """As `inspector.query.words.fold` gives them; at least one."""
    is_prefix: bool = False
    """The last of them may be the beginning of one."""


@dataclass(frozen=True, slots=True)
class Related:
    """Something that is related fits."""

    relation: Relation
    part: Node


def one_of(field: Field, values: Collection[str] | None) -> Node:
    """Return that `field` has one of `values`; without any, that anything is well."""
    if not values:
        return All()
    return Either(tuple(Compare(field, Operator.EQUALS, str(value)) for value in values))


Node: TypeAlias = All | Either | Not | Compare | CompareAttribute | Text | Related
