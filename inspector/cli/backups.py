"""`inspector backup`, `restore` and `recover`: the store as one file, or from the history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inspector import runfile
from inspector.errors import SettingsError
from inspector.service.analysis.formatting import plural
from inspector.service.settings import load_settings
from inspector.service.token_file import store_path

app = typer.Typer()

Store = Annotated[str | None, typer.Option(help="Store: `sqlite:///PATH`.")]


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="File to write. It must not exist.")],
    store: Store = None,
) -> None:
    """Copy the store to a file. The service may keep running.

    The copy is a consistent snapshot of sessions, requests and the audit log, readable by you
    alone. It does not contain the token, spans queued for forwarding or the search index, which
    is rebuilt after `inspector restore`.
    """
    from inspector.service.storage.sqlite_backup import back_up  # noqa: PLC0415

    running = runfile.read() if store is None else None
    path = _path_of(running.store if running else load_settings(store=store).store)
    size_bytes = back_up(path, file)
    typer.echo(f"{file}: {size_bytes} bytes, from {path}")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="File written by `inspector backup`.")],
    store: Store = None,
) -> None:
    """Replace the store with a backup. Stop the service first.

    The previous store is renamed, not deleted. Open pages reload their lists, and agents
    reconnect by themselves.
    """
    from inspector.service.storage.sqlite_backup import restore as put_back  # noqa: PLC0415

    path = _path_of(load_settings(store=store).store)
    previous = put_back(file, path)
    typer.echo(f"{path}: restored from {file}")
    if previous is not None:
        typer.echo(f"The previous store is now {previous}. Delete it when you no longer need it.")


@app.command()
def recover(
    lost: Annotated[
        str | None, typer.Argument(help="Id of the lost store, if the history has several.")
    ] = None,
    store: Store = None,
) -> None:
    """Make a store from the history after its disk was lost. Stop the service first.

    Every session that was copied is listed again, and its content is read from the history.
    Requests and the audit log are lost. Sessions that ran are shown as lost.
    """
    from inspector.service.history import recovering  # noqa: PLC0415 - seldom wanted
    from inspector.service.history.address import HistoryAddress  # noqa: PLC0415

    settings = load_settings(store=store)
    path = _path_of(settings.store)
    if not settings.history:
        raise SettingsError("Cannot recover a store without a history: set INSPECTOR_HISTORY.")
    password = settings.history_password
    found, count = recovering.recover_from(
        HistoryAddress.parse(settings.history),
        password.get_secret_value() if password else "",
        settings.history_copies,
        lost,
        path,
    )
    typer.echo(f"{path}: recovered {plural(count, 'session')} of the store {found.id}")


def _path_of(store: str) -> Path:
    path = store_path(store)
    if path is None:
        raise SettingsError(f"The store {store!r} is not a file. Only stores on disk have backups.")
    return path
