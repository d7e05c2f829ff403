"""The schema of the history: numbered scripts, each of which may run again."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from inspector.errors import HistoryError
from inspector.service.history.clickhouse import ClickHouse, literal

_VERSION = """
CREATE TABLE IF NOT EXISTS schema_version (version UInt32, at DateTime)
ENGINE = MergeTree ORDER BY version
"""
_OTEL_TRACES = """
CREATE OR REPLACE VIEW otel_traces AS
SELECT
    fromUnixTimestamp64Nano(start_ns) AS Timestamp,
    lower(hex(trace)) AS TraceId,
    lower(hex(span)) AS SpanId,
    parent AS ParentSpanId,
    '' AS TraceState,
    name AS SpanName,
    kind AS SpanKind,
    service AS ServiceName,
    if(service = '', map(), map('service.name', service)) AS ResourceAttributes,
    '' AS ScopeName,
    '' AS ScopeVersion,
    mapFromArrays(attribute_keys, attribute_values) AS SpanAttributes,
    if(end_ns < 0, 0, toUInt64(end_ns - start_ns)) AS Duration,
    multiIf(status = 'error', 'Error', status = 'ok', 'Ok', 'Unset') AS StatusCode,
    '' AS StatusMessage,
    CAST([], 'Array(DateTime64(9))') AS `Events.Timestamp`,
    CAST([], 'Array(String)') AS `Events.Name`,
    CAST([], 'Array(Map(String, String))') AS `Events.Attributes`,
    CAST([], 'Array(String)') AS `Links.TraceId`,
    CAST([], 'Array(String)') AS `Links.SpanId`,
    CAST([], 'Array(String)') AS `Links.TraceState`,
    CAST([], 'Array(Map(String, String))') AS `Links.Attributes`,
    session AS SessionId,
    cost_usd AS CostUsd
FROM span FINAL
"""
_OTEL_TRACE_TIMES = """
CREATE OR REPLACE VIEW otel_traces_trace_id_ts AS
SELECT TraceId, min(Timestamp) AS Start, max(Timestamp) AS End FROM otel_traces GROUP BY TraceId
"""
"""Both like the tables of the Collector's exporter, for the dashboards that people have."""
_WORDS = """
ALTER TABLE {table} ADD INDEX IF NOT EXISTS words_text words
TYPE text(tokenizer = 'splitByNonAlpha', preprocessor = lower(words))
"""
"""Splits the words of a text as `query.words.fold` does, and what that has folded."""
_COMMENT = re.compile(r"\s*--.*")
_TABLE = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+) \((.*?)\n\) ENGINE", re.DOTALL)
_COLUMN = re.compile(r"^ +(\w+) ([\w()]+)", re.MULTILINE)
_DICTIONARY = re.compile(r"LowCardinality\((.*)\)")
"""Not seen in `RowBinary`."""
_ENGINE = re.compile(r"(EXISTS (\w+) .*ENGINE = )ReplacingMergeTree\((\w+)\)", re.DOTALL)
_MACROS = {"shard", "replica"}


class NotReplicatedError(HistoryError):
    """Tables are there, and no replicas: what they have would not come to the other servers."""


def migrate(history: ClickHouse, copies: int = 1) -> None:
    """Create the tables, or bring them up to date; several at once do no harm.

    Args:
        history: One server of it.
        copies: With more than one, the tables are replicated.

    Raises:
        HistoryError: It cannot be reached, refuses, or a newer version made its tables.
    """
    history.run(_VERSION)
    version = _version(history)
    if _layout().keys() - _columns(history):  # somebody dropped a table
        version = 0
    if copies > 1:
        _check_macros(history)
    for number, script in enumerate(_scripts()[version:], start=version + 1):
        for statement in _COMMENT.sub("", script).split(";"):
            if statement.strip():
                history.run(_replicated(statement, history) if copies > 1 else statement)
        # Last: what is done in part is done again.
        history.run(f"INSERT INTO schema_version VALUES ({number}, now())")
    if copies > 1 and not is_replicated(history):
        raise NotReplicatedError(
            f"Cannot use the history {history.address}: its tables are not replicated. Name "
            "another database, or set INSPECTOR_HISTORY_COPIES to 1.",
            is_passing=False,
        )
    if history.is_modern:
        history.run(_OTEL_TRACES)
        history.run(_OTEL_TRACE_TIMES)
    if history.has_text_index:
        _index_words(history)


def check(history: ClickHouse) -> None:
    """Check that no column was dropped or changed: it would take bytes that are of another.

    Raises:
        HistoryError: One was, or a newer version changed the tables; says what to do.
    """
    _version(history)
    found = _columns(history)
    for table, columns in _layout().items():
        if table not in found:
            raise HistoryError(
                f"The table `{table}` of the history is missing. It is made again in a moment.",
                is_passing=True,
            )
        for name, type_ in columns.items():
            known = found[table].get(name)
            if known != type_:
                is_now = "is missing" if known is None else f"is {known}, not {type_}"
                verb = "ADD" if known is None else "MODIFY"
                values = ", and put its values back from a backup" if known is None else ""
                raise HistoryError(
                    f"Cannot use the history: the column `{name}` of its table `{table}` {is_now}."
                    f" Run `ALTER TABLE {table} {verb} COLUMN {name} {type_}`{values}.",
                    is_passing=False,
                )


def is_replicated(history: ClickHouse) -> bool:
    """Return whether every server of the history has the rows that one of them gets."""
    found = history.rows(
        "SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = 'span'"
    )
    return str(found[0]["engine"]).startswith(("Replicated", "Shared"))


def _replicated(statement: str, history: ClickHouse) -> str:
    """Return a statement that creates a table, with the engine of replicas."""

    def engine(found: re.Match[str]) -> str:
        before, table, version = found.groups()
        path = literal(f"/clickhouse/tables/{{shard}}/{history.address.database}/{table}")
        return f"{before}ReplicatedReplacingMergeTree({path}, '{{replica}}', {version})"

    return _ENGINE.sub(engine, statement)


def _check_macros(history: ClickHouse) -> None:
    missing = _MACROS - {one["macro"] for one in history.rows("SELECT macro FROM system.macros")}
    if missing:
        names = " and ".join(f"<{one}>" for one in sorted(missing))
        raise HistoryError(
            f"Cannot use the history {history.address}: its server has no macro {names}, by which "
            "replicas know each other. Set it under <macros> in the server's configuration.",
            is_passing=False,
        )


def _index_words(history: ClickHouse) -> None:
    """Index the words of tables that an older server may have filled."""
    known = history.rows(
        "SELECT table FROM system.data_skipping_indices"
        " WHERE database = currentDatabase() AND name = 'words_text'"
    )
    for table in {"span", "session"} - {one["table"] for one in known}:
        history.run(_WORDS.format(table=table))
        history.run(f"ALTER TABLE {table} MATERIALIZE INDEX words_text")


def _version(history: ClickHouse) -> int:
    found = history.rows("SELECT max(version) AS version FROM schema_version")
    version, most = int(found[0]["version"]) if found else 0, len(_scripts())
    if version > most:
        raise HistoryError(
            f"Cannot use the history: a newer version made its tables (schema {version}; this "
            f"version supports {most}). Upgrade with `pip install -U mcp-agent-inspector`.",
            is_passing=False,
        )
    return version


def _columns(history: ClickHouse) -> dict[str, dict[str, str]]:
    """Return the type of each column, by table."""
    found = dict[str, dict[str, str]]()
    for one in history.rows(
        "SELECT table, name, type FROM system.columns WHERE database = currentDatabase()"
    ):
        type_ = _DICTIONARY.sub(r"\1", one["type"])
        found.setdefault(one["table"], {})[one["name"]] = type_
    return found


@cache
def _layout() -> dict[str, dict[str, str]]:
    """Return what `_columns` has to have."""
    scripts = _COMMENT.sub("", "\n".join(_scripts()))
    return {table: dict(_COLUMN.findall(columns)) for table, columns in _TABLE.findall(scripts)}


@cache
def _scripts() -> list[str]:
    folder = resources.files("inspector.service.history") / "schema"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [file.read_text(encoding="utf-8") for file in files]
