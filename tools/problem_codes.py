"""The codes of problems that the service answers with, read from its source."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from inspector.service.http.control_route import problem_of
from inspector.service.ingest.requests.answering import Refusal
from tools.pages import ROOT

_PLACES = {"ProblemError": (0, 1), "_refuse": (0, 1), "Refusal": (None, 0)}
"""What makes a problem: the positions of its status and of its code."""
_PASSED_ON = {"problems.py", "control_route.py", "access.py", "writers.py"}
"""Modules that make a problem from an error which has the code."""
_BY_FASTAPI = {"method_not_allowed": {405}, "bad_request": {400}}
_BY_CLASS = {
    "overloaded": {503},
    "store_unavailable": {503},
    "in_history": {503},
    "writer_away": {503},
    "history_unavailable": {503},
    "bad_query": {400},
}
_NOT_SENT = {
    *("inspector_error", "bad_setting", "bad_policies", "port_in_use", "store_error"),
    *("store_newer", "store_in_use", "untrusted_file", "not_received", "refused"),
    *("too_late", "bad_arguments", "bad_data", "too_large"),
}
"""Codes of errors that keep a service from starting, or are no answer over HTTP."""


def problem_codes() -> dict[str, set[int]]:
    """Return each code with its HTTP statuses.

    Raises:
        ValueError: A code is no literal, or a class has one that is not known here.
    """
    found: dict[str, set[int]] = defaultdict(set)
    for path in [ROOT / "inspector" / "errors.py", *(ROOT / "inspector/service").rglob("*.py")]:
        for code, status in _of_module(path):
            found[code].add(status)
    for known in (_BY_FASTAPI, _BY_CLASS):
        for code, statuses in known.items():
            found[code] |= statuses
    return found


def _of_module(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _PLACES:
                yield from _of_call(path, node, *_PLACES[name])
            case ast.ClassDef(body=body):
                for code in filter(None, map(_of_class, body)):
                    if code not in _NOT_SENT | _BY_CLASS.keys():
                        raise ValueError(f"{path}: is {code!r} an answer over HTTP?")


def _of_class(line: ast.stmt) -> str | None:
    match line:
        case ast.Assign(targets=[ast.Name("code")], value=ast.Constant(str(code))):
            return code
    return None


def _of_call(
    path: Path, call: ast.Call, status: int | None, code: int
) -> Iterator[tuple[str, int]]:
    if isinstance(named := call.args[code], ast.Constant):
        text = str(named.value)
        refused = problem_of(Refusal(text, "")).status
        yield text, refused if status is None else ast.literal_eval(call.args[status])
    elif path.name not in _PASSED_ON:
        raise ValueError(f"{path}:{call.lineno}: the code of a problem is not a literal")
