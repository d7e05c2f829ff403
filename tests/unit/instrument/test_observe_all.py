"""Observers of every event."""

from functools import partial
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument import CATALOGUE, Bus


async def test_an_observer_of_all_gets_the_name_first(bus: Bus) -> None:
    observer = Mock()
    bus.observe_all(observer)

    await bus._emit("before_tool_call", tool_name="x")
    bus._emit_sync("session_started", session_id="s", metadata={})

    assert observer.call_args_list == [
        (("before_tool_call",), {"tool_name": "x"}),
        (("session_started",), {"session_id": "s", "metadata": {}}),
    ]


async def test_an_observer_of_all_hears_hooks_outside_the_catalogue(bus: Bus) -> None:
    bus.register("known_before", Mock())
    bus.observe_all(observer := Mock())
    bus.register("known_after", Mock())

    for hook in ("known_before", "known_after", "never_known"):
        await bus._emit(hook)
        bus._emit_sync(hook)

    names = [call.args[0] for call in observer.call_args_list]
    assert names == [
        "known_before",
        "known_before",
        "known_after",
        "known_after",
        "never_known",
        "never_known",
    ]


def test_a_guarded_emitter_sees_an_observer_of_all(bus: Bus) -> None:
    off = bus.observe_all(Mock())
    assert all(bus._hooks.get(name) for name in CATALOGUE)

    off()
    off()
    assert bus._hooks == {}


@given(st.lists(st.tuples(st.sampled_from(["hook", "all", "off"]), st.integers(0, 2)), max_size=20))
def test_everybody_hears_every_event_in_order_of_registration(
    steps: list[tuple[str, int]],
) -> None:
    bus = Bus()
    heard: list[object] = []
    expected: list[tuple[object, Any]] = []

    for kind, index in steps:
        label = object()
        if kind == "hook":
            off = bus.observe("custom", lambda label=label: heard.append(label))
            expected.append((label, off))
        elif kind == "all":
            off = bus.observe_all(lambda name, /, label=label: heard.append(label))
            expected.append((label, off))
        elif index < len(expected):
            expected.pop(index)[1]()

    bus._emit_sync("custom")

    assert heard == [label for label, _ in expected]


async def test_of_two_registrations_of_one_observer_of_all_one_is_removed(bus: Bus) -> None:
    observer = Mock()
    off = bus.observe_all(observer)
    bus.observe_all(observer)
    bus.register("before_tool_call", Mock())  # else only observers of all would get it

    off()
    off()
    await bus._emit("before_tool_call")
    await bus._emit("uncatalogued")

    assert [call.args[0] for call in observer.call_args_list] == [
        "before_tool_call",
        "uncatalogued",
    ]


class Recorder:
    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, Any]]] = []

    def by_name(self, name: str, **kwargs: Any) -> None:
        self.heard.append((name, kwargs))

    async def later(self, hook: str, **kwargs: Any) -> None:
        self.heard.append((hook, kwargs))

    def bound(self, _: object, call_id: str, **kwargs: Any) -> None:
        self.heard.append((call_id, kwargs))

    def with_slash(self, name: str, /, **kwargs: Any) -> None:
        self.heard.append((name, kwargs))


async def test_an_observer_with_a_slash_takes_any_kwarg(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder()
    bus.observe_all(recorder.with_slash)

    await bus._emit("state_captured", name="plan", value=1)
    bus._emit_sync("mine", name="other")

    assert recorder.heard == [
        ("state_captured", {"name": "plan", "value": 1}),
        ("mine", {"name": "other"}),
    ]
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda recorder: recorder.by_name, "name"),
        (lambda recorder: recorder.later, "hook"),
        (lambda recorder: partial(recorder.bound, None), "call_id"),
    ],
)
async def test_an_observer_without_a_slash_gets_what_it_can_and_is_reported_once_with_the_remedy(
    bus: Bus, caplog: pytest.LogCaptureFixture, make: Any, parameter: str
) -> None:
    recorder = Recorder()
    off = bus.observe_all(make(recorder))
    bus.observe_all(make(recorder))()

    await bus._emit("state_captured", value=0, **{parameter: "clashes"})
    await bus._emit("state_captured", value=1)
    await bus._emit("not_in_the_catalogue", **{parameter: "clashes"})
    await bus._emit("not_in_the_catalogue", value=2)

    assert recorder.heard == [
        ("state_captured", {"value": 1}),
        ("not_in_the_catalogue", {"value": 2}),
    ]
    (message,) = caplog.messages
    assert f"({parameter}, /, **kwargs)" in message
    assert "Recorder." in message

    off()
    assert bus._hooks == {}


def test_a_failure_of_an_observer_without_a_slash_names_it(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(name: str, **_: Any) -> None:
        raise ValueError

    bus.observe_all(broken)
    caplog.clear()

    bus._emit_sync("before_tool_call")

    assert "broken" in caplog.messages[0]
