"""Checks of the source: the module before it runs, its handlers after it was mounted."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

from inspector.cli.hook_validation.finding import Finding, finding
from inspector.cli.hook_validation.flow import (
    FUNCTIONS,
    Function,
    escaping_raises,
    last_name,
    own_nodes,
    returns_without_result,
    unguarded,
)
from inspector.cli.hook_validation.target import Target
from instrument.catalogue import CATALOGUE
from instrument.control.events import ALL_EVENTS
from instrument.control.result import HookResult, ResultAction
from instrument.decision import ROLES

_ACTIONS = get_args(ResultAction)
_FIELDS = [field.name for field in fields(HookResult)]
_NEEDED = {"inject_context": "context_injection", "ask_user": "approval_prompt"}
_CHOICES = {
    "action": _ACTIONS,
    "approval_default": ("allow", "deny"),
    "context_injection_role": tuple(ROLES),
}
_LOG_METHODS = frozenset({"debug", "info", "warning", "log"})
_KNOWN_EVENTS = frozenset(ALL_EVENTS) | {
    name for hook in CATALOGUE.values() for name in (hook.name, *hook.aliases.get("control", ()))
}


def check_module(target: Target) -> Iterator[Finding]:
    """Yield the findings in the text of `target`, before any of it runs."""
    if not target.sources:
        return
    nodes = list(target.nodes())
    called = {_method(node)[1] for _, node in nodes}
    if not called & {"register", "on"}:
        yield finding("nothing-registered", "No handler is registered.", target.main_file)
    if not any(_constant(node) == "enabled_events" for _, node in nodes):
        problem = "Its events cannot be configured."
        yield finding("no-enabled-events", problem, target.main_file)
    checks = {"bad-result": _wrong_results, "foreign-import": _foreign_imports}
    if "register_contributor" not in called:
        checks["events-not-contributed"] = _own_events
    for path, node in nodes:
        for code, check in checks.items():
            for problem in check(node):
                yield finding(code, problem, path, getattr(node, "lineno", 0))


def check_handlers(target: Target, places: Collection[tuple[str, int]]) -> Iterator[Finding]:
    """Yield the findings in the text of the handlers.

    Args:
        target: The module.
        places: The file and the first line of each handler that it registers.
    """
    nodes = list(target.nodes())
    in_handlers: set[ast.AST] = set()
    for path, node in nodes:
        if isinstance(node, FUNCTIONS) and (str(path.resolve()), _first_line(node)) in places:
            in_handlers.update(ast.walk(node))
            try:
                yield from _check_handler(path, node)
            except RecursionError:
                yield finding("cannot-parse", "The code is nested too deeply to check.", path)
    if target.sources and not any(_logs(node) for _, node in nodes if node not in in_handlers):
        yield finding("no-logging", "The registration is not logged.", target.main_file)


def _first_line(function: Function) -> int:
    """Return the line that the function's code object names: that of its first decorator."""
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def _check_handler(path: Path, handler: Function) -> Iterator[Finding]:
    for code, line, problem in returns_without_result(handler):
        yield finding(code, f"{handler.name} {problem}.", path, line)
    for statement in escaping_raises(handler):
        problem = f"{handler.name} raises: {ast.unparse(statement)[:80]}."
        yield finding("handler-raises", problem, path, statement.lineno)
    risk = next(_risks(handler), None)
    if risk is not None:
        problem = f"{handler.name} does not catch what `{ast.unparse(risk)[:80]}` may raise."
        yield finding("handler-unguarded", problem, path, risk.lineno)


def _risks(function: Function) -> Iterator[ast.expr]:
    """Yield expressions outside of a try that may raise: an await, or a key missing in `data`."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    data = names[-1] if names else ""
    checked = {
        _constant(node.left)
        for node in own_nodes(function)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
    }
    for statement in unguarded(function):
        for node in _expressions(statement):
            if isinstance(node, ast.Await):
                yield node
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.ctx, ast.Load)
                and last_name(node.value) == data
                and _constant(node.slice) not in checked
            ):
                yield node


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, without those of inner statements."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    waiting: list[ast.AST] = [statement]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.expr | ast.withitem) and not isinstance(child, ast.Lambda):
                yield child
                waiting.append(child)


def _wrong_results(node: ast.AST) -> Iterator[str]:
    if not isinstance(node, ast.Call) or last_name(node.func) != "HookResult":
        return
    if any(word.arg is None for word in node.keywords) or len(node.args) > 1:
        return
    arguments = {word.arg: word.value for word in node.keywords if word.arg}
    if node.args:
        arguments["action"] = node.args[0]
    for name in arguments.keys() - set(_FIELDS):
        yield f"HookResult has no field {name}; it has {', '.join(_FIELDS)}."
    for name, choices in _CHOICES.items():
        value = arguments.get(name)
        if isinstance(value, ast.Constant) and value.value not in choices:
            yield f"{name} is {value.value!r}; use one of {', '.join(choices)}."
    action = _constant(arguments.get("action"))
    needed = _NEEDED.get(action) if isinstance(action, str) else None
    if needed is not None:
        value = arguments.get(needed)
        if value is None or (isinstance(value, ast.Constant) and not value.value):
            yield f"A HookResult with action {action} has no {needed}."


def _foreign_imports(node: ast.AST) -> Iterator[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    for name in names:
        if name.split(".")[0] == "amplifier_core":
            yield f"{name} belongs to another kernel, whose results have no effect here."


def _own_events(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and node.args and last_name(node.func) == "emit":
        event = _constant(node.args[0])
        if isinstance(event, str) and event not in _KNOWN_EVENTS:
            yield f"The event {event} is emitted and not contributed."


def _logs(node: ast.AST) -> bool:
    owner, method = _method(node)
    return method in _LOG_METHODS and "log" in owner.lower()


def _method(node: ast.AST) -> tuple[str, str]:
    """Return `b` and `c` of a call of `a.b.c`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return last_name(node.func.value), node.func.attr
    return "", ""


def _constant(node: ast.AST | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
