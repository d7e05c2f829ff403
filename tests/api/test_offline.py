"""Reading without a service: the present state of the store, without a write."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from inspector.cli.offline import OfflineClient
from inspector.service.model.rows import Json
from inspector.service.sessions import state as sessions
from inspector.service.storage.sqlite import SqliteStore
from tests.support.services.app import settings
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import incoming, started


@pytest.fixture
def reading(tmp_path: Path) -> OfflineClient:
    with closing(SqliteStore(tmp_path / "store.sqlite3")) as store:
        rig = Rig(store)
        rig.record(incoming(span("over", trace=1)))
        rig.record(incoming(span("failed", trace=2, error="no")))
        rig.record(started(span("runs", trace=3, duration_ns=None)))
        assert {str(row.status) for row in rig.sessions().values()} == {"running"}
    return OfflineClient(settings(store=f"sqlite:///{tmp_path}/store.sqlite3"))


def test_a_session_whose_root_ended_is_over_for_who_reads_without_a_service(
    reading: OfflineClient, tmp_path: Path
) -> None:
    before = (tmp_path / "store.sqlite3").read_bytes()
    found = reading.get("/sessions")["sessions"]
    assert {row["title"]: row["status"] for row in found} == {
        "over": "completed",
        "failed": "failed",
        "runs": "running",
    }
    for query in ({"q": "status:completed"}, {"status": "completed"}):
        assert [row["title"] for row in reading.get("/sessions", **query)["sessions"]] == ["over"]
    one = next(row for row in found if row["title"] == "over")
    assert reading.get(f"/sessions/{one['id']}")["status"] == "completed"
    assert (tmp_path / "store.sqlite3").read_bytes() == before


def test_a_pause_between_runs_is_left_out_where_the_times_of_many_were_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_MAX_RUN_TIME", 1)
    thread: dict[str, Json] = {"session.id": "S"}
    with closing(SqliteStore(tmp_path / "store.sqlite3")) as store:
        rig = Rig(store)
        rig.record(span(duration_ns=2 * SECOND_NS, attributes=thread))
        start_ns = START_NS + 3600 * SECOND_NS
        rig.record(span(trace=2, start_ns=start_ns, duration_ns=SECOND_NS, attributes=thread))
        assert str(rig.session().status) == "running"
    (row,) = OfflineClient(settings(store=f"sqlite:///{tmp_path}/store.sqlite3")).get("/sessions")[
        "sessions"
    ]
    assert (row["status"], row["duration_ms"], row["idle_ms"]) == ("completed", 3_000, 3_598_000)
