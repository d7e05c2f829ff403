"""Translate a query to terms of the index of words that the document of every match has.

As conditions on columns (`storage.sqlite_narrowing`) do, they find all matches, and maybe more.
"""

from __future__ import annotations

from collections.abc import Iterable

from inspector.service.query.fields import Kind, QueryScope
from inspector.service.query.tree import (
    All,
    Compare,
    CompareAttribute,
    Either,
    Node,
    Operator,
    Text,
)
from inspector.service.search.marks import (
    TOO_MANY,
    attribute_mark,
    attribute_size_marks,
    field_mark,
    hour_marks,
    is_marked,
    size_marks,
)
from inspector.service.search.times import started_between
from inspector.service.storage.word_reader import AllTerms, EitherTerm, Phrase, Term

_ORDER = {Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST}


def span_terms(node: Node, now_ns: int) -> Term | None:
    """Return the term of all spans that match `node`; None if they have none in common."""
    first_ns, beyond_ns = started_between(node, QueryScope.SPAN)
    hours = None if first_ns is None else hour_marks(first_ns, beyond_ns, now_ns)
    return _all_of([_terms(node), _either_mark(hours) if hours else None])


def session_term(node: Node) -> Term | None:
    """Return the term of all sessions that match this one comparison."""
    match node:
        case Text(QueryScope.SESSION, words, is_prefix):
            return Phrase(words, is_prefix)
        case Compare() if node.field.scope is QueryScope.SESSION:
            return _compare(node)
        case _:
            return None


def _terms(node: Node) -> Term | None:
    match node:
        case All(parts):
            return _all_of([_terms(part) for part in parts])
        case Either(parts):
            terms = [term for part in parts if (term := _terms(part))]
            return EitherTerm(tuple(terms)) if terms and len(terms) == len(parts) else None
        case Text(QueryScope.SPAN, words, is_prefix):
            return Phrase(words, is_prefix)
        case Compare() if node.field.scope is QueryScope.SPAN:
            return _compare(node)
        case CompareAttribute():
            return _attribute(node)
        case _:
            return None


def _compare(node: Compare) -> Term | None:
    field, operator, value = node.field, node.operator, node.value
    if not is_marked(field) or field.kind is Kind.TIME:
        return None
    if field.kind in {Kind.TEXT, Kind.CHOICE, Kind.FLAG}:
        exact = field_mark(field, value) if operator is Operator.EQUALS else None
        return _either_mark([exact or field_mark(field)])
    if isinstance(value, str):  # `IS_KNOWN`, which most are
        return None
    return _either_mark(size_marks(field, operator, value))


def _attribute(node: CompareAttribute) -> Term:
    if node.operator in _ORDER and node.number is not None:
        return _either_mark(attribute_size_marks(node.key, node.operator, node.number))
    exact = number = None
    if node.operator is Operator.EQUALS:
        exact = attribute_mark(node.key, node.text)
        number = None if node.number is None else attribute_mark(node.key, node.number)
    return _either_mark(
        [exact, number, TOO_MANY] if exact else [attribute_mark(node.key), TOO_MANY]
    )


def _all_of(terms: Iterable[Term | None]) -> Term | None:
    known = tuple(term for term in terms if term)
    return AllTerms(known) if known else None


def _either_mark(marks: Iterable[str | None]) -> EitherTerm:
    return EitherTerm(tuple(Phrase(mark) for mark in marks if mark))
