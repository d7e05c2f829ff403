"""A query as terms of the index of words: what everything it asks for has in its document.

As with columns (`inspector.storage.sqlite_narrowing`): this can find too much, never too little.
"""

from __future__ import annotations

from inspector.query.fields import Field, Scope
from inspector.query.tree import (
    All,
    Compare,
    CompareAttribute,
    Either,
    Node,
    Operator,
    Text,
)
from inspector.search.documents import TOO_MANY_MARKS, attribute_mark, field_mark, is_marked
from inspector.storage.word_reader import AllTerms, EitherTerm, Phrase, Term


def span_terms(node: Node) -> Term | None:
    """Return what the documents of all spans that `node` asks for have; None: nothing special."""
    match node:
        case All(parts):
            terms = [term for part in parts if (term := span_terms(part))]
            return AllTerms(tuple(terms)) if terms else None
        case Either(parts):
            terms = [term for part in parts if (term := span_terms(part))]
            return EitherTerm(tuple(terms)) if terms and len(terms) == len(parts) else None
        case Text(Scope.SPAN, words, is_prefix):
            return Phrase(words, is_prefix)
        case Compare() if node.field.scope is Scope.SPAN:
            return _compare(node)
        case CompareAttribute():
            return _attribute(node)
        case _:
            return None


def session_term(node: Node) -> Term | None:
    """Return what the document of a session has that this one comparison asks for."""
    match node:
        case Text(Scope.SESSION, words, is_prefix):
            return Phrase(words, is_prefix)
        case Compare() if node.field.scope is Scope.SESSION:
            return _compare(node)
        case _:
            return None


def _compare(node: Compare) -> Term | None:
    if not is_marked(node.field):
        return None
    if node.operator is Operator.EQUALS:
        return _marked(node.field, node.value)
    return _marked(node.field)


def _marked(field: Field, value: str | int | float | None = None) -> Term | None:
    mark = field_mark(field, value) or field_mark(field)
    return Phrase(mark) if mark else None


def _attribute(node: CompareAttribute) -> Term | None:
    known = attribute_mark(node.key)
    marks = [known]
    if node.operator is Operator.EQUALS:
        exact = attribute_mark(node.key, node.text)
        number = None if node.number is None else attribute_mark(node.key, node.number)
        marks = [exact, number] if exact else [known]
    terms = [Phrase(mark) for mark in (*marks, TOO_MANY_MARKS) if mark]
    return EitherTerm(tuple(terms))
