"""Functions with which a program reports its state.

Both emit the hook `state_captured`, so they cost nothing without observers and never raise.
`content/snapshots.py` makes patches of large states.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from instrument import Bus
from instrument.default import bus as default_bus

_F = TypeVar("_F", bound=Callable[..., Any])


def capture_state(
    name: str, value: Any, *, description: str | None = None, bus: Bus | None = None
) -> None:
    """Record `value` as an `inspector.state` event on the current span.

    Plain JSON values, dataclasses, pydantic models and attrs classes are shown whole and without
    secrets, objects of other classes by the class's name. Above 30 KB the event has the change
    since the last capture under the same name in this trace.

    Args:
        name: Short name, the same each time.
        value: Read before this returns, and not stored.
        description: For people.
        bus: Default: the shared one.
    """
    _emit(bus, name, value, description, is_result=False)


def dump_state_to_span(
    description: str | None = None, *, bus: Bus | None = None
) -> Callable[[_F], _F]:
    """Decorate a function, `def` or `async def`, to capture its result like `capture_state`.

    Args:
        description: Name of the state; default: the name of the function.
        bus: Default: the shared one.
    """

    def decorate(function: _F) -> _F:
        name = description or str(getattr(function, "__name__", type(function).__name__))

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def dumping_async(*args: Any, **kwargs: Any) -> Any:
                result = await function(*args, **kwargs)
                _emit(bus, name, result, description, is_result=True)
                return result

            return cast(_F, dumping_async)

        @functools.wraps(function)
        def dumping(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            _emit(bus, name, result, description, is_result=True)
            return result

        return cast(_F, dumping)

    return decorate


def _emit(
    bus: Bus | None, name: str, value: Any, description: str | None, *, is_result: bool
) -> None:
    (bus or default_bus)._emit_sync(
        "state_captured", name=name, value=value, description=description, is_result=is_result
    )
