"""The HTTP JSON of a comparison of two sessions."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from inspector.service.wire.base import Wire
from inspector.service.wire.sessions import Session
from inspector.service.wire.spans import SpanRow


class Difference(Wire):
    """A span that is not the same in two sessions, or that only one of them has."""

    changes: list[Change] = Field(description="Its differences, the most significant first.")
    path: list[str] = Field(description="Names from the root to the span; of many, the last ones.")
    left: SpanRow | None = Field(description="In the first session; null when it was added.")
    right: SpanRow | None = Field(description="In the second one; null when it was removed.")
    span_count: int = Field(description="With all descendants if it was added or removed; else 1.")
    left_own_ns: int | None = Field(description="Its time without waiting and spans below it.")
    right_own_ns: int | None
    left_answer: str | None = Field(description="From a little before the answers part.")
    right_answer: str | None


class Comparison(Wire):
    """The differences of two sessions, the most significant first."""

    left: Session
    right: Session
    counts: dict[Change, int] = Field(description="Number of occurrences of each change.")
    same_count: int = Field(description="Spans that have a pair and do not differ.")
    difference_count: int = Field(
        description="Number of differences of the requested kinds, on all pages."
    )
    differences: list[Difference]
    diverged: Difference | None = Field(
        description="The first in time that is more than slower or dearer."
    )
    not_compared: int = Field(
        description="Spans whose content was not looked at: there is too much of it."
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
