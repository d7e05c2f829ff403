"""The README's script, as a new user runs it: no setting at all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.services.process import Service

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "hello.py"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as running:
        yield running


def test_the_ten_line_script_finds_the_service_by_itself(service: Service) -> None:
    settings = {
        name: value
        for name, value in service.environment.items()
        if not name.startswith("INSPECTOR_") or name == "INSPECTOR_RUNTIME_DIR"
    }

    done = subprocess.run(
        [sys.executable, EXAMPLE], env=settings, capture_output=True, text=True, check=True
    )

    assert "1 + 2 = 3" in done.stdout
    assert done.stderr == ""
    [session] = service.get("/sessions")["sessions"]
    assert (session["id"], session["title"], session["tool_calls"]) == ("hello", "A first sum", 1)
    spans = service.get(f"/sessions/{session['id']}/spans")["spans"]
    assert [span["name"] for span in spans] == ["execute_tool add"]
    assert all(span["duration_ns"] >= 1_000_000_000 for span in spans)
