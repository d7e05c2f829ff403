from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subscribers.content.json_patch import PatchError, apply, changes

_KEYS = st.sampled_from(["a", "b", "a/b", "~", "", "0", "-"])
_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text("ab"),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=15,
)


def _exact(value: Any) -> str:
    """Return JSON text: `1`, `1.0` and `true` are different values."""
    return json.dumps(value, sort_keys=True)


@given(_JSON, _JSON)
def test_all_changes_one_after_another_lead_from_one_state_to_the_next(
    before: Any, after: Any
) -> None:
    state = before
    for one in changes(before, after):
        operation = {"op": one.step, "path": one.path}
        if one.step != "remove":
            operation["value"] = one.after
        state = apply(state, [operation])
    assert _exact(state) == _exact(after)


@given(_JSON, _JSON)
def test_a_change_says_what_was_there(before: Any, after: Any) -> None:
    operations = list(changes(before, after))
    backwards = after
    undo = {"add": "remove", "remove": "add", "replace": "replace"}
    for one in reversed(operations):
        operation = {"op": undo[one.step], "path": one.path, "value": one.before}
        backwards = apply(backwards, [operation])
    assert _exact(backwards) == _exact(before)


@given(_JSON, _JSON)
def test_what_a_patch_is_applied_to_stays_as_it_was(before: Any, after: Any) -> None:
    original = copy.deepcopy(before)
    list(changes(before, after))
    assert _exact(before) == _exact(original)


@pytest.mark.parametrize(
    "patch",
    [
        {"op": "add"},
        ["add"],
        [{"op": "copy", "from": "/a", "path": "/b"}],
        [{"op": "add", "path": "/a"}],
        [{"op": "add", "path": "a", "value": 1}],
        [{"op": "remove", "path": ""}],
        [{"op": "remove", "path": "/b"}],
        [{"op": "replace", "path": "/b", "value": 1}],
        [{"op": "add", "path": "/a/3", "value": 1}],
        [{"op": "add", "path": "/a/01", "value": 1}],
        [{"op": "add", "path": "/a/-1", "value": 1}],
        [{"op": "remove", "path": "/a/-"}],
        [{"op": "add", "path": "/a/0/x", "value": 1}],
        [{"op": "add", "path": "/x" * 2_000, "value": 1}],
    ],
)
def test_a_patch_that_does_not_fit_is_refused(patch: Any) -> None:
    with pytest.raises(PatchError):
        apply({"a": [1]}, patch)
