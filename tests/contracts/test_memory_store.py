"""`memory:` is SQLite without a file; its common behaviour is in `test_store.py`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from inspector.errors import StoreUnavailableError
from inspector.service.model.records import Changes
from inspector.service.storage import Store, open_store, sqlite_open
from tests.contracts.test_store import session
from tests.support.services.recorder_rig import Rig, sweep_all
from tests.support.telemetry.otlp import span


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(open_store("memory:")) as store:
        yield store


def test_snapshots_stand_beside_each_other_and_a_commit_waits_for_them(store: Store) -> None:
    done = threading.Event()

    def commit() -> None:
        store.commit(Changes(first=1, head=1, sessions=[session("S", 1)]))
        done.set()

    committing = threading.Thread(target=commit)
    with store.read() as one, store.read() as two:
        committing.start()
        assert not done.wait(0.3)
        assert (one.session("S"), two.session("S"), one.head) == (None, None, 0)
    assert done.wait(30)
    committing.join()
    with store.read() as reader:
        assert (reader.head, reader.session("S")) == (1, session("S", 1))


def test_two_of_them_are_two_stores(store: Store) -> None:
    Rig(store).record(span("here"))
    with closing(open_store("memory:")) as other, other.read() as reader:
        assert (reader.head, other.id != store.id) == (0, True)


def test_one_that_is_full_says_so_keeps_what_it_has_and_goes_on_with_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlite_open, "MEMORY_BYTES", 2 * 1024**2)
    with closing(open_store("memory:")) as store:
        rig, stored = Rig(store), 0

        def fill() -> None:
            nonlocal stored
            for number in range(100):
                large = {"session.id": f"S{number}", "text": "x" * 100_000}
                rig.record(span(trace=number + 1, span_id=number + 1, attributes=large))
                stored = number + 1

        with pytest.raises(StoreUnavailableError, match=r"in memory.*full.*Delete") as caught:
            fill()
        assert caught.value.trouble == "full"
        rig.recorder.forget()
        store.probe()
        assert len(rig.sessions()) == stored > 3
        rig.delete("S0")
        rig.delete("S1")
        sweep_all(store)
        rig.record(span(trace=99, span_id=99, attributes={"text": "x" * 100_000}))
        assert len(rig.sessions()) == stored - 1
