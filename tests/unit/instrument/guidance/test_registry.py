"""Which hooks count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument.guidance import (
    DuplicateHookError,
    GuidanceValueError,
    HookDefinition,
    HookRegistry,
    create_hook_registry,
    createHookRegistry,
)

Make = Callable[..., HookDefinition]


def tags(hooks: list[HookDefinition]) -> list[str]:
    return [hook.tag for hook in hooks]


@pytest.mark.parametrize("options", [({"app": "my-server"}, {}), (None, {"app": "my-server"})])
def test_the_registry_gives_its_app_to_hooks_that_name_none(
    options: tuple[dict[str, str] | None, dict[str, str]], make: Make
) -> None:
    mapping, named = options
    registry = createHookRegistry(mapping, **named)

    hook = registry.register(make())
    other = registry.register(make(app="elsewhere"))

    assert hook.id == "my-server:session:start:welcome"
    assert other.id == "elsewhere:session:start:welcome"


def test_contract_and_implementation_differ_so_app_is_optional(make: Make) -> None:
    assert create_hook_registry().register(make()).id == "mcp-toolkit:session:start:welcome"


def test_hooks_are_registered_found_counted_and_removed(registry: HookRegistry, make: Make) -> None:
    first = registry.register(make())
    second, third = registry.registerAll([make(tag="b"), {**FIELDS, "tag": "c"}])

    assert registry.all() == [first, second, third]
    assert registry.size() == 3
    assert registry.get(first.id) is first
    assert registry.has(third.id)
    assert registry.unregister(first.id) is True
    assert registry.unregister(first.id) is False
    assert registry.get(first.id) is None
    assert not registry.has(first.id)
    assert registry.size() == 2
    registry.clear()
    assert registry.size() == 0
    assert registry.all() == []


FIELDS: dict[str, Any] = {
    "tag": "welcome",
    "type": "session",
    "lifecycle": "start",
    "name": "Welcome",
    "requirementLevel": "SHOULD",
}


def test_a_hook_is_registered_as_definition_mapping_or_keywords(registry: HookRegistry) -> None:
    registry.register(HookDefinition.parse(FIELDS, tag="a"))
    registry.register({**FIELDS, "tag": "b"})
    registry.register(tag="c", type="session", lifecycle="start", name="C", requirement_level="MAY")

    assert tags(registry.all()) == ["a", "b", "c"]


def test_an_id_is_registered_once(registry: HookRegistry, make: Make) -> None:
    registry.register(make())

    with pytest.raises(DuplicateHookError, match=r"'my-server:session:start:welcome': the id is"):
        registry.register(make(name="Another"))
    registry.register(make(lifecycle="end"))


def test_when_one_of_several_cannot_be_added_none_is(registry: HookRegistry, make: Make) -> None:
    registry.register(make())

    with pytest.raises(DuplicateHookError):
        registry.register_all([make(tag="new"), make()])
    with pytest.raises(DuplicateHookError):
        registry.register_all([make(tag="twice"), make(tag="twice")])
    with pytest.raises(GuidanceValueError):
        registry.register_all([make(tag="new"), {"tag": "incomplete"}])
    assert tags(registry.all()) == ["welcome"]


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({}, ["a", "b", "c", "d"]),
        ({"type": "session"}, ["a", "b"]),
        ({"lifecycle": "start"}, ["a", "c"]),
        ({"type": "session", "lifecycle": "start"}, ["a"]),
        ({"storage": "memory"}, ["a", "b", "c", "d", "stored"]),
        ({"features": ["sampling"]}, ["a", "b", "c", "d", "featured"]),
        ({"config": {"debug": True}}, ["a", "b", "c", "d"]),
        ({"requestId": "abc-123"}, ["a", "b", "c", "d", "requested"]),
        ({"sessionId": "s-1"}, ["a", "b", "c", "d", "in-session"]),
        ({"tags": ["blue", "green"]}, ["d"]),
        ({"type": None, "tags": []}, ["a", "b", "c", "d"]),
    ],
)
def test_a_query_filters_by_each_key(
    keys: dict[str, object], found: list[str], registry: HookRegistry, make: Make
) -> None:
    registry.register_all(
        [
            make(tag="a"),
            make(tag="b", lifecycle="end"),
            make(tag="c", type="action"),
            make(tag="d", type="storage", lifecycle="end", tags=["blue"]),
            make(tag="stored", type="config", lifecycle="cancel", conditions=stored("memory")),
            make(
                tag="featured",
                type="config",
                lifecycle="cancel",
                conditions={"requires_features": ["sampling"]},
            ),
            make(tag="requested", type="config", lifecycle="cancel", request_id="abc-123"),
            make(tag="in-session", type="config", lifecycle="cancel", session_id="s-1"),
        ]
    )

    assert tags(registry.query(keys)) == found
    assert tags(registry.query(**keys)) == found


def stored(*backends: str) -> dict[str, list[str]]:
    return {"requires_storage": list(backends)}


@pytest.mark.parametrize(
    ("active", "counts"),
    [("memory", True), ("file", True), (["redis", "file"], True), ("redis", False), (None, False)],
)
def test_one_of_the_required_storages_will_do(
    active: object, counts: bool, registry: HookRegistry, make: Make
) -> None:
    registry.register(make(conditions=stored("memory", "file")))

    assert bool(registry.query(storage=active)) is counts


@pytest.mark.parametrize(
    ("available", "counts"),
    [
        ({"features": ["sampling", "tools"]}, True),
        ({"features": ["sampling"], "feature": "tools"}, True),
        ({"features": "sampling"}, False),
        ({"feature": "tools"}, False),
        ({}, False),
    ],
)
def test_all_of_the_required_features_are_needed(
    available: dict[str, object], counts: bool, registry: HookRegistry, make: Make
) -> None:
    registry.register(make(conditions={"requires_features": ["tools", "sampling"]}))

    assert bool(registry.query(available)) is counts


@pytest.mark.parametrize(
    ("config", "counts"),
    [
        ({"debug": True, "level": {"deep": 1}, "more": 1}, True),
        ({"debug": False, "level": {"deep": 1}}, False),
        ({"debug": True}, False),
        ({}, False),
    ],
)
def test_the_required_configuration_must_match(
    config: dict[str, object], counts: bool, registry: HookRegistry, make: Make
) -> None:
    required = {"debug": True, "level": {"deep": 1}}
    registry.register(make(conditions={"requires_config": required}))

    assert bool(registry.query(config=config)) is counts


def test_a_required_none_is_not_met_by_a_missing_key(registry: HookRegistry, make: Make) -> None:
    registry.register(make(conditions={"requires_config": {"proxy": None}}))

    assert not registry.query(config={})
    assert registry.query(config={"proxy": None})


def test_a_hook_of_one_request_is_for_that_request_alone(
    registry: HookRegistry, make: Make
) -> None:
    registry.register(make(tag="mine", request_id="abc-123"))
    registry.register(make(tag="everyones"))
    registry.register(make(tag="seventh", request_id=7))

    assert tags(registry.query(request_id="abc-123")) == ["mine", "everyones"]
    assert tags(registry.query(request_id="other")) == ["everyones"]
    for number in (7, "7"):
        assert tags(registry.query(request_id=number)) == ["everyones", "seventh"]
    assert tags(registry.query()) == ["everyones"]


@pytest.mark.parametrize("lifecycle", ["running", "progress", "cancel"])
def test_hooks_of_a_running_request_are_tied_to_request_and_session(
    lifecycle: str, registry: HookRegistry, make: Make
) -> None:
    registry.register(
        make(type="action", lifecycle=lifecycle, request_id="abc-123", session_id="s-1")
    )
    keys = {"type": "action", "lifecycle": lifecycle}

    assert registry.query({**keys, "requestId": "abc-123", "sessionId": "s-1"})
    assert not registry.query({**keys, "requestId": "abc-123", "sessionId": "s-2"})
    assert not registry.query({**keys, "requestId": "def-456", "sessionId": "s-1"})
    assert not registry.query({**keys, "requestId": "abc-123"})


def test_an_empty_query_leaves_out_hooks_whose_storage_or_features_are_not_there(
    registry: HookRegistry, make: Make
) -> None:
    registry.register(make(tag="a", conditions=stored("memory")))
    registry.register(make(tag="b", conditions={"requires_features": ["sampling"]}))
    registry.register(make(tag="c"))

    found = registry.query({})

    assert tags(found) == ["c"]
    assert [(hook.tag, reason) for hook, reason in found.skipped] == [
        ("a", "requires storage: memory"),
        ("b", "requires features: sampling"),
    ]


def test_the_configuration_is_looked_at_only_when_there_is_one(
    registry: HookRegistry, make: Make
) -> None:
    registry.register(make(conditions={"requires_config": {"debug": True}}))

    assert registry.query()
    assert not registry.query(config={"debug": False})


@given(st.lists(st.integers(-5, 5), max_size=20))
def test_results_come_by_priority_higher_first_and_else_as_registered(
    priorities: list[int],
) -> None:
    registry = create_hook_registry()
    for number, priority in enumerate(priorities):
        registry.register(FIELDS, tag=f"t{number}", priority=priority)

    found = [(-hook.priority, int(hook.tag[1:])) for hook in registry.query()]

    assert found == sorted(found)
    assert len(found) == len(priorities)


def test_what_a_query_skipped_says_everything_that_is_missing_but_no_configured_value(
    registry: HookRegistry, make: Make
) -> None:
    conditions = {
        "requires_storage": ["memory", "file"],
        "requires_features": ["tools", "sampling", "prompts"],
        "requires_config": {"token": "s3cret", "debug": True},
    }
    registry.register(make(conditions=conditions))

    [(_, reason)] = registry.query(feature="sampling", config={"debug": True}).skipped

    assert reason == (
        "requires storage: memory or file; requires features: tools, prompts; "
        "requires config: token"
    )


def test_hooks_outside_a_query_are_not_called_skipped(registry: HookRegistry, make: Make) -> None:
    registry.register(make(type="storage", conditions=stored("memory")))

    assert registry.query(type="session").skipped == ()


@pytest.mark.parametrize(
    "keys",
    [
        {"type": "sesion"},
        {"lifecycle": "begin"},
        {"features": ["telepathy"]},
        {"feature": 7},
        {"storage": 7},
        {"tags": {"blue": 1}},
        {"config": "debug"},
        {"request_id": ""},
        {"kind": "session"},
    ],
)
def test_a_query_that_no_hook_could_answer_is_refused(
    keys: dict[str, object], registry: HookRegistry
) -> None:
    with pytest.raises(GuidanceValueError, match=r"Cannot query hooks: "):
        registry.query(keys)


@pytest.mark.parametrize("options", [{"app": 7}, {"app": "a b"}, {"name": "x"}])
def test_a_registry_with_bad_options_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(GuidanceValueError, match="Cannot create a hook registry: "):
        create_hook_registry(options)
