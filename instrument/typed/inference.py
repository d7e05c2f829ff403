"""Inference of a callback's event types from its annotation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from inspect import isroutine, signature
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from instrument.delivery import describe
from instrument.typed.events import BaseHookEvent
from instrument.typed.translation import HOOKS, hooks_of


def event_types(event_type: object, callback: Callable[..., Any]) -> list[type[BaseHookEvent]]:
    """Return the event classes of `callback`, each once.

    Args:
        event_type: A class, a list of classes, or None for the annotation of the callback's first
            parameter.
        callback: The function.

    Raises:
        TypeError: A class is not an event.
        ValueError: The list is empty, or there is no annotation.
    """
    attempt = f"Cannot add {describe(callback)}"
    if event_type is None:
        kinds: Iterable[object] = _annotated(attempt, callback)
    elif isinstance(event_type, list | tuple):
        kinds = event_type
        if not event_type:
            raise ValueError(f"{attempt}: the list of events is empty.")
    else:
        kinds = (event_type,)
    found: list[type[BaseHookEvent]] = []
    for kind in kinds:
        if not isinstance(kind, type) or not hooks_of(kind):
            known = ", ".join(sorted(one.__name__ for one in HOOKS))
            raise TypeError(
                f"{attempt} for {kind!r}: it is not an event. Events: {known}; and dataclasses "
                "derived from HookEvent."
            )
        if kind not in found:
            found.append(kind)
    return found


def _annotated(attempt: str, callback: Callable[..., Any]) -> Iterable[object]:
    function: Any = callback
    while isinstance(function, partial):
        function = function.func
    if not isroutine(function):
        function = function.__call__
    try:
        first = next(iter(signature(callback).parameters))
        annotation = get_type_hints(function)[first]
    except Exception as error:
        raise ValueError(
            f"{attempt} without an event: its first parameter has no event annotation. Annotate "
            "it, or give the event: `add_callback(BeforeToolCallEvent, …)`."
        ) from error
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,)
