# ruff: noqa: N815 - mcp-toolkit spells attributes in camelCase
"""Definition of a guidance hook: its moment, strength and conditions.

The text itself is markdown in a file; see `instrument.guidance.loader`.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from instrument.guidance.checks import (
    MAX_TAG_CHARS,
    check_app,
    check_line,
    check_tag,
    check_text,
    choice,
    names,
    scope,
    wrong,
)
from instrument.guidance.errors import GuidanceValueError
from instrument.guidance.spelling import Alias, merged

HookType: TypeAlias = Literal["session", "action", "storage", "config"]
"""Subject of a hook."""

HookLifecycle: TypeAlias = Literal["start", "running", "progress", "cancel", "end"]
"""Moment of a hook."""

RequirementLevel: TypeAlias = Literal["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"]
"""Strength of a hook (RFC 2119)."""

McpFeature: TypeAlias = Literal["tools", "resources", "prompts", "sampling", "elicitation"]
"""Feature of an MCP client or server."""

DEFAULT_APP = "mcp-toolkit"
"""App of a hook, if neither it nor its registry names one."""

DEFAULT_PRIORITY = 50


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Conditions of a hook; empty conditions are always met."""

    requires_storage: Collection[str] = ()
    """Storage backends; one of them must be active."""
    requires_features: Collection[McpFeature] = ()
    """MCP features; all must be available."""
    requires_config: Mapping[str, object] = field(default_factory=dict, hash=False)
    """Required configuration values."""

    requiresStorage = Alias[Collection[str]]("requires_storage")
    requiresFeatures = Alias[Collection[McpFeature]]("requires_features")
    requiresConfig = Alias[Mapping[str, object]]("requires_config")

    def __post_init__(self) -> None:
        attempt = "define a hook's conditions"
        _set(self, requires_storage=names(attempt, "requires_storage", self.requires_storage))
        _set(self, requires_features=features(attempt, "requires_features", self.requires_features))
        if not isinstance(self.requires_config, Mapping):
            raise wrong(attempt, "requires_config", self.requires_config, "a mapping")
        _set(self, requires_config=MappingProxyType(dict(self.requires_config)))

    @classmethod
    def parse(cls, given: Conditions | Mapping[str, object]) -> Conditions:
        """Return `given`, or the conditions made from a mapping in either spelling."""
        if isinstance(given, Conditions):
            return given
        return cls(**merged("define a hook's conditions", given, {}, _field_names(cls)))


@dataclass(frozen=True, kw_only=True)
class HookDefinition:
    """A piece of guidance, without its text.

    Raises:
        GuidanceValueError: A field is invalid; the message says what to do.
    """

    tag: str
    """Filesystem-safe name; the text is in `<tag>.md`."""
    type: HookType
    """What the text is about."""
    lifecycle: HookLifecycle
    """When the text is given to the model."""
    name: str
    """The heading for readers."""
    requirement_level: RequirementLevel
    """Requirement level as in RFC 2119."""
    app: str | None = None
    """The first part of the id; None: the registry's."""
    description: str | None = None
    """A sentence for readers of a list."""
    priority: int = DEFAULT_PRIORITY
    """Higher comes first among hooks of one level; the opposite of the bus's interceptors."""
    content_file: str | None = None
    """File of the text; None: `<tag>.md` beside the definition."""
    conditions: Conditions = field(default_factory=Conditions)
    """What must hold for the text to be included."""
    request_id: str | None = None
    """Its only MCP request; None: any."""
    session_id: str | None = None
    """Its only session; None: any."""
    tags: Collection[str] = ()
    """Labels for queries."""
    defined_in: Path | None = field(default=None, compare=False, repr=False)
    """File of the defining code, beside which the text is; None: unknown."""

    requirementLevel = Alias[RequirementLevel]("requirement_level")
    contentFile = Alias["str | None"]("content_file")
    requestId = Alias["str | None"]("request_id")
    sessionId = Alias["str | None"]("session_id")

    def __post_init__(self) -> None:
        attempt = f"define hook {str(self.tag)[:MAX_TAG_CHARS]!r}"
        check_tag(attempt, self.tag)
        check_line(attempt, "name", self.name)
        choice(attempt, "type", self.type, get_args(HookType))
        choice(attempt, "lifecycle", self.lifecycle, get_args(HookLifecycle))
        choice(attempt, "requirement_level", self.requirement_level, get_args(RequirementLevel))
        if self.app is not None:
            check_app(attempt, self.app)
        for name in ("description", "content_file"):
            check_text(attempt, name, getattr(self, name))
        if type(self.priority) is not int:
            raise wrong(attempt, "priority", self.priority, "a whole number, higher is first")
        _set(
            self,
            conditions=Conditions.parse(self.conditions),
            request_id=scope(attempt, "request_id", self.request_id),
            session_id=scope(attempt, "session_id", self.session_id),
            tags=names(attempt, "tags", self.tags),
            defined_in=self.defined_in or _file_of_caller(),
        )

    @property
    def id(self) -> str:
        """`app:type:lifecycle:tag`."""
        return f"{self.app or DEFAULT_APP}:{self.type}:{self.lifecycle}:{self.tag}"

    @classmethod
    def parse(
        cls, given: HookDefinition | Mapping[str, object] | None = None, /, **named: Any
    ) -> HookDefinition:
        """Return `given`, or the definition made from a mapping in either spelling and keywords.

        Raises:
            GuidanceValueError: A field is missing, unknown or invalid.
        """
        if isinstance(given, HookDefinition) and not named:
            return given
        values = merged("define a hook", given, named, _field_names(cls))
        required = [name for name in _REQUIRED if name not in values]
        if required:
            raise GuidanceValueError(
                f"Cannot define hook {values.get('tag')!r}: {', '.join(required)} missing. "
                f"Every hook has {', '.join(_REQUIRED)}."
            )
        if values.get("conditions") is None:
            values.pop("conditions", None)
        return cls(**values)


_PACKAGE = f"{__name__.rpartition('.')[0]}."
_REQUIRED = ("tag", "type", "lifecycle", "name", "requirement_level")


def features(attempt: str, name: str, value: object) -> tuple[str, ...]:
    """Return `value` as a tuple of MCP features."""
    found = names(attempt, name, value)
    for feature in found:
        choice(attempt, name, feature, get_args(McpFeature))
    return found


def _field_names(cls: type[Conditions | HookDefinition]) -> frozenset[str]:
    return frozenset(item.name for item in fields(cls))


def _set(instance: object, **values: object) -> None:
    """Set fields of a frozen dataclass during its construction."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def _file_of_caller() -> Path | None:
    """Return the file of the nearest code outside this package; None for a prompt or `exec`."""
    frame = sys._getframe(1)
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith(_PACKAGE):
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    return path.absolute() if path.is_file() else None
