from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector import runfile
from inspector.runfile import RunFile


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"INSPECTOR_RUNTIME_DIR": str(tmp_path / "run")}


def run(**changes: Any) -> RunFile:
    fields = {"url": "http://127.0.0.1:7800", "token": "t", "pid": os.getpid(), "store": "memory:"}
    return RunFile(**{**fields, **changes})


def test_a_written_file_is_read(environ: dict[str, str]) -> None:
    runfile.write(run(), environ)
    assert runfile.read(environ) == run()


def test_only_the_user_can_read_it(environ: dict[str, str]) -> None:
    path = runfile.write(run(), environ)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == [runfile.NAME]


def test_none_without_a_file(environ: dict[str, str]) -> None:
    assert runfile.read(environ) is None
    assert runfile.read({}) is None


def test_a_dead_service_is_ignored(environ: dict[str, str]) -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    runfile.write(run(pid=done.pid), environ)
    assert runfile.read(environ) is None


def test_only_ones_own_file_is_removed(environ: dict[str, str]) -> None:
    runfile.write(run(), environ)
    runfile.remove(os.getpid() + 1, environ)
    assert runfile.read(environ) is not None
    runfile.remove(os.getpid(), environ)
    assert runfile.read(environ) is None
    runfile.remove(os.getpid(), environ)


def test_a_file_that_others_may_write_is_not_believed(environ: dict[str, str]) -> None:
    path = runfile.write(run(), environ)
    path.chmod(0o622)
    assert runfile.read(environ) is None
    path.chmod(0o600)
    path.parent.chmod(0o777)
    assert runfile.read(environ) is None


def test_a_link_is_not_followed(environ: dict[str, str], tmp_path: Path) -> None:
    path = runfile.write(run(), environ)
    elsewhere = tmp_path / "elsewhere.json"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert runfile.read(environ) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"url": 3, "token": "t", "pid": 1}',
        '{"url": "file:///etc", "token": "t", "pid": 1}',
        '{"url": "http://x", "token": null, "pid": 1}',
        '{"url": "http://x", "token": "t", "pid": "1"}',
        '{"url": "http://x", "token": "t", "pid": true}',
        '{"url": "http://x", "token": "t", "pid": -1}',
        "[" * 100_000,
    ],
)
def test_rubbish_is_no_service(environ: dict[str, str], text: str) -> None:
    path = runfile.write(run(), environ)
    path.write_text(text)
    assert runfile.read(environ) is None


def test_the_first_directory_with_a_living_service_counts(tmp_path: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": str(tmp_path / "xdg"), "HOME": str(tmp_path / "home")}
    written = runfile.write(run(), environ)
    assert written.is_relative_to(tmp_path / "xdg")
    without_login = {"HOME": str(tmp_path / "home")}
    runfile.write(run(url="http://127.0.0.1:1"), without_login)
    found = runfile.read(without_login)
    assert found is not None
    assert found.url in {"http://127.0.0.1:1", "http://127.0.0.1:7800"}


def test_an_unwritable_place_is_an_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(OSError, match="file"):
        runfile.write(run(), {"INSPECTOR_RUNTIME_DIR": str(blocked / "run")})


def test_the_file_has_the_documented_fields(environ: dict[str, str]) -> None:
    path = runfile.write(run(), environ)
    assert set(json.loads(path.read_text())) == {"url", "token", "pid", "store"}
