"""The JSON of a captured state, step by step."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from inspector.service.wire import Payload, Wire


class StateDifference(Wire):
    """A change at one place of a state."""

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
    """A state as a whole after one of its changes, and what that change was."""

    name: str
    names: list[str] = Field(description="Names of all states captured on this span.")
    description: str | None
    at: StatePlace
    position: int = Field(description="Among the changes of this state in the session, from 0.")
    count: int = Field(description="Number of the changes of this state in the session.")
    here: list[int] = Field(description="Positions of those on this span, the first 1000.")
    previous: StatePlace | None
    next: StatePlace | None
    value: Payload | None = Field(description="The whole state; null when it is not known.")
    problem: str | None = Field(description="The reason that the state is unknown or incomplete.")
    changes: list[StateDifference] | None = Field(
        description="Against the step before, the first 1000, in an order in which they can be "
        "applied; null when there is no such step or it is not known."
    )
    change_count: int
    is_complete: bool = Field(
        description="All of the session was looked at; else there may be more steps."
    )
