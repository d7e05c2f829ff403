"""A service with a history: spans are taken whatever becomes of it, none is lost or twice."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from inspector.service.query.tree import All
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore
from tests.support.faults.late_answers import late_answers
from tests.support.services.clickhouse import (
    PASSWORD,
    WHY,
    ClickHouseServer,
    can_have_a_disk,
    is_installed,
    running_clickhouse,
)
from tests.support.services.process import Service, free_port, wait_for
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import trace_hex


def send(service: Service, *numbers: int) -> None:
    spans = [span(f"call {number}", trace=number) for number in numbers]
    service.post("/v1/traces", trace_request(*spans).SerializeToString())


def health(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = service.get("/health")["history"]
    return found


def test_a_history_that_is_not_there_stops_nobody(tmp_path: Path) -> None:
    history = f"clickhouse://127.0.0.1:{free_port()}/inspector"
    with Service(tmp_path, history=history) as service:
        send(service, 1)
        assert len(service.get("/sessions")["sessions"]) == 1
        wait_for(lambda: health(service)["state"] == "away")
        assert "Is ClickHouse running there?" in health(service)["message"]
        assert health(service)["behind"] > 0
        (companion,) = companions(service)
        assert os.getsid(companion) == companion, "a Ctrl-C is for the service alone"
        assert not service.get("/health")["store"]["message"]


def test_without_the_setting_there_is_no_history(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        assert health(service) is None


@pytest.fixture
def clickhouse(tmp_path: Path) -> Any:
    with running_clickhouse("server", tmp_path / "clickhouse") as server:
        yield server


def with_history(folder: Path, clickhouse: ClickHouseServer, **changed: str) -> Service:
    settings: dict[str, Any] = {"history": clickhouse.address, "history_password": PASSWORD}
    return Service(folder, **{**settings, **changed})


def spans_of(service: Service, number: int) -> Any:
    """Return the spans of a session, once the history answers."""
    return service.get(f"/sessions/{trace_hex(number)}/spans")["spans"]


def stored_spans(service: Service) -> int:
    """Return the number of spans on the disk."""
    store = ReadOnlySqliteStore(service.folder / "store.sqlite3")
    with store.read() as reader:
        return len(reader.newest_spans(All(), None, 100).rows)


def found(service: Service, word: str) -> list[str]:
    spans = service.get(f"/search?q={word}")["spans"]
    return sorted(one["span"]["name"] for one in spans)


def names(clickhouse: ClickHouseServer) -> Callable[[], list[str]]:
    def read() -> list[str]:
        text = clickhouse.run(
            "SELECT name FROM inspector.span FINAL ORDER BY name FORMAT TabSeparated"
        )
        return (text or "").splitlines()

    return read


@pytest.mark.slow
@pytest.mark.skipif(not is_installed("server"), reason=WHY["server"])
class TestOnAServer:
    def test_spans_are_in_the_history_after_kills_of_all_that_takes_part(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        service = with_history(tmp_path, clickhouse)
        with service:
            send(service, 1)
            wait_for(lambda: names(clickhouse)() == ["call 1"])
            (companion,) = companions(service)
            os.kill(companion, signal.SIGKILL)
            send(service, 2)
            wait_for(lambda: names(clickhouse)() == ["call 1", "call 2"])
            clickhouse.stop()
            send(service, 3)
            wait_for(lambda: health(service)["state"] == "away")
            clickhouse.start()
            wait_for(lambda: names(clickhouse)() == ["call 1", "call 2", "call 3"])
            wait_for(lambda: health(service)["state"] == "ok")
            (companion,) = companions(service)
            service.kill()
            wait_for(lambda: not Path(f"/proc/{companion}").exists())
        with service:
            send(service, 4)
            wait_for(lambda: len(names(clickhouse)()) == 4)

    def test_a_server_that_hangs_is_reported_and_gets_everything_once_it_answers(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        with with_history(tmp_path, clickhouse) as service:
            send(service, 1)
            wait_for(lambda: names(clickhouse)() == ["call 1"])
            clickhouse.hang()
            send(service, 2)
            wait_for(lambda: health(service)["state"] == "away")
            assert "does not answer. Is ClickHouse running" in health(service)["message"]
            (partial,) = service.get("/search?q=call")["partial"]
            assert partial["part"] == "history"
            clickhouse.go_on()
            wait_for(lambda: names(clickhouse)() == ["call 1", "call 2"])
            wait_for(lambda: health(service)["state"] == "ok")

    def test_a_server_whose_answers_are_late_delays_nobody_who_sends(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        with late_answers(clickhouse.port, 0.1) as proxy:
            late = f"clickhouse://inspector@127.0.0.1:{proxy.port}/inspector"
            with with_history(tmp_path, clickhouse, history=late, hot="0.001m") as service:
                send(service, 1)
                wait_for(lambda: names(clickhouse)() == ["call 1"])
                wait_for(lambda: stored_spans(service) == 0, deadline_s=90)
                proxy.late_s = 1
                for number in range(2, 20):
                    send(service, number)
                assert (health(service)["state"], health(service)["behind"] > 0) == ("ok", True)
                assert len(found(service, "call")) == 19, "on the disk, and what has left it"
                wait_for(lambda: len(names(clickhouse)()) == 19)
                proxy.late_s = 10
                send(service, 20)
                wait_for(lambda: health(service)["state"] == "away")
                for route in ("/search?q=call", "/sessions?q=call"):
                    (partial,) = service.get(route)["partial"]
                    assert partial["part"] == "history"
                send(service, 21)
                assert "call 21" in found(service, "call")
                proxy.late_s = 0
                wait_for(lambda: len(names(clickhouse)()) == 21)

    def test_of_two_servers_the_one_that_does_not_hang_is_copied_to(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        with running_clickhouse("server", tmp_path / "other") as other:
            both = f"clickhouse://inspector@127.0.0.1:{clickhouse.port},127.0.0.1:{other.port}"
            with with_history(tmp_path, clickhouse, history=f"{both}/inspector") as service:
                send(service, 1)
                wait_for(lambda: names(clickhouse)() == ["call 1"])
                clickhouse.hang()
                send(service, 2)
                wait_for(lambda: names(other)() == ["call 1", "call 2"])
                wait_for(lambda: health(service)["state"] == "ok")

    def test_what_came_while_it_was_away_is_there_once_although_the_service_was_killed(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        service = with_history(tmp_path, clickhouse)
        with service:
            wait_for(lambda: health(service)["state"] == "ok")
            clickhouse.stop()
            send(service, *range(1, 100))
            service.kill()
        with service:
            send(service, *range(100, 200))
            wait_for(lambda: health(service)["state"] == "away")
            clickhouse.start()
            wait_for(lambda: len(names(clickhouse)()) == 199)
            assert sorted(names(clickhouse)()) == sorted(f"call {n}" for n in range(1, 200))

    @pytest.mark.parametrize(
        ("changed", "says"),
        [
            ({"history_password": "wrong"}, "password is wrong"),
            ({"history_password": "hunt\ner2 \a"}, "password is wrong"),
            ({"history": "clickhouse://nobody@{host}/inspector"}, "user is unknown"),
            ({"history": "clickhouse://inspector@{host}/nowhere"}, "CREATE DATABASE `nowhere`"),
            (
                {"history": "clickhouse://reader@{host}/inspector", "history_password": ""},
                "may not write",
            ),
        ],
        ids=["password", "line break", "user", "database", "reader"],
    )
    def test_what_is_wrong_with_it_is_one_sentence(
        self, tmp_path: Path, clickhouse: ClickHouseServer, changed: dict[str, str], says: str
    ) -> None:
        host = f"127.0.0.1:{clickhouse.port}"
        named = {name: value.format(host=host) for name, value in changed.items()}
        with with_history(tmp_path, clickhouse, **named) as service:
            send(service, 1)
            wait_for(lambda: health(service)["state"] == "refused")
            assert says in health(service)["message"]
            assert "er2" not in health(service)["message"]

    def test_an_acknowledgement_may_wait_for_it(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        with with_history(tmp_path, clickhouse, ack="history") as service:
            wait_for(lambda: health(service)["state"] == "ok")
            for number in (1, 2):
                send(service, number)
                assert f"call {number}" in names(clickhouse)()
            clickhouse.stop()
            with pytest.raises(httpx.HTTPStatusError, match="503"):
                send(service, 3)
            assert len(service.get("/sessions")["sessions"]) == 3, "it is stored all the same"
            clickhouse.start()
            wait_for(lambda: health(service)["state"] == "ok")
            send(service, 3)  # again, as senders do
            assert names(clickhouse)().count("call 3") == 1

    def test_sessions_that_left_the_disk_are_read_from_it(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        service = with_history(tmp_path, clickhouse, hot="0.001m")
        with service:
            send(service, 1, 2)
            before = [spans_of(service, number) for number in (1, 2)]
            wait_for(lambda: stored_spans(service) == 0, deadline_s=90)
            assert [spans_of(service, number) for number in (1, 2)] == before
            assert found(service, "call") == ["call 1", "call 2"]
            (companion,) = companions(service)
            os.kill(companion, signal.SIGKILL)
            assert spans_of(service, 1) == before[0], "it is unpacked already"
            unpacked = service.folder / "store.sqlite3-unpacked"
            assert len(list(unpacked.iterdir())) == 2
            service.kill()
        with service:
            assert [spans_of(service, number) for number in (1, 2)] == before
            clickhouse.stop()
            service.kill()
        with service:
            assert len(service.get("/sessions")["sessions"]) == 2
            with pytest.raises(httpx.HTTPStatusError, match="503"):
                spans_of(service, 1)
            send(service, 3)
            assert found(service, "call") == ["call 3"]
            clickhouse.start()
            wait_for(lambda: health(service)["state"] == "ok")
            assert [spans_of(service, number) for number in (1, 2)] == before

    def test_a_newer_schema_is_left_alone(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        with with_history(tmp_path, clickhouse) as service:
            wait_for(lambda: health(service)["state"] == "ok")
            clickhouse.run("INSERT INTO inspector.schema_version VALUES (999, now())")
            send(service, 1)
            wait_for(lambda: health(service)["state"] == "refused")
            assert not names(clickhouse)()
        with with_history(tmp_path, clickhouse) as service:
            wait_for(lambda: health(service)["state"] == "refused")
            assert "pip install -U" in health(service)["message"]

    def test_a_search_says_that_the_history_has_lost_what_left_the_disk(
        self, tmp_path: Path, clickhouse: ClickHouseServer
    ) -> None:
        with with_history(tmp_path, clickhouse, hot="0.001m") as service:
            send(service, 1)
            wait_for(lambda: stored_spans(service) == 0, deadline_s=90)
            clickhouse.run("TRUNCATE TABLE inspector.span")
            wait_for(lambda: health(service)["message"])
            assert "Put them back from a backup" in health(service)["message"]
            send(service, 2)
            answer = service.get("/search?q=call")
            assert [one["span"]["name"] for one in answer["spans"]] == ["call 2"]
            assert [one["why"] for one in answer["partial"]] == [health(service)["message"]]
            wait_for(lambda: names(clickhouse)() == ["call 2"])
            service.client.delete(f"/sessions/{trace_hex(1)}").raise_for_status()
            wait_for(lambda: not health(service)["message"])
            assert not service.get("/search?q=call")["partial"]

    @pytest.mark.skipif(not can_have_a_disk(), reason="no `unshare` with a mount of its own")
    def test_a_disk_that_was_full_gets_everything_once_there_is_room(self, tmp_path: Path) -> None:
        with (
            running_clickhouse("server", tmp_path / "small", disk_mb=24) as clickhouse,
            with_history(tmp_path, clickhouse, hot="0.001m") as service,
        ):
            send(service, 21)
            wait_for(lambda: names(clickhouse)() == ["call 21"])
            wait_for(lambda: stored_spans(service) == 0, deadline_s=90)
            filler = clickhouse.files / "filler"
            with pytest.raises(OSError, match="No space left"):
                filler.write_bytes(bytes(24 * 2**20))
            for number in range(1, 20):
                send(service, number)
            wait_for(lambda: health(service)["state"] == "refused")
            assert "its disk is full. Make room there" in health(service)["message"]
            send(service, 20)
            answer = service.get("/search?q=call")
            assert len(answer["spans"]) == 21, "also what has left the disk"
            assert [one["why"] for one in answer["partial"]] == [health(service)["message"]]
            assert [one["name"] for one in spans_of(service, 21)] == ["call 21"]
            filler.unlink()
            wait_for(lambda: len(names(clickhouse)()) == 21)
            wait_for(lambda: health(service)["state"] == "ok")
            assert len(set(names(clickhouse)())) == 21


def companions(service: Service) -> list[int]:
    """Return the processes that copy a store."""
    found = subprocess.run(
        ["pgrep", "-f", "inspector.service.history.companion"],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = []
    for pid in map(int, found.stdout.split()):
        environ = Path(f"/proc/{pid}/environ").read_bytes()
        if str(service.folder).encode() in environ:
            ours.append(pid)
    return ours
