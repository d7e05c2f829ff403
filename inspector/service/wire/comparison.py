"""The HTTP JSON of comparisons of sessions."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from inspector.service.model.rows import SpanKind, SpanStatus
from inspector.service.wire.base import Wire
from inspector.service.wire.sessions import Session
from inspector.service.wire.spans import SpanRow


class ComparedSpan(Wire):
    """A span in two sessions, or in one of them."""

    changes: list[Change] = Field(
        description="Differences of the span, the most significant first."
    )
    left: SpanRow | None = Field(description="In the first session; null when it was added.")
    right: SpanRow | None = Field(description="In the second session; null when it was removed.")
    left_own_ns: int | None = Field(description="Self time: without waits and descendants.")
    right_own_ns: int | None
    left_answer: str | None = Field(description="From just before the outputs differ.")
    right_answer: str | None


class Difference(ComparedSpan):
    """A span that differs between two sessions, or exists in only one."""

    path: list[str] = Field(
        description="Names from the root to the span; of a long path, the last ones."
    )
    span_count: int = Field(description="All spans of an added or removed subtree; otherwise 1.")


class Place(Wire):
    """The place of a step among all steps, in depth-first order."""

    row: int = Field(description="Number of earlier steps.")
    depth: int = Field(description="Number of ancestors.")
    size: int = Field(description="Number of rows from the step to its last descendant.")
    differing_below: int = Field(
        description="Number of listed differences among descendants; an added subtree counts once."
    )


class AlignedStep(ComparedSpan, Place):
    """A step of two sessions."""

    follows: bool = Field(
        description="Whether it differs after the first difference, and so may be a consequence."
    )


class AlignedSteps(Wire):
    """A page of the steps of two sessions as one tree."""

    steps: list[AlignedStep]
    row_count: int = Field(description="Number of all steps.")
    first_difference: int | None = Field(description="Row of `diverged` of `GET /compare`.")
    later_count: int = Field(
        description="Number of listed differences in later rows; 0 if it is not listed."
    )
    found_row: int | None = Field(description="Row of the requested span.")
    version: str = Field(description="Changes when rows may have moved.")
    next_row: int | None


class RunCell(Wire):
    """A step in one of several sessions."""

    trace_id: str
    span_id: str
    status: SpanStatus
    duration_ns: int | None
    own_ns: int | None = Field(
        description="Its time without waiting and spans below it: what is slower or faster."
    )
    changes: list[Change] = Field(description="Compared with the first session.")


class RunStep(Place):
    """A step of several sessions."""

    name: str
    kind: SpanKind
    cells: list[RunCell | None] = Field(
        description="By session; null: the session does not have the step."
    )
    differs: bool = Field(description="Whether any session differs from the first.")


class RunTable(Wire):
    """A page of the steps of several sessions as one tree."""

    sessions: list[Session]
    steps: list[RunStep]
    row_count: int = Field(description="Number of all steps.")
    differing_count: int
    first_difference: int | None = Field(
        description="Row that differs first in time, in more than speed or cost."
    )
    not_compared: int = Field(
        description="Spans whose content was not compared because it is too large."
    )
    version: str = Field(description="Changes when rows may have moved.")
    next_row: int | None


class Comparison(Wire):
    """The differences of two sessions, the most significant first."""

    left: Session
    right: Session
    counts: dict[Change, int] = Field(description="Number of occurrences of each change.")
    same_count: int = Field(description="Spans that are the same in both sessions.")
    difference_count: int = Field(
        description="Number of differences of the requested kinds on all pages."
    )
    differences: list[Difference]
    diverged: Difference | None = Field(
        description="The first in time that differs in more than speed or cost."
    )
    not_compared: int = Field(
        description="Spans whose content was not compared because it is too large."
    )
    next_offset: int | None


class Change(StrEnum):
    """Kind of difference of a span, in order of significance."""

    FAILED = "failed"
    RECOVERED = "recovered"
    ADDED = "added"
    REMOVED = "removed"
    OTHER_MODEL = "other_model"
    OTHER_INPUT = "asked_differently"
    OTHER_OUTPUT = "answered_differently"
    SLOWER = "slower"
    FASTER = "faster"
    DEARER = "dearer"
    CHEAPER = "cheaper"
