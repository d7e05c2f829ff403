"""`make run`'s one process: a service, an agent that feeds it, both gone after Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.services.process import Service

_URL = re.compile(r"(http://127\.0\.0\.1:\d+)/ui/\?token=(\S+)")


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return Service(tmp_path).environment


def _start(settings: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "inspector.demo", "--serve", "--speed", "40", *arguments],
        env=settings,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def looping(settings: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    with _start(settings, "--loop") as process:
        yield process
        if process.poll() is None:
            process.send_signal(signal.SIGINT)


def _address(process: subprocess.Popen[str]) -> tuple[str, dict[str, str]]:
    assert process.stdout is not None
    found = next(filter(None, map(_URL.search, process.stdout)), None)
    assert found
    return found[1], {"Authorization": f"Bearer {found[2]}"}


def _finished_session(url: str, headers: dict[str, str]) -> dict[str, Any]:
    """Return the first session that the stream reports as finished."""
    with httpx.stream("GET", f"{url}/events", headers=headers, timeout=40) as stream:
        for line in stream.iter_lines():
            if line.startswith("data:") and "SessionFinished" in line:
                message: dict[str, dict[str, Any]] = json.loads(line.removeprefix("data:"))
                return message["session"]
    raise AssertionError("the stream ended")


@pytest.mark.slow
def test_one_command_feeds_a_service_and_ctrl_c_ends_both(
    looping: subprocess.Popen[str],
) -> None:
    url, headers = _address(looping)

    session = _finished_session(url, headers)

    assert session["status"] == "completed"
    assert session["services"]
    assert session["llm_calls"] > 3
    assert session["tool_calls"] > 5
    assert session["output_tokens"] > 100
    assert session["title"]

    os.killpg(looping.pid, signal.SIGINT)  # what a terminal sends to all of them

    assert looping.wait(20) == 130
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{url}/health")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.slow
def test_whatever_ends_the_agent_ends_its_service(
    looping: subprocess.Popen[str], name: str
) -> None:
    url, _headers = _address(looping)

    looping.send_signal(signal.Signals[name])

    assert looping.wait(20) > 0
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{url}/health")


@pytest.mark.slow
def test_the_service_names_a_port_in_use_and_the_demo_ends(
    settings: dict[str, str], service: Service
) -> None:
    in_use = {**settings, "INSPECTOR_PORT": service.environment["INSPECTOR_PORT"]}

    with _start(in_use) as process:
        assert process.wait(20) == 2
