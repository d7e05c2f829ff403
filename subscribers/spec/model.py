"""The telemetry spec: the span, event and attributes that each hook produces.

`telemetry_spec.toml` beside this file explains its columns; `loader` reads it. All of it is plain
data, so tests and documents read the table that the bridge runs on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from instrument import CONTRACT_VERSION

DEFAULT_PATH = Path(__file__).with_name("telemetry_spec.toml")

KINDS = ("internal", "client", "server", "producer", "consumer")
ACTIONS = ("start", "end", "event", "remember")
TARGETS = ("span", "operation", "none")


class Requirement(StrEnum):
    """The requirement level of an attribute."""

    REQUIRED = "R"
    CONDITIONAL = "CR"
    RECOMMENDED = "Rec"
    OPT_IN = "OI"
    OWN = "own"


class Truncation(StrEnum):
    """The truncation of a value."""

    NONE = "T0"
    SHORT = "T1"
    LONG = "T2"
    JSON = "T3"


class Sensitivity(StrEnum):
    """The sensitivity of a value. Values that must never be recorded (S4) have no row."""

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
    {"$session", "$user", "$tags", "$connection", "$title", "$engine", "$agent", "$failure",
     "$status", "$rpc", "$step_kind", "$wait_ms", "$percent", "$server_uri", "$reason",
     "$operation_name", "$unknown_provider", "$workflow_class", "$is_inference", "$is_loop",
     "$selection", "$state"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attribute:
    """A row: a value of a hook, and its attribute in each vocabulary."""

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
        """The keys in both vocabularies."""
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
    """The spec of one hook; `attributes` includes the common and outcome rows that apply."""

    name: str
    action: str
    span: str | None
    failure: str | None
    event: str | None
    on: str
    attributes: tuple[Attribute, ...]

    def required(self) -> tuple[Attribute, ...]:
        """The rows that every emission of this hook has."""
        return tuple(row for row in self.attributes if row.requirement is Requirement.REQUIRED)


@dataclass(frozen=True, slots=True)
class Spec:
    """The whole table."""

    hooks: Mapping[str, HookSpec]
    """The hooks, by name."""
    spans: Mapping[str, SpanSpec]
    """The spans, by name."""

    @property
    def version(self) -> str:
        """The version of the hook contract; also on spans."""
        return CONTRACT_VERSION

    def spans_of(self, noun: str) -> tuple[SpanSpec, ...]:
        """The spans that an operation `noun` can become, conditional ones first."""
        found = [span for span in self.spans.values() if span.noun == noun]
        return tuple(sorted(found, key=lambda span: span.when is None))
