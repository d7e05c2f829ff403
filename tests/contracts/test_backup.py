"""A copy of a store is whole and of one moment, and a store made from it is one of its own."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from inspector.cli.main import app
from inspector.errors import StoreError, StoreInUseError, StoreUnavailableError
from inspector.service.feed.feed import Feed
from inspector.service.query.tree import All
from inspector.service.storage import open_store, open_to_read
from inspector.service.storage.sqlite import SqliteStore
from inspector.service.storage.sqlite_backup import back_up, restore
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(path)) as store:
        yield store


def _damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for page in range(8192, len(data), 8192):
        data[page : page + 200] = b"\xff" * 200
    path.write_bytes(data)


def _session_ids(path: Path) -> set[str]:
    with open_to_read(f"sqlite:///{path}").read() as reader:
        return {record.row.id for record in reader.newest_sessions(All(), None, 10_000).rows}


def test_a_backup_is_of_one_moment_and_its_owners_alone(
    store: SqliteStore, path: Path, tmp_path: Path
) -> None:
    rig, copy = Rig(store), tmp_path / "copy"
    rig.record(incoming(span(trace=1)))
    with store.read() as reader:  # neither readers nor the writer are in its way
        assert reader.head
        size_bytes = back_up(path, copy)
    known = set(rig.sessions())
    rig.record(incoming(span(trace=2)))
    assert _session_ids(copy) == known
    assert (copy.stat().st_size, stat.S_IMODE(copy.stat().st_mode)) == (size_bytes, 0o600)
    assert {one.name for one in tmp_path.glob("copy*")} == {"copy"}, "one file"


def test_a_backup_overwrites_nothing(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_text("precious")
    with pytest.raises(StoreError, match="Choose another name"):
        back_up(path, copy)
    assert copy.read_text() == "precious"


async def test_a_restored_store_uses_no_change_number_twice_and_viewers_begin_anew(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    with closing(SqliteStore(path)) as store:
        rig = Rig(store)
        rig.record(incoming(span(trace=1)))
        back_up(path, copy)
        rig.record(incoming(span(trace=2)), incoming(span(trace=3)))
        with store.read() as reader:
            used = reader.head
        position = Feed(store).position(used)
        with pytest.raises(StoreInUseError, match=r"Stop the service first\.$"):
            restore(copy, path)
    moved_to = restore(copy, path)
    with closing(SqliteStore(path)) as restored:
        rig = Rig(restored)
        assert len(rig.sessions()) == 1
        changes = rig.recorder.record([incoming(span(trace=2))], [], rig.now_ns)
        assert changes.first > used
        rig.commit(changes)
        async with aclosing(Feed(restored).stream(position)) as stream:
            assert b'"Gap"' in await anext(stream)
    assert moved_to is not None
    assert len(_session_ids(moved_to)) == 3, "what was there is kept"


def test_a_journal_that_lost_its_store_does_not_count_as_that_of_the_restored_one(
    path: Path, tmp_path: Path
) -> None:
    copy, wal = tmp_path / "copy", tmp_path / "store.sqlite3-wal"
    with closing(SqliteStore(path)) as store:
        Rig(store).record(incoming(span(trace=1)))
        back_up(path, copy)
        Rig(store).record(incoming(span(trace=2)))
        journal = wal.read_bytes()
    path.unlink()
    wal.write_bytes(journal)
    wal.chmod(0o600)
    restore(copy, path)
    assert len(_session_ids(path)) == 1


def test_a_damaged_store_says_so_and_what_to_do(path: Path, tmp_path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        Rig(store).record(*(incoming(span(trace=number)) for number in range(1, 200)))
        good = tmp_path / "good"
        back_up(path, good)
    with closing(SqliteStore(path)) as store:
        _damage(path)
        with (
            pytest.raises(StoreUnavailableError, match=r"damaged.*inspector restore"),
            store.read() as reader,
        ):
            reader.unsettled()
    with pytest.raises(StoreError, match="damaged") as caught:
        back_up(path, tmp_path / "bad")
    assert not (tmp_path / "bad").exists()
    path.write_bytes(b"\xff" * 16_384)
    for open_ in (open_store, open_to_read):
        with pytest.raises(StoreError, match="inspector restore") as caught:
            open_(f"sqlite:///{path}")
        assert "Make it" not in str(caught.value)
    restore(good, path)
    assert len(_session_ids(path)) == 199


def test_what_is_no_backup_is_refused_and_the_store_stays(path: Path, tmp_path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        Rig(store).record(incoming(span(trace=1)))
    other = tmp_path / "other"
    other.write_text("not a store, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="it is no backup"):
        restore(other, path)
    assert len(_session_ids(path)) == 1
    with pytest.raises(StoreError, match="it is no backup"):
        restore(other, tmp_path / "new")
    assert not list(tmp_path.glob("new*")), "nor a lock"


def test_a_backup_creates_no_directory(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="directory does not exist"):
        back_up(path, tmp_path / "misspelt" / "copy")
    assert not (tmp_path / "misspelt").exists()


def test_the_command_line_copies_and_puts_back(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("INSPECTOR_STORE", f"sqlite:///{path}")
    with closing(SqliteStore(path)) as store:
        Rig(store).record(incoming(span(trace=1)))
        made = CliRunner().invoke(app, ["backup", str(tmp_path / "copy")], catch_exceptions=False)
        assert made.exit_code == 0
    done = CliRunner().invoke(app, ["restore", str(tmp_path / "copy")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "replaced-1" in done.output
    with pytest.raises(StoreError, match="no such file"):
        CliRunner().invoke(app, ["restore", str(tmp_path / "none")], catch_exceptions=False)
