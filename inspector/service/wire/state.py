"""The JSON of a captured state, step by step."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from inspector.service.wire import Payload, Wire


class StateDifference(Wire):
    """A change of one value of a state."""

    op: Literal["add", "remove", "replace"]
    path: str = Field(description="A JSON Pointer (RFC 6901) into the state.")
    before: Payload | None = Field(description="Null when it was added.")
    after: Payload | None = Field(description="Null when it was removed.")


class StatePlace(Wire):
    """The position of a change of a state."""

    position: int
    trace_id: str | None
    span_id: str | None
    time: str


class StateStep(Wire):
    """The complete state after one of its changes, and that change."""

    name: str
    names: list[str] = Field(description="Names of all states captured on this span.")
    description: str | None
    at: StatePlace
    position: int = Field(
        description="Index among the changes of this state in the session, from 0."
    )
    count: int = Field(description="Number of the changes of this state in the session.")
    here: list[int] = Field(description="Positions of the changes on this span, the first 1000.")
    previous: StatePlace | None
    next: StatePlace | None
    value: Payload | None = Field(description="The complete state; null if unknown.")
    problem: str | None = Field(description="Why the state is unknown or incomplete.")
    changes: list[StateDifference] | None = Field(
        description="Changes since the previous step, the first 1000, in the order to apply them; "
        "null if there is no previous step or it is unknown."
    )
    change_count: int
    is_complete: bool = Field(
        description="The whole session was read; otherwise there may be more steps."
    )
