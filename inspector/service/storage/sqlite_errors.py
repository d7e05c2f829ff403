"""SQLite's errors as messages that say how to fix them."""

from __future__ import annotations

import contextlib
import errno
from pathlib import Path

import apsw

from inspector.errors import StoreTrouble, StoreUnavailableError

# Somebody else's backup or shell: it ends, so a refused commit can be tried again.
_LOCKED = (apsw.BusyError, apsw.LockedError)
UNAVAILABLE = (
    *_LOCKED,
    apsw.FullError,
    apsw.IOError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.PermissionsError,
    apsw.ConnectionClosedError,
)
"""Errors not caused by the statement, which may be run again."""

RESTORE = "Stop the service, and restore a backup with `inspector restore FILE`."
"""Advice for a damaged store."""

# SQLite says "I/O error" for most of what a system refuses; its own number says why.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY = frozenset({errno.EROFS, errno.EPERM, errno.EACCES})


def unavailable(
    verb: str, path: Path | None, error: apsw.Error, system_errno: int = 0
) -> StoreUnavailableError:
    """Return the error with the reason why a store cannot be used now.

    Args:
        verb: The attempt: "read", "write to".
        path: The store; None: the one in memory.
        error: SQLite's, one of `UNAVAILABLE`.
        system_errno: The system's own number, for an I/O error.
    """
    trouble, why, what_to_do = _reason(error, system_errno)
    if path is None and trouble == "full":
        why, what_to_do = "it is full", "Delete sessions, or keep them in a file (INSPECTOR_STORE)."
    return StoreUnavailableError(
        f"Cannot {verb} the store {path or 'in memory'}: {why} ({error}). {what_to_do} Senders "
        "retry.",
        trouble=trouble,
    )


def is_damage(error: BaseException) -> bool:
    """Return whether the error means that the file is damaged."""
    return isinstance(error, apsw.CorruptError | apsw.NotADBError)


def errno_of(connection: apsw.Connection | None) -> int:
    """Return the system's error number of the connection's last error; 0 without one."""
    try:
        return 0 if connection is None else connection.system_errno
    except apsw.ConnectionClosedError:
        return 0


def discard(connection: apsw.Connection) -> None:
    """Close a connection whose disk may be gone; its unwritten data is dispensable."""
    with contextlib.suppress(apsw.Error):
        connection.close(True)


def is_passing(error: apsw.Error) -> bool:
    """Return whether the connection is still good: the error was temporary."""
    return isinstance(error, _LOCKED)


def _reason(error: apsw.Error, system_errno: int) -> tuple[StoreTrouble, str, str]:
    is_io = isinstance(error, apsw.IOError | apsw.CantOpenError)
    if isinstance(error, apsw.FullError) or (is_io and system_errno in _FULL):
        return "full", "the disk is full", "Free some space."
    if isinstance(error, apsw.ReadOnlyError) or (is_io and system_errno in _READ_ONLY):
        return "read_only", "it is read-only", "Make the disk and the file writable."
    if isinstance(error, _LOCKED):
        return "unavailable", "another program has locked it", "Wait for that program to finish."
    if is_damage(error):
        return "unavailable", "its file is damaged", RESTORE
    return "unavailable", "the disk does not respond", "Check the disk."
