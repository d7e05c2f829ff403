"""The public surface, as text: a change of it shows in the diff of `public_api.txt`.

Written anew by `python -m tests.architecture.test_public_api`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, UnionType
from typing import Literal, NewType, get_args, get_origin

import instrument

PACKAGES = (
    "inspector",
    "instrument",
    "instrument.control",
    "instrument.flow",
    "instrument.guidance",
    "instrument.testing",
    "instrument.typed",
    "subscribers",
)
FILE = Path(__file__).with_name("public_api.txt")


def public_api() -> str:
    """Return one line for every public name, with its signature."""
    lines: list[str] = []
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in _names(module):
            lines += _describe(f"{package}.{name}", getattr(module, name))
    return "\n".join(lines) + "\n"


def _names(module: ModuleType) -> list[str]:
    declared: list[str] | None = getattr(module, "__all__", None)
    if declared is not None:
        return sorted(declared)
    own = (name for name, value in vars(module).items() if _is_from(value, module))
    return sorted(name for name in own if not name.startswith("_"))


def _is_from(value: object, module: ModuleType) -> bool:
    return getattr(value, "__module__", None) == module.__name__


def _describe(path: str, value: object) -> Iterator[str]:
    if not isinstance(value, type):
        yield f"{path}{_signature(value)}"
        return
    yield f"{path}: class"
    fields = inspect.get_annotations(value)
    for name in sorted(fields.keys() | vars(value).keys() | _inherited(value)):
        member = getattr(value, name, None)
        if not name.startswith("_") and (
            name in fields or inspect.isroutine(member) or isinstance(member, property)
        ):
            yield f"{path}.{name}{_type(fields[name]) if name in fields else _signature(member)}"


def _inherited(value: type) -> set[str]:
    """Return the methods from bases of ours that no package exports."""
    modules = [importlib.import_module(package) for package in PACKAGES]
    exported = [getattr(module, name) for module in modules for name in _names(module)]
    return {
        name
        for base in value.__mro__[1:]
        if base.__module__.partition(".")[0] in {"instrument", "subscribers", "inspector"}
        for name, member in vars(base).items()
        if base not in exported and inspect.isfunction(member)
    }


def _type(annotation: object) -> str:
    """Return an annotation as in the source; that of a named tuple is wrapped."""
    return f": {getattr(annotation, '__forward_arg__', annotation)}"


def _signature(value: object) -> str:
    if get_origin(value) is Literal:
        return f": {' | '.join(map(repr, get_args(value)))}"
    if isinstance(value, UnionType):
        return f": {value}"
    if isinstance(value, NewType):
        return f": {value.__supertype__.__name__}"
    if not callable(value):
        return f": {type(value).__name__}"
    signature = inspect.signature(value)
    parameters = [_with_plain_default(one) for one in signature.parameters.values()]
    return str(signature.replace(parameters=parameters))


def _with_plain_default(parameter: inspect.Parameter) -> inspect.Parameter:
    """Keep a default that is a literal; any other depends on the machine."""
    is_plain = parameter.default is inspect.Parameter.empty or isinstance(
        parameter.default, bool | int | str | tuple | None
    )
    return parameter if is_plain else parameter.replace(default=...)


def test_the_public_api_is_the_one_that_was_agreed() -> None:
    assert public_api() == FILE.read_text(encoding="utf-8"), (
        "must be agreed to by running `python -m tests.architecture.test_public_api`"
    )


def test_every_public_package_declares_its_names_in_order() -> None:
    for package in PACKAGES:
        declared = importlib.import_module(package).__all__
        assert list(declared) == sorted(declared, key=_constants_then_classes), package


def _constants_then_classes(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_everything_public_in_instrument_is_exported_or_a_module() -> None:
    public = {
        name
        for name, value in vars(instrument).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }

    assert public == set(instrument.__all__)


def test_what_only_emitters_may_use_can_be_reached_and_is_not_exported() -> None:
    assert instrument._emit is instrument.default._emit
    assert instrument._hooks is instrument.default._hooks
    assert not any(name.startswith("_") for name in instrument.__all__)


if __name__ == "__main__":
    FILE.write_text(public_api(), encoding="utf-8")
