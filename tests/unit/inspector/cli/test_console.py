from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from inspector.cli.console import show_sessions

SESSION = {
    "id": "0af7651916cd43dd8448eb211c80319c",
    "status": "completed",
    "started_at": "2026-01-01T00:00:00.000000000Z",
    "title": "Write the release notes of Lantern 1.5.3 for operators",
    "duration_ms": 31_200.0,
    "waiting_ms": 20_900.0,
    "span_count": 43,
    "error_count": 1,
    "input_tokens": 7000,
    "output_tokens": 263,
}


def test_a_list_that_is_piped_is_not_cut(capsys: pytest.CaptureFixture[str]) -> None:
    show_sessions([SESSION])
    row = capsys.readouterr().out.splitlines()[1]
    assert row.split()[0] == SESSION["id"]
    assert str(SESSION["title"]) in row
    assert row.split()[-3:] == ["43", "1", "7263"]


def test_a_narrow_terminal_has_no_half_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    show_sessions([SESSION])
    head, row = capsys.readouterr().out.splitlines()
    assert "duration" in head
    assert "spans" not in head
    assert "completed" in row


def test_a_list_shows_the_silence_of_a_running_session(
    capsys: pytest.CaptureFixture[str],
) -> None:
    since = datetime.fromtimestamp(time.time() - 9 * 60 - 5, UTC).isoformat()
    show_sessions([{**SESSION, "status": "running", "silent_since": since}])
    assert "running (no news for 9 min)" in capsys.readouterr().out
