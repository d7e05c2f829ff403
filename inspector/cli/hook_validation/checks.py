"""The checks that need no running: each reads the module and yields what is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

from inspector.cli.hook_validation.finding import Finding, finding
from inspector.cli.hook_validation.flow import escaping_raises, returns_without_result, unguarded
from inspector.cli.hook_validation.functions import (
    Function,
    Handler,
    handlers,
    last_name,
    own_nodes,
    registrations,
    takes_two,
)
from inspector.cli.hook_validation.target import Entry, Source, Target
from instrument.catalogue import CATALOGUE
from instrument.control.events import ALL_EVENTS
from instrument.control.result import HookResult, ResultAction
from instrument.decision import ROLES

PRIORITIES = range(10, 91)
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


def check(target: Target) -> Iterator[Finding]:
    """Yield what reading `target` shows."""
    try:
        yield from _check(target)
    except RecursionError:
        yield finding("cannot-parse", "It is nested too deeply to be checked.", target.path)


def _check(target: Target) -> Iterator[Finding]:
    for entry in target.entries:
        yield from _check_mount(entry, target.sources)
    found = handlers(target.sources)
    for handler in found:
        yield from _check_handler(handler)
    for source in target.sources:
        yield from _check_results(source)
        yield from _check_registrations(source)
        yield from _check_imports(source)
    if target.sources:
        yield from _check_whole(target, found)


def _check_mount(entry: Entry, sources: list[Source]) -> Iterator[Finding]:
    source = next((one for one in sources if one.path == entry.file), None)
    if source is None:
        return  # it could not be parsed, and that is told
    found = _definition(entry.function, source, sources)
    if found is None:
        if not _binds(source, entry.function):
            problem = f"There is no {entry.function}() in {entry.module}."
            yield finding("no-mount", problem, entry.file)
        return
    where, mount = found
    if not isinstance(mount, ast.AsyncFunctionDef):
        yield finding("mount-not-async", f"{mount.name}() is not async.", where, mount.lineno)
    if not takes_two(mount):
        problem = f"{mount.name}() cannot be called with a coordinator and a config."
        yield finding("mount-signature", problem, where, mount.lineno)
    returned = [node.value for node in own_nodes(mount) if isinstance(node, ast.Return)]
    if all(value is None or _constant(value) is None for value in returned) and not any(
        value is not None and not isinstance(value, ast.Constant) for value in returned
    ):
        problem = f"{mount.name}() returns no function that cleans up."
        yield finding("no-cleanup", problem, where, mount.lineno)


def _definition(name: str, source: Source, sources: list[Source]) -> tuple[Path, Function] | None:
    """Return where the function `name` of a module is, also when it is imported from another."""
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return source.path, node
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    stem = (node.module or alias.name).rpartition(".")[2]
                    return _elsewhere(alias.name, stem, source, sources)
    return None


def _elsewhere(
    name: str, stem: str, asking: Source, sources: list[Source]
) -> tuple[Path, Function] | None:
    for source in sources:
        path = source.path
        if source is not asking and stem in (path.stem, path.parent.name):
            for node in source.tree.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                    return path, node
    return None


def _binds(source: Source, name: str) -> bool:
    """Return whether the module gets `name` in some other way, so that only running it tells."""
    for node in own_nodes(source.tree):
        if isinstance(node, ast.alias) and (node.asname or node.name) in (name, "*"):
            return True
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return True
    return False


def _check_handler(handler: Handler) -> Iterator[Finding]:
    function, path = handler.function, handler.source.path
    is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function))
    if not isinstance(function, ast.AsyncFunctionDef) or is_generator:
        wrong = "is a generator" if is_generator else "is not async"
        yield finding("handler-not-async", f"{handler.name} {wrong}.", path, function.lineno)
    if not takes_two(function, is_method=handler.is_method):
        problem = f"{handler.name} cannot be called with an event and its data."
        yield finding("handler-signature", problem, path, function.lineno)
    for code, line, problem in returns_without_result(function):
        yield finding(code, f"{handler.name} {problem}.", path, line)
    for statement in escaping_raises(function):
        problem = f"{handler.name} raises: {ast.unparse(statement)[:80]}."
        yield finding("handler-raises", problem, path, statement.lineno)
    risk = next(_risks(handler), None)
    if risk is not None:
        problem = f"{handler.name} lets what `{ast.unparse(risk)[:80]}` may raise go out."
        yield finding("handler-unguarded", problem, path, risk.lineno)


def _risks(handler: Handler) -> Iterator[ast.expr]:
    """Yield what may well raise outside of a try: an await, or a key that `data` may not have."""
    function = handler.function
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    data = names[-1] if names else ""
    asked = {
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
                and _constant(node.slice) not in asked
            ):
                yield node


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, without those of the statements in it."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    waiting: list[ast.AST] = [statement]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.expr | ast.withitem) and not isinstance(child, ast.Lambda):
                yield child
                waiting.append(child)


def _check_results(source: Source) -> Iterator[Finding]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or last_name(node.func) != "HookResult":
            continue
        if any(word.arg is None for word in node.keywords) or len(node.args) > 1:
            continue
        given = {word.arg: word.value for word in node.keywords if word.arg}
        if node.args:
            given["action"] = node.args[0]
        for problem in _problems(given):
            yield finding("bad-result", problem, source.path, node.lineno)


def _problems(given: dict[str, ast.expr]) -> Iterator[str]:
    for name in given.keys() - set(_FIELDS):
        yield f"HookResult has no field {name}; it has {', '.join(_FIELDS)}."
    for name, choices in _CHOICES.items():
        value = given.get(name)
        if isinstance(value, ast.Constant) and value.value not in choices:
            yield f"{name} is {value.value!r}; possible are {', '.join(choices)}."
    action = _constant(given.get("action"))
    needed = _NEEDED.get(action) if isinstance(action, str) else None
    if needed is not None:
        value = given.get(needed)
        if value is None or (isinstance(value, ast.Constant) and not value.value):
            yield f"A HookResult with action {action} has no {needed}."


def _check_registrations(source: Source) -> Iterator[Finding]:
    for registration in registrations(source):
        given = registration.argument(2, "priority")
        priority = 0 if given is None and not registration.is_open else _constant(given)
        if isinstance(priority, int) and priority not in PRIORITIES:
            problem = f"The priority {priority} is not in 10 to 90."
            if given is None:
                problem = "No priority is given, and the default 0 is before everything."
            yield finding("priority-range", problem, source.path, registration.call.lineno)
        handler = registration.argument(1, "handler")
        if isinstance(handler, ast.Lambda | ast.Constant):
            problem = f"{ast.unparse(handler)[:80]} is no async handler."
            yield finding("handler-not-async", problem, source.path, handler.lineno)


def _check_imports(source: Source) -> Iterator[Finding]:
    for node in ast.walk(source.tree):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "amplifier_core":
                line: int = getattr(node, "lineno", 0)
                problem = f"{name} is of another kernel, whose results mean nothing here."
                yield finding("foreign-import", problem, source.path, line)


def _check_whole(target: Target, found: list[Handler]) -> Iterator[Finding]:
    """Check what may be anywhere in the module."""
    nodes = [node for source in target.sources for node in ast.walk(source.tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    methods = {node.func.attr for node in calls if isinstance(node.func, ast.Attribute)}
    place = target.entries[0].file if target.entries else target.path
    if not methods & {"register", "on"}:
        yield finding("nothing-registered", "No handler is registered.", place)
    in_handlers = {node for handler in found for node in ast.walk(handler.function)}
    if not any(_logs(call) for call in calls if call not in in_handlers):
        yield finding("no-logging", "What is registered is not logged.", place)
    if not any(_constant(node) == "enabled_events" for node in nodes):
        problem = "Which events it handles cannot be configured."
        yield finding("no-enabled-events", problem, place)
    if "register_contributor" not in methods:
        yield from _check_own_events(target)


def _check_own_events(target: Target) -> Iterator[Finding]:
    for source in target.sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and node.args and last_name(node.func) == "emit":
                event = _constant(node.args[0])
                if isinstance(event, str) and event not in _KNOWN_EVENTS:
                    problem = f"The event {event} is emitted and not contributed."
                    yield finding("events-not-contributed", problem, source.path, node.lineno)


def _logs(call: ast.Call) -> bool:
    func = call.func
    is_logging = isinstance(func, ast.Attribute) and "log" in last_name(func.value).lower()
    return is_logging and last_name(func) in _LOG_METHODS


def _constant(node: ast.AST | None) -> object:
    """Return the value of a literal, also of a negative number, and None for all else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _constant(node.operand)
        return -value if isinstance(value, int | float) else None
    return node.value if isinstance(node, ast.Constant) else None
