"""The arguments of a call by their names, and a call by names again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, NamedTuple

from instrument import HookContractError

_OWNERS = frozenset({"self", "cls", "mcs"})
"""Names of a first parameter that is whose method it is, and no argument."""
_ANY_CALL = inspect.Signature(
    [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
)
_PLAIN = (bool, int, float, str, list, tuple, dict, type(None))


class BoundCall(NamedTuple):
    """The arguments of one call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shown: dict[str, Any]
    """By name, with defaults that are plain data, and without whose method it is."""


class Parameters:
    """The parameters of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError):  # a built-in that does not say
            self._signature = _ANY_CALL
        self._all = list(self._signature.parameters.values())
        first = self._all[0] if self._all else None
        self._has_owner = (
            first is not None
            and first.name in _OWNERS
            and first.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        )

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundCall:
        """Return the arguments of a call, also of one that does not fit."""
        try:
            bound = self._signature.bind(*args, **kwargs).arguments
        except TypeError:  # the call itself raises it
            return BoundCall(args, kwargs, {**({"args": list(args)} if args else {}), **kwargs})
        shown: dict[str, Any] = {}
        for one in self._own(args):
            if one.name not in bound:
                if isinstance(one.default, _PLAIN):
                    shown[one.name] = one.default
            elif one.kind is Parameter.VAR_KEYWORD:
                shown = {**bound[one.name], **shown}
            elif one.kind is Parameter.VAR_POSITIONAL:
                shown[one.name] = list(bound[one.name])
            else:
                shown[one.name] = bound[one.name]
        return BoundCall(args, kwargs, shown)

    def rebind(self, call: BoundCall, final: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments to call with, after interceptors had their say.

        Raises:
            HookContractError: `final` are no arguments.
        """
        if not isinstance(final, Mapping):
            raise HookContractError(
                f"Cannot call a function with {type(final).__name__} as its arguments: "
                "an interceptor must give a mapping from name to value."
            )
        if _is_same(self.bind(call.args, call.kwargs).shown, final):
            return call.args, call.kwargs
        keywords = dict(final)
        rest: list[Any] = []
        own = self._own(call.args)
        for one in own:
            if one.kind is Parameter.VAR_POSITIONAL:
                rest = list(keywords.pop(one.name, ()))
        positional = list(call.args[:1]) if self._has_owner else []
        for one in own:
            is_positional = one.kind is Parameter.POSITIONAL_OR_KEYWORD and bool(rest)
            if one.kind is not Parameter.POSITIONAL_ONLY and not is_positional:
                continue
            if one.name not in keywords and one.default is Parameter.empty:
                break  # the call itself says what is missing
            positional.append(keywords.pop(one.name, one.default))
        return (*positional, *rest), keywords

    def _own(self, args: tuple[Any, ...]) -> list[Parameter]:
        """Return all parameters but whose method it is, which nobody passes by name."""
        return self._all[1:] if self._has_owner and args else self._all


def _is_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether the values are the same objects; a list of a call is made anew each time."""
    return before.keys() == now.keys() and all(
        value is now[name] or _has_same_items(value, now[name]) for name, value in before.items()
    )


def _has_same_items(before: Any, now: Any) -> bool:
    if type(before) is not list or type(now) is not list or len(before) != len(now):
        return False
    return all(one is other for one, other in zip(before, now, strict=True))
