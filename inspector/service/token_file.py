"""The access token: set by the user, or created once and stored in a file."""

from __future__ import annotations

import logging
import os
import secrets
from pathlib import Path

from inspector.errors import SettingsError
from inspector.paths import check_trusted, data_dir, make_dir, write_private

SQLITE = "sqlite:///"

_logger = logging.getLogger("inspector")


def store_path(store: str) -> Path | None:
    """Return the file of a store's address; None if it has no file."""
    return Path(store.removeprefix(SQLITE)).expanduser() if store.startswith(SQLITE) else None


def token_path(store: str, file: Path | None = None) -> Path:
    """Return the path of the token of `store`: `file`, else beside the store."""
    if file is not None:
        return file.expanduser()
    path = store_path(store)
    return path.with_name(path.name + ".token") if path else data_dir() / "memory.token"


def load_token(
    store: str, *, configured: str | None = None, file: Path | None = None, rotate: bool = False
) -> str:
    """Return the access token.

    Args:
        store: Store address; the token is stored beside it, readable by its owner only.
        configured: Used as it is, and not stored.
        file: Another file for the token.
        rotate: Make a new one: it ends every login, and every client needs it.

    Raises:
        SettingsError: It cannot be read or written.
        UntrustedFileError: Somebody else may have put it there, and so knows it.
    """
    if configured:
        return configured
    path = token_path(store, file)
    try:
        if not rotate:
            check_trusted(path)
            if path.exists() and (stored := path.read_text(encoding="ascii").strip()):
                return stored
        token = secrets.token_urlsafe(32)
        make_dir(path.parent)
        write_private(path, f"{token}\n")
    except (OSError, UnicodeDecodeError) as error:
        if file is None and store_path(store) and not os.path.exists(path):  # noqa: PTH110 - never raises
            reason = error.strerror if isinstance(error, OSError) else error
            raise SettingsError(
                f"Cannot write to the folder of the store, {path.parent}: {reason}. "
                "Set INSPECTOR_STORE to a writable path."
            ) from error
        raise SettingsError(
            f"Cannot store the access token in {path}: {error}. Set INSPECTOR_TOKEN, or set "
            "INSPECTOR_TOKEN_FILE or INSPECTOR_STORE to a writable path."
        ) from error
    return token
