"""Calls of the framework's methods as operations, sync or async, by one wrapper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

from inspector.integrations.patches import Patches
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import NO_RESULT, ErrorResultError, instead_of
from instrument import Bus, CustomNoun, Operation
from instrument.operations import current_call_id

NOTHING: Any = object()
Describe: TypeAlias = "Callable[[Any, tuple[Any, ...], dict[str, Any]], Call | None]"


class Call:
    """One call of a method, as hook kwargs and in the framework's types.

    Subclasses set `noun` and `hook_kwargs`, and override how values are converted.

    Args:
        owner: The object whose method is called.
        args: The other positional arguments.
        kwargs: The keyword arguments.
    """

    noun: str
    hook_kwargs: dict[str, Any]
    session_id: str | None = None
    """The session of an outermost call."""

    def __init__(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.owner, self.args, self.kwargs = owner, args, kwargs
        self.operation: Operation | None = None
        self.returned: Any = NOTHING
        self._reported: Any = NOTHING

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """Return an argument, however it is passed."""
        if position < len(self.args):
            return self.args[position]
        return self.kwargs.get(name, default)

    def with_argument(self, position: int, name: str, value: Any) -> None:
        """Pass another value for an argument."""
        if position < len(self.args):
            self.args = (*self.args[:position], value, *self.args[position + 1 :])
        else:
            self.kwargs = {**self.kwargs, name: value}

    def prepare(self, operation: Operation) -> None:
        """Put the hooks' changes into the arguments, before each attempt."""

    def around(self) -> AbstractContextManager[object]:
        """Return a context manager to call the method in."""
        return nullcontext()

    def report(self, operation: Operation, returned: Any) -> Any:
        """Return what to report of the method's result: `ErrorResultError` of an error."""
        return returned

    def pause(self, error: Exception) -> Any:
        """Return the result in place of an exception that is no error; None of others."""

    def make(self, result: Any) -> Any:
        """Return a hook's result as the method returns it."""
        return result

    def refuse(self, text: str) -> Any:
        """Return the result of a refused call, or raise."""
        raise aborted(text)

    def finish(self, result: Any) -> Any:
        """Return what the method returns, by the result that hooks left."""
        if self.returned is not NOTHING and result is self._reported:
            return self.returned
        return self.make(result)

    def attempt(self, operation: Operation) -> None:
        """Begin an attempt."""
        self.operation, self.returned, self._reported = operation, NOTHING, NOTHING
        self.prepare(operation)

    def receive(self, returned: Any, reported: Any) -> Any:
        """Keep the result of an attempt, and return what to report of it."""
        self.returned, self._reported = returned, reported
        if isinstance(reported, ErrorResultError):
            raise reported
        return reported


class WrappedCalls:
    """Wraps methods of the framework.

    Args:
        bus: The bus that they are reported on.
        patches: The adapter's patches.
    """

    def __init__(self, bus: Bus, patches: Patches) -> None:
        self._bus, self._patches = bus, patches

    def put(self, owner: Any, names: Mapping[str, Describe]) -> None:
        """Wrap methods of a class."""
        for name, describe in names.items():
            self._patches.put(owner, name, self.wrapping(describe))

    def wrapping(self, describe: Describe) -> Callable[[Any], Any]:
        """Return what wraps a method; `describe` returns None for a call that is not watched."""

        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            wrapped = self._wrap_async if iscoroutinefunction(original) else self._wrap_sync
            return wraps(original)(wrapped(describe, original))

        return wrap

    def _wrap_sync(self, describe: Describe, original: Callable[..., Any]) -> Callable[..., Any]:
        def method(owner: Any, /, *args: Any, **kwargs: Any) -> Any:
            call = self._described(describe, owner, args, kwargs)
            if call is None:
                return original(owner, *args, **kwargs)

            def body(operation: Operation) -> Any:
                call.attempt(operation)
                with call.around():
                    returned = original(owner, *call.args, **call.kwargs)
                return call.receive(returned, self._report(call, operation, returned))

            try:
                with in_session(self._session_id(call)):
                    result = self._bus.call_sync(CustomNoun(call.noun), body, **call.hook_kwargs)
            except NO_RESULT as error:
                result = _outcome(call, error)
            return call.finish(result)

        return method

    def _wrap_async(self, describe: Describe, original: Callable[..., Any]) -> Callable[..., Any]:
        async def method(owner: Any, /, *args: Any, **kwargs: Any) -> Any:
            call = self._described(describe, owner, args, kwargs)
            if call is None:
                return await original(owner, *args, **kwargs)

            async def body(operation: Operation) -> Any:
                call.attempt(operation)
                try:
                    with call.around():
                        returned = await original(owner, *call.args, **call.kwargs)
                except Exception as error:
                    returned = call.pause(error)
                    if returned is None:
                        raise
                return call.receive(returned, self._report(call, operation, returned))

            try:
                with in_session(self._session_id(call)):
                    result = await self._bus.call(CustomNoun(call.noun), body, **call.hook_kwargs)
            except NO_RESULT as error:
                result = _outcome(call, error)
            return call.finish(result)

        return method

    def _described(
        self, describe: Describe, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Call | None:
        if not self._bus._hooks:
            return None
        return self._patches.attempt(lambda: describe(owner, args, kwargs))

    def _report(self, call: Call, operation: Operation, returned: Any) -> Any:
        return self._patches.attempt(lambda: call.report(operation, returned))

    def _session_id(self, call: Call) -> str | None:
        return call.session_id if current_call_id(self._bus) is None else None


def _outcome(call: Call, error: Exception) -> Any:
    """Return the result in place of one of `NO_RESULT`; raise a refusal of a run."""
    if isinstance(error, ErrorResultError):
        call.returned = call._reported = error.result
        return error.result
    return instead_of(error, call.refuse)


def aborted(text: str) -> Exception:
    """Return the framework's own exception of a hook that stops a run: it is not tried again."""
    from crewai.hooks import HookAborted  # noqa: PLC0415 - imported here only

    error: Exception = HookAborted(text, source="inspector")
    return error
