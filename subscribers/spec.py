"""The telemetry spec: which hook becomes which span, event and attribute, loaded and checked.

`telemetry_spec.toml` beside this file explains its own columns. Everything here is plain data, so
that tests and documents read the same table that the bridge runs on.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from instrument import CATALOGUE
from subscribers.convert import CONVERSIONS
from subscribers.errors import SpecError
from subscribers.paths import roots

_E = TypeVar("_E", bound=StrEnum)

DEFAULT_PATH = Path(__file__).with_name("telemetry_spec.toml")

KINDS = ("internal", "client", "server", "producer", "consumer")
ACTIONS = ("start", "end", "event", "remember")
TARGETS = ("span", "operation", "none")


class Requirement(StrEnum):
    """How surely the attribute is there."""

    REQUIRED = "R"
    CONDITIONAL = "CR"
    RECOMMENDED = "Rec"
    OPT_IN = "OI"
    OWN = "own"


class Truncation(StrEnum):
    """How much of a value is kept."""

    NONE = "T0"
    SHORT = "T1"
    LONG = "T2"
    JSON = "T3"


class Sensitivity(StrEnum):
    """What a value may reveal. What must never be recorded (S4) has no row."""

    PUBLIC = "S0"
    IDENTIFIER = "S1"
    SCRUBBED = "S2"
    CONTENT = "S3"


DEFAULT_CONVERSIONS: Mapping[str, str] = {
    "string": "text",
    "int": "integer",
    "double": "number",
    "bool": "boolean",
    "string[]": "names",
    "json": "anything",
    "map": "anything",
}
"""Attribute type to the conversion that a row uses when it names none."""

KNOWN_TO_THE_BRIDGE = frozenset(
    {"$session", "$title", "$engine", "$agent", "$failure", "$status", "$rpc", "$wait_ms",
     "$percent", "$server_uri", "$reason", "$operation_name", "$unknown_provider",
     "$workflow_class", "$is_llm", "$state"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attribute:
    """One row: a value of a hook, and the attribute it becomes in each vocabulary."""

    current: str | None
    legacy: str | None
    source: str | None
    """Path into the kwargs; None for a constant."""
    constant: str | bool | int | float | None
    via: str
    type: str
    requirement: Requirement
    truncation: Truncation
    sensitivity: Sensitivity
    when: str | None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys it is written under when both vocabularies are asked for."""
        return tuple(dict.fromkeys(key for key in (self.current, self.legacy) if key))


@dataclass(frozen=True, slots=True)
class SpanSpec:
    """A span that hooks start."""

    name: str
    noun: str
    template: str
    legacy_name: str
    kind: str
    key: str
    when: str | None


@dataclass(frozen=True, slots=True)
class HookSpec:
    """What one hook does; `attributes` has the common and outcome rows that apply to it, too."""

    name: str
    action: str
    span: str | None
    failure: str | None
    event: str | None
    on: str
    attributes: tuple[Attribute, ...]

    def required(self) -> tuple[Attribute, ...]:
        """The rows that are there whenever this hook has fired."""
        return tuple(row for row in self.attributes if row.requirement is Requirement.REQUIRED)


@dataclass(frozen=True, slots=True)
class Spec:
    """The whole table."""

    version: str
    hooks: Mapping[str, HookSpec]
    spans: Mapping[str, SpanSpec]

    def spans_of(self, noun: str) -> tuple[SpanSpec, ...]:
        """The spans an operation `noun` can be, the conditional ones first."""
        found = [span for span in self.spans.values() if span.noun == noun]
        return tuple(sorted(found, key=lambda span: span.when is None))


def load_spec(path: Path | str | None = None) -> Spec:
    """Read and check a spec; by default `INSPECTOR_TELEMETRY_SPEC`, else the one shipped.

    Raises:
        SpecError: It cannot be read or says something impossible; names the file and the row.
    """
    file = Path(path or os.environ.get("INSPECTOR_TELEMETRY_SPEC") or DEFAULT_PATH)
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"Cannot read the telemetry spec {file}: {error}") from error
    try:
        return _Loader(file).spec(data)
    except (AttributeError, TypeError) as error:
        raise SpecError(
            f"Cannot use the telemetry spec {file}: a table has another shape."
        ) from error


class _Loader:
    """Checks every cell and says where it is wrong."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def spec(self, data: dict[str, Any]) -> Spec:
        self._only(data, "the top", {"version", "spans", "common", "outcome", "hooks"})
        spans = {name: self._span(name, row) for name, row in data.get("spans", {}).items()}
        common = self._attributes("common", data.get("common", {}), None)
        outcome = self._attributes("outcome", data.get("outcome", {}), None)
        hooks = {}
        for name, row in data.get("hooks", {}).items():
            hooks[name] = self._hook(name, row, spans, common, outcome)
        missing = sorted(CATALOGUE.keys() - hooks.keys() - _WITHOUT_TELEMETRY)
        if missing:
            raise self._error("hooks", f"no row for {', '.join(missing)}")
        return Spec(str(data.get("version", "")), hooks, spans)

    def _span(self, name: str, row: dict[str, Any]) -> SpanSpec:
        where = f"spans.{name}"
        self._only(row, where, {"noun", "name", "legacy_name", "kind", "key", "when"})
        for column in ("noun", "name", "legacy_name", "kind", "key"):
            if not isinstance(row.get(column), str):
                raise self._error(where, f"`{column}` is missing")
        self._one_of(where, "kind", row["kind"], KINDS)
        if f"before_{row['noun']}" not in CATALOGUE:
            raise self._error(where, f"unknown noun {row['noun']!r}")
        return SpanSpec(
            name, row["noun"], row["name"], row["legacy_name"], row["kind"], row["key"],
            row.get("when"),
        )  # fmt: skip

    def _hook(
        self,
        name: str,
        row: dict[str, Any],
        spans: Mapping[str, SpanSpec],
        common: tuple[Attribute, ...],
        outcome: tuple[Attribute, ...],
    ) -> HookSpec:
        where = f"hooks.{name}"
        columns = {"action", "span", "failure", "event", "on", "attributes"}
        self._only(row, where, columns)
        if name not in CATALOGUE:
            raise self._error(where, "unknown hook: instrument.CATALOGUE has no such event")
        action, span, on = row.get("action"), row.get("span"), row.get("on", "span")
        self._one_of(where, "action", action, ACTIONS)
        self._one_of(where, "on", on, TARGETS)
        if span is not None and span not in spans:
            raise self._error(where, f"unknown span {span!r}")
        if (action == "event") != ("event" in row):
            raise self._error(where, '`event` belongs to action = "event", and to nothing else')
        rows = self._attributes(where, row, {kwarg.name for kwarg in CATALOGUE[name].kwargs})
        if action == "end":
            rows += outcome
        if action in {"start", "event"}:
            own = {key for attribute in rows for key in attribute.keys}
            rows = tuple(r for r in common if not own & set(r.keys)) + rows
        self._no_duplicates(where, rows)
        return HookSpec(name, str(action), span, row.get("failure"), row.get("event"), on, rows)

    def _attributes(
        self, where: str, table: dict[str, Any], kwargs: set[str] | None
    ) -> tuple[Attribute, ...]:
        rows = table.get("attributes", [])
        return tuple(
            self._attribute(f"{where}.attributes[{index}]", row, kwargs)
            for index, row in enumerate(rows)
        )

    def _attribute(self, where: str, row: dict[str, Any], kwargs: set[str] | None) -> Attribute:
        where = f"{where} ({row.get('current') or row.get('legacy')})"
        columns = {
            "current",
            "legacy",
            "from",
            "value",
            "via",
            "type",
            "req",
            "cut",
            "sens",
            "when",
        }
        self._only(row, where, columns)
        if not row.get("current") and not row.get("legacy"):
            raise self._error(where, "neither `current` nor `legacy`")
        if ("from" in row) == ("value" in row):
            raise self._error(where, "needs either `from` or `value`")
        self._one_of(where, "type", row.get("type"), tuple(DEFAULT_CONVERSIONS))
        via = row.get("via", DEFAULT_CONVERSIONS[row["type"]])
        self._one_of(where, "via", via, tuple(CONVERSIONS))
        for path in filter(None, (row.get("from"), row.get("when"))):
            self._known(where, path, kwargs)
        is_json = row["type"] == "json"
        cut = self._cell(where, "cut", row, Truncation)
        if is_json != (cut is Truncation.JSON):
            raise self._error(where, '`cut = "T3"` belongs to `type = "json"`, and to nothing else')
        return Attribute(
            current=row.get("current"),
            legacy=row.get("legacy"),
            source=row.get("from"),
            constant=row.get("value"),
            via=via,
            type=row["type"],
            requirement=self._cell(where, "req", row, Requirement),
            truncation=cut,
            sensitivity=self._cell(where, "sens", row, Sensitivity),
            when=row.get("when"),
        )

    def _known(self, where: str, path: str, kwargs: set[str] | None) -> None:
        for root in roots(path):
            if root.startswith("$"):
                if root not in KNOWN_TO_THE_BRIDGE:
                    raise self._error(where, f"unknown {root!r}; the bridge knows no such thing")
            elif kwargs is not None and root not in kwargs:
                raise self._error(
                    where, f"unknown kwarg {root!r}; there are {', '.join(sorted(kwargs))}"
                )

    def _cell(self, where: str, column: str, row: dict[str, Any], kind: type[_E]) -> _E:
        try:
            return kind(row.get(column, ""))
        except ValueError:
            allowed = ", ".join(kind)
            what = f"`{column}` is {row.get(column)!r}, not one of {allowed}"
            raise self._error(where, what) from None

    def _one_of(self, where: str, column: str, value: object, allowed: tuple[str, ...]) -> None:
        if value not in allowed:
            raise self._error(where, f"`{column}` is {value!r}, not one of {', '.join(allowed)}")

    def _only(self, row: dict[str, Any], where: str, columns: set[str]) -> None:
        if unknown := sorted(row.keys() - columns):
            raise self._error(where, f"unknown column {', '.join(unknown)}")

    def _no_duplicates(self, where: str, rows: tuple[Attribute, ...]) -> None:
        seen: set[str] = set()
        for row in rows:
            for key in row.keys:
                if key in seen:
                    raise self._error(where, f"two rows write {key}")
                seen.add(key)

    def _error(self, where: str, what: str) -> SpecError:
        return SpecError(f"Cannot use the telemetry spec {self._file}: {where}: {what}.")


_WITHOUT_TELEMETRY = frozenset(
    {"prompt_submitted", "agent_initialized", "message_added", "before_final_response"}
)
"""Hooks that only decide or tell what other hooks tell as well."""
