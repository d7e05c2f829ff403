"""Unpacked sessions that were deleted go, whatever becomes of their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from inspector.errors import HistoryError
from inspector.service.history.tiers import TieredStore
from inspector.service.storage import open_store
from inspector.service.storage.sqlite import SqliteStore
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import trace_hex


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """Return a store with a session that has left it."""
    rig = Rig(open_store(f"sqlite:///{tmp_path}/store.sqlite3"))
    rig.record(span())
    rig.wait(60)
    rig.evict()
    yield rig
    rig.store.close()


def test_a_deleted_session_is_forgotten_though_its_file_cannot_be_removed(
    rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unpack(path: Path, _session_ids: Sequence[str]) -> None:
        SqliteStore(path).seal()

    views = TieredStore(rig.store, tmp_path / "unpacked", unpack)
    with views.read_whole(trace_hex(1)):
        pass
    (file,) = (tmp_path / "unpacked").glob("*.sqlite3")

    def refuse(_path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError("in use")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        views.forget([trace_hex(1)])
    with views.read_whole(trace_hex(1)):
        pass
    views.forget(["another"])
    assert file.exists()
    views.close()
    assert not file.exists()


def test_a_session_that_is_deleted_while_it_is_unpacked_is_gone_and_leaves_no_file(
    rig: Rig, tmp_path: Path
) -> None:
    def unpack(path: Path, session_ids: Sequence[str]) -> None:
        rig.delete(trace_hex(1))
        views.forget(session_ids)
        SqliteStore(path).seal()

    views = TieredStore(rig.store, tmp_path / "unpacked", unpack)
    with views.read_whole(trace_hex(1)) as reader:
        assert reader.session(trace_hex(1)) is None
    assert list((tmp_path / "unpacked").iterdir()) == []


def test_a_session_that_cannot_be_unpacked_leaves_nothing_behind(rig: Rig, tmp_path: Path) -> None:
    def unpack(_path: Path, _session_ids: Sequence[str]) -> None:
        raise HistoryError("The history is away.", is_passing=True)

    views = TieredStore(rig.store, tmp_path / "unpacked", unpack)
    with pytest.raises(HistoryError, match="away"), views.read_whole(trace_hex(1)):
        pass
    assert views._sessions == {}
