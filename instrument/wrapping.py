"""`Around`: an interceptor as one generator that runs before and after an operation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, TypeAlias

from instrument.delivery import describe

Steps: TypeAlias = Generator[Any, Any, Any] | AsyncGenerator[Any, Any]
Wrapper: TypeAlias = Callable[..., Steps]


class Around:
    """Runs the generators of a wrapper: up to the first `yield` before, the rest after.

    They wait under the id of their operation, which always closes. They are resumed even if another
    interceptor prevented the operation.
    """

    def __init__(self, noun: str, wrapper: Wrapper) -> None:
        if not isinstance(noun, str):
            raise TypeError(
                f"Cannot put {describe(wrapper)} around {noun!r}: the operation must be a string "
                "such as 'tool_call'."
            )
        if not callable(wrapper):
            raise TypeError(
                f"Cannot put {wrapper!r} around {noun!r}: it is not callable. "
                "Give a function with a `yield`."
            )
        self.name = describe(wrapper)
        self._wrapper = wrapper
        self._waiting: dict[str, Steps] = {}

    def before(self, /, **kwargs: Any) -> Any:
        """Run to the first `yield`; return its value, or an awaitable of it."""
        steps = self._wrapper(**kwargs)
        if not isinstance(steps, Generator | AsyncGenerator):
            raise TypeError(f"{self.name} is not a generator function: it has no `yield`.")
        call_id = kwargs.get("call_id")
        if isinstance(call_id, str):  # an event without an operation has no end
            self._waiting[call_id] = steps
        if isinstance(steps, AsyncGenerator):
            return anext(steps, None)
        return next(steps, None)

    def after(self, /, **kwargs: Any) -> Any:
        """Resume the generator; return its next value or return value, or an awaitable of it."""
        steps = self._waiting.pop(kwargs.get("call_id", ""), None)
        if steps is None:
            return None
        if isinstance(steps, AsyncGenerator):
            return _last(steps, kwargs)
        return _last_sync(steps, kwargs)


def _last_sync(steps: Generator[Any, Any, Any], kwargs: dict[str, Any]) -> Any:
    try:
        decision = steps.send(kwargs)
    except StopIteration as end:
        return end.value
    steps.close()
    return decision


async def _last(steps: AsyncGenerator[Any, Any], kwargs: dict[str, Any]) -> Any:
    try:
        decision = await steps.asend(kwargs)
    except StopAsyncIteration:
        return None
    await steps.aclose()
    return decision
