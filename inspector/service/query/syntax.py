"""Parse text to a syntax tree, by the grammar beside this file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TypeAlias, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from inspector.service.query.errors import QueryError

MAX_CHARS = 2_000
MAX_DEPTH = 32

Syntax: TypeAlias = Tree[Token]

_EXPECTED = {
    "RPAR": "`)`",
    "VALUE": "a value",
    "WORD": "a word",
    "FIELD": "a field such as status:failed",
}


def parse_syntax(text: str) -> Syntax:
    """Return the syntax tree of `text`.

    Raises:
        QueryError: It is not valid, is longer than `MAX_CHARS`, or nested deeper than `MAX_DEPTH`.
    """
    if len(text) > MAX_CHARS:
        raise QueryError(f"A query can have at most {MAX_CHARS} characters.", text[:80], 0)
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise _explained(text, error) from None
    _check_depth(text, tree)
    return tree


@cache
def _grammar() -> Lark:
    grammar = files("inspector.service.query").joinpath("grammar.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", maybe_placeholders=False, propagate_positions=True)


def _explained(text: str, error: UnexpectedInput) -> QueryError:
    if isinstance(error, UnexpectedCharacters):
        position = cast("int", error.pos_in_stream)
        if text[position] == '"':
            return QueryError("This quote is not closed.", text, position, 1)
        return QueryError(f"Unexpected `{text[position]}`.", text, position, 1)
    if not isinstance(error, UnexpectedToken) or error.token.type == "$END":
        wanted = _wanted(error)
        return QueryError(f"Unexpected end of the query: expected {wanted}.", text, len(text))
    token = error.token
    start = token.start_pos or 0
    if token.type == "RPAR" and "RPAR" not in error.accepts:
        return QueryError("This `)` has no matching `(`.", text, start, 1)
    wanted = _wanted(error)
    return QueryError(f"Unexpected `{token}`: expected {wanted}.", text, start, len(token))


def _wanted(error: UnexpectedInput) -> str:
    accepted = error.accepts if isinstance(error, UnexpectedToken) else set()
    return " or ".join(word for name, word in _EXPECTED.items() if name in accepted) or "more"


def _check_depth(text: str, tree: Syntax) -> None:
    level: list[Syntax] = [tree]
    for _ in range(MAX_DEPTH * 2):
        level = [child for node in level for child in node.children if isinstance(child, Tree)]
        if not level:
            return
    position = level[0].meta.start_pos
    raise QueryError(f"A query can be nested at most {MAX_DEPTH} levels deep.", text, position)
