"""RFC 6902 patches between plain JSON values: made, applied, and as values before and after.

Only `add`, `remove` and `replace` are written and read. Values are never altered in place: what did
not change is shared between before and after.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Any
Operation: TypeAlias = dict[str, Any]
Step: TypeAlias = Literal["add", "remove", "replace"]

_WITHOUT_REFERENCES = 2
"""Version of marshal's format."""
_MAX_DEPTH = 1_000
"""Limit of the depth of a path: nothing that is sent is deeper."""


class PatchError(ValueError):
    """A patch is not valid, or does not fit the document."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One operation, and the value before it. `before` has no meaning for an `add`."""

    step: Step
    path: str
    before: Json = None
    after: Json = None


def difference(old: Any, new: Any, path: str = "") -> Iterator[Operation]:
    """Yield the RFC 6902 operations that make `new` of `old`; both are plain JSON values."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _of_objects(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_arrays(old, new, path)
    elif type(old) is not type(new) or old != new:
        yield {"op": "replace", "path": path, "value": new}


def _of_objects(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[Operation]:
    for key in old.keys() - new.keys():
        yield {"op": "remove", "path": f"{path}/{_escape(key)}"}
    for key, value in new.items():
        inner = f"{path}/{_escape(key)}"
        if key in old:
            yield from difference(old[key], value, inner)
        else:
            yield {"op": "add", "path": inner, "value": value}


def _of_arrays(old: list[Any], new: list[Any], path: str) -> Iterator[Operation]:
    """Treat what lies between the common beginning and the common end."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if not _is_same(old[i], new[i])), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if not _is_same(old[-1 - i], new[-1 - i])), rest)
    old_end, new_end = len(old) - tail, len(new) - tail
    both_end = min(old_end, new_end)
    for index in range(head, both_end):
        yield from difference(old[index], new[index], f"{path}/{index}")
    for _ in range(both_end, old_end):
        yield {"op": "remove", "path": f"{path}/{both_end}"}
    for index in range(both_end, new_end):
        yield {"op": "add", "path": f"{path}/{index}", "value": new[index]}


def _is_same(old: Any, new: Any) -> bool:
    # Bytes are compared quickly, and tell 1 from 1.0 and True; equal values may have others.
    if marshal.dumps(old, _WITHOUT_REFERENCES) == marshal.dumps(new, _WITHOUT_REFERENCES):
        return True
    return next(difference(old, new), None) is None


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def apply(document: Json, patch: Json) -> Json:
    """Return `document` with `patch` applied.

    Raises:
        PatchError: It is no patch, or does not fit.
    """
    if not isinstance(patch, list) or not all(isinstance(one, dict) for one in patch):
        raise PatchError("a patch must be a list of objects")
    for operation in patch:
        document, _ = _applied(document, operation)
    return document


def changes(before: Json, after: Json) -> Iterator[Changed]:
    """Yield the operations from `before` to `after`, in an order in which they apply."""
    document = before
    for operation in difference(before, after):
        document, changed = _applied(document, operation)
        yield changed


def _applied(document: Json, operation: Operation) -> tuple[Json, Changed]:
    step, path = operation.get("op"), operation.get("path")
    if step not in ("add", "remove", "replace") or not isinstance(path, str):
        raise PatchError(f"unsupported operation {step!r}")
    if step != "remove" and "value" not in operation:
        raise PatchError(f"{step} of {path!r} has no value")
    keys = [key.replace("~1", "/").replace("~0", "~") for key in path.split("/")[1:]]
    if (path and not path.startswith("/")) or len(keys) > _MAX_DEPTH:
        raise PatchError(f"{path!r} is not a path")
    value = operation.get("value")
    if not keys:
        if step == "remove":
            raise PatchError("cannot remove the whole document")
        return value, Changed(step, path, document, value)
    parents = [document]
    for key in keys[:-1]:
        parents.append(_member(parents[-1], key, path))
    replaced, before = _edited(parents[-1], keys[-1], step, value, path)
    for parent, key in zip(reversed(parents[:-1]), reversed(keys[:-1]), strict=True):
        replaced, _ = _edited(parent, key, "replace", replaced, path)
    return replaced, Changed(step, path, before, value)


def _member(parent: Json, key: str, path: str) -> Json:
    if isinstance(parent, dict) and key in parent:
        return parent[key]
    if isinstance(parent, list):
        return parent[_place(key, len(parent) - 1, path)]
    raise PatchError(f"{path!r} does not exist")


def _edited(parent: Json, key: str, step: Step, value: Json, path: str) -> tuple[Json, Json]:
    """Return a copy of `parent` that is changed, and what was there before."""
    if isinstance(parent, dict):
        if step != "add" and key not in parent:
            raise PatchError(f"{path!r} does not exist")
        rest = dict(parent)
        before = rest.pop(key, None) if step == "remove" else rest.get(key)
        return (rest if step == "remove" else {**rest, key: value}), before
    if isinstance(parent, list):
        return _edited_list(parent, key, step, value, path)
    raise PatchError(f"{path!r} does not exist")


def _edited_list(
    parent: list[Json], key: str, step: Step, value: Json, path: str
) -> tuple[Json, Json]:
    if step == "add":
        at = len(parent) if key == "-" else _place(key, len(parent), path)
        return [*parent[:at], value, *parent[at:]], None
    at = _place(key, len(parent) - 1, path)
    new = [] if step == "remove" else [value]
    return [*parent[:at], *new, *parent[at + 1 :]], parent[at]


def _place(key: str, last: int, path: str) -> int:
    is_number = key.isascii() and key.isdecimal() and len(key) < 10 and str(int(key)) == key
    if not is_number or int(key) > last:
        raise PatchError(f"{path!r} does not exist")
    return int(key)
