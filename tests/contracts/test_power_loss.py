"""After a loss of power everything that was acknowledged is there, wherever it struck."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from inspector.errors import StoreError, StoreUnavailableError
from inspector.service.ingest.requests.answering import ProposedAnswer
from inspector.service.storage import open_store, sqlite_open
from inspector.service.storage.base import Reader
from tests.support.agents.request_rows import request_row
from tests.support.faults.losing_disk import Mark, Platter, losing_disk, put_back
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import span_hex, started, trace_hex

_BATCH = 6

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))]


@pytest.fixture(autouse=True)
def frequent_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint every few commits, so that losses strike there too."""
    monkeypatch.setattr(sqlite_open, "_CHECKPOINT_PAGES", 40)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    after.mkdir()
    return before, after


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_acknowledged_survives_a_loss_of_power_at_any_moment(
    folders: tuple[Path, Path], seed: int
) -> None:
    before, after = folders
    chance = random.Random(seed)
    with losing_disk() as disk:
        rig = Rig(open_store(f"sqlite:///{before}/s.sqlite3"))
        for number in range(40):
            write(rig, number, chance)
            disk.steps.append(Mark(number))
            if chance.random() < 0.1:
                rig.store.close()
                rig = Rig(open_store(f"sqlite:///{before}/s.sqlite3"))
        rig.store.close()
    platter, first_mark = Platter(), disk.steps.index(Mark(0))
    cuts = set(chance.sample(range(first_mark + 1, len(disk.steps)), 50))
    for at, step in enumerate(disk.steps):
        platter.apply(step)
        if at in cuts:
            put_back(platter.left(chance), after)
            check(after, platter.marks, f"seed {seed}, step {at}")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_what_was_acknowledged_survives_flushes_that_failed_before_the_loss(
    folders: tuple[Path, Path], seed: int
) -> None:
    """After a failed flush the system counts waiting pages as written, and forgets them."""
    before, after = folders
    chance = random.Random(seed)
    is_armed = False

    def fails() -> Iterator[bool]:
        while True:
            yield is_armed and chance.random() < 0.25

    with losing_disk(fails()) as disk:
        rig = Rig(open_store(f"sqlite:///{before}/s.sqlite3"))
        is_armed = True
        failures = 0
        for number in range(60):
            try:
                write(rig, number, chance)
            except StoreUnavailableError:
                failures += 1
                rig.recorder.forget()
                recover(rig)
            else:
                disk.steps.append(Mark(number))
        is_armed = False
        rig.store.close()
    assert failures > 5
    platter = Platter()
    first_mark = next(at for at, step in enumerate(disk.steps) if isinstance(step, Mark))
    cuts = set(chance.sample(range(first_mark + 1, len(disk.steps)), 50))
    for at, step in enumerate(disk.steps):
        platter.apply(step)
        if at in cuts:
            put_back(platter.left(chance), after)
            check(after, platter.marks, f"seed {seed}, step {at}")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX directories")
def test_the_names_of_a_new_store_reach_the_disk_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: set[int] = set()
    flush = os.fsync

    def note(file: int) -> None:
        flushed.add(os.fstat(file).st_ino)
        flush(file)

    monkeypatch.setattr(os, "fsync", note)
    open_store(f"sqlite:///{tmp_path}/new/newer/s.sqlite3").close()
    folders = (tmp_path, tmp_path / "new", tmp_path / "new" / "newer")
    assert {folder.stat().st_ino for folder in folders} <= flushed


def test_the_disk_of_these_tests_loses_what_was_not_flushed(folders: tuple[Path, Path]) -> None:
    before, after = folders
    with losing_disk() as disk:
        connection = apsw.Connection(str(before / "s.sqlite3"))
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "normal")
        for number in range(50):
            connection.execute("CREATE TABLE IF NOT EXISTS t (n)")
            connection.execute("INSERT INTO t VALUES (?)", (number,))
        steps = list(disk.steps)
        connection.close()
    platter, chance = Platter(), random.Random(1)
    for step in steps:
        platter.apply(step)
    counts = set()
    for _ in range(20):
        put_back(platter.left(chance), after)
        left = apsw.Connection(str(after / "s.sqlite3"))
        tables = list(left.execute("SELECT name FROM sqlite_schema"))
        counts.add(next(left.execute("SELECT count(*) FROM t"))[0] if tables else 0)
        left.close()
    assert min(counts) < 50


def recover(rig: Rig) -> None:
    """Try until the store can be written again, as the writer does."""
    for _ in range(200):
        try:
            rig.store.probe()
        except StoreUnavailableError:
            continue
        return
    raise AssertionError("the store never came back")


def write(rig: Rig, number: int, chance: random.Random) -> None:
    """Commit one batch of a few spans; now and then something that the batch replaces.

    And a request, which is answered now and then.
    """
    size = chance.choice([10, 10, 3_000, 30_000])
    spans = [
        span("x" * size, trace=number // 5 + 1, span_id=number * _BATCH + n + 1)
        for n in range(_BATCH)
    ]
    if chance.random() < 0.3:
        rig.record(*(started(one) for one in spans))
    rig.record(*spans)
    rig.open(request_row(f"r{number}", args_json="x" * size))
    if number % 3 == 0:
        rig.answer(f"r{number}", ProposedAnswer("deny", "h1"))


def check_request(reader: Reader, number: int, where: str) -> None:
    """A request is there, with its answer, the command that carries it, and the actor."""
    record = reader.request(f"r{number}")
    assert record is not None, where
    done = [row.action for row in reader.audit_after(0, 1000) if row.request_id == f"r{number}"]
    assert done[0] == "request_opened", where
    answer = record.row.answer
    assert (answer is not None) == (number % 3 == 0) == ("answer" in done), where
    assert answer is None or reader.command(answer.command_seq), where


def check(folder: Path, marks: list[int], where: str) -> None:
    path = folder / "s.sqlite3"
    try:
        rig = Rig(open_store(f"sqlite:///{path}"))
    except StoreError as error:
        raise AssertionError(f"{where}: {error}") from error
    with rig.store.read() as reader:
        for number in marks:
            wanted = [span_hex(number * _BATCH + n + 1) for n in range(_BATCH)]
            found = reader.spans(trace_hex(number // 5 + 1), wanted)
            assert len(found) == _BATCH, f"{where}: batch {number} was acknowledged"
            assert all(one.end_ns for one in found), where
            assert all(reader.content(one).span().name[0] == "x" for one in found), where
            check_request(reader, number, f"{where}: request {number}")
    for session_id, row in rig.sessions().items():
        with rig.store.read() as reader:
            assert row.span_count == len(reader.spans_of(session_id)), where
    rig.record(span(trace=999))
    rig.store.close()
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok", where
    connection.close()
