"""The command line: arguments and exit codes. Other modules do the work, imported on use.

Exit codes: 0 done, 1 failed, 2 cannot start with these arguments or settings, 3 no service runs;
of commands to agents, 4 sent and not yet acknowledged, 5 refused or not applied.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer
from typer.core import TyperGroup

from inspector import runfile
from inspector.cli import backups as cli_backups
from inspector.cli import control as cli_control
from inspector.cli import doctor_command as cli_doctor
from inspector.cli import files as cli_files
from inspector.cli import policies as cli_policies
from inspector.cli import run as cli_run
from inspector.cli import selection, session_spans
from inspector.cli.client import Client, NoServiceError
from inspector.cli.exits import FAILED, NO_SERVICE, reporting_errors
from inspector.cli.output import Json, print_json, print_now, say_missing
from inspector.cli.plain_serve import NO_FLAG
from inspector.cli.reader import find_reader
from inspector.errors import InspectorError, RefusedError, SettingsError
from inspector.paths import write_private
from inspector.service.model.rows import SessionStatus
from inspector.service.settings import Settings, load_settings
from inspector.service.token_file import load_token, store_path
from inspector.version import VERSION

NEWEST_FIRST = "-started"
_SORT_KEYS = (
    "started, changed, title, duration, waiting, spans, errors, llm_calls, tool_calls, tokens "
    "or cost"
)
UsageKey: TypeAlias = Literal["user", "tag", "model", "day"]
MCP_INSTALL = "pip install 'mcp-agent-inspector[serve,mcp]'"
_EXIT_CODES = {
    RefusedError: FAILED,
    NoServiceError: NO_SERVICE,
    cli_control.NotDoneError: cli_control.NOT_DONE,
}

_VALUE_ERROR = "Value error, "
"""What the library puts before its sentence about a value."""


class _Commands(TyperGroup):
    """The commands: a paragraph of their help is one line, and an error of a value one sentence."""

    def __init__(self, *args: Any, **also: Any) -> None:
        super().__init__(*args, **also)
        _join_lines(self)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(_VALUE_ERROR)
            raise


def _join_lines(command: Any) -> None:
    command.help = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(command.help or ""))
    for one in getattr(command, "commands", {}).values():
        _join_lines(one)


app = typer.Typer(
    name="inspector",
    cls=_Commands,
    help="Watch AI agents and MCP applications while they run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)

hooks = typer.Typer(help="Check modules of hooks.", no_args_is_help=True)
app.add_typer(hooks, name="hooks")
app.add_typer(cli_policies.app, name="policies")
app.add_typer(cli_files.app)
app.add_typer(cli_backups.app)
app.add_typer(cli_doctor.app)
app.add_typer(cli_control.app)
app.add_typer(cli_run.app)

Config = Annotated[
    Path | None, typer.Option(help="Configuration file. Default: the user's inspector.toml.")
]
Rotate = Annotated[bool, typer.Option("--rotate-token", help="Rotate the token.")]


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"mcp-agent-inspector {VERSION}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Watch AI agents and MCP applications while they run."""


def _sort_key(key: str) -> str:
    if key.removeprefix("-") not in re.findall(r"\w+", _SORT_KEYS.replace(" or ", " ")):
        raise typer.BadParameter(f"'{key}' is not {_SORT_KEYS}, or one of these after a `-`.")
    return key


def _search_words(query: str) -> str:
    if not query.strip():
        raise typer.BadParameter("it is empty: name words, or a query such as `status:error`.")
    return query


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add a flag for each setting to `command`, which gets those of the command line by name."""
    parameters = [_flag(name) for name in Settings.model_fields if name not in NO_FLAG]
    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters += [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for one in own
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # for typer
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _flag(name: str) -> inspect.Parameter:
    field = Settings.model_fields[name]
    kind = bool if field.annotation is bool else str
    default = "in the user's data directory" if field.default_factory else field.default
    shown = str(default) if default else False
    metavar = "PORT" if field.annotation is int else None
    option = typer.Option(help=field.description, show_default=shown, metavar=metavar)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )


@app.command()
@with_settings
def serve(config: Config = None, rotate_token: Rotate = False, **flags: Any) -> None:
    """Run the service, and print the address to open."""
    from inspector.service.server.serve import serve as run  # noqa: PLC0415 - half a second

    settings = load_settings(config, **flags)
    if rotate_token:
        _rotate(settings)
    run(settings, say=print_now)


@app.command()
def token(
    store: Annotated[str | None, typer.Option(help="Print the token of this store.")] = None,
    rotate_token: Rotate = False,
) -> None:
    """Print the access token of the running service, or of a store."""
    settings = load_settings(store=store)
    if store and (path := store_path(settings.store)) and not path.exists():
        raise SettingsError(f"There is no store {path}. `inspector serve` creates one.")
    running = runfile.read()
    if rotate_token:
        _rotate(settings)
        if running:
            typer.echo("The running service still uses the old token. Restart it.", err=True)
    if not any(map(settings.is_explicit, ("store", "token", "token_file"))):
        whose = running.url if running else settings.store
        url = os.environ.get("INSPECTOR_URL", "").strip().rstrip("/")
        if url not in ("", whose):
            typer.echo(f"This is the token of {whose}, not of {url} (INSPECTOR_URL).", err=True)
        if running and not rotate_token:
            print_now(running.token)
            return
    flags = settings.token.get_secret_value() if settings.token else None
    print_now(load_token(settings.store, configured=flags, file=settings.token_file))


@app.command(name="open")
def open_(
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser.")
    ] = True,
) -> None:
    """Print the address of the running service, with its token, and open it in the browser."""
    client = Client.find()
    if client.token:
        client.get("/sessions", limit=1)  # which the service refuses with a wrong one
    else:
        client.get("/health")
    address = f"{client.url}/ui/" + (f"?token={client.token}" if client.token else "")
    print_now(address)
    if browser and not _open_in_browser(address):
        typer.echo("No browser found. Open the address yourself.", err=True)


@app.command()
def sessions(
    query: Annotated[
        str,
        typer.Argument(help="Query, such as `status:failed`; see the page *The query language*."),
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of results.")] = 50,
    status: Annotated[
        SessionStatus | None, typer.Option(help="Only sessions with this status.")
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            metavar="KEY",
            callback=_sort_key,
            help=f"Sort by {_SORT_KEYS}. A `-` in front sorts in descending order.",
        ),
    ] = NEWEST_FIRST,
    as_json: Json = False,
) -> None:
    """List sessions, newest first. Without a running service, read the store."""
    wanted = status and status.value
    found = _searched(query, "sessions", limit, status=wanted, sort=sort)
    if as_json:
        return print_json(found)
    from inspector.cli.console import show_sessions  # noqa: PLC0415

    show_sessions(found, is_narrowed=bool(query or status))
    return None


@app.command()
def usage(
    query: Annotated[
        str, typer.Argument(help="Only these sessions; see the page *The query language*.")
    ] = "",
    by: Annotated[UsageKey, typer.Option(help="Group by.")] = "user",
    as_json: Json = False,
) -> None:
    """Show calls, tokens and cost by user, tag, model or day."""
    try:
        found = find_reader().get("/sessions/usage", q=query, by=by)
    except RefusedError as error:
        raise RefusedError(error.pointed(query), error.problem) from error
    say_missing(found.get("partial", ()))
    if as_json:
        return print_json(found)
    from inspector.cli.console import show_usage  # noqa: PLC0415

    show_usage(found["groups"], by)
    if found["counted_from"] is not None:
        typer.echo(f"Only sessions since {found['counted_from']} are counted.", err=True)
    return None


@app.command()
def causes(
    query: Annotated[
        str,
        typer.Argument(
            help="Only these sessions, such as `started>-24h`; see the page *The query language*."
        ),
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of results.")] = 20,
    as_json: Json = False,
) -> None:
    """Show why sessions failed, grouped by cause, the most frequent first."""
    try:
        found = find_reader().get("/causes", q=query, limit=limit)
    except RefusedError as error:
        raise RefusedError(error.pointed(query), error.problem) from error
    say_missing(found.get("partial", ()))
    if as_json:
        return print_json(found)
    from inspector.cli.console import show_causes  # noqa: PLC0415

    show_causes(found["groups"], is_narrowed=bool(query))
    if found["group_count"] > len(found["groups"]):
        typer.echo(
            f"Showing {len(found['groups'])} of {found['group_count']}; use --limit for more.",
            err=True,
        )
    if found["counted_from"] is not None:
        typer.echo(f"Only sessions since {found['counted_from']} are counted.", err=True)
    return None


@app.command()
def prices(
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Recompute the cost of stored LLM calls.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show which prices the running service uses, and the progress of a recomputation.

    `--recompute` runs in the background. It prices every stored LLM call by the current list, at
    the prices of the time of the call. Costs that the sender reported stay unchanged.
    """
    from inspector.cli.console import show_prices  # noqa: PLC0415

    client = Client.find()
    found = client.post("/prices/recompute") if recompute else client.get("/prices")
    if as_json:
        print_json(found)
    else:
        show_prices(found)


@app.command()
def search(
    query: Annotated[
        str,
        typer.Argument(
            callback=_search_words,
            help="Query, such as `status:error`; see the page *The query language*.",
        ),
    ],
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of results.")] = 50,
    as_json: Json = False,
) -> None:
    """Search spans, newest first. Without a running service, read the store."""
    found = _searched(query, "spans", limit, "/search")
    if as_json:
        return print_json(found)
    from inspector.cli.console import show_hits  # noqa: PLC0415

    show_hits(found)
    return None


@app.command()
def show(
    session_id: Annotated[
        str | None,
        typer.Argument(help="Session id, or its first characters. Default: the newest session."),
    ] = None,
    span_id: Annotated[str | None, typer.Argument(help="Span id, or its first characters.")] = None,
    errors: Annotated[bool, typer.Option("--errors", help="Show only the errors.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show all spans, or every attribute of one.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show a session as a tree of spans, its errors, or one span with its content."""
    from inspector.cli import show as showing  # noqa: PLC0415

    reader = find_reader()
    if session_id is None:
        session = selection.newest_session(reader)
    else:
        session = session_spans.one_session(reader, session_id)
    if span_id is not None:
        showing.one_span(reader, session, span_id, is_full=full, print_json=_json_wanted(as_json))
    elif errors:
        showing.errors(reader, session, print_json=_json_wanted(as_json))
    else:
        showing.tree(reader, session, is_full=full, print_json=_json_wanted(as_json))


@app.command()
def compare(
    session_ids: Annotated[
        list[str],
        typer.Argument(
            help="2 to 20 session ids, or their first characters; the first is the baseline."
        ),
    ],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of results.")] = 50,
    as_json: Json = False,
) -> None:
    """Compare two sessions, or up to 20 step by step."""
    if len(session_ids) < 2:
        raise typer.BadParameter("name at least two sessions", param_hint="SESSION_IDS")
    from inspector.cli import comparing  # noqa: PLC0415

    reader = find_reader()
    ids = [session_spans.one_session(reader, wanted)["id"] for wanted in session_ids]
    if len(set(ids)) == 1:
        raise RefusedError("Cannot compare a session with itself. Name another one.")
    comparing.compare(reader, ids, limit=limit, print_json=_json_wanted(as_json))


@app.command()
def tail(
    session_ids: Annotated[
        list[str] | None,
        typer.Argument(help="Only these sessions. The first characters of an id are enough."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Follow events of the running service until interrupted.

    A terminal shows running sessions as trees; a pipe gets one line for each event.
    """
    from inspector.cli.tail import follow  # noqa: PLC0415

    follow(session_ids or [], print_json=_json_wanted(as_json, indent=None))


@app.command()
def demo(
    seed: Annotated[int, typer.Option(help="The same seed gives the same sessions.")] = 7,
    loop: Annotated[bool, typer.Option("--loop", help="Repeat until interrupted.")] = False,
    speed: Annotated[
        float, typer.Option(min=0.01, help="Speed factor: 10 is ten times as fast.")
    ] = 1.0,
    url: Annotated[
        str | None, typer.Option(help="Address of the service. Default: the running one.")
    ] = None,
) -> None:
    """Run a demo agent with real MCP servers."""
    with _mcp_library():
        from inspector.demo.main import run  # noqa: PLC0415 - it may be missing

    with suppress(NoServiceError):  # which the demo reports
        if Client.find(url).get("/health").get("writers") is not None:
            raise InspectorError(
                "This is a reader, which receives nothing. Name one of its services with --url."
            )
    raise typer.Exit(run(seed=seed, loop=loop, speed=speed, url=url))


@app.command()
def mcp(
    url: Annotated[
        str | None, typer.Option(help="Address of the service. Default: the running one.")
    ] = None,
    control: Annotated[
        bool,
        typer.Option(
            "--control",
            help="Also let the host answer requests, and pause, step and cancel sessions.",
        ),
    ] = False,
) -> None:
    """Run an MCP server over stdio that gives an MCP host your sessions to read."""
    import asyncio  # noqa: PLC0415

    with _mcp_library():
        from inspector.cli.mcp_stdio import serve_stdio  # noqa: PLC0415 - it may be missing

    asyncio.run(serve_stdio(lambda: find_reader(url), may_steer=control))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def proxy(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Option(help="Name of the server. Default: the name of the command.")
    ] = None,
) -> None:
    """Run a stdio MCP server (`-- COMMAND [ARGS]`) and record its messages."""
    # `python -m inspector` and `inspector` find it before any of this is imported.
    from inspector.proxy.command import main as run  # noqa: PLC0415

    named = [] if name is None else ["--name", name]
    raise typer.Exit(run([*named, "--", *context.args]))


@hooks.command()
def validate(
    path: Annotated[Path, typer.Argument(help="Python file, package or distribution.")],
    as_json: Json = False,
) -> None:
    """Check a module of `instrument.control` hooks. This runs it, in a process of its own."""
    from inspector.cli.hook_validation import validate as check  # noqa: PLC0415

    report = check(path)
    if as_json:
        print_json(report.as_json())
    else:
        from inspector.cli.console import show_report  # noqa: PLC0415

        show_report(report)
    if not report.is_valid:
        raise typer.Exit(FAILED)


def _open_in_browser(address: str) -> bool:
    """Open an address with a token; return False without a browser.

    Every user of the machine can read the arguments of a command. So the browser gets a page that
    only this user may read, and that page leads to the address.
    """
    import webbrowser  # noqa: PLC0415

    for directory in runfile.directories():
        path = directory / "open.html"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path, _PAGE.format(address=escape(address)))
        except OSError:
            continue
        try:
            return webbrowser.open(path.resolve().as_uri())
        except webbrowser.Error:
            return False
    return False


_PAGE = (
    '<!doctype html><meta charset="utf-8"><title>Inspector</title>'
    '<meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0;url={address}"><a href="{address}">Inspector</a>\n'
)


@contextmanager
def _mcp_library() -> Iterator[None]:
    """Turn a failed import of the MCP library, or of its version 2, into advice."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise SettingsError(
            f"This needs the MCP library, 2 or later. Run: {MCP_INSTALL}"
        ) from error


def _rotate(settings: Settings) -> None:
    if settings.token:
        raise SettingsError("INSPECTOR_TOKEN sets the token. Change it there.")
    load_token(settings.store, file=settings.token_file, rotate=True)


def _searched(
    query: str, what: str, limit: int, path: str = "/sessions", **also: object
) -> list[dict[str, Any]]:
    try:
        found, has_more, missing = session_spans.pages(
            find_reader(), what, limit, path, q=query, **also
        )
    except RefusedError as error:
        raise RefusedError(error.pointed(query), error.problem) from error
    if has_more:
        which = "newest" if also.get("sort", NEWEST_FIRST) == NEWEST_FIRST else "first"
        typer.echo(f"Showing the {which} {limit}; use --limit for more.", err=True)
    say_missing(missing)
    return found


def _json_wanted(is_wanted: bool, indent: int | None = 2) -> Callable[[object], None] | None:
    """Return a function that prints JSON, if that is wanted."""
    return (lambda value: print_json(value, indent)) if is_wanted else None


def run() -> None:
    """Run the command line. An error of ours is one sentence, not a traceback."""
    with reporting_errors(_EXIT_CODES):
        app()
