"""Checks of the disk: the store, and the token beside it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from inspector.cli.doctor.finding import FAIL, OK, WARN, CheckResult
from inspector.errors import InspectorError, UntrustedFileError
from inspector.paths import check_trusted
from inspector.service.analysis.formatting import plural
from inspector.service.settings import Settings
from inspector.service.token_file import store_path, token_path

FEW_BYTES = 1024**3
"""Free disk space below which the doctor warns."""
_CHECKED_BYTES = 256 * 1024**2  # a larger store is not read whole for a look


def examine_token(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check the token; its value is never shown."""
    if settings.token:
        yield CheckResult(OK, "token", "from INSPECTOR_TOKEN")
        return
    path = token_path(settings.store, settings.token_file)
    try:
        check_trusted(path)
    except UntrustedFileError as error:
        yield CheckResult(FAIL, "token", str(error))
        return
    if not path.exists():
        yield CheckResult(OK, "token", f"created at the first start, in {path}")
    elif os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        advice = f"chmod 600 {path}, then `inspector token --rotate-token`."
        yield CheckResult(FAIL, "token", f"other users can read {path}", advice)
    else:
        yield CheckResult(OK, "token", f"in {path}")


def examine_store(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check the store, and its free space."""
    path = store_path(settings.store)
    if path is None and settings.store != "memory:":
        message = f"{settings.store!r} is not the address of a store"
        yield CheckResult(FAIL, "store", message, "Set INSPECTOR_STORE to `sqlite:///PATH`.")
        return
    if path is None:
        yield CheckResult(
            WARN, "store", f"{settings.store}: sessions are lost when the service stops"
        )
        return
    if path.exists():
        yield _examine_file(path)
    else:
        yield CheckResult(OK, "store", f"{path}: created at the first start")
    yield _examine_disk(path)


def _examine_file(path: Path) -> CheckResult:
    from inspector.service.storage.sqlite_open import open_read_only  # noqa: PLC0415 - half a second

    files = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
    size_bytes = sum(file.stat().st_size for file in files if file.exists())
    try:
        check_trusted(path)
        connection = open_read_only(path)
    except InspectorError as error:
        return CheckResult(FAIL, "store", str(error), "Name another one with INSPECTOR_STORE.")
    try:
        ((schema,),) = connection.execute("PRAGMA user_version")
        ((sessions,),) = connection.execute("SELECT count(*) FROM session")
        is_small = size_bytes <= _CHECKED_BYTES
        problems = (
            [row[0] for row in connection.execute("PRAGMA quick_check(1)")] if is_small else []
        )
    except Exception as error:  # noqa: BLE001 - whatever a damaged file makes of it
        return CheckResult(FAIL, "store", f"{path} is damaged: {error}", _RESCUE)
    finally:
        connection.close()
    if problems not in ([], ["ok"]):
        return CheckResult(FAIL, "store", f"{path} is damaged: {problems[0]}", _RESCUE)
    checked = "intact" if is_small else "too large to check here"
    message = (
        f"{path}: {plural(sessions, 'session')}, {_size(size_bytes)}, schema {schema}, {checked}"
    )
    return CheckResult(OK, "store", message)


_RESCUE = "Export what is still readable with `inspector export --query '' -o saved.otlp.jsonl.gz`."


def _examine_disk(path: Path) -> CheckResult:
    existing = next(place for place in (path, *path.absolute().parents) if place.exists())
    free_bytes = shutil.disk_usage(existing).free
    if not os.access(existing, os.W_OK):
        return CheckResult(FAIL, "disk", f"{existing} is not writable", "Set INSPECTOR_STORE.")
    if free_bytes < FEW_BYTES:
        advice = "Free some space or delete sessions. While the disk is full, senders wait."
        return CheckResult(WARN, "disk", f"{_size(free_bytes)} free at {existing}", advice)
    return CheckResult(OK, "disk", f"{_size(free_bytes)} free at {existing}")


def _size(count: int) -> str:
    return f"{count / 1024**3:.1f} GiB" if count >= 1024**3 else f"{count / 1024**2:.1f} MiB"
