"""docker-compose.scale.yml without an engine: its Collector, services and readers, really run.

ClickHouse is away, and Jaeger is a receiver of the tests: their images are not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_several_services import PROGRAMS, RUNNING, sender, states, statuses
from tests.support.services.collector import needs_collector, running_collector
from tests.support.services.compose import ComposeFile
from tests.support.services.otlp_receiver import Receiver
from tests.support.services.process import Service, free_port, wait_for

SCALE = ComposeFile("docker-compose.scale.yml")
SENT = {
    "acme:watched-acme": "completed",
    "acme:plain-acme": "completed",
    "default:watched-globex": "completed",
    "default:plain-globex": "completed",
}

pytestmark = [pytest.mark.timeout(180), pytest.mark.slow, needs_collector]


def test_what_two_tenants_send_to_the_collector_is_at_either_reader(tmp_path: Path) -> None:
    for name, program in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(program, encoding="utf-8")
    with ExitStack() as stack:
        jaeger = stack.enter_context(Receiver())
        here = {
            "http://jaeger:4318": jaeger.url,
            **{f"clickhouse-{number}:8123": f"127.0.0.1:{free_port()}" for number in (1, 2, 3)},
        }
        writers = {
            name: stack.enter_context(started(tmp_path, name, here)) for name in ("acme", "default")
        }
        addresses = {f"http://{name}:7800": one.url for name, one in writers.items()}
        url = stack.enter_context(
            running_collector(
                tmp_path,
                SCALE.file("collector", "/etc/otelcol-contrib/config.yaml"),
                addresses,
                SCALE.environment("collector"),
            )
        )
        readers = [
            stack.enter_context(started(tmp_path, name, addresses))
            for name in ("reader-1", "reader-2")
        ]
        watched = [
            stack.enter_context(sender(tmp_path, url, "watched", tenant))
            for tenant in ("acme", "globex")
        ]
        for session_id in ("acme:watched-acme", "default:watched-globex"):
            for reader in readers:  # while it runs, so that logs are routed as spans are
                wait_for(partial(runs, reader, session_id))
        plain = [
            stack.enter_context(sender(tmp_path, url, "plain", tenant))
            for tenant in ("acme", "globex")
        ]
        for agent in watched:
            agent.write_line("")
        for agent in [*watched, *plain]:
            assert agent.output_lines() == []

        for reader in readers:
            wait_for(partial(has_all, reader))
            for session_id in SENT:
                assert states(reader, session_id).keys() == RUNNING.keys()
        wait_for(lambda: len(jaeger.spans) == len(SENT) * len(RUNNING))

        # A reader has no state: any of them goes on where another has begun.
        first, second = readers
        page = first.get("/sessions?limit=1")
        rest = second.get(f"/sessions?cursor={page['next_cursor']}")
        assert {one["id"] for one in [*page["sessions"], *rest["sessions"]]} == SENT.keys()
        login = first.client.get(f"/ui/?token={first.token}", headers={"Authorization": ""})
        own, other = (one.environment["INSPECTOR_PORT"] for one in readers)
        cookie = login.headers["set-cookie"].partition(";")[0]
        cookie = cookie.replace(own, other)  # in containers, the port is the same
        headers = {"Authorization": "", "Cookie": cookie}
        assert second.client.get("/sessions", headers=headers).is_success

        writers["acme"].kill()
        for reader in readers:
            [away] = reader.get("/sessions")["partial"]
            assert (away["part"], away["writer"]) == ("writer", "acme")
            assert statuses(reader).keys() == {one for one in SENT if one.startswith("default:")}


def started(folder: Path, name: str, here: Mapping[str, str]) -> Service:
    """Return a service or a reader with the settings of the file, where others are elsewhere."""
    settings: dict[str, Any] = {}
    for key, value in SCALE.environment(name).items():
        for there, address in here.items():
            value = value.replace(there, address)
        settings[key.removeprefix("INSPECTOR_").lower()] = value
    own = folder / name
    own.mkdir()
    return Service(own, **settings)  # where its data is comes from the image


def has_all(reader: Service) -> bool:
    return statuses(reader) == SENT


def runs(reader: Service, session_id: str) -> bool:
    return states(reader, session_id) == RUNNING
