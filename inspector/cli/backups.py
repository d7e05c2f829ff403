"""`inspector backup` and `inspector restore`: the store as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inspector import runfile
from inspector.errors import SettingsError
from inspector.service.settings import load_settings
from inspector.service.token_file import store_path

app = typer.Typer()

Store = Annotated[str | None, typer.Option(help="The store: `sqlite:///PATH`.")]


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The copy; it must not exist.")],
    store: Store = None,
) -> None:
    """Copy the store to a file, while the service runs or not.

    The copy is whole and of one moment: sessions, requests and the audit log. Only its owner may
    read it. The token, what waits to be forwarded and the index of words are not part of it; the
    index is made anew after `inspector restore`.
    """
    from inspector.service.storage.sqlite_backup import back_up  # noqa: PLC0415

    running = runfile.read() if store is None else None
    path = _path_of(running.store if running else load_settings(store=store).store)
    size_bytes = back_up(path, file)
    typer.echo(f"{file}: {size_bytes} bytes, from {path}")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="What `inspector backup` wrote.")],
    store: Store = None,
) -> None:
    """Put a backup in the place of the store. No service may have the store open.

    What was there is kept beside it under another name. Pages that are open read their lists
    again; agents go on.
    """
    from inspector.service.storage.sqlite_backup import restore as put_back  # noqa: PLC0415

    path = _path_of(load_settings(store=store).store)
    previous = put_back(file, path)
    typer.echo(f"{path}: restored from {file}")
    if previous is not None:
        typer.echo(f"What was there before is {previous}. Delete it when you need it no more.")


def _path_of(store: str) -> Path:
    path = store_path(store)
    if path is None:
        raise SettingsError(f"The store {store!r} is not a file: there is nothing to copy.")
    return path
