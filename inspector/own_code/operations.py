"""Decorators that make operations of functions, and operations for any block."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar, get_args, overload

from inspector.integrations.conversion import AgentFacts
from inspector.own_code.described import Described
from inspector.own_code.wrappers import wrapped
from instrument import Bus, Operation
from instrument.default import bus as default_bus

Decorated = TypeVar(
    "Decorated",
    bound="Callable[..., Any] | staticmethod[..., Any] | classmethod[Any, ..., Any]",
)
"""What a decorator takes and gives: of the very type that it was."""

StepKind: TypeAlias = Literal[
    "embedding", "guardrail", "memory", "other", "prompt", "resource", "retrieval", "step"
]
SpanKind: TypeAlias = StepKind | Literal["agent", "llm", "tool", "workflow"]

_STEP_KINDS: tuple[str, ...] = get_args(StepKind)


@overload
def tool(
    function: Decorated,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    bus: Bus | None = None,
) -> Decorated: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, bus: Bus | None = None
) -> Callable[[Decorated], Decorated]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    bus: Bus | None = None,
) -> Any:
    """Decorate a function to run as a tool call: `@inspector.tool`, or with arguments.

    Its arguments are those of the call by name, with defaults; policies, people and interceptors
    may change them, and its result. A refused one does not run, and raises `HookDenied`. Functions,
    methods, coroutine functions, generators and callable objects stay what they are. That of a
    generator lasts while it is iterated.

    Args:
        function: A function, method or callable object.
        name: Its name; default: that of the function.
        description: What it does; default: the first paragraph of its docstring.
        bus: Default: the shared one.

    Raises:
        TypeError: It is no function, such as a class or a property.
    """
    return _decorate("tool_call", function, name, description, None, bus)


@overload
def agent(
    function: Decorated,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    bus: Bus | None = None,
) -> Decorated: ...
@overload
def agent(
    *, name: str | None = None, description: str | None = None, bus: Bus | None = None
) -> Callable[[Decorated], Decorated]: ...
def agent(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    bus: Bus | None = None,
) -> Any:
    """Decorate a function to run as an agent; like `tool`.

    Its argument, or all of them, is the agent's input. It can be refused, not changed.

    Args:
        function: A function, method or callable object.
        name: Its name; default: that of the function.
        description: What it does; default: the first paragraph of its docstring.
        bus: Default: the shared one.

    Raises:
        TypeError: It is no function, such as a class or a property.
    """
    return _decorate("agent_call", function, name, description, None, bus)


@overload
def workflow(
    function: Decorated,
    /,
    *,
    name: str | None = None,
    bus: Bus | None = None,
) -> Decorated: ...
@overload
def workflow(
    *, name: str | None = None, bus: Bus | None = None
) -> Callable[[Decorated], Decorated]: ...
def workflow(function: Any = None, /, *, name: str | None = None, bus: Bus | None = None) -> Any:
    """Decorate a function to run as a workflow; like `tool`.

    Args:
        function: A function, method or callable object.
        name: Its name; default: that of the function.
        bus: Default: the shared one.

    Raises:
        TypeError: It is no function, such as a class or a property.
    """
    return _decorate("workflow_run", function, name, None, None, bus)


@overload
def step(
    function: Decorated,
    /,
    *,
    name: str | None = None,
    kind: StepKind = "step",
    bus: Bus | None = None,
) -> Decorated: ...
@overload
def step(
    *, name: str | None = None, kind: StepKind = "step", bus: Bus | None = None
) -> Callable[[Decorated], Decorated]: ...
def step(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    kind: StepKind = "step",
    bus: Bus | None = None,
) -> Any:
    """Decorate a function to run as a step of an agent or a workflow; like `tool`.

    Args:
        function: A function, method or callable object.
        name: Its name; default: that of the function.
        kind: The kind of its span, such as `retrieval`.
        bus: Default: the shared one.

    Raises:
        TypeError: It is no function, such as a class or a property.
        ValueError: There is no such kind.
    """
    _check_kind(kind, _STEP_KINDS)
    return _decorate("step_run", function, name, None, kind, bus)


def span(
    name: str, *, kind: SpanKind = "step", args: Any = None, bus: Bus | None = None
) -> Operation:
    """Return an operation for a `with` or `async with` block.

    What the block sets as its `result` is shown. It can be refused, as by the decorators; a refusal
    is raised on entering as `HookDenied`.

    Args:
        name: Its name: of the step, tool, agent or workflow, or of the model.
        kind: The kind of the span. What policies say of tools is for a `tool`, and so on.
        args: Its input: a mapping from name to value; of an `llm`, the prompt.
        bus: Default: the shared one.

    Raises:
        ValueError: There is no such kind.
    """
    bus = bus or default_bus
    match kind:
        case "tool":
            return bus.operation("tool_call", tool_name=name, args={} if args is None else args)
        case "agent":
            return bus.operation("agent_call", agent=AgentFacts(None, name, args))
        case "workflow":
            return bus.operation("workflow_run", workflow=name, args=args)
        case "llm":
            return bus.operation("llm_generate", llm=None, model=name, prompt=args)
    _check_kind(kind, (*_STEP_KINDS, "agent", "llm", "tool", "workflow"))
    return bus.operation("step_run", step=name, kind=kind, args=args)


def _decorate(
    noun: str,
    function: Any,
    name: str | None,
    description: str | None,
    kind: str | None,
    bus: Bus | None,
) -> Any:
    def decorate(function: Any) -> Any:
        if isinstance(function, staticmethod | classmethod):
            return type(function)(decorate(function.__func__))
        _check_function(function, noun)
        made = wrapped(
            Described(
                noun,
                function,
                name=name,
                description=description,
                kind=kind,
                bus=bus or default_bus,
            )
        )
        for method in _methods(function):
            setattr(made, method, getattr(function, method))
        return made

    return decorate if function is None else decorate(function)


def _check_function(function: object, noun: str) -> None:
    attempt = f"Cannot make an operation ({noun}) of {function!r:.80}"
    if isinstance(function, str):
        raise TypeError(f"{attempt}: give its name by keyword, name={function!r:.80}.")
    if isinstance(function, property | cached_property):
        raise TypeError(f"{attempt}: put the decorator below `@property`.")
    if isinstance(function, type):
        raise TypeError(f"{attempt}: it is a class. Decorate its methods.")
    if not callable(function):
        raise TypeError(f"{attempt}: it is not a function.")
    lost = _methods(function)
    if lost and type(function).__module__ != "functools":
        raise TypeError(
            f"{attempt}: it is an object with methods ({lost[0]}), which a function would lose. "
            "Put the decorator directly above `def`, below those of a framework."
        )


def _methods(function: object) -> list[str]:
    """Return the public methods of a callable object: a function has none, a cached one has."""
    kind = type(function)
    return [
        name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))
    ]


def _check_kind(kind: str, known: tuple[str, ...]) -> None:
    if kind not in known:
        raise ValueError(f"Unknown span kind {kind!r}. Give one of {', '.join(known)}.")
