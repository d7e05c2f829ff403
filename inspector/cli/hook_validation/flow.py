"""Exits of a function: with a value, without one, or with an exception.

In doubt, a path counts as correct.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
_ALL = frozenset({"Exception", "BaseException"})
_CANCELLING = frozenset({"CancelledError", "KeyboardInterrupt", "SystemExit", "GeneratorExit"})
"""Exceptions that a handler must not swallow, so that it may raise them."""

_NO_RESULT = (
    ast.Constant,
    ast.JoinedStr,
    ast.Dict,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Compare,
    ast.Lambda,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.GeneratorExp,
)
"""Expressions that are never a `HookResult`."""


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield everything below `node` that is not in a function or class of its own."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, _SCOPES):
            waiting.extend(ast.iter_child_nodes(one))


def last_name(node: ast.expr | None) -> str:
    """Return `c` of `a.b.c`, and an empty text for an expression without a name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def can_fall_off(body: Sequence[ast.stmt]) -> bool:
    """Return whether the end of `body` can be reached."""
    return all(_goes_on(statement) for statement in body)


def _goes_on(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return False
        case ast.If(body=body, orelse=orelse):
            return can_fall_off(body) or can_fall_off(orelse)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            return can_fall_off(body) or any(_suppresses(item) for item in items)
        case ast.While(test=ast.Constant(value=value)) if value:
            return _breaks(statement)
        case ast.For() | ast.AsyncFor() | ast.While():
            return _breaks(statement) or can_fall_off(statement.orelse)
        case ast.Try() | ast.TryStar():
            ways = [[*statement.body, *statement.orelse], *(one.body for one in statement.handlers)]
            return can_fall_off(statement.finalbody) and any(map(can_fall_off, ways))
        case ast.Match(cases=cases):
            is_complete = any(_matches_all(case) for case in cases)
            return not is_complete or any(can_fall_off(case.body) for case in cases)
        case ast.Expr(value=ast.Call(func=func)):
            return last_name(func) != "assert_never"
    return True


def _suppresses(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and last_name(call.func) == "suppress"


def _matches_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern


def _breaks(loop: ast.stmt) -> bool:
    """Return whether a `break` may leave `loop`; one of an inner loop counts too."""
    return any(isinstance(node, ast.Break) for node in own_nodes(loop))


def returns_without_result(function: Function) -> Iterator[tuple[str, int, str]]:
    """Yield code, line and problem of each path that ends without a `HookResult`."""
    for node in own_nodes(function):
        if isinstance(node, ast.Return):
            for value in _branches(node.value):
                if value is None or (isinstance(value, ast.Constant) and value.value is None):
                    yield "return-missing", node.lineno, "returns nothing"
                elif isinstance(value, _NO_RESULT):
                    yield "return-other", node.lineno, f"returns {ast.unparse(value)[:80]}"
    if can_fall_off(function.body):
        yield "return-missing", function.lineno, "can end without a return"


def _branches(value: ast.expr | None) -> Iterator[ast.expr | None]:
    if isinstance(value, ast.IfExp):
        yield from _branches(value.body)
        yield from _branches(value.orelse)
    else:
        yield value


def unguarded(function: Function) -> list[ast.stmt]:
    """Return the statements whose exceptions leave `function`, without nested ones."""
    return [statement for statement, caught in _guarded(function.body) if not caught & _ALL]


def escaping_raises(function: Function) -> Iterator[ast.Raise]:
    """Yield each `raise` whose exception leaves `function`."""
    for statement, caught in _guarded(function.body):
        if isinstance(statement, ast.Raise) and not caught & _ALL:
            exc = statement.exc
            name = last_name(exc.func if isinstance(exc, ast.Call) else exc)
            if name not in caught | _CANCELLING and not (exc is None and "reraise" in caught):
                yield statement


def _guarded(
    body: Sequence[ast.stmt], caught: frozenset[str] = frozenset()
) -> Iterator[tuple[ast.stmt, frozenset[str]]]:
    """Yield every statement with the names of the exceptions that are caught around it."""
    for statement in body:
        yield statement, caught
        if isinstance(statement, ast.Try | ast.TryStar):
            names = [_names(handler) for handler in statement.handlers]
            yield from _guarded(statement.body, caught.union(*names))
            for handler, own in zip(statement.handlers, names, strict=True):
                harmless = frozenset({"reraise"}) if own <= _CANCELLING else frozenset()
                yield from _guarded(handler.body, (caught - {"reraise"}) | harmless)
            yield from _guarded([*statement.orelse, *statement.finalbody], caught)
        elif isinstance(statement, ast.Match):
            for case in statement.cases:
                yield from _guarded(case.body, caught)
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = caught
            if isinstance(statement, ast.With | ast.AsyncWith):
                inner = caught.union(*map(_suppressed, statement.items))
            yield from _guarded(getattr(statement, "body", ()), inner)
            yield from _guarded(getattr(statement, "orelse", ()), caught)


def _names(handler: ast.ExceptHandler) -> frozenset[str]:
    if handler.type is None:
        return _ALL
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return frozenset(last_name(kind) for kind in kinds)


def _suppressed(item: ast.withitem) -> frozenset[str]:
    call = item.context_expr
    if not isinstance(call, ast.Call) or not _suppresses(item):
        return frozenset()
    return frozenset(last_name(kind) for kind in call.args)
