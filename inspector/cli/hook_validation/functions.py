"""Where the handlers of a module are, found by reading it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from inspector.cli.hook_validation.target import Source

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Registration:
    """A call such as `coordinator.hooks.register(event, handler, priority=10)`."""

    source: Source
    call: ast.Call

    def argument(self, position: int, name: str) -> ast.expr | None:
        """Return an argument of the call, given by position or by name."""
        if position < len(self.call.args):
            return self.call.args[position]
        return next((word.value for word in self.call.keywords if word.arg == name), None)

    @property
    def is_open(self) -> bool:
        """Return whether some arguments cannot be seen (`*args`, `**kwargs`)."""
        return any(isinstance(arg, ast.Starred) for arg in self.call.args) or any(
            word.arg is None for word in self.call.keywords
        )


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield everything below `node` that is not in a function or class of its own."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, _SCOPES):
            waiting.extend(ast.iter_child_nodes(one))


def last_name(node: ast.expr | None) -> str:
    """Return `c` of `a.b.c`, and an empty text for what has no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def takes_two(function: Function | ast.Lambda, *, is_method: bool = False) -> bool:
    """Return whether `function` can be called with exactly two positional arguments."""
    given = function.args
    positional = len(given.posonlyargs) + len(given.args)
    wanted = 2 + is_method
    required = positional - len(given.defaults)
    return (
        required <= wanted
        and (positional >= wanted or given.vararg is not None)
        and all(default is not None for default in given.kw_defaults)
    )


def registrations(source: Source) -> list[Registration]:
    """Return every call that registers a handler."""
    registries = {"hooks", "registry"}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and last_name(node.value) == "hooks":
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            registries.update(last_name(target) for target in targets)
    return [
        Registration(source, node)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("register", "on")
        and last_name(node.func.value) in registries
    ]


@dataclass(frozen=True)
class Handler:
    """A function that handles events."""

    source: Source
    function: Function
    is_method: bool = False

    @property
    def name(self) -> str:
        """Return what to call it in a message."""
        return self.function.name


def handlers(sources: list[Source]) -> list[Handler]:
    """Return the handlers that are registered, as far as reading shows which they are.

    Also every async function of two arguments that says it returns a `HookResult`.
    """
    found: dict[Function, Handler] = {}
    for source in sources:
        for registration in registrations(source):
            for handler in _resolve(registration, sources):
                found[handler.function] = handler
        for handler in _in(source):
            function = handler.function
            if (
                isinstance(function, ast.AsyncFunctionDef)
                and last_name(function.returns) == "HookResult"
                and takes_two(function, is_method=handler.is_method)
                and not _is_stub(function)
            ):
                found.setdefault(function, handler)
    return list(found.values())


def _resolve(registration: Registration, sources: list[Source]) -> list[Handler]:
    given = registration.argument(1, "handler")
    name = last_name(given)
    if isinstance(given, ast.Call):
        return _calls_of(last_name(given.func), sources)
    here = _in(registration.source)
    if isinstance(given, ast.Attribute):
        return [one for source in sources for one in _in(source) if one.name == name][:1]
    named = [one for one in here if one.name == name and not one.is_method]
    within = [one for one in named if _shares_function(registration, one)]
    if within or named:
        return (within or named)[:1]
    for node in ast.walk(registration.source.tree):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and name in map(last_name, node.targets)
        ):
            return _calls_of(last_name(node.value.func), sources)
    return [one for source in sources for one in _in(source) if one.name == name and name][:1]


def _shares_function(registration: Registration, handler: Handler) -> bool:
    """Return whether one function has both: then it is this handler, of several of its name."""
    return any(
        isinstance(node, _FUNCTIONS)
        and registration.call in (below := list(ast.walk(node)))
        and handler.function in below
        for node in ast.walk(registration.source.tree)
    )


def _calls_of(class_name: str, sources: list[Source]) -> list[Handler]:
    return [
        Handler(source, node, is_method=True)
        for source in sources
        for parent in ast.walk(source.tree)
        if isinstance(parent, ast.ClassDef) and parent.name == class_name
        for node in parent.body
        if isinstance(node, _FUNCTIONS) and node.name == "__call__"
    ][:1]


def _in(source: Source) -> list[Handler]:
    methods = {
        node: not _is_static(node)
        for parent in ast.walk(source.tree)
        if isinstance(parent, ast.ClassDef)
        for node in parent.body
        if isinstance(node, _FUNCTIONS)
    }
    return [
        Handler(source, node, is_method=methods.get(node, False))
        for node in ast.walk(source.tree)
        if isinstance(node, _FUNCTIONS)
    ]


def _is_static(function: Function) -> bool:
    return any(last_name(one) == "staticmethod" for one in function.decorator_list)


def _is_stub(function: Function) -> bool:
    """Return whether it only declares: a docstring or `...`, as in a protocol."""
    return all(
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in function.body
    )
