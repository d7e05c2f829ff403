"""`inspector export` and `inspector import`: sessions as files."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from inspector.cli.client import Client
from inspector.cli.output import FAILED, Json, print_json
from inspector.cli.reader import find_reader
from inspector.errors import SettingsError
from inspector.service.analysis.formatting import plural
from inspector.service.analysis.sanitise import visible

app = typer.Typer()

_PIECE_BYTES = 65_536
_FEW_MISTAKES = 3
"""Mistakes that are listed of a file of which nothing could be read: it is something else."""
STDIO = "-"


@app.command()
def export(
    session_id: Annotated[
        str | None, typer.Argument(help="Session id, or its first characters.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="File to write: gzip for .gz, a web page of one session for .html. "
            "`-` prints the lines.",
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(help="Export all sessions that match; see the page *The query language*."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Export sessions as OTLP JSON lines. Without a running service, read the store.

    An .html file is a web page that shows one session in any browser, without a service.
    """
    from inspector.cli import transfer  # noqa: PLC0415

    if (session_id is None) == (query is None):
        raise SettingsError("Name a session by its id, or several by --query.")
    reader = find_reader()
    ids = transfer.select(reader, session_id, query)
    name = output or f"{transfer.file_name(ids[0]) if session_id else 'sessions'}.otlp.jsonl.gz"
    is_page = name.lower().endswith(".html")
    if is_page and len(ids) > 1:
        raise SettingsError(
            f"A web page shows one session, and {len(ids)} match. Name one by its id."
        )
    with output_file(name) as file, _progress("exported", len(ids)) as advance:
        size_bytes = 0
        for id_ in ids:
            pieces = (
                reader.page(id_)
                if is_page
                else transfer.pieces(reader, id_, is_packed=name.endswith(".gz"))
            )
            for piece in pieces:
                size_bytes += file.write(piece)
            advance(1)
    if as_json and name != STDIO:
        print_json({"file": name, "size_bytes": size_bytes, "sessions": ids})
    elif name != STDIO:
        typer.echo(f"{visible(name)}: {plural(len(ids), 'session')}, {size_bytes} bytes")


@app.command("import")
def import_(
    files: Annotated[
        list[str], typer.Argument(help="Files, gzip or plain; `-` reads standard input.")
    ],
    as_json: Json = False,
) -> None:
    """Import sessions into the running service.

    Reads files of `inspector export`, OTLP JSON (lines, arrays, documents), Jaeger traces,
    Langfuse exports, and the console output of the Python and JavaScript SDKs. Importing a file
    twice changes nothing.
    """
    client = Client.find()
    reports = []
    for name in files:
        with input_file(name) as (file, size_bytes), _progress(name, size_bytes) as advance:
            report = client.upload("/import", _read(file, advance))
        reports.append({"file": name, **report})
        if not as_json:
            _print_report(name, report)
    if as_json:
        print_json(reports)
    if any(report["mistake_count"] or not _has_any(report) for report in reports):
        raise typer.Exit(FAILED)


def _has_any(report: dict[str, Any]) -> bool:
    """Return whether there is telemetry in a file."""
    counts = ("spans", "logs", "span_duplicates", "log_duplicates", "not_stored")
    return any(report[name] for name in counts)


def _print_report(name: str, report: dict[str, Any]) -> None:
    name = visible(name)
    stored = [plural(report["spans"], "span"), plural(report["logs"], "log record")]
    duplicates = report["span_duplicates"] + report["log_duplicates"]
    sessions = report["sessions"]
    if _has_any(report):
        typer.echo(
            f"{name}: {' and '.join(stored)} of {plural(len(sessions), 'session')}"
            + (f"; {duplicates} were already stored" if duplicates else "")
            + (
                f"; {report['not_stored']} are of a kind that is not stored"
                * (report["not_stored"] > 0)
            )
        )
    listed = report["mistakes"][: None if _has_any(report) else _FEW_MISTAKES]
    for mistake in listed:
        typer.echo(f"{name}:{mistake['line']}: {visible(mistake['message'])}", err=True)
    if not (report["mistake_count"] or _has_any(report)):
        typer.echo(f"{name}: nothing to import in it.", err=True)
    if rest := report["mistake_count"] - len(listed):
        typer.echo(f"{name}: and {plural(rest, 'more error')}", err=True)


@contextlib.contextmanager
def output_file(name: str) -> Iterator[IO[bytes]]:
    """Open a file, or standard output for `-`; the file appears only once it is whole.

    Raises:
        SettingsError: It cannot be written.
    """
    if name == STDIO:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    aside = path.with_name(f".{path.name}.part")
    try:
        with aside.open("wb") as file:
            yield file
        aside.replace(path)
    except OSError as error:
        raise SettingsError(f"Cannot write {name}: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)


@contextlib.contextmanager
def input_file(name: str) -> Iterator[tuple[IO[bytes], int | None]]:
    """Open a file, or standard input for `-`; yield it with its size, if known.

    Raises:
        SettingsError: It cannot be read.
    """
    if name == STDIO:
        yield sys.stdin.buffer, None
        return
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(Path(name).open("rb"))
        except OSError as error:
            raise SettingsError(f"Cannot read {name}: {error.strerror or error}.") from error
        yield file, Path(name).stat().st_size


def _read(file: IO[bytes], advance: Callable[[int], None]) -> Iterable[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece
        advance(len(piece))


@contextlib.contextmanager
def _progress(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show the progress on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = ("{task.description}", BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(escape(what), total=total)
        yield lambda count: progress.advance(task, count)
