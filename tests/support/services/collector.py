"""OpenTelemetry's Collector, with a configuration that we publish."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.support.services.process import DEADLINE_S, free_port, wait_for

_PROGRAM = os.environ.get("INSPECTOR_TEST_COLLECTOR")

needs_collector = pytest.mark.skipif(
    not _PROGRAM,
    reason="needs a Collector with the routing connector, such as otelcol-contrib: "
    "INSPECTOR_TEST_COLLECTOR=/path/to/otelcol-contrib "
    "pytest -m slow tests/docs/test_several_services.py tests/docs/test_scale.py",
)


@contextmanager
def running_collector(
    folder: Path, configuration: str, addresses: Mapping[str, str], tokens: Mapping[str, str]
) -> Iterator[str]:
    """Run a configuration with other addresses; return that of OTLP over HTTP.

    Args:
        folder: For its files; its output is in `collector.log`.
        configuration: It listens on 0.0.0.0, at the usual ports.
        addresses: What to replace, and by what.
        tokens: Variables of its environment.
    """
    url = f"http://127.0.0.1:{free_port()}"
    own = {"0.0.0.0:4317": f"127.0.0.1:{free_port()}", "0.0.0.0:4318": url.removeprefix("http://")}
    for there, here in {**own, **addresses}.items():
        assert there in configuration
        configuration = configuration.replace(there, here)
    file = folder / "collector.yaml"
    file.write_text(configuration, encoding="utf-8")
    with (folder / "collector.log").open("w") as log:
        process = subprocess.Popen(
            # Its own metrics have a port, too.
            [str(_PROGRAM), "--config", str(file), "--set=service.telemetry.metrics.level=none"],
            env={**os.environ, **tokens},
            stdout=log,
            stderr=log,
        )
    try:
        wait_for(lambda: process.poll() is None and _answers(url))
        yield url
    finally:
        process.kill()
        process.wait(DEADLINE_S)


def _answers(url: str) -> bool:
    with suppress(httpx.TransportError):
        return bool(httpx.get(url))
    return False
