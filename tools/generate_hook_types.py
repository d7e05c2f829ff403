"""Generate `instrument/events.py`: a `TypedDict` per hook, from the catalogue."""

from __future__ import annotations

from pathlib import Path

from instrument.catalogue import CATALOGUE, Hook, Kwarg

_HEAD = '''"""The kwargs of every hook, as `TypedDict`s. Generated from the catalogue: `make gen`.

For observers that want their kwargs checked:

    def on_tool_call(**event: Unpack[BeforeToolCall]) -> None: ...

What 1.2 promises is required, what came later is `NotRequired`.
"""

# Annotations are not postponed here: `__required_keys__` would then take all for required.

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from instrument.stream import StreamStats
'''


def class_name(hook: str) -> str:
    """Return the class of a hook's kwargs: `before_tool_call` has `BeforeToolCall`."""
    return "".join(word.capitalize() for word in hook.split("_"))


def outputs() -> dict[Path, str]:
    """Return the module and its text."""
    names = ",\n".join(f'    "{name}"' for name in sorted(map(class_name, CATALOGUE)))
    exported = f"__all__ = [\n{names},\n]\n"
    classes = "".join(_class(hook) for hook in CATALOGUE.values())
    return {Path("instrument/events.py"): f"{_HEAD}\n{exported}{classes}"}


def _class(hook: Hook) -> str:
    fields = "\n".join(f"    {kwarg.name}: {_annotation(kwarg)}" for kwarg in hook.kwargs)
    head = f'class {class_name(hook.name)}(TypedDict):\n    """{hook.when}."""'
    return f"\n\n{head}\n\n{fields}\n"


def _annotation(kwarg: Kwarg) -> str:
    return kwarg.type if kwarg.always else f"NotRequired[{kwarg.type}]"
