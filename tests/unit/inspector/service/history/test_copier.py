"""What is copied is bounded, however it came; against a stand-in that counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

from inspector.service.history import copier as copier_module
from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.copier import Copier, End
from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.rows import Json
from inspector.service.storage import open_store
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming, log, trace_hex


class Inserts:
    """A history that keeps the sizes of inserts, by table."""

    is_modern = True

    def __init__(self) -> None:
        self.sizes: dict[str, list[int]] = {}

    def rows(self, _query: str) -> list[dict[str, Any]]:
        return []

    def insert(self, table: str, _columns: Sequence[str], rows: Sequence[bytes]) -> None:
        self.sizes.setdefault(table, []).append(sum(map(len, rows)))


def _of_large_origin(number: int) -> IncomingSpan:
    origin = ResourceSpans()
    origin.resource.attributes.add(key="dump").value.string_value = "x" * 10_000
    item = incoming(span(trace=number))
    item.content.origin = origin.SerializeToString()
    return item


def test_a_batch_is_bounded_by_what_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copier_module, "_MAX_BYTES", 50_000)
    monkeypatch.setattr(copier_module, "check", lambda _history: None)
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    rig.record(*map(_of_large_origin, range(1, 40)))
    notes: list[dict[str, Json]] = [
        {"note": "y" * 10_000, "number": number} for number in range(40)
    ]
    rig.record(*(log("note", trace=1, span_id=1, attributes=one) for one in notes))
    history = Inserts()
    copier = Copier(rig.store, cast("ClickHouse", history), behind_ns=0)
    while copier.step():
        pass
    with rig.store.read() as reader:
        assert copier.through == reader.head
        spans = [one for number in (1, 2) for one in reader.spans(trace_hex(number))]
        first, second = reader.contents([one.content for one in spans])
    assert first.origin is second.origin, "a large one is in memory once"
    for table in ("span", "moment"):
        assert 39 * 10_000 < sum(history.sizes[table]) < 39 * 13_000
        assert max(history.sizes[table]) < 65_000


def test_what_is_copied_again_counts_once_enough_replicas_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copier_module, "check", lambda _history: None)
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    rig.record(span())
    inserted = list[End]()
    shown = [End()]
    numbers = count(1)

    def confirmed(end: End) -> End:
        inserted.append(end)
        return shown[-1]

    def copied() -> bool:
        rig.record(span(span_id=next(numbers)))
        copier.step()
        return copier.has_again

    copier = Copier(rig.store, cast("ClickHouse", Inserts()), behind_ns=0, confirmed=confirmed)
    assert not copied(), "a connection that ended may have copied it again"
    shown.append(inserted[-1])
    assert copied()
    copier.begin_again()
    assert copier.step()
    assert not copied()
    assert copier.confirmed == inserted[0].through
    shown.append(inserted[-1])
    assert copied()
