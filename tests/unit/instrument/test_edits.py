"""In-place edits of an interceptor, reported as changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument import Bus, Decision
from instrument.edits import MAX_NODES, copies_of, edited
from tests.unit.instrument.conftest import Person

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("says", "action"),
    [
        (None, "modify"),
        (Decision.continue_("fine"), "modify"),
        (Decision.inject_context("be careful"), "inject_context"),
        (Decision.ask_user("Really?"), "ask_user"),
    ],
)
async def test_an_edit_in_place_is_a_modification(says: Decision | None, action: str) -> None:
    bus = Bus()
    bus.set_approval_provider(Person("Allow"))
    decided: list[dict[str, Any]] = []
    bus.register("hook_decided", lambda **kwargs: decided.append(kwargs))

    def sly(args: dict[str, Any], **_: Any) -> Decision | None:
        args["paths"].append("/etc")
        return says

    bus.intercept("before_tool_call", sly, name="sly")
    bus.intercept("before_tool_call", lambda **_: None, name="honest")
    async with bus.operation("tool_call", tool_name="rm", args={"paths": ["/tmp"]}) as op:
        assert op.args == {"paths": ["/tmp", "/etc"]}
    assert [(one["interceptor"], one["action"]) for one in decided[:2]] == [
        ("sly", action),
        ("honest", "continue"),
    ]
    assert decided[0]["before"] == {"args": {"paths": ["/tmp"]}}
    assert decided[0]["after"] == {"args": {"paths": ["/tmp", "/etc"]}}
    assert decided[1]["before"] is None


@given(JSON)
def test_what_nobody_touched_is_unchanged(value: Any) -> None:
    data = {"args": value, "tool_name": "t"}
    assert edited(copies_of(("args", "tool_name"), data), data) == {}


@given(st.dictionaries(st.text(max_size=3), JSON, min_size=1), st.data())
def test_every_replaced_value_is_noticed(value: dict[str, Any], draw: st.DataObject) -> None:
    data = {"args": value}
    copies = copies_of(("args", "tool_name"), data)
    value[draw.draw(st.sampled_from(list(value)))] = object()
    assert edited(copies, data) == {"args": value}


def test_what_is_too_large_or_endless_is_not_compared() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert copies_of(("args", "tool_name"), {"args": {"x": endless}}) == {}
    assert copies_of(("args", "tool_name"), {"args": {"x": [0] * MAX_NODES}}) == {}
    assert copies_of(("args", "tool_name"), {"args": {"x": 1}}) == {"args": {"x": 1}}


@pytest.mark.parametrize("change", [dict.clear, lambda args: args.update({len(args): "new"})])
@pytest.mark.parametrize("step", range(1, 7))
def test_args_that_another_thread_changes_while_they_are_compared_are_reported(
    change: Callable[[dict[Any, Any]], object], step: int
) -> None:
    """A key that changes its dict while it is hashed stands for the other thread."""
    steps = 0

    class Key:
        def __hash__(self) -> int:
            nonlocal steps
            steps += 1
            if steps == step:
                change(args)
            return 1

    args: dict[Any, Any] = {}
    args |= {Key(): 1, "path": "/"}
    steps = 0
    bus, reported = Bus(), []
    bus.intercept("before_tool_call", lambda **_: None)
    bus.observe("before_tool_call", lambda **kwargs: reported.append(kwargs["tool_name"]))
    assert bus.dispatch_sync("before_tool_call", tool_name="rm", args=args).is_allowed
    assert reported == ["rm"]
