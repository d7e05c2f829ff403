"""Check a syntax tree: fields exist, values have their types."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar

from lark import Token, Tree

from inspector.service.query import values
from inspector.service.query.errors import QueryError
from inspector.service.query.fields import FIELDS, Field, Kind, QueryScope
from inspector.service.query.syntax import Syntax, parse_syntax
from inspector.service.query.tree import (
    All,
    Compare,
    CompareAttribute,
    Either,
    Node,
    Not,
    Operator,
    Related,
    Relation,
    Text,
)
from inspector.service.query.words import fold

T = TypeVar("T")

_WHOLE = re.compile(r"[+-]?\d{1,30}", re.ASCII)

_NUMBERS: dict[Kind, Callable[[str], int | float]] = {
    Kind.COUNT: values.count,
    Kind.MONEY: values.money,
    Kind.DURATION: values.duration,
    Kind.SIZE: values.size,
}
_ORDERING = {
    "<": Operator.LESS,
    "<=": Operator.AT_MOST,
    ">": Operator.GREATER,
    ">=": Operator.AT_LEAST,
}


def parse_query(text: str, scope: QueryScope, now_ns: int) -> Node:
    """Return the condition in `text` on `scope`; empty text matches everything.

    Args:
        text: As `docs/query.md` describes it.
        scope: The scope of the results: sessions or spans.
        now_ns: The time that `now` and `-2h` refer to.

    Raises:
        QueryError: It is not valid; says where, and what to do.
    """
    tree = parse_syntax(text)
    check = _Check(text, now_ns)
    return check.node(tree.children[0], scope) if tree.children else All()


class _Check:
    def __init__(self, text: str, now_ns: int) -> None:
        self._text = text
        self._now_ns = now_ns

    def node(self, syntax: Syntax | Token, scope: QueryScope) -> Node:
        assert isinstance(syntax, Tree)
        children = syntax.children
        match syntax.data:
            case "all":
                return All(tuple(self.node(child, scope) for child in children))
            case "either":
                return Either(tuple(self.node(child, scope) for child in children))
            case "not_":
                return Not(self.node(children[-1], scope))
            case "related":
                return self._related(_token(children[0]), children[1], scope)
            case "text":
                return self._words(_token(children[0]), scope)
            case _:
                field, operator, value = map(_token, children)
                return self._compare(field, operator, value, scope)

    def _words(self, token: Token, scope: QueryScope) -> Node:
        """Return the condition of words: a session has a text when it, or a span of it, has."""
        text = _plain(token)
        if is_begun := token.type == "WORD" and text.endswith("*"):
            text = text.rstrip("*")
        words = fold(text)
        if token.type == "WORD" and "*" in text:
            problem = f"A * can only end a word. Use name~{words or 'text'} to match within names."
            raise self._error(problem, token)
        if not words:
            problem = f"{token} has no letter, digit or symbol to search for."
            raise self._error(problem, token)
        # `git_*` is the word git: anything may follow the mark between words.
        of_span = Text(
            QueryScope.SPAN, words, is_prefix=is_begun and fold(text + "x") != f"{words} x"
        )
        if scope is QueryScope.SPAN:
            return of_span
        of_session = Text(QueryScope.SESSION, words, is_prefix=of_span.is_prefix)
        return Either((of_session, Related(Relation.SPAN, of_span)))

    def _related(self, name: Token, part: Syntax | Token, scope: QueryScope) -> Node:
        relation = Relation(name)
        if relation is Relation.SESSION:
            inner = self.node(part, QueryScope.SESSION)
            return inner if scope is QueryScope.SESSION else Related(relation, inner)
        inner = self.node(part, QueryScope.SPAN)
        if relation is Relation.SPAN:
            return inner if scope is QueryScope.SPAN else Related(relation, inner)
        found = Related(relation, inner)
        return found if scope is QueryScope.SPAN else Related(Relation.SPAN, found)

    def _compare(self, name: Token, operator: Token, value: Token, scope: QueryScope) -> Node:
        if operator == "!=":
            return Not(self._compare(name, _like(operator, "="), value, scope))
        if name.startswith("@"):
            found: Node = self._attribute(name, operator, value)
            return found if scope is QueryScope.SPAN else Related(Relation.SPAN, found)
        field = self._field(name, scope, _plain(value).lower().split(","))
        found = self._typed(field, operator, value)
        if field.scope is scope:
            return found
        return Related(Relation(field.scope.value), found)

    def _field(self, name: Token, scope: QueryScope, words: list[str]) -> Field:
        """Find a field by name, with or without a scope: in `scope` first, then in the other.

        Where both have it, and only the other's choices have `words`, that is meant.
        """
        wanted = name.lower()
        prefix, dot, rest = wanted.partition(".")
        if dot and prefix in set(QueryScope) and rest in FIELDS[QueryScope(prefix)]:
            return FIELDS[QueryScope(prefix)][rest]
        found = [FIELDS[one][wanted] for one in (scope, *QueryScope) if wanted in FIELDS[one]]
        if found:
            return next((one for one in found if {*words} <= {*one.choices}), found[0])
        known = [field for one in (scope, *QueryScope) for field in FIELDS[one]]
        close = get_close_matches(rest if dot else wanted, known, n=1, cutoff=0.5)
        suggestion = close[0] if close else None
        advice = f"Did you mean {suggestion}?" if suggestion else "See the list of fields."
        problem = f'Unknown field "{name}". {advice} Use @{name} for an attribute, quotes for text.'
        raise self._error(problem, name, suggestion)

    def _typed(self, field: Field, operator: Token, value: Token) -> Node:
        if _plain(value) == "*" and value.type == "VALUE" and operator in {":", "="}:
            return Compare(field, Operator.IS_KNOWN, "*")
        match field.kind:
            case Kind.TEXT:
                return self._text_value(field, operator, value)
            case Kind.CHOICE:
                return self._choices(field, operator, value)
            case Kind.FLAG:
                self._allow(field, operator, {":", "="})
                return Compare(field, Operator.EQUALS, self._read(values.flag, value))
            case _:
                return self._ordered(field, operator, value)

    def _text_value(self, field: Field, operator: Token, value: Token) -> Node:
        self._allow(field, operator, {":", "=", "~"})
        return Compare(field, _text_operator(operator, value), _plain(value).casefold())

    def _choices(self, field: Field, operator: Token, value: Token) -> Node:
        self._allow(field, operator, {":", "="})
        parts: list[Node] = []
        start = (value.start_pos or 0) + (value.type == "QUOTED")
        for word in _plain(value).split(","):
            if word.lower() not in field.choices:
                problem, suggestion = _never(field, word)
                raise QueryError(problem, self._text, start, len(word), suggestion)
            parts.append(Compare(field, Operator.EQUALS, word.lower()))
            start += len(word) + 1
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _ordered(self, field: Field, operator: Token, value: Token) -> Node:
        self._allow(field, operator, {":", "=", *_ORDERING})
        first, dots, last = _plain(value).partition("..")
        if not dots:
            return self._bound(field, operator, value)
        if operator not in {":", "="}:
            raise self._error(f"Use {field.name}:{value} for a range.", operator)
        bounds = [(">=", first, 0), ("<=", last, len(first) + 2)]
        parts = [
            self._bound(field, _like(operator, sign), _part(value, text, offset))
            for sign, text, offset in bounds
            if text
        ]
        if not parts:
            raise self._error("A range needs at least one end, such as 1s.. or ..5s.", value)
        return All(tuple(parts))

    def _bound(self, field: Field, operator: Token, value: Token) -> Node:
        if field.kind is Kind.TIME:
            return self._time(field, operator, value)
        number = self._read(_NUMBERS[field.kind], value)
        return Compare(field, _ORDERING.get(operator, Operator.EQUALS), number)

    def _time(self, field: Field, operator: Token, value: Token) -> Node:
        """Compare with all of the written time: `2026-11-01` is a day, not its first moment."""
        first_ns, beyond_ns = self._read(lambda text: values.time(text, self._now_ns), value)
        match operator:
            case ">":
                return Compare(field, Operator.AT_LEAST, beyond_ns)
            case ">=":
                return Compare(field, Operator.AT_LEAST, first_ns)
            case "<":
                return Compare(field, Operator.LESS, first_ns)
            case "<=":
                return Compare(field, Operator.LESS, beyond_ns)
            case _:
                since = Compare(field, Operator.AT_LEAST, first_ns)
                return All((since, Compare(field, Operator.LESS, beyond_ns)))

    def _attribute(self, name: Token, operator: Token, value: Token) -> CompareAttribute:
        key, text = name[1:], _plain(value)
        if not key:
            raise self._error("Use @key for an attribute, such as @mcp.method.name:*.", name)
        if operator in _ORDERING:
            number = self._read(_number, value)
            return CompareAttribute(key, _ORDERING[operator], text.casefold(), number)
        if text == "*" and value.type == "VALUE" and operator != "~":
            return CompareAttribute(key, Operator.IS_KNOWN, text, None)
        try:
            equal_to: int | float | None = _number(text)
        except ValueError:
            equal_to = None
        return CompareAttribute(key, _text_operator(operator, value), text.casefold(), equal_to)

    def _allow(self, field: Field, operator: Token, allowed: set[str]) -> None:
        if operator not in allowed:
            order = "; it has no order" if not field.has_order else ""
            problem = f"{field.name} is a {field.kind}{order}: use {' or '.join(sorted(allowed))}."
            raise self._error(problem, operator)

    def _read(self, read: Callable[[str], T], value: Token) -> T:
        try:
            return read(_plain(value))
        except ValueError as error:
            raise self._error(f"{error}.", value) from None

    def _error(self, problem: str, token: Token, suggestion: str | None = None) -> QueryError:
        return QueryError(problem, self._text, token.start_pos or 0, len(token), suggestion)


def _never(field: Field, word: str) -> tuple[str, str | None]:
    """Return the error of a word that is no choice of `field`, and a near choice."""
    namesakes = [fields[field.name] for fields in FIELDS.values() if field.name in fields]
    close = get_close_matches(word.lower(), [c for one in namesakes for c in one.choices], n=1)
    suggestion = close[0] if close else None
    advice = f" Did you mean {suggestion}?" if suggestion else ""
    allowed = "; ".join(f"of a {one.scope}: {', '.join(one.choices)}" for one in namesakes)
    return f"{word} is not a valid {field.name}.{advice} Valid: {allowed}.", suggestion


def _text_operator(operator: Token, value: Token) -> Operator:
    if operator == "~":
        return Operator.CONTAINS
    has_wildcard = value.type == "VALUE" and "*" in value
    return Operator.FITS if has_wildcard else Operator.EQUALS


def _number(text: str) -> int | float:
    if _WHOLE.fullmatch(text):  # a float holds 53 bits only, and attributes have 64
        return int(text)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{text} is not a number")
    return number


def _plain(token: Token) -> str:
    """Return the text of a token, without quotes."""
    if token.type != "QUOTED":
        return str(token)
    inner = token[1:-1]
    return inner.replace('\\"', '"').replace("\\\\", "\\")


def _token(child: Syntax | Token) -> Token:
    assert isinstance(child, Token)
    return child


def _like(token: Token, text: str) -> Token:
    return Token(token.type, text, token.start_pos)


def _part(token: Token, text: str, offset: int) -> Token:
    start = token.start_pos or 0
    return Token("VALUE", text, start + offset)
