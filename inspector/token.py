"""The access token: given by the user, or made once and kept beside the store."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from inspector.errors import SettingsError
from inspector.paths import data_dir, make_dir

SQLITE = "sqlite:///"


def store_path(store: str) -> Path | None:
    """Return the file of a store address; None for one that has no file."""
    return Path(store.removeprefix(SQLITE)).expanduser() if store.startswith(SQLITE) else None


def token_path(store: str) -> Path:
    """Return where the token of `store` is kept."""
    path = store_path(store)
    return path.with_name(path.name + ".token") if path else data_dir() / "memory.token"


def load_token(store: str, *, given: str | None = None, rotate: bool = False) -> str:
    """Return the token to ask for.

    Args:
        store: Store address; the token is kept beside it, readable by its owner only.
        given: Used as it is, and not kept.
        rotate: Make a new one: every session and every client has to be told.

    Raises:
        SettingsError: It cannot be read or written.
    """
    if given:
        return given
    path = token_path(store)
    try:
        if not rotate and path.exists() and (kept := path.read_text(encoding="ascii").strip()):
            return kept
        return _write(path, secrets.token_urlsafe(32))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"Cannot keep the access token in {path}: {error}. "
            "Set INSPECTOR_TOKEN, or choose a writable place with INSPECTOR_STORE."
        ) from error


def _write(path: Path, token: str) -> str:
    make_dir(path.parent)
    # Written aside and moved, so that no one ever reads half of it, nor with other rights.
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    aside.replace(path)
    return token
