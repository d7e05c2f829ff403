from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.states import Step, step_at
from inspector.service.model.rows import Json, Moment
from subscribers.content.snapshots import Snapshots

_STATES: Any = st.lists(
    st.dictionaries(
        st.sampled_from(["plan", "seen", "left/right"]),
        st.lists(st.integers(0, 3), max_size=6) | st.text("ab", max_size=30) | st.none(),
    ),
    min_size=1,
    max_size=8,
)


def _moment(at: int, attributes: dict[str, Json], trace: str = "1") -> Moment:
    attributes = {f"inspector.state.{name}": value for name, value in attributes.items()}
    return Moment("s", trace, "a", at, "inspector.state", attributes)


def _captured(states: list[Any], max_bytes: int = 40) -> list[Moment]:
    """Return what is sent of these states, one after another."""
    taking, moments = Snapshots(None, max_bytes), []
    for at, state in enumerate(states):
        snapshot = taking.take("k", state)()
        attributes: dict[str, Json] = {
            "name": "memory",
            "hash": snapshot.hash,
            "base": snapshot.base,
        }
        if snapshot.patch is not None:
            attributes["patch"] = snapshot.patch.text
        if snapshot.value is not None:
            attributes["value"] = snapshot.value.text
            attributes["value_truncated"] = snapshot.value.is_truncated
        moments.append(_moment(at, attributes))
    return moments


def _all(moments: list[Moment]) -> list[Step]:
    return [step_at(moments, position) for position in range(len(moments))]


@given(_STATES)
def test_each_state_is_known_whole_or_reported_as_unknown(states: list[Any]) -> None:
    for state, step in zip(states, _all(_captured(states)), strict=True):
        if step.problem is None:
            assert step.text is not None
            assert json.loads(step.text) == state


@given(_STATES)
def test_a_chain_that_has_all_its_links_is_resolved_to_its_end(states: list[Any]) -> None:
    moments = _captured(states, max_bytes=100_000)
    assert [json.loads(step.text or "") for step in _all(moments)] == states
    assert [step.change_count == 0 for step in _all(moments)[1:]] == [
        before == after for before, after in pairwise(states)
    ]


def test_a_patch_without_the_state_before_it_is_reported() -> None:
    patch: dict[str, Json] = {"patch": '[{"op":"add","path":"/a","value":1}]', "base": "b"}
    (alone,) = _all([_moment(0, patch)])
    assert alone.text is None
    assert "is missing" in (alone.problem or "")
    _, behind_another = _all([_moment(0, {"value": "{}", "hash": "other"}), _moment(1, patch)])
    assert "is missing" in (behind_another.problem or "")


def test_a_patch_that_leads_elsewhere_is_not_believed() -> None:
    first: dict[str, Json] = {"value": "{}", "hash": "h"}
    second: dict[str, Json] = {
        "patch": '[{"op":"add","path":"/a","value":1}]',
        "base": "h",
        "hash": "not this",
    }
    _, step = _all([_moment(0, first), _moment(1, second)])
    assert (step.text, step.changes) == (None, None)
    assert "hash mismatch" in (step.problem or "")


def test_a_patch_applies_to_the_last_state_of_its_own_trace() -> None:
    patch = '[{"op":"add","path":"/a","value":1}]'
    moments = [
        _moment(0, {"value": '{"of":"1"}'}),
        _moment(1, {"value": '{"of":"2"}'}, trace="2"),
        _moment(2, {"patch": patch}),
    ]
    assert json.loads(_all(moments)[2].text or "") == {"of": "1", "a": 1}


def test_a_number_stays_as_it_was_written() -> None:
    moments = [
        _moment(0, {"value": '{"id":9007199254740993,"x":1.10}'}),
        _moment(1, {"patch": '[{"op":"add","path":"/b","value":9007199254740995}]'}),
    ]
    first, second = _all(moments)
    assert first.text == '{"id":9007199254740993,"x":1.10}'
    assert "9007199254740993" in (second.text or "")
    assert "9007199254740995" in (second.text or "")
