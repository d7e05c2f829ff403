"""Generate the types of hooks from the catalogue.

`instrument/events.py` has a `TypedDict` for each hook, `instrument/signatures.py` what type
checkers know of `operation`, `call` and `call_sync`: an overload for each noun.
"""

from __future__ import annotations

from pathlib import Path

from instrument.catalogue import CATALOGUE, IDENTITY, NOUNS, Hook, Kwarg, Noun

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

_SIGNATURES = '''"""The types of `operation`, `call` and `call_sync`. Generated: `make gen`.

A noun of the catalogue takes the kwargs of its before hook, and no other; any other noun is a
`CustomNoun`, which takes all. Nothing imports this at run time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, Required, TypedDict, TypeVar, Unpack, overload

from instrument.catalogue import CustomNoun
from instrument.operations import Operation

T = TypeVar("T")
'''

_MAX_CHARS = 100
_SYNC = "fn: Callable[[Operation], T]"
_ASYNC = "fn: Callable[[Operation], Awaitable[T]]"


def class_name(hook: str) -> str:
    """Return the class of a hook's kwargs: `before_tool_call` has `BeforeToolCall`."""
    return "".join(word.capitalize() for word in hook.split("_"))


def outputs() -> dict[Path, str]:
    """Return the module and its text."""
    names = ",\n".join(f'    "{name}"' for name in sorted(map(class_name, CATALOGUE)))
    exported = f"__all__ = [\n{names},\n]\n"
    classes = "".join(_class(hook) for hook in CATALOGUE.values())
    return {
        Path("instrument/events.py"): f"{_HEAD}\n{exported}{classes}",
        Path("instrument/signatures.py"): f"{_SIGNATURES}{_kwargs_by_noun()}{_protocols()}",
    }


def _kwargs_by_noun() -> str:
    return "".join(_kwargs_of(noun) for noun in NOUNS.values())


def _kwargs_of(noun: Noun) -> str:
    """Return the class of the kwargs of a noun; only what it is known by is required."""
    fields = "\n".join(
        f"    {one.name}: {f'Required[{one.type}]' if one.name == noun.identity else one.type}"
        for one in CATALOGUE[noun.before].kwargs
        if one.name not in IDENTITY
    )
    head = f"class {class_name(noun.name)}Kwargs(TypedDict, total=False):"
    return f'\n\n{head}\n    """The kwargs of `{noun.name}`."""\n\n{fields}\n'


def _protocols() -> str:
    opening = [_overload("def", noun, None, "Operation") for noun in _nouns()]
    running = [_overload("async def", noun, fn, "T") for noun in _nouns() for fn in (_ASYNC, _SYNC)]
    running_sync = [_overload("def", noun, _SYNC, "T") for noun in _nouns()]
    return "".join(
        (
            _protocol("OperationSignature", "The signature of `operation`.", opening),
            _protocol("CallSignature", "The signature of `call`.", running),
            _protocol("CallSyncSignature", "The signature of `call_sync`.", running_sync),
        )
    )


def _nouns() -> list[tuple[str, str]]:
    """Return the types of each noun and of its kwargs; custom ones come last."""
    known = [(f'Literal["{name}"]', f"Unpack[{class_name(name)}Kwargs]") for name in NOUNS]
    return [*known, ("CustomNoun", "Any")]


def _overload(keyword: str, noun: tuple[str, str], fn: str | None, returned: str) -> str:
    name, kwargs = noun
    parameters = ["self", f"noun: {name}", *([fn] if fn else []), "/", f"**kwargs: {kwargs}"]
    line = f"    {keyword} __call__({', '.join(parameters)}) -> {returned}: ..."
    if len(line) > _MAX_CHARS:
        inner = f"        {', '.join(parameters)}"
        if len(inner) > _MAX_CHARS:
            inner = "\n".join(f"        {one}," for one in parameters)
        line = f"    {keyword} __call__(\n{inner}\n    ) -> {returned}: ..."
    return f"    @overload\n{line}\n"


def _protocol(name: str, text: str, overloads: list[str]) -> str:
    body = "".join(overloads)
    return f'\n\nclass {name}(Protocol):\n    """{text}"""\n\n{body}'


def _class(hook: Hook) -> str:
    fields = "\n".join(f"    {kwarg.name}: {_annotation(kwarg)}" for kwarg in hook.kwargs)
    head = f'class {class_name(hook.name)}(TypedDict):\n    """{hook.when}."""'
    return f"\n\n{head}\n\n{fields}\n"


def _annotation(kwarg: Kwarg) -> str:
    return kwarg.type if kwarg.always else f"NotRequired[{kwarg.type}]"
