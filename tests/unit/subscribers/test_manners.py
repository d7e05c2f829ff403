"""Rules of the bridge towards the agent, as for any subscriber."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import pytest

from instrument import CATALOGUE
from tests.unit.subscribers.conftest import Traced

NESTED: dict[str, Any] = {
    "role": "user",
    "content": [{"type": "text", "text": "my key is sk-abcdefghijklmnopqrstuvwxyz0123456789"}],
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"q": ["otters"] * 5000}},
}


@pytest.mark.parametrize("hook", CATALOGUE)
async def test_the_bridge_changes_no_value_of_a_hook(traced: Traced, hook: str) -> None:
    kwargs = {kwarg.name: copy.deepcopy(NESTED) for kwarg in CATALOGUE[hook].kwargs}

    await traced.bus._emit(hook, **kwargs)

    assert kwargs == dict.fromkeys(kwargs, NESTED)


def test_the_bridge_takes_events_from_sync_and_from_async_code(traced: Traced) -> None:
    observers = [fn for entries in traced.bus._hooks.values() for fn in entries]

    assert observers
    assert not any(inspect.iscoroutinefunction(fn) for fn in observers)
