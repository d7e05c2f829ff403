"""Spans of a session as they were at an instant: the cases that the page's tests read, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.service.analysis.instant import columns_at
from inspector.service.storage.base import SessionColumns

TABLE = json.loads((Path(__file__).parents[4] / "golden" / "instants.json").read_text("utf-8"))
EPOCH_NS = 1_700_000_000_000_000_000
OTHERS = set(SessionColumns._fields) - {*TABLE["span"], "start_ns"}


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["what"])
def test_a_span_is_as_the_table_says(case: dict[str, Any]) -> None:
    span = {**TABLE["span"], **case["span"]}
    then = columns_at(_columns(span), EPOCH_NS + case["at_ns"])
    expected = [] if case["then"] is None else [{**span, **case["then"]}]
    assert _spans(then) == expected


def _columns(span: dict[str, Any]) -> SessionColumns:
    start_ns = EPOCH_NS + span["offset_ns"]
    waited = tuple(
        (EPOCH_NS + from_ns, None if length_ns is None else EPOCH_NS + from_ns + length_ns)
        for from_ns, length_ns in span["waited"]
    )
    known = {name: [value] for name, value in span.items() if name != "offset_ns"}
    others: dict[str, list[Any]] = {name: [None] for name in OTHERS}
    return SessionColumns(**{**others, **known, "start_ns": [start_ns], "waited": [waited]})


def _spans(columns: SessionColumns) -> list[dict[str, Any]]:
    return [
        {
            **{
                name: getattr(columns, name)[place] for name in TABLE["span"] if name != "offset_ns"
            },
            "offset_ns": start_ns - EPOCH_NS,
            "waited": [
                [from_ns - EPOCH_NS, None if until_ns is None else until_ns - from_ns]
                for from_ns, until_ns in columns.waited[place]
            ],
        }
        for place, start_ns in enumerate(columns.start_ns)
    ]
