"""The gate: what may be called when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument.guidance import (
    GuidanceValueError,
    SessionState,
    SessionStateTracker,
    WorkflowViolationError,
    create_blocking_response,
    createBlockingResponse,
)

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
WITH_REPORTING = {"session_init": "initialized", "check_reporting": "ready"}


def test_a_session_goes_from_uninitialized_to_working() -> None:
    tracker = SessionStateTracker(transition_triggers=WITH_REPORTING)
    states = [tracker.state]

    for tool in ("session_init", "check_reporting", "search"):
        tracker.record_tool_call(tool)
        states.append(tracker.state)

    assert tuple(states) == get_args(SessionState)
    assert states == ["uninitialized", "initialized", "ready", "working"]


def test_before_init_a_tool_is_answered_with_what_to_do() -> None:
    tracker = SessionStateTracker()

    assert tracker.checkToolAllowed("my_tool", "abc-123") == (
        'Tool "my_tool" requires session initialization. You MUST call session_init first before '
        "using any other tools. This is a MANDATORY first action."
    )


def test_recording_a_call_updates_the_state_and_gives_guidance() -> None:
    tracker = SessionStateTracker(transition_triggers=WITH_REPORTING)

    first = tracker.recordToolCall("session_init", {"user": "me"}, "abc-123")
    second = tracker.recordToolCall("check_reporting", {}, "abc-124")
    third = tracker.recordToolCall("search", {"q": "x"}, "abc-125")
    fourth = tracker.recordToolCall("search", {"q": "y"}, "abc-126")

    assert first.guidance == "Session initialized. Ready to work."
    assert second.guidance == "Reporting checked. Ready to work."
    assert (third.transitioned, third.guidance) == (True, None)
    assert (fourth.transitioned, fourth.guidance) == (False, None)


def test_the_input_can_decide_where_contract_and_implementation_differ_about_it() -> None:
    class Careful(SessionStateTracker):
        def next_state(
            self, state: SessionState, tool_name: str, tool_input: object
        ) -> SessionState:
            if tool_name == "session_init" and tool_input != {"accept": True}:
                return state
            return super().next_state(state, tool_name, tool_input)

    tracker = Careful()

    assert not tracker.record_tool_call("session_init", {"accept": False}).transitioned
    assert tracker.record_tool_call("session_init", {"accept": True}).transitioned


def test_a_blocking_response_is_a_tool_result_that_is_an_error() -> None:
    message = SessionStateTracker().check_tool_allowed("my_tool")
    assert message is not None

    assert createBlockingResponse(message) == create_blocking_response(message)
    assert create_blocking_response(message) == {
        "isError": True,
        "content": [{"type": "text", "text": message}],
    }
    for part in ("my_tool", "session initialization", "MUST call session_init first", "MANDATORY"):
        assert part in message


def test_transitions_follow_the_trigger_map() -> None:
    tracker = SessionStateTracker(
        init_tools=["hello"],
        transition_triggers={"hello": "initialized", "goodbye": "uninitialized", "go": "working"},
        now=lambda: NOON,
    )

    assert "You MUST call hello first" in str(tracker.check_tool_allowed("search"))
    assert tracker.record_tool_call("hello").newState == "initialized"
    assert tracker.record_tool_call("go").newState == "working"
    assert tracker.record_tool_call("goodbye").previousState == "working"
    assert tracker.check_tool_allowed("search") is not None
    assert tracker.init_at is None


@pytest.mark.parametrize("reporting", [True, False])
def test_the_first_real_call_after_init_is_work(reporting: bool) -> None:
    tracker = SessionStateTracker(transition_triggers=WITH_REPORTING)
    tracker.record_tool_call("session_init")
    if reporting:
        tracker.record_tool_call("check_reporting")

    assert tracker.record_tool_call("search").new_state == "working"


def test_timing_says_where_the_session_is_and_since_when() -> None:
    tracker = SessionStateTracker(session_id="s-1", now=lambda: NOON)

    assert tracker.getTimingInfo().initAt is None
    tracker.record_tool_call("session_init", {}, 1)
    tracker.check_tool_allowed("search", "abc-123")
    info = tracker.getTimingInfo()
    assert (info.state, info.initAt, info.sessionId, info.requestId) == (
        "initialized",
        NOON,
        "s-1",
        "abc-123",
    )
    assert tracker.initAt == tracker.init_at == NOON


def test_the_clock_is_utc() -> None:
    tracker = SessionStateTracker()
    tracker.record_tool_call("session_init")

    assert tracker.init_at is not None
    assert tracker.init_at.tzinfo is UTC


def test_a_reset_begins_again() -> None:
    tracker = SessionStateTracker(session_id="s-1")
    tracker.record_tool_call("session_init", {}, "abc-123")
    tracker.reset()

    info = tracker.get_timing_info()
    assert (info.state, info.init_at, info.session_id, info.request_id) == (
        "uninitialized",
        None,
        None,
        None,
    )
    assert tracker.check_tool_allowed("search") is not None


def test_a_violation_says_which_tool_in_which_state_and_what_first() -> None:
    tracker = SessionStateTracker()

    with pytest.raises(WorkflowViolationError, match="requires session initialization") as raised:
        tracker.require_tool_allowed("search")

    error = raised.value
    assert (error.tool_name, error.current_state, error.required_action) == (
        "search",
        "uninitialized",
        "call session_init",
    )
    tracker.record_tool_call("session_init")
    tracker.require_tool_allowed("search")


TOOLS = ["session_init", "server_info", "check_reporting", "search", "write", "goodbye"]
TRIGGERS: dict[str, Any] = {**WITH_REPORTING, "goodbye": "uninitialized", "write": "working"}


@given(
    st.lists(st.sampled_from(TOOLS), max_size=30),
    st.none() | st.sets(st.sampled_from(["search", "write", "check_reporting"])),
)
def test_no_order_of_calls_opens_the_gate_but_one_with_init(
    calls: list[str], requires_init: set[str] | None
) -> None:
    tracker = SessionStateTracker(
        init_tools=["session_init", "server_info"],
        requires_init=requires_init,
        transition_triggers=TRIGGERS,
        now=lambda: NOON,
    )
    is_open = False
    for tool in calls:
        needs_init = tool not in {"session_init", "server_info"} and (
            requires_init is None or tool in requires_init
        )
        assert (tracker.check_tool_allowed(tool) is None) is (is_open or not needs_init)
        before = tracker.state
        transition = tracker.record_tool_call(tool)
        is_open = tool == "session_init" or (is_open and tool != "goodbye")
        assert tracker.is_initialized is is_open
        assert (transition.previous_state, transition.new_state) == (before, tracker.state)
        assert (tracker.init_at is not None) is is_open


@pytest.mark.parametrize(
    "options",
    [
        {"init_tools": "session_init"},
        {"requires_init": [7]},
        {"transition_triggers": {"session_init": "started"}},
        {"transition_triggers": ["session_init"]},
        {"transition_triggers": {7: "initialized"}},
        {"transition_triggers": {"search": "initialized"}},
        {"transition_triggers": {}},
        {"init_tools": []},
        {"session_id": ""},
        {"state": "working"},
    ],
)
def test_a_tracker_that_could_not_work_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(GuidanceValueError, match="Cannot create a session state tracker: "):
        SessionStateTracker(options)
